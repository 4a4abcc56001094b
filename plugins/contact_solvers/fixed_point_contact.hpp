// Contact by fixed points around the prefactorised matrix, as in Projective Dynamics without a Hessian: what
// `delassus` and `splitting` share. They need many cheap iterations, converge where the elastic part of
// Projective Dynamics does, and reach the same solutions as semismooth_newton.
#pragma once

#include "plugins/contact_solvers/contact_adjoint.hpp"
#include "plugins/contact_solvers/contact_iterate.hpp"

namespace resilin {

class FixedPointContact : public ContactSolver {
 public:
  struct Options {
    ContactTolerance tolerance;
    Index max_iterations = 20000;
    GmresOptions gmres;
    void visit(ParamVisitor& v);
  };

  void check(const System& system, const BuildContext& context) const override;
  SolveReport solve(const ContactProblem& problem, MutVec x,
                    std::vector<NodeContact>& contacts) const override;
  SolveReport adjoint(const ContactProblem& problem, ConstVec x, const std::vector<NodeContact>& contacts,
                      ConstVec dx, MutVec w, ContactCotangent out) const override {
    return solve_contact_adjoint(problem, options_.gmres, x, contacts, dx, w, out);
  }

 protected:
  FixedPointContact(const Options& options, bool splits) : options_(options), splits_(splits) {}

 private:
  Options options_;
  bool splits_;
};

/// All forces together in each iteration, by projected Gauss-Seidel on the Delassus operator.
class Delassus final : public FixedPointContact {
 public:
  Delassus(const Options& options, const BuildContext&) : FixedPointContact(options, false) {}
};

/// Each node's force on its own [Ly et al. 2020].
class Splitting final : public FixedPointContact {
 public:
  Splitting(const Options& options, const BuildContext&) : FixedPointContact(options, true) {}
};

/// Throws if a contact model keeps places off the surface.
void require_surface_law(const System& system, const BuildContext& context);

}  // namespace resilin
