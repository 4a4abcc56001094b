// Adjoint gradients against central differences.
#pragma once

#include "core/optim/task.hpp"

#include <string>
#include <vector>

namespace resilin {

struct GradcheckOptions {
  double tolerance = 1e-6;
  Index coordinates = 3;  ///< single coordinates per group: the largest by gradient, then spread ones
  Index random_directions = 2;
  std::uint64_t seed = 1;
  std::vector<std::string> paths;  ///< groups to check; empty: all parameters of the table
};

/// One row: a parameter group and a direction in it.
struct GradcheckRow {
  std::string path;
  std::string direction;  ///< "gradient", "random 1", "coordinate 17"
  double adjoint = 0;     ///< directional derivative by the adjoint
  double difference = 0;  ///< best central difference
  double step = 0;        ///< its step, in units of the parameter
  double error = 0;       ///< |adjoint - difference| / max(|adjoint|, |difference|)
  double taylor_order =
      0;  ///< of |L(+s) - L - s dL| between the coarsest steps; NaN if below rounding or linear
  bool at_bound = false;     ///< at the end of its range, where no central difference exists: not checked
  bool below_noise = false;  ///< derivative too small for a difference to resolve: compared absolutely
  bool passed = false;
};

struct GradcheckReport {
  double loss = 0;
  std::vector<GradcheckRow> rows;
  double worst_error = 0;
  bool passed = false;
};

/// For every group: the direction of the gradient itself, random directions, single coordinates. Each
/// derivative is compared with central differences over a sweep of steps (scaled by the parameter); the step
/// with the smallest change to its neighbour counts. A group whose gradient vanishes has to vanish in the
/// differences too.
RESILIN_API GradcheckReport check_gradient(Task& task, const GradcheckOptions& options);

}  // namespace resilin
