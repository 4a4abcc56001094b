#include "optimizers/lbfgsb/lbfgsb.hpp"

#include <LBFGSB.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace resilin {
namespace {

/// Goes through LBFGSpp's line search, which takes every function for one that exists everywhere.
struct NotAdmissible {};

template <class Scalar>
class SteppingBack {
  using Vector = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;

 public:
  /// As LineSearchMoreThuente::LineSearch.
  template <class Function>
  static void LineSearch(Function& f, Scalar& fx, Vector& x, Vector& gradient, Scalar& step,
                         const Scalar& step_max, const Vector& direction, const Vector& from,
                         const LBFGSpp::LBFGSBParam<Scalar>& param) {
    const Scalar fx_before = fx;
    const Vector gradient_before = gradient;
    Scalar longest = step_max;
    for (int tries = 0;; ++tries) {
      try {
        LBFGSpp::LineSearchMoreThuente<Scalar>::LineSearch(f, fx, x, gradient, step, longest, direction, from,
                                                           param);
        return;
      } catch (const NotAdmissible&) {
        if (tries == param.max_linesearch) throw;
        longest = (x - from).dot(direction) / direction.squaredNorm() / 2;
        step = longest;
        fx = fx_before;
        gradient = gradient_before;
      }
    }
  }
};

}  // namespace

void Lbfgsb::Options::visit(ParamVisitor& v) {
  stopping.visit(v);
  v.integer("history", history,
            {.doc = "pairs of steps and gradient changes that are kept", .min = 1, .max = 1000});
  v.integer("max_line_search", max_line_search,
            {.doc = "evaluations per line search", .min = 1, .max = 1000});
}

OptimizerReport Lbfgsb::minimize(Objective& f, ConstVec lower, ConstVec upper, MutVec u) const {
  const StoppingOptions& rules = options_.stopping;
  LBFGSpp::LBFGSBParam<double> param;  // outlives the solver, which keeps a reference to it
  param.m = static_cast<int>(options_.history);
  param.max_iterations = static_cast<int>(rules.max_iterations);
  param.max_linesearch = static_cast<int>(options_.max_line_search);
  param.epsilon = rules.gradient_tolerance;
  param.epsilon_rel = 0;
  param.past = static_cast<int>(rules.patience);
  param.delta = rules.loss_tolerance;
  LBFGSpp::LBFGSBSolver<double, SteppingBack> solver(param);
  ScaledProblem problem(f, lower, upper, rules);
  const auto function = [&](const VecX& x, VecX& gradient) {
    const double loss = problem.evaluate(x, gradient);
    if (!std::isfinite(loss)) throw NotAdmissible();
    return loss;
  };
  VecX x = problem.scaled(u);
  double loss = 0;
  try {
    const Index iterations = solver.minimize(function, x, loss, problem.lower(), problem.upper());
    problem.set_iterations(iterations);
    const bool limit = iterations >= rules.max_iterations;
    problem.stop(!limit,
                 limit ? "iteration limit" : "the gradient or the fall of the loss is within tolerance");
  } catch (const OptimizerStopped&) {  // the report says which limit
  } catch (const NotAdmissible&) {
    problem.stop(false, "no point along the search direction can be evaluated; the last failed because: " +
                            problem.last_failure());
  } catch (const Error&) {
    throw;
  } catch (const std::logic_error& e) {
    if (!problem.has_failed()) problem.stop(false, fmt::format("LBFGSpp: {}", e.what()));
  } catch (const std::runtime_error& e) {  // its line search gives up this way, often at rounding level
    if (!problem.has_failed()) problem.stop(false, fmt::format("LBFGSpp: {}", e.what()));
  }
  return problem.finish(u);
}

}  // namespace resilin
