// Non-penetration with static friction of unlimited strength [DiffPD 2021, section 5]: a node that reaches a
// collider keeps its place on it, whatever force that takes along the surface, until the collider would have
// to pull. Signorini's conditions hold exactly at the end of each step.
#pragma once

#include "contacts/pairing.hpp"
#include "core/contact/contact_model.hpp"

#include <limits>

namespace resilin {

class Complementarity final : public ContactLaw {
 public:
  struct Options {
    Pairing pairing;
    double distance = 0;
    std::string place = "surface", initial_penetration = "error";
    void visit(ParamVisitor& v);
  };
  Complementarity(const Options& options, const BuildContext& context);

  const std::vector<Index>& nodes() const override { return nodes_; }
  const std::vector<Index>& colliders() const override { return colliders_; }
  double friction() const override { return std::numeric_limits<double>::infinity(); }
  void visit_parameters(ParamVisitor& v) override { options_.visit(v); }
  Index num_parameters() const override { return 1; }
  double distance() const override { return options_.distance; }
  Index distance_parameter() const override { return 0; }
  ContactResponse respond(const Vec3& trial, const Vec3& normal) const override;
  bool keeps_place() const override { return options_.place == "kept"; }
  bool pushes_out() const override { return options_.initial_penetration == "push_out"; }

 private:
  Options options_;
  std::vector<Index> nodes_, colliders_;
};

}  // namespace resilin
