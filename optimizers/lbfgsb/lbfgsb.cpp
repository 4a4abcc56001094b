#include "optimizers/lbfgsb/lbfgsb.hpp"

#include <LBFGSB.h>
#include <fmt/format.h>

#include <cmath>
#include <exception>

namespace resilin {
namespace {

/// The objective as LBFGSpp calls it, over u = offset + unit * x; remembers the best point, which its line
/// search may walk away from.
class Scaled {
 public:
  Scaled(Objective& f, VecX offset, VecX unit) : f_(f), offset_(std::move(offset)), unit_(std::move(unit)) {}
  double operator()(const VecX& x, VecX& gradient) {
    const VecX u = offset_ + unit_.cwiseProduct(x);
    gradient.resize(u.size());
    double loss = 0;
    try {
      loss = f_.evaluate(u, gradient);
    } catch (...) {  // kept apart from what LBFGSpp throws itself
      failure_ = std::current_exception();
      throw;
    }
    if (!std::isfinite(loss) || !gradient.allFinite())
      throw Error(Errc::Numerics,
                  "the loss or its gradient is not a number at the point that the optimizer asked for");
    if (count_ == 0) scale_ = std::abs(loss) > 0 ? std::abs(loss) : 1;
    if (count_ == 0 || loss < best_loss_) {
      best_loss_ = loss;
      best_ = u;
    }
    ++count_;
    gradient = gradient.cwiseProduct(unit_) / scale_;
    return loss / scale_;
  }
  void rethrow_failure() const {
    if (failure_) std::rethrow_exception(failure_);
  }
  const VecX& best() const { return best_; }
  double best_loss() const { return best_loss_; }
  Index count() const { return count_; }

 private:
  Objective& f_;
  std::exception_ptr failure_;
  VecX offset_, unit_;
  double scale_ = 1, best_loss_ = 0;
  VecX best_;
  Index count_ = 0;
};

}  // namespace

void Lbfgsb::Options::visit(ParamVisitor& v) {
  v.integer("history", history,
            {.doc = "pairs of steps and gradient changes that are kept", .min = 1, .max = 1000});
  v.integer("max_iterations", max_iterations, {.doc = "iterations", .min = 1, .max = 1e6});
  v.integer("max_line_search", max_line_search,
            {.doc = "evaluations per line search", .min = 1, .max = 1000});
  v.real(
      "gradient_tolerance", gradient_tolerance,
      {.doc = "stops when the projected gradient of the loss over its first value is this small", .min = 0});
  v.real(
      "loss_tolerance", loss_tolerance,
      {.doc = "stops when an iteration lowers the loss by less than this part of its first value", .min = 0});
}

OptimizerReport Lbfgsb::minimize(Objective& f, ConstVec lower, ConstVec upper, MutVec u) const {
  LBFGSpp::LBFGSBParam<double> param;  // outlives the solver, which keeps a reference to it
  param.m = static_cast<int>(options_.history);
  param.max_iterations = static_cast<int>(options_.max_iterations);
  param.max_linesearch = static_cast<int>(options_.max_line_search);
  param.epsilon = options_.gradient_tolerance;
  param.epsilon_rel = 0;
  param.past = 1;
  param.delta = options_.loss_tolerance;
  LBFGSpp::LBFGSBSolver<double> solver(param);
  // Variables with two bounds are measured in units of the distance between them: parameters of different
  // kinds become comparable, which the method's first steps rely on.
  VecX offset = VecX::Zero(u.size()), unit = VecX::Ones(u.size());
  for (Index i = 0; i < u.size(); ++i)
    if (const double width = upper[i] - lower[i]; std::isfinite(width) && width > 0) {
      offset[i] = lower[i];
      unit[i] = width;
    }
  Scaled scaled(f, offset, unit);
  OptimizerReport report;
  const VecX lb = (lower - offset).cwiseQuotient(unit), ub = (upper - offset).cwiseQuotient(unit);
  VecX x = (u - offset).cwiseQuotient(unit);
  double loss = 0;
  try {
    report.iterations = solver.minimize(scaled, x, loss, lb, ub);
    report.converged = report.iterations < options_.max_iterations;
    report.note = report.converged ? "converged" : "iteration limit";
  } catch (const Error&) {
    throw;
  } catch (const std::logic_error& e) {
    scaled.rethrow_failure();
    report.note = fmt::format("LBFGSpp: {}", e.what());
  } catch (const std::runtime_error& e) {  // its line search gives up this way, often at rounding level
    scaled.rethrow_failure();
    report.note = fmt::format("LBFGSpp: {}", e.what());
  }
  if (scaled.count() == 0) throw Error(Errc::Internal, "L-BFGS-B made no evaluation: " + report.note);
  u = scaled.best();
  report.loss = scaled.best_loss();
  return report;
}

}  // namespace resilin
