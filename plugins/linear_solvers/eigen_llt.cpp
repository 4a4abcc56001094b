#include "plugins/linear_solvers/eigen_llt.hpp"

#include "plugins/linear_solvers/matrix_checks.hpp"

#include <Eigen/SparseCholesky>

namespace resilin {
namespace {

class EigenLltFactorization final : public Factorization {
 public:
  explicit EigenLltFactorization(const SpMat& a) { solver_.analyzePattern(a); }
  Result factorize(const SpMat& a, bool) override {
    if (!all_finite(a) || has_zero_column(a)) return Result::Singular;
    solver_.factorize(a);
    if (solver_.info() != Eigen::Success) return Result::Indefinite;  // a pivot is not positive
    const SpMat& l = solver_.matrixL().nestedExpression();
    work_.factorize = sum_over_columns(l, [](double n) { return n * n; });
    work_.solve = sum_over_columns(l, [](double n) { return 4 * n; });
    return Result::PositiveDefinite;
  }
  bool solves_indefinite() const override { return false; }
  void solve(const Eigen::Ref<const MatX>& b, Eigen::Ref<MatX> x) override {
    // Written out: SimplicialLLT::solve() copies into temporaries at every call.
    scratch_.resize(b.rows(), b.cols());
    scratch_.noalias() = solver_.permutationP() * b;
    solver_.matrixL().solveInPlace(scratch_);
    solver_.matrixU().solveInPlace(scratch_);
    x.noalias() = solver_.permutationPinv() * scratch_;
  }
  Work work() const override { return work_; }

 private:
  Eigen::SimplicialLLT<SpMat, Eigen::Lower> solver_;
  MatX scratch_;
  Work work_;
};

}  // namespace

std::unique_ptr<Factorization> EigenLlt::analyze(const SpMat& a) const {
  return std::make_unique<EigenLltFactorization>(a);
}

}  // namespace resilin
