// The law of contact between one node and one collider during a step, with all derivatives.
#pragma once

#include "core/contact/sticking.hpp"

namespace resilin {

/// The residual L(f, x) = f - respond(f - rho s, n) [N] of a contact model's law (see ContactLaw), f the
/// force on the node, x its position at the end of the step. With p where it would stand if it stuck
/// (Sticking), d and n of the collider at x: slip s = P (x - p) + d n [m], P = I - n n^T.
class RESILIN_API NodeLaw {
 public:
  struct Value {
    SurfacePoint surface;      ///< of the collider at x, its distance less that at which contact begins
    Vec3 slip, trial;          ///< s [m], f - rho s [N]
    Mat3 d_slip;               ///< ds/dx
    ContactResponse response;  ///< to the trial force
    Vec3 residual;             ///< L [N]
    Mat3 d_force, d_position;  ///< dL/df, dL/dx [N/m]
    bool touches() const { return trial.dot(surface.normal) > 0; }
  };
  /// start: the node's position at the start of the step. Throws Error(Numerics) if the collider has no place
  /// for a node that sticks.
  NodeLaw(const Sticking::Colliders& colliders, const ContactLaw& model, Index collider, const Vec3& start,
          double t, double h);

  Value evaluate(const Vec3& force, const Vec3& x, double rho) const;
  /// For a cotangent z of L: dstart -= (dL/dstart)^T z, and likewise the parameters of the colliders, those
  /// of collider k from theta[collider_offset[k]] on, and of the model, from theta[model_offset] on.
  void pull(const Value& at, const Vec3& x, double rho, const Vec3& z, Vec3& dstart, MutVec theta,
            const std::vector<Index>& collider_offset, Index model_offset) const;

 private:
  const Sticking::Colliders* colliders_;
  const ContactLaw* model_;
  Index collider_;
  Vec3 start_, place_;
  double t_, h_;
};

}  // namespace resilin
