#include "plugins/linear_solvers/eigen_llt_mixed.hpp"

#include <Eigen/SparseCholesky>

#include <algorithm>
#include <cmath>

namespace resilin {
namespace {

/// S A S = L L^T in single precision, with S = diag(A)^-1/2, so that nothing over- or underflows there.
class SingleCholesky final : public ConjugateGradientFactorization {
 public:
  SingleCholesky(const ConjugateGradientOptions& options, const SpMat& a)
      : ConjugateGradientFactorization("eigen_llt_mixed", options, a) {}

 private:
  using Single = Eigen::SparseMatrix<float>;

  bool prepare(const LowerRows& a, double shift) override {
    const Index n = a.rows();
    if (single_.rows() != n) analyze(a);
    scale_.resize(n);
    for (Index i = 0; i < n; ++i) scale_[i] = 1 / std::sqrt(a.diagonal(i));
    for (Index i = 0; i < n; ++i)
      for (Index k = a.start[at(i)]; k < a.start[at(i) + 1]; ++k) {
        const int j = a.column[at(k)];
        const double entry = a.value[at(k)] * scale_[i] * scale_[j];
        single_.valuePtr()[k] = static_cast<float>(j == i ? entry + shift : entry);
      }
    solver_.factorize(single_);
    return solver_.info() == Eigen::Success;
  }

  /// A lower triangle by rows is an upper one by columns.
  void analyze(const LowerRows& a) {
    const Index n = a.rows();
    single_.resize(n, n);
    single_.resizeNonZeros(static_cast<Index>(a.column.size()));
    for (Index i = 0; i <= n; ++i) single_.outerIndexPtr()[i] = static_cast<int>(a.start[at(i)]);
    std::copy(a.column.begin(), a.column.end(), single_.innerIndexPtr());
    solver_.analyzePattern(single_);
  }

  void apply_preconditioner(ConstVec r, MutVec z) override {
    scaled_ = (scale_.array() * r.array()).cast<float>();
    permuted_.resize(r.size());
    permuted_.noalias() = solver_.permutationP() * scaled_;
    solver_.matrixL().solveInPlace(permuted_);
    solver_.matrixU().solveInPlace(permuted_);
    scaled_.noalias() = solver_.permutationPinv() * permuted_;
    z = scale_.array() * scaled_.array().cast<double>();
  }

  Work preconditioner_work() const override {
    const Single& l = solver_.matrixL().nestedExpression();
    Work work;
    for (Index c = 0; c < l.cols(); ++c) {
      const double entries = l.outerIndexPtr()[c + 1] - l.outerIndexPtr()[c];
      work.factorize += entries * entries;
      work.solve += 4 * entries;
    }
    return work;
  }

  static std::size_t at(Index i) { return static_cast<std::size_t>(i); }

  Single single_;
  Eigen::SimplicialLLT<Single, Eigen::Upper> solver_;
  VecX scale_;
  Eigen::VectorXf scaled_, permuted_;
};

}  // namespace

std::unique_ptr<Factorization> EigenLltMixed::analyze(const SpMat& a) const {
  return std::make_unique<SingleCholesky>(options_, a);
}

}  // namespace resilin
