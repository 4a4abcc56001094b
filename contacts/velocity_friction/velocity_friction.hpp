// Signorini's conditions and Coulomb's law between velocities, with the frame of the start of a step, as
// published with [DiffCloth 2022, section 4.1] after [Ly et al. 2020].
#pragma once

#include "contacts/pairing.hpp"
#include "core/contact/pair_law.hpp"

namespace resilin {

/// A node is in contact during a step if at its start, or half way or all the way to where it would go
/// without internal forces and contact, it is nearer to a collider than `distance`; the first such collider
/// counts. Then it may not move against the normal that the collider has at the node's place at the start,
/// relative to the collider; there is no gap, and what is inside is not pushed out. For comparisons with
/// published results: dry_friction keeps nodes outside at the end of each step, with the normals there.
class VelocityFriction final : public PairLaw {
 public:
  struct Options {
    Pairing pairing;
    struct Region {
      Vec3 min{0, 0, 0}, max{0, 0, 0};
      void visit(ParamVisitor& v);
    } region;
    bool has_region = false;
    double friction = 0.5, distance = 0.1;
    void visit(ParamVisitor& v);
  };
  VelocityFriction(const Options& options, const BuildContext& context);

  void visit_parameters(ParamVisitor& v) override { options_.visit(v); }
  const std::vector<Index>& nodes() const override { return nodes_; }
  const std::vector<Index>& colliders() const override { return colliders_; }
  Index num_parameters() const override { return 1; }
  bool pushes_out() const override { return true; }
  double friction() const override { return options_.friction; }
  ContactResponse respond(const Vec3& trial, const Vec3& normal) const override {
    return coulomb_response(trial, normal, options_.friction);
  }

  void detect(const ContactStep& step, ConstVec x, std::vector<ContactPair>& out) const override;
  ContactPair find(const ContactStep& step, const NodeContact& contact) const override;
  void add_vjp(const ContactStep& step, const ContactPair& pair, const ContactPairCotangent& z, MutVec dstart,
               MutVec theta, const std::vector<Index>& collider_offset, Index model_offset) const override;
  std::optional<ContactPair> find_deepest(const ContactStep&) const override { return {}; }

 private:
  ContactPair pair_of(const ContactStep& step, Index node, Index collider) const;

  Options options_;
  std::vector<Index> nodes_, colliders_;
};

}  // namespace resilin
