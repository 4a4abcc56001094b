#include "core/optim/scaled_problem.hpp"

#include "core/base/log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace resilin {

void StoppingOptions::visit(ParamVisitor& v) {
  visit_limits(v);
  v.real(
      "gradient_tolerance", gradient_tolerance,
      {.doc = "stops when the projected gradient of the loss over its first value is this small", .min = 0});
  visit_loss_rule(v);
}

void StoppingOptions::visit_limits(ParamVisitor& v) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  v.integer("max_iterations", max_iterations, {.doc = "iterations", .min = 1, .max = 1e9});
  v.integer("max_evaluations", max_evaluations,
            {.doc = "evaluations of the loss, those that a resumed job goes over again included",
             .min = 1,
             .max = 1e9});
  v.real("max_seconds", max_seconds,
         {.doc = "time after which no evaluation is begun; a resumed job has that time again",
          .unit = "s",
          .min = 0,
          .max = kInfinity});
}

void StoppingOptions::visit_loss_rule(ParamVisitor& v) {
  v.real(
      "loss_tolerance", loss_tolerance,
      {.doc = "stops when `patience` iterations together lower the best loss by less than this part of its "
              "first value",
       .min = 0});
  v.integer("patience", patience,
            {.doc = "iterations that loss_tolerance looks back over", .min = 1, .max = 1e6});
}

OptimizerStopped::~OptimizerStopped() = default;
const char* OptimizerStopped::what() const noexcept {
  return "the optimizer has reached a limit";
}

ScaledProblem::ScaledProblem(Objective& f, ConstVec lower, ConstVec upper, const StoppingOptions& rules)
    : f_(f),
      rules_(rules),
      lower_u_(lower),
      upper_u_(upper),
      offset_(VecX::Zero(lower.size())),
      unit_(VecX::Ones(lower.size())) {
  for (Index i = 0; i < lower.size(); ++i)
    if (const double width = upper[i] - lower[i]; std::isfinite(width) && width > 0) {
      offset_[i] = lower[i];
      unit_[i] = width;
    }
  lower_ = scaled(lower);
  upper_ = scaled(upper);
  report_.note = "stopped";
}

double ScaledProblem::evaluate(const VecX& x, VecX& gradient) {
  return assess(x, &gradient);
}
double ScaledProblem::value(const VecX& x) {
  return assess(x, nullptr);
}

void ScaledProblem::check_limits() {
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  if (report_.evaluations >= rules_.max_evaluations) {
    stop(false, "evaluation limit");
    throw OptimizerStopped();
  }
  if (report_.evaluations > 0 && seconds > rules_.max_seconds) {
    stop(false, "time limit");
    throw OptimizerStopped();
  }
}

double ScaledProblem::call(ConstVec u, VecX* gradient) {
  if (gradient != nullptr) gradient->resize(u.size());
  const double loss = gradient != nullptr ? f_.evaluate(u, *gradient) : f_.value(u);
  if (std::isfinite(loss) && (gradient == nullptr || gradient->allFinite())) return loss;
  throw Error(Errc::Numerics,
              fmt::format("the loss{} is not a number at the point that the optimizer asked for",
                          gradient == nullptr ? "" : " or its gradient"));
}

double ScaledProblem::assess(const VecX& x, VecX* gradient) {
  check_limits();
  const VecX u = original(x);
  double loss = 0;
  try {
    loss = call(u, gradient);
  } catch (const BudgetSpent& e) {
    if (report_.evaluations == 0) {
      failure_ = std::current_exception();
      throw;
    }
    stop(false, e.what());
    throw OptimizerStopped();
  } catch (const Error& e) {
    const bool is_start = report_.evaluations == 0;
    if (e.code() != Errc::Numerics || is_start) {
      failure_ = std::current_exception();
      throw;
    }
    last_failure_ = e.what();
    log_warn("the optimizer steps back from a point that is not admissible: " + last_failure_);
    ++report_.evaluations;
    ++report_.failed_evaluations;
    if (gradient != nullptr) gradient->setConstant(std::numeric_limits<double>::quiet_NaN());
    return std::numeric_limits<double>::infinity();
  } catch (...) {  // kept: a library in between may throw things of its own
    failure_ = std::current_exception();
    throw;
  }
  if (report_.evaluations == 0) scale_ = std::abs(loss) > 0 ? std::abs(loss) : 1;
  if (report_.evaluations == 0 || loss < best_loss_) {
    best_loss_ = loss;
    best_ = u;
  }
  ++report_.evaluations;
  if (gradient != nullptr) *gradient = gradient->cwiseProduct(unit_) / scale_;
  return loss / scale_;
}

double ScaledProblem::projected_gradient(const VecX& x, const VecX& gradient) const {
  return x.size() == 0 ? 0 : (projected(x - gradient) - x).lpNorm<Eigen::Infinity>();
}

void ScaledProblem::count_iteration() {
  if (!first_point_) ++report_.iterations;
  first_point_ = false;
  history_.push_back(best_loss_ / scale_);
  if (static_cast<Index>(history_.size()) > rules_.patience + 1) history_.pop_front();
}

bool ScaledProblem::done(const VecX& x, double /*loss*/, const VecX& gradient) {
  if (projected_gradient(x, gradient) > rules_.gradient_tolerance) return done();
  count_iteration();
  stop(true, "the gradient is within gradient_tolerance");
  return true;
}

bool ScaledProblem::done() {
  count_iteration();
  if (static_cast<Index>(history_.size()) > rules_.patience &&
      history_.front() - history_.back() <= rules_.loss_tolerance)
    stop(true,
         rules_.patience == 1
             ? "the loss falls by less than loss_tolerance"
             : fmt::format("no progress over {} iterations by more than loss_tolerance", rules_.patience));
  else if (report_.iterations >= rules_.max_iterations)
    stop(false, "iteration limit");
  else
    return false;
  return true;
}

void ScaledProblem::stop(bool converged, const std::string& note) {
  report_.converged = converged;
  report_.note = note;
}

OptimizerReport ScaledProblem::finish(MutVec u) const {
  if (failure_) std::rethrow_exception(failure_);
  if (report_.evaluations == 0)
    throw Error(Errc::Internal, "the optimizer made no evaluation: " + report_.note);
  u = best_;
  OptimizerReport report = report_;
  report.loss = best_loss_;
  return report;
}

bool armijo_step(ScaledProblem& problem, const VecX& p, double first_step, Index max_evaluations, VecX& x,
                 double& loss, VecX& gradient) {
  constexpr double kArmijo = 1e-4;
  VecX trial, trial_gradient;
  const double noise_here = problem.noise();
  bool within_noise = true;
  Index failed = 0;
  double step = first_step;
  for (Index k = 0; k < max_evaluations; ++k, step /= 2) {
    trial = problem.projected(x + step * p);
    const double promised = -gradient.dot(trial - x);
    if (!(promised > 0)) continue;
    const double trial_loss = problem.evaluate(trial, trial_gradient);
    if (trial_loss <= loss - kArmijo * promised) {
      x = trial;
      loss = trial_loss;
      gradient = trial_gradient;
      return true;
    }
    const bool fails = std::isinf(trial_loss);
    failed += fails ? 1 : 0;
    within_noise = within_noise && promised <= noise_here + (fails ? 0 : problem.noise());
  }
  if (within_noise)
    problem.stop(true, "the gradient promises no more than the rounding of the loss");
  else
    problem.stop(false,
                 fmt::format("no step of {} along the search direction lowers the loss{}", max_evaluations,
                             failed == 0 ? ""
                                         : fmt::format(" ({} could not be evaluated, the last because: {})",
                                                       failed, problem.last_failure())));
  return false;
}

}  // namespace resilin
