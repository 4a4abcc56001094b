#include "plugins/forward/pd_anderson.hpp"

#include <Eigen/QR>

#include <cmath>

namespace resilin {
namespace {

using Small =
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, PdAnderson::kMaxWindow, PdAnderson::kMaxWindow>;
using SmallVec = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, PdAnderson::kMaxWindow, 1>;

/// The last differences of the plain step f = G(x) - x and of its end G(x), newest where the next goes.
class Window {
 public:
  void reset(Index n, Index width) {
    if (df_.rows() != n || df_.cols() != width) {
      df_.resize(n, width), dg_.resize(n, width);
      f_.resize(n), g_.resize(n);
      gram_.resize(width, width);
    }
    width_ = width;
    count_ = next_ = 0;
    started_ = false;
  }

  /// Takes in f at x and leaves in `out` the accelerated iterate: g - dg theta with |f - df theta| smallest.
  void accelerate(ConstVec x, ConstVec f, MutVec out) {
    out = x + f;
    if (started_ && width_ > 0) add(f, out);
    f_ = f;
    g_ = out;
    started_ = true;
    if (count_ == 0) return;
    SmallVec rhs(count_), theta(count_);
    Small gram = gram_.topLeftCorner(count_, count_);
    for (Index k = 0; k < count_; ++k) rhs[k] = dot(df_.col(k), f);
    // Scaled, so that old and new differences, whose sizes differ by decades, count alike. Differences that
    // depend on others get no weight.
    const SmallVec scale = gram.diagonal().cwiseSqrt().cwiseInverse();
    if (!scale.allFinite()) return;
    gram = scale.asDiagonal() * gram * scale.asDiagonal();
    const Eigen::CompleteOrthogonalDecomposition<Small> decomposition(gram);
    theta = scale.asDiagonal() * decomposition.solve(scale.asDiagonal() * rhs);
    for (Index k = 0; k < count_; ++k) out -= theta[k] * dg_.col(k);
  }

 private:
  void add(ConstVec f, ConstVec g) {
    df_.col(next_) = f - f_;
    dg_.col(next_) = g - g_;
    if (count_ < width_) ++count_;
    for (Index k = 0; k < count_; ++k) gram_(k, next_) = gram_(next_, k) = dot(df_.col(k), df_.col(next_));
    next_ = (next_ + 1) % width_;
  }

  MatX df_, dg_;
  VecX f_, g_;
  Small gram_;
  Index width_ = 0, count_ = 0, next_ = 0;
  bool started_ = false;
};

struct Scratch {
  VecX r, f;
  Window window;
  LineSearchScratch search;
};

/// Moves to `s.search.trial` if that does not raise the energy by more than rounding.
bool accept_trial(const StepProblem& problem, MutVec x, double& g, Scratch& s) {
  s.search.residual.resize(x.size());
  const double trial = problem.residual(s.search.trial, s.search.residual);
  if (!(trial <= g + 1e-13 * std::abs(g) + problem.value_rounding())) return false;  // true for NaN
  x = s.search.trial;
  s.r = s.search.residual;
  g = trial;
  return true;
}

}  // namespace

void PdAnderson::Options::visit(ParamVisitor& v) {
  tolerances.visit(v);
  v.integer("window", window,
            {.doc = "iterates that are combined; none is the plain iteration",
             .min = 0,
             .max = static_cast<double>(kMaxWindow)});
}

SolveReport PdAnderson::solve(const StepProblem& problem, MutVec x) const {
  auto& s = problem.workspace().slot<Scratch>(this);
  const bool projective = problem.system().is_projective();
  SolveReport report;
  s.r.resize(problem.size());
  s.f.resize(problem.size());
  s.window.reset(problem.size(), options_.window);
  double g = start_solve(problem, options_.tolerances, x, s.r, report);
  for (;;) {
    report.residual = norm(s.r);
    if (!std::isfinite(report.residual)) {
      report.note = "the residual is not a number";
      return report;
    }
    if (report.residual <= report.tolerance) {
      report.converged = true;
      return report;
    }
    if (report.iterations == options_.tolerances.max_iterations) return report;
    ++report.iterations;
    ++report.linear_iterations;
    problem.precondition(s.r, s.f);
    s.f *= -1;
    s.search.trial.resize(x.size());
    s.window.accelerate(x, s.f, s.search.trial);
    ++report.evaluations;
    if (accept_trial(problem, x, g, s)) continue;
    if (projective) {
      s.search.trial = x + s.f;
      ++report.evaluations;
      if (accept_trial(problem, x, g, s)) continue;
    }
    const Index evaluations = line_search(problem, s.f, x, s.r, g, s.search);
    if (evaluations == 0) {
      report.note = "no decrease along -A^-1 R";
      return report;
    }
    report.evaluations += evaluations;
  }
}

}  // namespace resilin
