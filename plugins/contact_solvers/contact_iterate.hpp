// An iterate of a step with contact, and how far it is from a solution.
#pragma once

#include "plugins/contact_solvers/contact_set.hpp"

namespace resilin {

struct ContactIterate {
  VecX x;        ///< [m]
  Mat3X forces;  ///< [N], of all contacts of the set
  std::vector<ActiveContact> active;
  VecX r;                      ///< R(x) - E f [N]
  VecX preconditioned;         ///< B r [m]
  double residual = 0;         ///< |r|_2 [N]
  double merit = 0;            ///< r . B r + sum |L|^2 / rho [J]
  double law = 0;              ///< largest |L| over what is allowed
  double law_tolerance = 0;    ///< smallest |L| that is allowed [N]
  bool is_admissible = false;  ///< R(x) exists
};

/// When the law counts as satisfied: relative positions are within `gap` of where it wants them, and the
/// friction of those that slide is within `force` times the largest force in contact and the tolerance of the
/// residual, unless rounding alone is more.
struct ContactTolerance {
  double gap = 1e-10;   ///< [m]
  double force = 1e-9;  ///< [-]
  void visit(ParamVisitor& v);
};

/// Evaluates iterates of one step and knows when one is a solution.
class ContactEvaluator {
 public:
  /// Starts the solve: the tolerance is that of the forward solver.
  ContactEvaluator(const ContactProblem& problem, const ContactTolerance& tolerance);

  /// The first iterate: x with the forces of `contacts` or, if R(x) does not exist, an x where it does.
  void start(ConstVec x, const std::vector<NodeContact>& contacts, ContactIterate& first);
  /// Fills in all but x and forces; the forces of what does not touch become zero.
  void evaluate(ContactIterate& i);
  /// Whether an iterate is the solution: also nothing touches there that the set of contacts lacks. That is
  /// added to the set otherwise, and the iterate evaluated anew.
  bool is_final(ContactIterate& i);
  bool is_solved(const ContactIterate& i) const {
    return i.is_admissible && i.residual <= report.tolerance && i.law <= 1;
  }
  /// Leaves x and the contacts of the last iterate to the caller and completes the report.
  SolveReport finish(const ContactIterate& last, MutVec x, std::vector<NodeContact>& contacts);

  const ContactProblem& problem() const { return p_; }
  SolveReport report;

 private:
  void fail(const Error& e, ContactIterate& i);

  const ContactProblem& p_;
  ContactTolerance tolerance_;
  ContactSet contacts_;
  VecX admissible_;
  std::string crossing_;
};

}  // namespace resilin
