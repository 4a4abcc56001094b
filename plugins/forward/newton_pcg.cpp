#include "plugins/forward/newton_pcg.hpp"

#include "core/base/parallel.hpp"

#include <Eigen/Eigenvalues>

#include <cmath>
#include <limits>

namespace resilin {
namespace {

constexpr Index kGrain = 512;

struct Scratch {
  std::vector<double> inverse;  ///< 9 per node
  std::vector<Index> diagonal;  ///< slot of each diagonal block
  std::uint64_t pattern_id = 0;
  InexactNewtonScratch newton;
};

/// Inverse of a diagonal block with its eigenvalues by size: positive definite whatever the block is. Where a
/// coordinate is pinned, its row and column are empty.
Mat3 inverse_block(Eigen::Map<const Mat3> block, const char* fixed) {
  Mat3 b = block;
  for (int i = 0; i < 3; ++i)
    if (fixed[i]) {
      b.row(i).setZero();
      b.col(i).setZero();
    }
  const Eigen::SelfAdjointEigenSolver<Mat3> eigen(b);
  const double smallest = std::numeric_limits<double>::epsilon() * eigen.eigenvalues().cwiseAbs().maxCoeff();
  Mat3 inverse = Mat3::Zero();
  for (int k = 0; k < 3; ++k) {
    const double size = std::abs(eigen.eigenvalues()[k]);
    if (size > smallest)
      inverse += eigen.eigenvectors().col(k) * eigen.eigenvectors().col(k).transpose() / size;
  }
  return inverse;
}

void invert_blocks(const BlockMatrix& h, const std::vector<char>& fixed, Scratch& s) {
  const Index n = h.num_nodes();
  if (s.pattern_id != h.pattern_id()) {
    s.inverse.resize(static_cast<std::size_t>(9 * n));
    s.diagonal.resize(static_cast<std::size_t>(n));
    for (Index i = 0; i < n; ++i) s.diagonal[static_cast<std::size_t>(i)] = h.slot(i, i);
    s.pattern_id = h.pattern_id();
  }
  parallel_for(n, kGrain, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i)
      Eigen::Map<Mat3>(s.inverse.data() + 9 * i) = inverse_block(
          Eigen::Map<const Mat3>(h.block(s.diagonal[static_cast<std::size_t>(i)])), fixed.data() + 3 * i);
  });
}

}  // namespace

SolveReport NewtonPcg::solve(const StepProblem& problem, MutVec x) const {
  auto& s = problem.workspace().slot<Scratch>(this);
  return solve_inexact_newton(
      problem, options_, [&](const BlockMatrix& h) { invert_blocks(h, problem.fixed(), s); },
      [&](ConstVec in, MutVec out) {
        parallel_for(in.size() / 3, kGrain, [&](Index begin, Index end) {
          for (Index i = begin; i < end; ++i)
            out.segment<3>(3 * i) = Eigen::Map<const Mat3>(s.inverse.data() + 9 * i) * in.segment<3>(3 * i);
        });
      },
      x, s.newton);
}

}  // namespace resilin
