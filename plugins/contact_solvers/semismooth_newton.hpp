// Contact with any law by a semismooth Newton method on the step and the law together [Alart and Curnier
// 1991; METHODS 5]: exact at convergence, friction included. It solves the step itself and takes its
// tolerances from the scene's forward and backward solvers; each direction is found by GMRES, preconditioned
// by the factor of Projective Dynamics and blocks, or a dense matrix, over what is in contact. Where no step
// along a direction is better, at a kink of the law, Gauss-Seidel sweeps (see delassus) go on to another
// iterate.
#pragma once

#include "plugins/contact_solvers/contact_adjoint.hpp"
#include "plugins/contact_solvers/contact_iterate.hpp"

namespace resilin {

class SemismoothNewton final : public ContactSolver {
 public:
  struct Options {
    ContactTolerance tolerance;
    Index max_iterations = 5000;
    Index max_sweeps = 1000;
    GmresOptions gmres;
    void visit(ParamVisitor& v);
  };
  SemismoothNewton(const Options& options, const BuildContext&) : options_(options) {}

  void check(const System& system, const BuildContext& context) const override;
  SolveReport solve(const ContactProblem& problem, MutVec x,
                    std::vector<NodeContact>& contacts) const override;
  SolveReport adjoint(const ContactProblem& problem, ConstVec x, const std::vector<NodeContact>& contacts,
                      ConstVec dx, MutVec w, ContactCotangent out) const override {
    return solve_contact_adjoint(problem, options_.gmres, x, contacts, dx, w, out);
  }

 private:
  Options options_;
};

}  // namespace resilin
