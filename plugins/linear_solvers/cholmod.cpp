#include "plugins/linear_solvers/cholmod.hpp"

#include "plugins/linear_solvers/supernodal_solve.hpp"

#include <cholmod.h>

#include <cmath>
#include <dlfcn.h>
#include <limits>
#include <mutex>

namespace resilin {
namespace {

// An operation in the dense kernels of a supernodal factorisation takes half the time of one in a triangular
// solve, which waits for memory: measured on tetrahedra with 8,000 to 44,000 unknowns. Work counts those of a
// solve.
constexpr double kDenseKernels = 0.5;

/// One thread for BLAS: results must not depend on the number of threads, and small blocks do not gain.
void use_one_blas_thread() {
  static std::once_flag once;
  std::call_once(once, [] {
    using SetThreads = void (*)(int);
    for (const char* name : {"openblas_set_num_threads", "bli_thread_set_num_threads", "MKL_Set_Num_Threads"})
      if (void* f = dlsym(RTLD_DEFAULT, name)) reinterpret_cast<SetThreads>(f)(1);
  });
}

class CholmodFactorization final : public Factorization {
 public:
  CholmodFactorization(const SpMat& a, const std::string& ordering) {
    use_one_blas_thread();
    cholmod_start(&common_);
    common_.print = 0;
    common_.error_handler = nullptr;
    common_.quick_return_if_not_posdef = 1;
    if (ordering != "best") {
      common_.nmethods = 1;
      common_.method[0].ordering = ordering == "amd" ? CHOLMOD_AMD : CHOLMOD_METIS;
      common_.postorder = 1;
    }
    common_.supernodal = CHOLMOD_SUPERNODAL;
    common_.final_ll = 1;
    cholmod_sparse view = as_cholmod(a);
    definite_ = cholmod_analyze(&view, &common_);
    if (definite_ == nullptr)
      throw Error(Errc::Numerics, "CHOLMOD could not analyse the matrix (out of memory?)");
    definite_work_ = counted_work();
    definite_work_.factorize *= kDenseKernels;
  }
  ~CholmodFactorization() override {
    cholmod_free_factor(&definite_, &common_);
    if (indefinite_ != nullptr) cholmod_free_factor(&indefinite_, &common_);
    cholmod_free_dense(&x_, &common_);
    cholmod_free_dense(&y_, &common_);
    cholmod_free_dense(&e_, &common_);
    cholmod_finish(&common_);
  }

  Result factorize(const SpMat& a, bool definite_only) override {
    // CHOLMOD itself calls a matrix with NaN definite.
    if (!Eigen::Map<const VecX>(a.valuePtr(), a.nonZeros()).allFinite()) return Result::Singular;
    cholmod_sparse view = as_cholmod(a);
    common_.supernodal = CHOLMOD_SUPERNODAL;
    common_.final_ll = 1;
    asked_for_single_ = false;
    cholmod_factorize(&view, definite_, &common_);
    check_memory();
    use_indefinite_ =
        common_.status == CHOLMOD_NOT_POSDEF || definite_->minor < definite_->n || has_vanishing_pivot(a);
    if (!use_indefinite_) return Result::PositiveDefinite;
    if (definite_only) return Result::Indefinite;
    common_.supernodal = CHOLMOD_SIMPLICIAL;
    common_.final_ll = 0;
    if (indefinite_ == nullptr) {
      indefinite_ = cholmod_analyze(&view, &common_);
      check_memory();
      indefinite_work_ = counted_work();
    }
    common_.status = CHOLMOD_OK;
    cholmod_factorize(&view, indefinite_, &common_);
    check_memory();
    return common_.status == CHOLMOD_OK && indefinite_->minor >= indefinite_->n ? Result::Indefinite
                                                                                : Result::Singular;
  }
  bool solves_indefinite() const override { return true; }
  Work work() const override {
    if (!use_indefinite_) return definite_work_;
    return {definite_work_.factorize + indefinite_work_.factorize, indefinite_work_.solve};
  }

  void precondition(const Eigen::Ref<const MatX>& b, Eigen::Ref<MatX> x) override {
    if (use_indefinite_) return solve(b, x);
    const SupernodalFactor supernodal = as_supernodal(*definite_);
    SupernodalSolve& s = supernodal_solve(supernodal);
    if (!asked_for_single_) has_single_ = s.keep_single(supernodal);
    asked_for_single_ = true;
    if (!has_single_) return s.solve(supernodal, b, x);
    s.solve_single(supernodal, b, x);
  }
  void solve(const Eigen::Ref<const MatX>& b, Eigen::Ref<MatX> x) override {
    cholmod_dense view{};
    view.nrow = static_cast<std::size_t>(b.rows());
    view.ncol = static_cast<std::size_t>(b.cols());
    view.d = static_cast<std::size_t>(b.outerStride());
    view.nzmax = view.d * view.ncol;
    view.x = const_cast<double*>(b.data());  // CHOLMOD does not write to it
    view.xtype = CHOLMOD_REAL;
    view.dtype = CHOLMOD_DOUBLE;
    cholmod_factor* factor = use_indefinite_ ? indefinite_ : definite_;
    if (!use_indefinite_) {
      const SupernodalFactor supernodal = as_supernodal(*factor);
      supernodal_solve(supernodal).solve(supernodal, b, x);
      return;
    }
    // A simplicial solve leaves its work space transposed; in the shape that it was made in it is used again.
    if (y_ != nullptr && factor->is_super == 0 && y_->nzmax >= 4 * factor->n) {
      y_->nrow = y_->d = 4;
      y_->ncol = factor->n;
    }
    if (cholmod_solve2(CHOLMOD_A, factor, &view, nullptr, &x_, nullptr, &y_, &e_, &common_) == 0)
      throw Error(Errc::Numerics, "CHOLMOD could not solve (out of memory?)");
    x = Eigen::Map<const MatX>(static_cast<const double*>(x_->x), x.rows(), x.cols());
  }

 private:
  static cholmod_sparse as_cholmod(const SpMat& a) {
    cholmod_sparse s{};
    s.nrow = static_cast<std::size_t>(a.rows());
    s.ncol = static_cast<std::size_t>(a.cols());
    s.nzmax = static_cast<std::size_t>(a.nonZeros());
    s.p = const_cast<int*>(a.outerIndexPtr());
    s.i = const_cast<int*>(a.innerIndexPtr());
    s.x = const_cast<double*>(a.valuePtr());
    s.stype = -1;  // symmetric, lower triangle
    s.itype = CHOLMOD_INT;
    s.xtype = CHOLMOD_REAL;
    s.dtype = CHOLMOD_DOUBLE;
    s.sorted = 1;
    s.packed = 1;
    return s;
  }
  static SupernodalFactor as_supernodal(const cholmod_factor& factor) {
    SupernodalFactor f;
    f.size = static_cast<Index>(factor.n);
    f.num_supernodes = static_cast<Index>(factor.nsuper);
    f.permutation = static_cast<const int*>(factor.Perm);
    f.first_column = static_cast<const int*>(factor.super);
    f.row_start = static_cast<const int*>(factor.pi);
    f.rows = static_cast<const int*>(factor.s);
    f.value_start = static_cast<const int*>(factor.px);
    f.values = static_cast<const double*>(factor.x);
    return f;
  }
  /// A pivot of which rounding has left nothing: a singular matrix may come out positive.
  bool has_vanishing_pivot(const SpMat& a) const {
    constexpr double kRounding = 64 * std::numeric_limits<double>::epsilon();
    const SupernodalFactor f = as_supernodal(*definite_);
    for (Index s = 0; s < f.num_supernodes; ++s)
      for (Index j = 0; j < f.num_columns(s); ++j) {
        const double pivot = f.values[f.value_start[s] + j * (f.num_rows(s) + 1)];
        const Index row = f.permutation[f.first_column[s] + j];
        if (pivot * pivot <= kRounding * a.coeff(row, row)) return true;
      }
    return false;
  }
  SupernodalSolve& supernodal_solve(const SupernodalFactor& pattern) {
    if (!supernodal_) supernodal_ = std::make_unique<SupernodalSolve>(pattern);
    return *supernodal_;
  }
  /// Of the analysis that was done last.
  Work counted_work() const { return {common_.fl, 4 * common_.lnz}; }
  void check_memory() const {
    if (common_.status == CHOLMOD_OUT_OF_MEMORY) throw Error(Errc::Numerics, "CHOLMOD ran out of memory");
    if (common_.status == CHOLMOD_INVALID) throw Error(Errc::Internal, "CHOLMOD was given an invalid matrix");
  }

  cholmod_common common_{};
  cholmod_factor *definite_ = nullptr, *indefinite_ = nullptr;
  cholmod_dense *x_ = nullptr, *y_ = nullptr, *e_ = nullptr;
  std::unique_ptr<SupernodalSolve> supernodal_;
  bool asked_for_single_ = false, has_single_ = false;  ///< it keeps the present values in single precision
  bool use_indefinite_ = false;
  Work definite_work_, indefinite_work_;
};

}  // namespace

void Cholmod::Options::visit(ParamVisitor& v) {
  v.choice("ordering", ordering, {"best", "amd", "metis"},
           {.doc = "fill-reducing ordering; best: tries several and keeps the one with the least fill"});
}

std::unique_ptr<Factorization> Cholmod::analyze(const SpMat& a) const {
  return std::make_unique<CholmodFactorization>(a, options_.ordering);
}

}  // namespace resilin
