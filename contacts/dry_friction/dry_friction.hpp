// Signorini's conditions and Coulomb's law of dry friction at the end of each step: a node in contact with
// normal force f_n sticks while the force along the surface that this takes is at most mu f_n, else it slides
// against a force of that size, opposite to its motion.
#pragma once

#include "contacts/pairing.hpp"
#include "core/contact/contact_model.hpp"

namespace resilin {

class DryFriction final : public ContactLaw {
 public:
  struct Options {
    Pairing pairing;
    double friction = 0.5, distance = 0;
    std::string initial_penetration = "error";
    void visit(ParamVisitor& v);
  };
  DryFriction(const Options& options, const BuildContext& context);

  void visit_parameters(ParamVisitor& v) override { options_.visit(v); }
  const std::vector<Index>& nodes() const override { return nodes_; }
  const std::vector<Index>& colliders() const override { return colliders_; }
  double friction() const override { return options_.friction; }
  double distance() const override { return options_.distance; }
  Index distance_parameter() const override { return 1; }
  ContactResponse respond(const Vec3& trial, const Vec3& normal) const override;
  Index num_parameters() const override { return 2; }
  bool pushes_out() const override { return options_.initial_penetration == "push_out"; }

 private:
  Options options_;
  std::vector<Index> nodes_, colliders_;
};

}  // namespace resilin
