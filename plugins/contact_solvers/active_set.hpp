// Contact that sticks, by active sets [DiffPD 2021, algorithm 2]: the nodes in contact are held on their
// colliders and the step is solved with any forward solver; a node that its collider would have to pull
// leaves, one that would penetrate enters, until the set is right. Signorini's conditions then hold to the
// tolerance of the forward solver.
#pragma once

#include "core/solve/contact_solver.hpp"

namespace resilin {

class ActiveSet final : public ContactSolver {
 public:
  struct Options {
    Index max_trials = 50;
    std::string unsettled = "hold", low_rank = "auto";
    double refactor_share = 0.4;
    void visit(ParamVisitor& v);
  };
  ActiveSet(const Options& options, const BuildContext&) : options_(options) {}

  void check(const System& system, const BuildContext& context) const override;
  SolveReport solve(const ContactProblem& problem, MutVec x,
                    std::vector<NodeContact>& contacts) const override;
  SolveReport adjoint(const ContactProblem& problem, ConstVec x, const std::vector<NodeContact>& contacts,
                      ConstVec dx, MutVec w, ContactCotangent out) const override;

 private:
  void hold(const std::vector<NodeContact>& contacts, StepProblem& step) const;
  Options options_;
};

}  // namespace resilin
