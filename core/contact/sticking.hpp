// Where a node that sticks to a collider stands at the end of a step.
#pragma once

#include "core/contact/contact_model.hpp"

#include <memory>

namespace resilin {

/// The place p of a node at x at the start of a step of length h that ends at t: the collider's material
/// takes it along, p_0 = x + h v(x, t), and it is put on the surface, p_1 = p_0 - d n at (p_0, t), d the
/// signed distance less that at which contact of the model begins. Where that lies inside another collider of
/// the model (at a concave edge between them), it is put on the surface of that one, and so on until it is
/// outside of all.
class RESILIN_API Sticking {
 public:
  using Colliders = std::vector<std::unique_ptr<Collider>>;
  Sticking(const Colliders& colliders, const ContactLaw& model, double t, double h)
      : colliders_(colliders), model_(model), t_(t), h_(h) {}

  /// Throws Error(Numerics) if no such place is found.
  Vec3 place(Index collider, const Vec3& x) const;
  /// For a cotangent z of place(): dx += (d place/d x)^T z, and that of the parameters of collider k from
  /// theta[offset[k]] on, and of the model from theta[model_offset] on.
  void add_vjp(Index collider, const Vec3& x, const Vec3& z, Vec3& dx, MutVec theta,
               const std::vector<Index>& offset, Index model_offset) const;

 private:
  struct Projection {
    Index collider;
    Vec3 from;
  };
  /// The projections that lead to the place, which is returned.
  Vec3 project(Index collider, const Vec3& x, std::vector<Projection>& steps) const;

  const Colliders& colliders_;
  const ContactLaw& model_;
  double t_, h_;
};

}  // namespace resilin
