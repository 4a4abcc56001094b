#include "plugins/linear_solvers/cg_ic.hpp"

#include <cmath>

namespace resilin {
namespace {

/// L with the pattern of A's lower triangle, L L^T = A at the entries of that pattern [Meijerink and van der
/// Vorst 1977].
class IncompleteCholesky final : public ConjugateGradientFactorization {
 public:
  IncompleteCholesky(const ConjugateGradientOptions& options, const SpMat& a)
      : ConjugateGradientFactorization("cg_ic", options, a) {}

 private:
  static std::size_t at(Index i) { return static_cast<std::size_t>(i); }

  bool prepare(const LowerRows& a, double shift) override {
    pattern_ = &a;
    l_ = a.value;
    row_.assign(at(a.rows()), 0.0);
    flops_ = 0;
    for (Index i = 0; i < a.rows(); ++i) {
      const std::size_t begin = at(a.start[at(i)]), end = at(a.start[at(i) + 1]) - 1;
      l_[end] *= 1 + shift;
      double pivot = l_[end];
      for (std::size_t k = begin; k < end; ++k) {
        const Index j = a.column[k];
        const std::size_t other = at(a.start[at(j)]), diagonal = at(a.start[at(j) + 1]) - 1;
        double sum = l_[k];
        // The row so far lies in row_, with zeros where L has none.
        for (std::size_t m = other; m < diagonal; ++m) sum -= row_[at(a.column[m])] * l_[m];
        l_[k] = sum / l_[diagonal];
        row_[at(j)] = l_[k];
        pivot -= l_[k] * l_[k];
        flops_ += 2 * static_cast<double>(diagonal - other + 1);
      }
      for (std::size_t k = begin; k < end; ++k) row_[at(a.column[k])] = 0;
      if (!(pivot > 0)) return false;
      l_[end] = std::sqrt(pivot);
    }
    return true;
  }

  void apply_preconditioner(ConstVec r, MutVec z) override {
    const LowerRows& a = *pattern_;
    for (Index i = 0; i < a.rows(); ++i) {
      const std::size_t begin = at(a.start[at(i)]), end = at(a.start[at(i) + 1]) - 1;
      double sum = r[i];
      for (std::size_t k = begin; k < end; ++k) sum -= l_[k] * z[a.column[k]];
      z[i] = sum / l_[end];
    }
    for (Index i = a.rows() - 1; i >= 0; --i) {
      const std::size_t begin = at(a.start[at(i)]), end = at(a.start[at(i) + 1]) - 1;
      z[i] /= l_[end];
      for (std::size_t k = begin; k < end; ++k) z[a.column[k]] -= l_[k] * z[i];
    }
  }

  Work preconditioner_work() const override { return {flops_, 4 * static_cast<double>(l_.size())}; }

  const LowerRows* pattern_ = nullptr;
  std::vector<double> l_, row_;
  double flops_ = 0;
};

}  // namespace

std::unique_ptr<Factorization> CgIncompleteCholesky::analyze(const SpMat& a) const {
  return std::make_unique<IncompleteCholesky>(options_, a);
}

}  // namespace resilin
