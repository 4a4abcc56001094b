// What linear solvers have in common that are conjugate gradients behind the interface of a factorisation.
#pragma once

#include "core/solve/krylov.hpp"
#include "core/solve/linear_solver.hpp"

#include <string>
#include <vector>

namespace resilin {

struct ConjugateGradientOptions {
  double relative_tolerance = 1e-11;
  Index max_iterations = 2000;
  void visit(ParamVisitor& v);
};

/// Lower triangle of a symmetric matrix by rows, the diagonal entry last in each.
struct LowerRows {
  std::vector<Index> start{0}, source;  ///< source: place among the values of the matrix it was made of
  std::vector<int> column;
  std::vector<double> value;

  /// Takes the pattern; false if a diagonal entry is missing.
  bool take_pattern(const SpMat& a);
  void take_values(const SpMat& a);
  Index rows() const { return static_cast<Index>(start.size()) - 1; }
  double diagonal(Index i) const { return value[static_cast<std::size_t>(start[at(i) + 1] - 1)]; }
  /// y = A x
  void multiply(ConstVec x, MutVec y) const;
  static std::size_t at(Index i) { return static_cast<std::size_t>(i); }
};

/// "Factorises" by making a preconditioner, and solves by conjugate gradients until |b - A x| <= tolerance
/// |b|, or as small as rounding allows. Whether the matrix is definite shows in a trial solve, which
/// factorize() runs with a fixed right-hand side that has a share of every eigenvector: a direction of
/// negative curvature means that it is not. A solve that misses its tolerance throws Error(Numerics).
class ConjugateGradientFactorization : public Factorization {
 public:
  ConjugateGradientFactorization(std::string type, const ConjugateGradientOptions& options, const SpMat& a);
  Result factorize(const SpMat& a, bool definite_only) final;
  bool solves_indefinite() const final { return false; }
  void solve(const Eigen::Ref<const MatX>& b, Eigen::Ref<MatX> x) final;
  Work work() const final { return work_; }

 protected:
  /// Prepares a preconditioner for A + shift diag(A); false if that breaks down. Only the number of
  /// iterations depends on the shift, never the solution.
  virtual bool prepare(const LowerRows& a, double shift) = 0;
  virtual void apply_preconditioner(ConstVec r, MutVec z) = 0;
  virtual Work preconditioner_work() const = 0;

 private:
  KrylovReport iterate(ConstVec b, MutVec x);
  Result trial();

  std::string type_;
  ConjugateGradientOptions options_;
  LowerRows a_;
  KrylovScratch scratch_;
  Work work_;
};

}  // namespace resilin
