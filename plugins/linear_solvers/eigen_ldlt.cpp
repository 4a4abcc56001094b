#include "plugins/linear_solvers/eigen_ldlt.hpp"

#include "plugins/linear_solvers/matrix_checks.hpp"

#include <Eigen/SparseCholesky>

namespace resilin {
namespace {

class EigenLdltFactorization final : public Factorization {
 public:
  explicit EigenLdltFactorization(const SpMat& a) { solver_.analyzePattern(a); }
  Result factorize(const SpMat& a, bool) override {
    solver_.factorize(a);
    if (solver_.info() != Eigen::Success || !solver_.vectorD().allFinite()) return Result::Singular;
    const SpMat& l = solver_.matrixL().nestedExpression();
    work_.factorize = sum_over_columns(l, [](double n) { return n * n; });
    work_.solve = sum_over_columns(l, [](double n) { return 4 * n + 1; });
    return solver_.vectorD().minCoeff() > 0 ? Result::PositiveDefinite : Result::Indefinite;
  }
  bool solves_indefinite() const override { return true; }
  void solve(const Eigen::Ref<const MatX>& b, Eigen::Ref<MatX> x) override {
    // Written out: SimplicialLDLT::solve() copies into temporaries at every call.
    scratch_.resize(b.rows(), b.cols());
    scratch_.noalias() = solver_.permutationP() * b;
    solver_.matrixL().solveInPlace(scratch_);
    scratch_.array().colwise() /= solver_.vectorD().array();
    solver_.matrixU().solveInPlace(scratch_);
    x.noalias() = solver_.permutationPinv() * scratch_;
  }
  Work work() const override { return work_; }

 private:
  Eigen::SimplicialLDLT<SpMat, Eigen::Lower> solver_;
  MatX scratch_;
  Work work_;
};

}  // namespace

std::unique_ptr<Factorization> EigenLdlt::analyze(const SpMat& a) const {
  return std::make_unique<EigenLdltFactorization>(a);
}

}  // namespace resilin
