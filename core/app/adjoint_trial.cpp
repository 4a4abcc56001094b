#include "core/app/adjoint_trial.hpp"

#include "core/base/interrupt.hpp"
#include "core/base/random.hpp"
#include "core/solve/spectral_radius.hpp"

#include <algorithm>
#include <limits>

namespace resilin::app {
namespace {

VecX random_free(Random& random, const std::vector<char>& fixed) {
  VecX b = random.normals(static_cast<Index>(fixed.size()));
  for (Index i = 0; i < b.size(); ++i)
    if (fixed[static_cast<std::size_t>(i)]) b[i] = 0;
  return b;
}

}  // namespace

AdjointTrial try_adjoints(const Simulation& simulation, Index right_hand_sides) {
  Tape tape;
  AdjointTrial trial;
  if (simulation.run(tape, true).interrupted) throw Interrupted();
  const StepTools tools = simulation.tools();
  Random random(2);
  trial.least_radius = std::numeric_limits<double>::infinity();
  const auto steps = static_cast<Index>(tape.records.size());
  for (Index k = 0; k < steps; ++k) {
    if (interrupted()) throw Interrupted();
    const StepRecord& record = tape.records[static_cast<std::size_t>(k)];
    const StepContext context = record.step_context();
    const VecX& x = tape.states[static_cast<std::size_t>(record.after)].x;
    StepProblem problem(tools.system, tools.linear, context, 1 / (context.time_step * context.time_step), x,
                        tape.states[static_cast<std::size_t>(record.before)].x, tools.workspace);
    std::vector<Index> held;
    // What sticks is held; what slides, or touches other nodes, is taken for free.
    for (const NodeContact& c : record.contacts)
      if (!c.slides && c.collider >= 0 && (held.empty() || held.back() != c.node)) held.push_back(c.node);
    problem.hold(held);
    const double radius = spectral_radius(problem, x);
    trial.least_radius = std::min(trial.least_radius, radius);
    trial.largest_radius = std::max(trial.largest_radius, radius);
    for (Index i = k; i < right_hand_sides; i += steps) {
      VecX z = VecX::Zero(x.size());
      const SolveReport report = tools.backward.solve(problem, x, random_free(random, problem.fixed()), z);
      ++trial.right_hand_sides;
      if (!report.converged) continue;
      ++trial.converged;
      trial.iterations.push_back(report.linear_iterations);
    }
  }
  std::sort(trial.iterations.begin(), trial.iterations.end());
  return trial;
}

}  // namespace resilin::app
