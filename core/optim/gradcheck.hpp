// Adjoint gradients against differences of the loss.
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
  double difference = 0;  ///< best difference
  double step = 0;        ///< its step, in units of the parameter
  double error = 0;       ///< |adjoint - difference| / max(|adjoint|, |difference|)
  double noise = 0;       ///< what the uncertainty of the loss makes of the difference, see check_gradient
  double taylor_order =
      0;  ///< of |L(+s) - L - s dL| between the coarsest steps; NaN if below rounding or linear
  /// Steps (from 1) after which other nodes are in contact at a point of the difference than at the centre:
  /// the loss has a kink or a jump in between. Differences across none are preferred.
  std::vector<Index> contact_changes;
  bool one_sided = false;    ///< at the end of its range, or of where the scene can be simulated: into that
  bool at_bound = false;     ///< no room on either side: not checked
  bool below_noise = false;  ///< passed because both derivatives are zero as far as the loss can tell
  bool passed = false;
  std::string note;  ///< why there is no difference
};

struct GradcheckReport {
  double loss = 0;
  std::vector<GradcheckRow> rows;
  double worst_error = 0;
  bool passed = false;
};

/// For every group: the direction of the gradient itself, random directions, single coordinates. Each
/// derivative is compared with differences over a sweep of steps (scaled by the parameter), the step with
/// the smallest uncertainty counts: central ones, extrapolated to fourth order, or, where the parameter is
/// at the end of its range, one-sided ones (coordinates at an end point inwards), extrapolated to third.
///
/// With contact, steps small enough for the same nodes to touch throughout count before all others. Where
/// there are none, the row says in which steps the sets differ.
///
/// Noise of a difference D = sum c_i L(theta + s_i d) / step: sum |c_i| noise(L(theta + s_i d)) / step with
/// the noise of Task::last_noise, from rounding and from what the solves left over. A row passes
///   - if the error is within the tolerance; or
///   - if adjoint and difference are both below that noise: zero as far as the loss can tell; or
///   - if the difference cannot be resolved to the tolerance by its spread over neighbouring steps and
///     rounding, and the adjoint is within four times those. What loose solves leave over is no excuse here.
RESILIN_API GradcheckReport check_gradient(Task& task, const GradcheckOptions& options);

}  // namespace resilin
