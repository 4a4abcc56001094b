// What the controllers of this folder have in common: one field of weights, and the number of inputs that
// they were made for.
#pragma once

#include "core/control/controller.hpp"

#include <fmt/format.h>

namespace resilin {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

inline void visit_inputs(ParamVisitor& v, Index& inputs) {
  v.integer("inputs", inputs,
            {.doc = "numbers that the sensors have to give, which is checked; 0: any", .min = 0, .max = 1e9});
}

/// Throws Error(Input) unless the sensors give what the controller was made for.
inline void require_inputs(Index declared, Index inputs) {
  if (declared != 0 && declared != inputs)
    throw Error(Errc::Input,
                fmt::format("it was made for {} inputs, but the sensors give {}", declared, inputs));
}

/// Throws Error(Input) unless the field, if given, is `expected` constant numbers.
inline void require_weights(const Field& weights, Index expected, const std::string& of) {
  if (weights.size() == 0) return;
  if (!weights.regions.empty() || weights.steps != 1)
    throw Error(Errc::Input, "weights: expected a list of numbers or {file: ...} with one number a row");
  if (weights.size() != expected)
    throw Error(Errc::Input,
                fmt::format("weights: {} numbers given; {} need {}", weights.size(), of, expected));
}

}  // namespace resilin
