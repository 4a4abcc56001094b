// What the backward solvers have in common.
#pragma once

#include "core/solve/solvers.hpp"

namespace resilin {

struct AdjointTolerance {
  double relative_tolerance = 1e-8;
  Index max_iterations = 2000;
  void visit(ParamVisitor& v) {
    v.real("relative_tolerance", relative_tolerance,
           {.doc = "residual of the adjoint system relative to its right-hand side", .min = 0, .max = 1});
    v.integer("max_iterations", max_iterations, {.doc = "iterations per step", .min = 1, .max = 1e9});
  }
};

}  // namespace resilin
