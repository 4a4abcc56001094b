#include "core/solve/spectral_radius.hpp"

#include "core/base/random.hpp"

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <vector>

namespace resilin {
namespace {

constexpr Index kMaxLanczos = 400;
constexpr double kAccuracy = 1e-5;

/// Ritz values of A^-1 H from Lanczos' tridiagonal matrix.
struct Ritz {
  double radius = 0, error = 0;  ///< of I - A^-1 H, and the residual of that value
};
Ritz ritz(const std::vector<double>& diagonal, const std::vector<double>& beside, double next) {
  const auto size = static_cast<Index>(diagonal.size());
  Eigen::SelfAdjointEigenSolver<MatX> solver;
  solver.computeFromTridiagonal(Eigen::Map<const VecX>(diagonal.data(), size),
                                Eigen::Map<const VecX>(beside.data(), size - 1));
  const VecX& values = solver.eigenvalues();
  const Index end = std::abs(1 - values[0]) > std::abs(1 - values[size - 1]) ? 0 : size - 1;
  return {std::abs(1 - values[end]), next * std::abs(solver.eigenvectors()(size - 1, end))};
}

}  // namespace

double spectral_radius(const StepProblem& problem, ConstVec x) {
  const BlockMatrix& h = problem.hessian(x, false);
  Random random(1);
  VecX r = random.normals(problem.size()), z(r.size()), t(r.size());
  for (Index i = 0; i < r.size(); ++i)
    if (problem.fixed()[static_cast<std::size_t>(i)]) r[i] = 0;
  problem.solve_prefactored(r, z);
  double beta = std::sqrt(dot(r, z));
  if (!(beta > 0)) return 0;  // everything is held
  // A-orthonormal vectors w and their images q = A w.
  std::vector<VecX> w, q;
  std::vector<double> diagonal, beside;
  for (Index k = 1; k <= kMaxLanczos; ++k) {
    q.push_back(r / beta);
    w.push_back(z / beta);
    h.multiply(w.back(), t, problem.fixed());
    diagonal.push_back(dot(w.back(), t));
    r = t;
    // All of them, twice: rounding would bring back what has converged.
    for (int pass = 0; pass < 2; ++pass)
      for (std::size_t j = 0; j < w.size(); ++j) r -= dot(w[j], r) * q[j];
    problem.solve_prefactored(r, z);
    beta = std::sqrt(std::max(dot(r, z), 0.0));
    const Ritz now = ritz(diagonal, beside, beta);
    if (k == r.size() || now.error <= kAccuracy * std::max(now.radius, kAccuracy)) return now.radius;
    beside.push_back(beta);
  }
  throw Error(Errc::Numerics, "Lanczos' method does not find the spectral radius");
}

}  // namespace resilin
