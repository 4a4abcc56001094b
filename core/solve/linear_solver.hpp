// Sparse symmetric factorisations.
#pragma once

#include "core/plugin/registry.hpp"

#include <memory>

namespace resilin {

/// A factorisation with a fixed pattern. Allocates in factorize() and in the first solve() of a width, not
/// later.
class RESILIN_API Factorization {
 public:
  enum class Result { PositiveDefinite, Indefinite, Singular };

  Factorization() = default;
  Factorization(const Factorization&) = delete;
  Factorization& operator=(const Factorization&) = delete;
  virtual ~Factorization();

  /// Numeric factorisation of a symmetric matrix with the analysed pattern (lower triangle is read). After
  /// Singular, or Indefinite from a solver that handles definite matrices only or was asked for
  /// `definite_only`, solve() must not be called.
  virtual Result factorize(const SpMat& a, bool definite_only = false) = 0;
  /// True if solve() may be called after Indefinite.
  virtual bool solves_indefinite() const = 0;
  /// x = A^-1 b for all columns together. Throws Error(Numerics) if a solver that iterates misses its
  /// tolerance.
  virtual void solve(const Eigen::Ref<const MatX>& b, Eigen::Ref<MatX> x) = 0;
  /// x = B b with B near A^-1, symmetric and positive definite if A is: for use as a preconditioner, or where
  /// x is corrected from its residual. Faster than solve() where the solver keeps a rounded factor.
  virtual void precondition(const Eigen::Ref<const MatX>& b, Eigen::Ref<MatX> x) { solve(b, x); }

  /// What the last factorize() took, and what a column of solve() takes, in additions and multiplications:
  /// counted, not timed, so that a choice that rests on it can be repeated.
  struct Work {
    double factorize = 0, solve = 0;
  };
  virtual Work work() const = 0;
};

class RESILIN_API LinearSolver : public Component {
 public:
  /// Ordering and symbolic factorisation for matrices with the pattern of `a` (both triangles stored).
  virtual std::unique_ptr<Factorization> analyze(const SpMat& a) const = 0;
};
RESILIN_KIND(LinearSolver, "linear_solver");

}  // namespace resilin
