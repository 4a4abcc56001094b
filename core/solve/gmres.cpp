#include "core/solve/krylov.hpp"
#include "core/solve/step_problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace resilin {
namespace {

/// The least-squares problem of GMRES, reduced to triangular form by Givens rotations as columns come.
class Hessenberg {
 public:
  explicit Hessenberg(Index size, double beta)
      : h_(MatX::Zero(size + 1, size)), cs_(size), sn_(size), g_(VecX::Zero(size + 1)) {
    g_[0] = beta;
  }
  double& operator()(Index i, Index j) { return h_(i, j); }
  /// Takes column j in; returns the size of the residual.
  double reduce(Index j) {
    for (Index i = 0; i < j; ++i) rotate(i, h_(i, j), h_(i + 1, j));
    const double length = std::hypot(h_(j, j), h_(j + 1, j));
    cs_[j] = length > 0 ? h_(j, j) / length : 1;
    sn_[j] = length > 0 ? h_(j + 1, j) / length : 0;
    rotate(j, h_(j, j), h_(j + 1, j));
    rotate(j, g_[j], g_[j + 1]);
    return std::abs(g_[j + 1]);
  }
  /// Whether column j, which is reduced, depends on those before it: H is singular.
  bool is_singular(Index j) const {
    return std::abs(h_(j, j)) <= std::numeric_limits<double>::epsilon() * h_.col(0).norm();
  }
  VecX solve(Index columns) const {
    return h_.topLeftCorner(columns, columns).triangularView<Eigen::Upper>().solve(g_.head(columns));
  }

 private:
  void rotate(Index i, double& a, double& b) const {
    const double t = cs_[i] * a + sn_[i] * b;
    b = cs_[i] * b - sn_[i] * a;
    a = t;
  }
  MatX h_;
  VecX cs_, sn_, g_;
};

}  // namespace

KrylovReport gmres(LinearMap h, LinearMap precondition, ConstVec b, MutVec x, bool warm, double tolerance,
                   Index max_iterations, Index restart, GmresScratch& s) {
  KrylovReport report;
  const Index n = b.size();
  if (!warm) x.setZero();
  restart = std::min({restart, n, std::max<Index>(1, max_iterations)});
  s.z.resize(n);
  s.w.resize(n);
  s.basis.resize(static_cast<std::size_t>(restart) + 1);
  const auto v = [&](Index i) -> VecX& { return s.basis[static_cast<std::size_t>(i)]; };
  double checked = std::numeric_limits<double>::infinity();
  for (bool is_zero = !warm;; is_zero = false) {
    if (is_zero) {
      v(0) = b;
    } else {
      h(x, s.w);
      v(0) = b - s.w;
    }
    const double beta = report.residual = norm(v(0));
    if (beta <= tolerance) {
      report.stop = KrylovReport::Stop::Converged;
      return report;
    }
    if (report.iterations == max_iterations) return report;
    if (!std::isfinite(beta) || !(beta < 0.99 * checked)) {  // no progress over a whole cycle
      report.stop = KrylovReport::Stop::Breakdown;
      return report;
    }
    checked = beta;
    v(0) /= beta;
    Hessenberg reduced(restart, beta);
    Index j = 0;
    for (double residual = beta; j < restart && residual > 0.9 * tolerance; ++j) {
      if (report.iterations == max_iterations) break;
      ++report.iterations;
      precondition(v(j), s.z);
      h(s.z, s.w);
      for (Index i = 0; i <= j; ++i) {
        reduced(i, j) = dot(s.w, v(i));
        s.w -= reduced(i, j) * v(i);
      }
      const double length = reduced(j + 1, j) = norm(s.w);
      residual = reduced.reduce(j);
      if (!(length > 0)) {
        ++j;
        break;
      }
      v(j + 1) = s.w / length;
    }
    if (j > 0 && reduced.is_singular(j - 1)) --j;  // that column says nothing
    const VecX y = reduced.solve(j);
    s.w.setZero();
    for (Index i = 0; i < j; ++i) s.w += y[i] * v(i);
    precondition(s.w, s.z);
    x += s.z;
  }
}

}  // namespace resilin
