// Contact with any law by a semismooth Newton method on the step and the law together [Alart and Curnier
// 1991; METHODS 5]: exact at convergence, friction included. It solves the step itself and takes its
// tolerances from the scene's forward and backward solvers; each direction is found by GMRES, preconditioned
// by the factor of Projective Dynamics and a dense matrix over the nodes in contact.
#pragma once

#include "core/solve/contact_solver.hpp"

namespace resilin {

class SemismoothNewton final : public ContactSolver {
 public:
  struct Options {
    double gap_tolerance = 1e-10;
    Index max_iterations = 100;
    Index max_linear_iterations = 2000;
    Index restart = 100;
    void visit(ParamVisitor& v);
  };
  SemismoothNewton(const Options& options, const BuildContext&) : options_(options) {}

  void check(const System& system, const BuildContext& context) const override;
  SolveReport solve(const ContactProblem& problem, MutVec x,
                    std::vector<NodeContact>& contacts) const override;
  SolveReport adjoint(const ContactProblem& problem, ConstVec x, const std::vector<NodeContact>& contacts,
                      ConstVec dx, MutVec w, MutVec dstart, MutVec theta) const override;

 private:
  Options options_;
};

}  // namespace resilin
