#include "plugins/linear_solvers/eigen_lu.hpp"

#include "plugins/linear_solvers/matrix_checks.hpp"

#include <Eigen/SparseLU>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace resilin {
namespace {

using Lu = Eigen::SparseLU<SpMat>;

/// Columns of a triangular factor: entries off the diagonal.
struct Columns {
  std::vector<int> start{0}, row;
  std::vector<double> value;
  void clear() {
    start.assign(1, 0);
    row.clear();
    value.clear();
  }
  void add(Index r, double v) {
    row.push_back(static_cast<int>(r));
    value.push_back(v);
  }
  void end_column() { start.push_back(static_cast<int>(row.size())); }
};

class EigenLuFactorization final : public Factorization {
 public:
  explicit EigenLuFactorization(const SpMat& a) {
    lu_.isSymmetric(true);
    lu_.analyzePattern(a);
  }

  Result factorize(const SpMat& a, bool definite_only) override {
    if (!all_finite(a) || has_zero_column(a)) return Result::Singular;
    // All pivots on the diagonal: the signs of U's diagonal are then those of the eigenvalues.
    if (run(a, 0.0) && pivots_on_diagonal() && diagonal_.minCoeff() > 0) return Result::PositiveDefinite;
    if (definite_only) return Result::Indefinite;
    if (!run(a, 1.0)) return Result::Singular;
    const double smallest = diagonal_.cwiseAbs().minCoeff(), largest = diagonal_.cwiseAbs().maxCoeff();
    return smallest > std::numeric_limits<double>::epsilon() * largest ? Result::Indefinite
                                                                       : Result::Singular;
  }
  bool solves_indefinite() const override { return true; }

  void solve(const Eigen::Ref<const MatX>& b, Eigen::Ref<MatX> x) override {
    // Written out: SparseLU::solve() allocates at every call.
    scratch_.resize(b.rows());
    for (Index column = 0; column < b.cols(); ++column) {
      scratch_.noalias() = lu_.rowsPermutation() * b.col(column);
      const Index n = scratch_.size();
      for (Index j = 0; j < n; ++j) subtract(lower_, j, scratch_[j]);
      for (Index j = n - 1; j >= 0; --j) {
        scratch_[j] /= diagonal_[j];
        subtract(upper_, j, scratch_[j]);
      }
      x.col(column).noalias() = lu_.colsPermutation().inverse() * scratch_;
    }
  }
  Work work() const override { return work_; }

 private:
  /// Numeric factorisation; false if a pivot vanishes.
  bool run(const SpMat& a, double pivot_threshold) {
    lu_.setPivotThreshold(pivot_threshold);
    lu_.factorize(a);
    if (lu_.info() != Eigen::Success) return false;
    copy_factors();
    return diagonal_.allFinite() && diagonal_.cwiseAbs().minCoeff() > 0;
  }

  bool pivots_on_diagonal() const {
    return (lu_.rowsPermutation().indices().array() == lu_.colsPermutation().indices().array()).all();
  }

  /// Eigen keeps L and the diagonal blocks of U in supernodes, and the rest of U apart.
  void copy_factors() {
    const auto& supernodes = lu_.matrixL().m_mapL;
    const auto& rest = lu_.matrixU().m_mapU;
    using Supernodes = std::decay_t<decltype(supernodes)>;
    using Rest = std::decay_t<decltype(rest)>;
    lower_.clear(), upper_.clear();
    diagonal_.setZero(lu_.rows());
    work_ = {};
    for (Index j = 0; j < lu_.cols(); ++j) {
      for (typename Rest::InnerIterator it(rest, j); it; ++it) upper_.add(it.index(), it.value());
      const auto before = static_cast<double>(lower_.row.size());
      for (typename Supernodes::InnerIterator it(supernodes, j); it; ++it) {
        if (it.index() == j)
          diagonal_[j] = it.value();
        else
          (it.index() < j ? upper_ : lower_).add(it.index(), it.value());
      }
      const double entries = static_cast<double>(lower_.row.size()) - before;
      work_.factorize += 2 * entries * entries;
      lower_.end_column(), upper_.end_column();
    }
    work_.solve = 2.0 * static_cast<double>(lower_.row.size() + upper_.row.size() + lower_.start.size());
  }

  void subtract(const Columns& factor, Index j, double x) {
    const auto begin = static_cast<std::size_t>(factor.start[static_cast<std::size_t>(j)]),
               end = static_cast<std::size_t>(factor.start[static_cast<std::size_t>(j) + 1]);
    for (std::size_t k = begin; k < end; ++k) scratch_[factor.row[k]] -= factor.value[k] * x;
  }

  Lu lu_;
  Columns lower_, upper_;
  VecX diagonal_, scratch_;
  Work work_;
};

}  // namespace

std::unique_ptr<Factorization> EigenLu::analyze(const SpMat& a) const {
  return std::make_unique<EigenLuFactorization>(a);
}

}  // namespace resilin
