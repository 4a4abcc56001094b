// Penalty contact [DiffPD 2021, section 5.1]: a node at the depth -d inside a collider is pushed out by
//     f_n = k (-d)^(p-1),    the energy phi = k/p (-d)^p,
// and friction acts against its velocity u along the surface, relative to the collider's material:
//     f_t = -min(mu f_n, k_f |u|) u/|u|    [Macklin et al. 2020]
// Below |u| = mu f_n/k_f friction is viscous: what ought to stick creeps at |f_t|/k_f. As k and k_f grow,
// this tends to Signorini's conditions and Coulomb's law.
#pragma once

#include "contacts/pairing.hpp"
#include "core/contact/compliant_contact.hpp"

namespace resilin {

class Penalty final : public CompliantContact {
 public:
  struct Options {
    Pairing pairing;
    double stiffness = 1e4, power = 2, friction_stiffness = 10, friction = 0.5;
    std::string scheme = "implicit";
    void visit(ParamVisitor& v);
  };
  Penalty(const Options& options, const BuildContext& context);

  void visit_parameters(ParamVisitor& v) override { options_.visit(v); }
  const std::vector<Index>& nodes() const override { return nodes_; }
  const std::vector<Index>& colliders() const override { return colliders_; }
  Index num_parameters() const override { return kNumParameters; }
  NormalReaction normal(double distance) const override;
  FrictionReaction friction(double speed, double normal_force) const override;
  bool is_implicit() const override { return options_.scheme == "implicit"; }
  double form_stiffness() const override { return options_.power == 2 ? options_.stiffness : 0; }
  bool is_projective() const override {
    return options_.power == 2 && (options_.friction == 0 || options_.friction_stiffness == 0);
  }

 private:
  enum Parameter : int { kStiffness, kFrictionStiffness, kFriction, kNumParameters };
  Options options_;
  std::vector<Index> nodes_, colliders_;
};

}  // namespace resilin
