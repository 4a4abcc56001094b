// A list of values that may be written as one value and a count.
#pragma once

#include "core/mesh/regions.hpp"

#include <fmt/format.h>

namespace resilin::signals {

inline void visit_list(ParamVisitor& v, Index& count, Field& values, const char* doc) {
  v.integer("count", count,
            {.doc = "how many there are; 0: as many as values are given", .min = 0, .max = 1e6});
  v.field("values", values, {.doc = doc, .differentiable = true});
}

/// Gives each of `count` entries (0: as many as there are) a value of its own.
inline void spread_list(Field& values, Index count, const BuildContext& context) {
  require_no_regions(values, "values", context);
  if (values.steps != 1 || !values.drives.empty())
    throw context.input_error("values", "expected one value, or a list of them");
  if (count == 0 || values.items == count) return;
  if (values.items != 1)
    throw context.input_error("values",
                              fmt::format("{} values given; expected one or {}", values.items, count));
  values.values = VecX::Constant(count, values.values[0]);
  values.items = count;
}

}  // namespace resilin::signals
