// Picks the contact solver by the laws of the scene.
#pragma once

#include "plugins/contact_solvers/active_set.hpp"
#include "plugins/contact_solvers/semismooth_newton.hpp"

namespace resilin {

/// active_set where all contact sticks, else semismooth_newton, with their default options.
class AutoContact final : public ContactSolver {
 public:
  struct Options {
    void visit(ParamVisitor&) {}
  };
  AutoContact(const Options&, const BuildContext& context)
      : sticking_(ActiveSet::Options(), context), sliding_(SemismoothNewton::Options(), context) {}

  void check(const System& system, const BuildContext& context) const override {
    choose(system).check(system, context);
  }
  SolveReport solve(const ContactProblem& problem, MutVec x,
                    std::vector<NodeContact>& contacts) const override {
    return choose(problem.system).solve(problem, x, contacts);
  }
  SolveReport adjoint(const ContactProblem& problem, ConstVec x, const std::vector<NodeContact>& contacts,
                      ConstVec dx, MutVec w, ContactCotangent out) const override {
    return choose(problem.system).adjoint(problem, x, contacts, dx, w, out);
  }

 private:
  const ContactSolver& choose(const System& system) const;

  ActiveSet sticking_;
  SemismoothNewton sliding_;
};

}  // namespace resilin
