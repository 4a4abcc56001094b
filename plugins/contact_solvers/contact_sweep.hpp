// Contact by fixed points: forces by the law, positions by the prefactorised matrix.
#pragma once

#include "plugins/contact_solvers/contact_iterate.hpp"
#include "plugins/contact_solvers/free_nodes.hpp"

#include <array>

namespace resilin {

/// One step of a fixed-point method whose fixed points are the solutions. With r = R(x) - E f and A, the
/// matrix of Projective Dynamics, in the place of the Hessian, positions follow forces by dx = B (E df - r),
/// B ~ A^-1.
class ContactSweep {
 public:
  explicit ContactSweep(const ContactProblem& problem) : p_(problem) {}

  /// Forces that satisfy f = respond(f - rho s(x + dx)) for that dx: a problem with the Delassus operator S =
  /// E^T B E alone, by Gauss-Seidel sweeps over the contacts with rho = 1/S_kk, at most `sweeps` of them, or
  /// until no force changes by more than 1e-13 of the largest. Returns the sweeps made.
  Index gauss_seidel(const ContactIterate& i, Index sweeps);
  /// Forces respond(f - rho s(x)), each contact on its own with rho = a m, its inertia [Ly et al. 2020].
  void split(const ContactIterate& i);
  /// The next x and forces.
  void move(ContactIterate& i);

 private:
  void prepare(const ContactIterate& i);
  Vec3 moved_by_forces(Index contact) const;  ///< S df at a contact
  /// 1/S_kk of the softest axis, for slips of these derivatives.
  double stiffness(Index contact, const Mat3& d_slip) const;

  const ContactProblem& p_;
  FreeNodes nodes_;
  std::vector<double> stiffness_;
  std::array<MatX, 3> compliance_;
  Mat3X change_, at_node_, free_slip_;  ///< df of each contact, of each node together; slip without df
  VecX rhs_, dx_;
};

}  // namespace resilin
