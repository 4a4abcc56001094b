// How contact by forces enters a step: as an incremental potential, or as a force of the state it starts
// from.
#pragma once

#include "core/contact/compliant_contact.hpp"
#include "core/energy/energy.hpp"

#include <memory>

namespace resilin {

/// The part of the parameter table that a contact model and its colliders are found in.
struct ContactParameters {
  std::vector<Index> colliders;  ///< where those of each collider begin
  Index model = 0;               ///< where those of the model begin
  Index size = 0;
};

/// A node near a collider, and what the collider does to it along its normal.
struct CompliantTouch {
  Index node = 0, collider = 0;
  SurfacePoint surface;
  NormalReaction normal;
};

/// All that touches, with memory for finding it.
struct CompliantTouches {
  std::vector<CompliantTouch> list;
  Mat3X points;
  std::vector<SurfacePoint> surface;
};

/// The nodes and colliders of a model, for one way of coupling or the other.
class RESILIN_API CompliantPairs {
 public:
  using Colliders = std::vector<std::unique_ptr<Collider>>;
  CompliantPairs(const Colliders& colliders, const CompliantContact& model, ContactParameters parameters)
      : colliders_(colliders), model_(model), parameters_(std::move(parameters)) {}

  const CompliantContact& model() const { return model_; }
  Index num_parameters() const { return parameters_.size; }
  /// All pairs that react at time t, in a fixed order.
  void find(double t, ConstVec x, CompliantTouches& out) const;
  /// For a cotangent of what find() says about the surface: adds to that of the node and of the collider.
  void pull(const CompliantTouch& touch, double t, ConstVec x, const SurfaceCotangent& z, MutVec dx,
            MutVec dtheta) const;
  MutVec model_part(MutVec theta) const { return theta.segment(parameters_.model, model_.num_parameters()); }

 private:
  const Colliders& colliders_;
  const CompliantContact& model_;
  ContactParameters parameters_;
};

/// E(x) = sum phi(d(x, t)) + h psi(|u|), t the end of the step and h its length. The second part is friction
/// as an incremental potential: u = P ((x - x_n)/h - w) is the velocity along the surface relative to its
/// material, with the place x_n of the node, the projection P = I - n n^T, the velocity w of the material and
/// the normal force in psi all taken at the start of the step. Friction is thus lagged: it differs from that
/// of the end of the step by O(h), as implicit Euler does from the motion, and limits BDF2 to first order
/// where bodies slide under a normal force that changes. Without a start friction is zero.
class RESILIN_API CompliantContactEnergy final : public Energy {
 public:
  explicit CompliantContactEnergy(CompliantPairs pairs) : pairs_(std::move(pairs)) {}

  double value(const StepContext& c, ConstVec x, Workspace& ws) const override;
  double add_gradient(const StepContext& c, ConstVec x, MutVec g, Workspace& ws) const override;
  void add_pattern(BlockPattern&) const override {}  // no pairs of nodes: the diagonal is always there
  void add_hessian(const StepContext& c, ConstVec x, BlockMatrix& h, bool project_psd,
                   Workspace& ws) const override;
  void add_quadratic_form(Triplets& a) const override;
  bool is_projective() const override { return pairs_.model().is_projective(); }
  Index num_parameters() const override { return pairs_.num_parameters(); }
  void add_param_vjp(const StepContext& c, ConstVec x, ConstVec z, MutVec out, Workspace& ws) const override;
  bool depends_on_start() const override { return true; }
  void add_start_vjp(const StepContext& c, ConstVec x, ConstVec z, MutVec out, Workspace& ws) const override;

 private:
  void pull_friction(const StepContext& c, ConstVec x, ConstVec z, MutVec dstart, MutVec dtheta,
                     Workspace& ws) const;
  CompliantPairs pairs_;
};

/// f(x, v) = f_n n - c u, u = P (v - w), all at the start of the step, with the colliders as they are then.
class RESILIN_API CompliantContactForce final : public Force {
 public:
  explicit CompliantContactForce(CompliantPairs pairs) : pairs_(std::move(pairs)) {}

  void add_force(const StepContext& c, ConstVec x, ConstVec v, MutVec f) const override;
  Index num_parameters() const override { return pairs_.num_parameters(); }
  void add_vjp(const StepContext& c, ConstVec x, ConstVec v, ConstVec z, MutVec dx, MutVec dv,
               MutVec dtheta) const override;

 private:
  CompliantPairs pairs_;
};

}  // namespace resilin
