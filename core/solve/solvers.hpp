// Forward solvers find the root of a step's residual, backward solvers solve its transposed linearisation.
#pragma once

#include "core/solve/step_problem.hpp"

namespace resilin {

/// The stopping rule that all forward solvers share, so that an ablation compares like with like:
///     |R(x)|_2 <= max(absolute_tolerance + relative_tolerance * |grad E(y)|_2, rounding floor)
/// over free coordinates, with y the inertial prediction of the step (METHODS 3). The scale does not depend
/// on the solver, nor on where the body is or how fast it moves as a whole. Where E(y) does not exist (an
/// element inverted on the way) the residual at the start takes the place of that scale.
struct RESILIN_API Tolerances {
  double relative_tolerance = 1e-6;
  double absolute_tolerance = 1e-10;
  Index max_iterations = 200;
  std::string saddles = "leave";  ///< see leave_saddles(); "ignore", "leave" or "always"
  void visit(ParamVisitor& v);
};

class RESILIN_API ForwardSolver : public Component {
 public:
  /// Starts from x (whose pinned coordinates are already in place) and leaves the solution there.
  virtual SolveReport solve(const StepProblem& problem, MutVec x) const = 0;
  /// When it stops: also for what solves a step in its place, such as contact.
  virtual const Tolerances& tolerances() const = 0;
};
RESILIN_KIND(ForwardSolver, "forward_solver");

/// Solves (dR/dx)^T z = b at free coordinates; z is zero at pinned ones. Tolerances are relative to |b|.
class RESILIN_API BackwardSolver : public Component {
 public:
  /// z holds a guess on entry (zero if there is none), which iterative solvers start from.
  virtual SolveReport solve(const StepProblem& problem, ConstVec x, ConstVec b, MutVec z) const = 0;
  /// Of its residual: also for what solves an adjoint in its place.
  virtual double relative_tolerance() const = 0;
  /// What it has chosen by itself for the system that it solved last, such as the type of another solver; ""
  /// if it leaves nothing open.
  virtual std::string choice(Workspace& workspace) const;
};
RESILIN_KIND(BackwardSolver, "backward_solver");

/// First evaluations of a solve. x holds a guess; the inertial prediction y (with x's pinned coordinates) is
/// evaluated for the tolerance, and taken instead of the guess if its residual is smaller or the guess is not
/// admissible; if neither is, the start of the step is tried. On return r = R(x), report.tolerance is set and
/// g(x) is returned.
RESILIN_API double start_solve(const StepProblem& problem, const Tolerances& t, MutVec x, MutVec r,
                               SolveReport& report);

/// Backtracking line search on g from x along p (halving, Armijo 1e-4). r holds R(x) and g0 = g(x) on entry;
/// on success x, r and g0 are those of the accepted point. Where the expected decrease is below the rounding
/// of g, the slope at the new point decides instead. Returns the number of evaluations, 0 if no step was
/// found.
struct LineSearchScratch {
  VecX trial, residual;
};
RESILIN_API Index line_search(const StepProblem& problem, ConstVec p, MutVec x, MutVec r, double& g0,
                              LineSearchScratch& s);

}  // namespace resilin
