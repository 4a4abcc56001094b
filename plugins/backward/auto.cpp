#include "plugins/backward/auto.hpp"

#include "core/base/log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace resilin {
namespace {

constexpr const char* kNames[] = {"pd_krylov", "pd_lbfgs", "pd_fixed_point", "direct"};

}  // namespace

struct AutoAdjoint::Scratch {
  std::uint64_t revision = 0;
  Candidate choice = kKrylov;
  bool reported = false;
  VecX guess, best;
};

AutoAdjoint::AutoAdjoint(const Options& options, const BuildContext& context)
    : max_iterations_(options.tolerance.max_iterations),
      krylov_({options.tolerance, "auto"}, context),
      lbfgs_({options.tolerance}, context),
      fixed_point_({options.tolerance}, context),
      direct_({options.tolerance.relative_tolerance, false}, context) {}

SolveReport AutoAdjoint::solve(const StepProblem& problem, ConstVec x, ConstVec b, MutVec z) const {
  auto& s = problem.workspace().slot<Scratch>(this);
  if (s.revision != problem.system().revision() && norm(b) > 0) {
    const SolveReport report = choose(problem, x, b, z, s);
    s.revision = problem.system().revision();
    return report;
  }
  return run(s.choice, problem, x, b, z, max_iterations_);
}

std::string AutoAdjoint::choice(Workspace& workspace) const {
  const auto& s = workspace.slot<Scratch>(this);
  return s.reported ? kNames[s.choice] : "";
}

SolveReport AutoAdjoint::run(Candidate c, const StepProblem& problem, ConstVec x, ConstVec b, MutVec z,
                             Index max_iterations) const {
  switch (c) {
    case kLbfgs:
      return lbfgs_.solve_within(max_iterations, problem, x, b, z);
    case kFixedPoint:
      return fixed_point_.solve_within(max_iterations, problem, x, b, z);
    case kDirect:
      return direct_.solve(problem, x, b, z);
    default:
      return krylov_.solve_within(max_iterations, problem, x, b, z);
  }
}

double AutoAdjoint::iteration_work(Candidate c, const StepProblem& problem, double product) const {
  const auto vectors = static_cast<double>(problem.size());
  switch (c) {
    case kLbfgs:
      return problem.prefactored_work() + product +
             (14 + 8 * static_cast<double>(lbfgs_.history())) * vectors;
    case kFixedPoint:
      return problem.prefactored_work() + product + 4 * vectors;
    case kDirect: {
      const Factorization::Work work = direct_.work(problem);
      return work.factorize > 0 ? work.factorize + work.solve + product : 0;
    }
    default:
      return problem.prefactored_work() + product + 14 * vectors;
  }
}

SolveReport AutoAdjoint::choose(const StepProblem& problem, ConstVec x, ConstVec b, MutVec z,
                                Scratch& s) const {
  s.guess = z;
  const double product = 18 * static_cast<double>(problem.hessian(x, false).num_blocks());
  double least = std::numeric_limits<double>::infinity();
  SolveReport report, best;
  Candidate choice = kKrylov;
  std::string text;
  // The one that was best with other parameters begins: the others then stop at its work.
  std::array<Candidate, kCandidates> order{kKrylov, kLbfgs, kFixedPoint, kDirect};
  std::rotate(order.begin(), std::find(order.begin(), order.end(), s.choice),
              std::find(order.begin(), order.end(), s.choice) + 1);
  for (const Candidate c : order) {
    double work = iteration_work(c, problem, product);
    const double allowed = work > 0 ? least / work : 1;
    if (allowed < 1) continue;
    z = s.guess;
    report = run(c, problem, x, b, z, std::min(max_iterations_, static_cast<Index>(std::min(allowed, 1e9))));
    if (c == kDirect) work = iteration_work(c, problem, product);
    work *= static_cast<double>(c == kDirect ? 1 : std::max<Index>(report.linear_iterations, 1));
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", kNames[c],
                        report.converged ? fmt::format("{:.3g}", work) : "not within that");
    if (c == order[0] || (report.converged && work < least)) {
      if (report.converged) least = work;
      choice = c;
      best = report;
      s.best = z;
    }
  }
  z = s.best;
  if (!s.reported || s.choice != choice)
    log_info(fmt::format("backward auto: {} (counted work of the first adjoint system: {})", kNames[choice],
                         text));
  s.reported = true;
  s.choice = choice;
  return best;
}

}  // namespace resilin
