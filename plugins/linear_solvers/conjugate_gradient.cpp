#include "plugins/linear_solvers/conjugate_gradient.hpp"

#include "core/solve/step_problem.hpp"
#include "plugins/linear_solvers/matrix_checks.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <random>
#include <utility>

namespace resilin {

void ConjugateGradientOptions::visit(ParamVisitor& v) {
  v.real("relative_tolerance", relative_tolerance,
         {.doc = "residual of a solve relative to its right-hand side; to be well below that of the forward "
                 "and backward solvers",
          .min = 0,
          .max = 1});
  v.integer("max_iterations", max_iterations,
            {.doc = "iterations per right-hand side; more than these are an error", .min = 1, .max = 1e9});
}

bool LowerRows::take_pattern(const SpMat& a) {
  std::vector<std::vector<std::pair<int, Index>>> row(at(a.rows()));
  for (Index c = 0; c < a.cols(); ++c)
    for (Index k = a.outerIndexPtr()[c]; k < a.outerIndexPtr()[c + 1]; ++k)
      if (a.innerIndexPtr()[k] >= c) row[at(a.innerIndexPtr()[k])].emplace_back(static_cast<int>(c), k);
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (row[i].empty() || row[i].back().first != static_cast<int>(i)) return false;
    for (const auto& [c, k] : row[i]) {
      column.push_back(c);
      source.push_back(k);
    }
    start.push_back(static_cast<Index>(column.size()));
  }
  value.resize(column.size());
  return true;
}

void LowerRows::take_values(const SpMat& a) {
  for (std::size_t k = 0; k < value.size(); ++k) value[k] = a.valuePtr()[source[k]];
}

void LowerRows::multiply(ConstVec x, MutVec y) const {
  for (Index i = 0; i < rows(); ++i) {
    const auto begin = at(start[at(i)]), end = at(start[at(i) + 1]) - 1;
    double sum = value[end] * x[i];
    for (std::size_t k = begin; k < end; ++k) {
      sum += value[k] * x[column[k]];
      y[column[k]] += value[k] * x[i];
    }
    y[i] = sum;  // rows after it add to it
  }
}

ConjugateGradientFactorization::ConjugateGradientFactorization(std::string type,
                                                               const ConjugateGradientOptions& options,
                                                               const SpMat& a)
    : type_(std::move(type)), options_(options) {
  if (!a_.take_pattern(a))
    throw Error(Errc::Internal, type_ + ": the pattern of the matrix must hold its diagonal");
}

Factorization::Result ConjugateGradientFactorization::factorize(const SpMat& a, bool) {
  if (!all_finite(a) || has_zero_column(a)) return Result::Singular;
  a_.take_values(a);
  for (Index i = 0; i < a_.rows(); ++i)
    if (!(a_.diagonal(i) > 0)) return Result::Indefinite;
  // Breakdown says nothing about A: incomplete factors of definite matrices break down as well [Manteuffel
  // 1980, whose cure the shift is].
  constexpr double kFirstShift = 1e-3, kLastShift = 1e3;
  double shift = 0;
  while (!prepare(a_, shift)) {
    shift = shift == 0 ? kFirstShift : 2 * shift;
    if (shift > kLastShift) return Result::Indefinite;
  }
  return trial();
}

Factorization::Result ConjugateGradientFactorization::trial() {
  std::mt19937_64 engine(1);
  VecX b(a_.rows()), x(a_.rows());
  for (double& e : b) e = static_cast<double>(engine()) / 9.2233720368547758e18 - 1;  // in [-1, 1]
  const KrylovReport report = iterate(b, x);
  const double product = 2 * static_cast<double>(2 * a_.value.size()),
               vectors = 12 * static_cast<double>(a_.rows());
  work_.solve = static_cast<double>(report.iterations) * (product + vectors + preconditioner_work().solve);
  work_.factorize = preconditioner_work().factorize + work_.solve;
  if (report.stop == KrylovReport::Stop::Converged) return Result::PositiveDefinite;
  return report.stop == KrylovReport::Stop::NegativeCurvature ? Result::Indefinite : Result::Singular;
}

KrylovReport ConjugateGradientFactorization::iterate(ConstVec b, MutVec x) {
  const auto multiply = [&](ConstVec in, MutVec out) { a_.multiply(in, out); };
  const LinearMap product = multiply;
  KrylovReport report = conjugate_gradients(
      product, [&](ConstVec in, MutVec out) { apply_preconditioner(in, out); }, &product, b, x, false,
      options_.relative_tolerance * norm(b), options_.max_iterations, scratch_);
  if (report.stop != KrylovReport::Stop::Breakdown) return report;
  // No better in this precision: |A x| eps, with the diagonal for |A|.
  double size = 0;
  for (Index i = 0; i < a_.rows(); ++i) size += a_.diagonal(i) * a_.diagonal(i) * x[i] * x[i];
  if (report.residual <= 16 * std::numeric_limits<double>::epsilon() * std::sqrt(size))
    report.stop = KrylovReport::Stop::Converged;
  return report;
}

void ConjugateGradientFactorization::solve(const Eigen::Ref<const MatX>& b, Eigen::Ref<MatX> x) {
  for (Index c = 0; c < b.cols(); ++c) {
    const KrylovReport report = iterate(b.col(c), x.col(c));
    if (report.stop == KrylovReport::Stop::Converged) continue;
    throw Error(
        Errc::Numerics,
        fmt::format("linear_solver {} did not converge: residual {:.3g} after {} iterations, {:.3g} "
                    "asked for. Try another linear solver, more max_iterations or a larger "
                    "relative_tolerance",
                    type_, report.residual, report.iterations, options_.relative_tolerance * norm(b.col(c))));
  }
}

}  // namespace resilin
