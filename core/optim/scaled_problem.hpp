// What the optimizers share: comparable units, the best point so far, and the rules by which they stop.
#pragma once

#include "core/optim/optimizer.hpp"

#include <chrono>
#include <deque>
#include <exception>
#include <limits>
#include <string>

namespace resilin {

struct RESILIN_API StoppingOptions {
  Index max_iterations = 100;
  Index max_evaluations = 1'000'000'000;
  double max_seconds = std::numeric_limits<double>::infinity();
  double gradient_tolerance = 1e-8;
  double loss_tolerance = 1e-12;
  Index patience = 1;
  void visit(ParamVisitor& v);
  /// The first three, and the two about the loss: for optimizers that use no gradient.
  void visit_limits(ParamVisitor& v);
  void visit_loss_rule(ParamVisitor& v);
};

/// Thrown by ScaledProblem::evaluate and value when a limit is reached or the budget of the objective is
/// spent; the report says which. Not an Error.
class RESILIN_API OptimizerStopped : public std::exception {
 public:
  ~OptimizerStopped() override;
  const char* what() const noexcept override;
};

/// Minimise phi(x) = f(offset + unit x) / |f(start)|. A variable with two bounds is measured in units of the
/// distance between them, any other in its own: parameters of different kinds become comparable, which first
/// steps and step sizes rely on.
class RESILIN_API ScaledProblem {
 public:
  ScaledProblem(Objective& f, ConstVec lower, ConstVec upper, const StoppingOptions& rules);

  const VecX& lower() const { return lower_; }  ///< of x
  const VecX& upper() const { return upper_; }
  VecX scaled(ConstVec u) const { return (u - offset_).cwiseQuotient(unit_); }
  VecX projected(const VecX& x) const { return x.cwiseMax(lower_).cwiseMin(upper_); }
  /// u at x, within the bounds. Scaling back may miss a bound by a rounding; the bound itself is meant.
  VecX original(const VecX& x) const {
    return (offset_ + unit_.cwiseProduct(x)).cwiseMax(lower_u_).cwiseMin(upper_u_);
  }
  const VecX& unit() const { return unit_; }  ///< du/dx

  /// phi and its gradient at x, which is within the bounds. Where the objective throws Error(Numerics), or
  /// the loss or its gradient is not a number, the point is not admissible: that is logged and counted, and
  /// infinity is returned with a gradient that is not a number; the caller has to step back. At the first
  /// point, before which there is nothing, the error is thrown instead, and any other error at every point.
  /// Throws OptimizerStopped before an evaluation beyond a limit.
  double evaluate(const VecX& x, VecX& gradient);
  /// phi at x alone, see Objective::value; else as evaluate.
  double value(const VecX& x);
  const std::string& last_failure() const { return last_failure_; }  ///< why the last such point was none
  /// Objective::noise of the last evaluation that did not fail, in units of phi.
  double noise() const { return f_.noise() / scale_; }

  /// Largest component of the projected gradient P(x - gradient) - x: zero at a minimum within bounds.
  double projected_gradient(const VecX& x, const VecX& gradient) const;
  /// To be called with the first point and at the end of each iteration, with its x, phi and gradient; true
  /// if the optimizer has to stop. The loss rule compares best losses `patience` iterations apart.
  bool done(const VecX& x, double loss, const VecX& gradient);
  /// The same for those that have no gradient, and hence no rule about it.
  bool done();
  /// Throws OptimizerStopped where evaluate would, for what else an optimizer spends time on.
  void check_limits();
  /// Ends with a reason of the optimizer's own.
  void stop(bool converged, const std::string& note);

  /// Writes the best point to u. Throws what stopped the objective, if something did; Error(Internal) if
  /// there was no evaluation.
  OptimizerReport finish(MutVec u) const;
  Index iterations() const { return report_.iterations; }
  void set_iterations(Index n) { report_.iterations = n; }  ///< for optimizers that do not call done()
  bool converged() const { return report_.converged; }      ///< as stop() was told
  bool has_failed() const { return failure_ != nullptr; }   ///< the objective threw

 private:
  double assess(const VecX& x, VecX* gradient);
  double call(ConstVec u, VecX* gradient);
  void count_iteration();

  Objective& f_;
  StoppingOptions rules_;
  VecX lower_u_, upper_u_, offset_, unit_, lower_, upper_, best_;
  double scale_ = 1, best_loss_ = 0;
  bool first_point_ = true;
  std::deque<double> history_;  ///< best phi after the last iterations
  OptimizerReport report_;
  std::exception_ptr failure_;
  std::string last_failure_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Armijo's rule along the projected path x(s) = P(x + s p): halves s until
///     phi(x(s)) <= phi(x) + 1e-4 gradient . (x(s) - x).
/// A point that is not admissible is too far. Moves x, loss and gradient and returns true, or ends the
/// problem and returns false: converged if every step promised, gradient . (x(s) - x), no more than the noise
/// of the loss there; else not converged.
RESILIN_API bool armijo_step(ScaledProblem& problem, const VecX& p, double first_step, Index max_evaluations,
                             VecX& x, double& loss, VecX& gradient);

}  // namespace resilin
