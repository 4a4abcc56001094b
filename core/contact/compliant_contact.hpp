// Contact by forces: what a collider does to a node depends on how deep the node is and how fast it slides.
#pragma once

#include "core/contact/contact_model.hpp"

namespace resilin {

/// What a surface answers along its normal to a node at the signed distance d.
struct NormalReaction {
  using Gradient = Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, ContactResponse::kMaxParameters>;
  double energy = 0;      ///< phi(d) [J], zero where there is no contact
  double force = 0;       ///< f_n = -d phi/d d [N]
  double stiffness = 0;   ///< d2 phi/d d2 [N/m]
  Gradient d_parameters;  ///< d f_n/d parameters; may be empty where there is no contact
};

/// What it answers to a node that slides: a force -c(s) u against the velocity u along the surface, s = |u|.
struct FrictionReaction {
  double dissipation = 0;                 ///< psi(s) = int_0^s c(r) r dr [W]
  double viscosity = 0;                   ///< c [N s/m]
  double d_speed = 0;                     ///< d c/d s, finite also as s goes to zero
  double d_normal = 0;                    ///< d c/d f_n
  NormalReaction::Gradient d_parameters;  ///< d c/d parameters
};

/// Contact by two scalar functions of a material: the energy phi of the normal force and the viscosity c of
/// friction. Nodes and colliders, directions, and how it enters a step are the business of the core (see
/// core/energy/compliant_coupling.hpp), which also pulls gradients back to the model's parameters, the
/// colliders and the start of a step.
class RESILIN_API CompliantContact : public ContactModel {
 public:
  virtual NormalReaction normal(double distance) const = 0;
  /// speed >= 0 [m/s], normal_force >= 0 [N].
  virtual FrictionReaction friction(double speed, double normal_force) const = 0;
  /// True: the normal force is that of the end of a step, friction looks at the displacement of the step.
  /// False: both are forces of the state that the step starts from.
  virtual bool is_implicit() const = 0;
  /// Constant that stands for d2 phi/d d2 in the matrix of Projective Dynamics [N/m].
  virtual double form_stiffness() const = 0;
  /// True if with it x - A^-1 grad never raises the energy, friction included.
  virtual bool is_projective() const { return false; }
  bool pushes_out() const override { return true; }
};

}  // namespace resilin
