// One implicit step as one nonlinear problem: what all forward and backward solvers work on.
#pragma once

#include "core/model/system.hpp"
#include "core/solve/hold_by.hpp"
#include "core/solve/linear_solver.hpp"

#include <array>
#include <memory>

namespace resilin {

/// Find x with R(x) = a M (x - y) + grad E(x) - l = 0 at free coordinates; pinned ones are given. R is the
/// gradient of g(x) = a/2 (x - y)^T M (x - y) + E(x) - l^T x [J]. Implicit Euler: a = 1/h^2, y = x_n + h v_n
/// + h^2 M^-1 f, l = 0; BDF2 and quasi-static steps (a = 0) have another a, y and l (METHODS 1). Rayleigh
/// damping with the time constant h = 1/sqrt(a) multiplies a body's M by 1 + alpha h and its grad E by 1 +
/// beta / h; the integrator puts what belongs to earlier states into y and l. The caches (matrices, factors,
/// vectors) live in the Workspace, keyed by the system's revision, a and the set of pinned coordinates.
class RESILIN_API StepProblem {
 public:
  /// load: l [N], outlives the problem; null means zero.
  StepProblem(const System& system, const LinearSolver& linear, const StepContext& context, double inertia,
              ConstVec y, const VecX& previous, Workspace& ws, const VecX* load = nullptr);

  const System& system() const { return system_; }
  const StepContext& context() const { return context_; }
  Workspace& workspace() const { return ws_; }
  const LinearSolver& linear_solver() const { return linear_; }
  double inertia() const { return inertia_; }
  const VecX& target() const { return y_; }  ///< y
  /// Positions at the start of the step: an admissible point where y is none.
  const VecX& previous() const { return previous_; }
  Index size() const { return y_.size(); }
  /// 3n, 1 at coordinates that are given: those of pins and of nodes that hold().
  const std::vector<char>& fixed() const { return *fixed_; }

  /// Holds whole nodes where they are, besides what pins hold, until the next call: contact that sticks. By
  /// HoldBy::Schur the factor of A stays that without them; they enter by the Schur complement S = (A^-1)_CC
  /// of A over the held nodes C [DiffPD 2021, section 5.2]: x = A^-1 (b + E_C l), S l = -(A^-1 b)_C. Columns
  /// of A^-1 are kept as long as A. By Refactor, A is factorised with the rows and columns of C emptied
  /// instead, in the ordering of A. The latest problem of a Workspace holds; an earlier one is not to be used
  /// any more.
  void hold(const std::vector<Index>& nodes, HoldBy by = HoldBy::Schur);
  /// Whether the last solve_prefactored() or precondition() had a factor made for the held nodes.
  bool is_refactored() const;

  double value(ConstVec x) const;  ///< g(x)
  /// r = R(x), zero at pinned coordinates; returns g(x).
  double residual(ConstVec x, MutVec r) const;
  /// d R / d x (both triangles, pinned rows and columns included), valid until the next call.
  /// project_psd: each local tangent is replaced by the nearest positive semidefinite one.
  const BlockMatrix& hessian(ConstVec x, bool project_psd) const;
  /// A solve begins at the guess that it is given, although the residual may be smaller at y: what was led
  /// away from a stationary point is not to fall back to it.
  void keep_guess(bool keep) const { keeps_guess_ = keep; }
  bool keeps_guess() const { return keeps_guess_; }
  /// From now on hessian() gives another matrix than the Hessian, for adjoints that are nearly singular: with
  /// positive semidefinite tangents, or `shift` times the inertia a M added.
  void regularize(bool project_psd, double shift) { always_project_ = project_psd, shift_ = shift; }
  /// out = A^-1 b at free coordinates, zero at pinned ones; A = a M + sum of the energies' quadratic forms,
  /// factorised once per revision and a; pattern and ordering are kept while only parameters or a change. One
  /// factor serves all three axes if the pins hold whole nodes.
  void solve_prefactored(ConstVec b, MutVec out) const;
  /// out = B b with B near A^-1 to single precision, symmetric and positive definite: faster, and all that a
  /// method needs that corrects itself from the residual.
  void precondition(ConstVec b, MutVec out) const;
  /// Diagonal entry of A at a node [N/m].
  double diagonal(Index node) const;
  /// The compliance (B)_ij of precondition()'s B between the given free nodes, along each axis (an empty
  /// matrix where pins leave no node free). The columns of B are kept as long as A.
  std::array<MatX, 3> compliance(const std::vector<Index>& nodes) const;
  /// Counted work of one solve_prefactored (see Factorization::work()).
  double prefactored_work() const;

  /// Size of the residual that rounding alone produces: 4 eps |diag(A) x|. No tolerance can go below it.
  double rounding_floor(ConstVec x) const;
  /// Size of the change of g [J] that rounding alone produces in elastic energies. Near rest, terms of the
  /// size of a modulus times the volume cancel in them, so that it does not shrink with g.
  double value_rounding() const;

 private:
  struct Cache;
  void prepare_form() const;    ///< the entries of A's elastic part
  void prepare_groups() const;  ///< and A itself
  void solve_groups(ConstVec b, MutVec out, bool exactly) const;
  double add_body_gradients(ConstVec x, MutVec r) const;
  void add_body_hessians(ConstVec x, BlockMatrix& h, bool project_psd) const;

  const System& system_;
  const LinearSolver& linear_;
  StepContext context_;
  double inertia_;
  VecX y_;
  const VecX& previous_;
  const VecX* load_;
  const std::vector<char>* fixed_;
  HoldBy hold_by_ = HoldBy::Schur;
  bool always_project_ = false;
  mutable bool keeps_guess_ = false;
  double shift_ = 0;
  Workspace& ws_;
  Cache& cache_;
};

/// A BlockMatrix restricted to free coordinates, as a compressed sparse matrix for a factorisation.
class RESILIN_API FreeMatrix {
 public:
  /// Takes the values of h; the pattern is rebuilt only if that of h or the pins changed.
  const SpMat& update(const BlockMatrix& h, const std::vector<char>& fixed);
  /// Changes whenever the pattern is rebuilt, never repeats.
  std::uint64_t pattern_id() const { return id_; }
  void gather(ConstVec full, MutVec free) const;   ///< free entries of a 3n vector
  void scatter(ConstVec free, MutVec full) const;  ///< and back; pinned entries become zero
  Index size() const { return static_cast<Index>(dof_.size()); }

 private:
  SpMat matrix_;
  std::vector<Index> dof_;     ///< dof of each free index
  std::vector<Index> source_;  ///< place in h's values of each nonzero
  std::vector<char> fixed_;
  std::uint64_t source_pattern_ = 0, id_ = 0;
};

/// Deterministic dot product and norm (fixed chunks).
RESILIN_API double dot(ConstVec a, ConstVec b);
RESILIN_API double norm(ConstVec a);

}  // namespace resilin
