// psi = mu E:E + lambda/2 (tr E)^2, E = (C - I)/2 the strain of Green within the surface, lambda = E nu/(1 -
// nu^2): St. Venant and Kirchhoff's law in plane stress, for large rotations and small strains [Bonet and
// Wood 2008, sections 6.3 and 6.6]. In invariants E:E = (tr C^2 - 2 tr C + 2)/4 and tr E = (tr C - 2)/2.
// Tension field and wrinkles are not modelled: a pressed membrane resists as long as it stays flat, and
// softens once it is pressed below 1/sqrt 3. Finite for every F.
#pragma once

#include "core/energy/material.hpp"

namespace resilin {

class MembraneStvk final : public Material {
 public:
  struct Options : ElasticModuli {
    Selector region;
    void visit(ParamVisitor& v);
  };
  MembraneStvk(const Options& options, const BuildContext&) : options_(options) {}

  void visit_parameters(ParamVisitor& v) override { options_.visit(v); }
  std::vector<const Field*> fields() const override {
    return {&options_.youngs_modulus, &options_.poissons_ratio};
  }
  const Selector* elements() const override { return &options_.region; }
  bool acts_on(int dimension) const override { return dimension == 2; }

  void add_energy(const SampleBatch& b, Pack* psi) const override;
  void add_stress(const SampleBatch& b, Pack* psi, Mat3Pack* p) const override;
  void add_tangent(const SampleBatch& b, TangentPack* c) const override;
  void add_param_vjp(const SampleBatch& b, const Mat3Pack* w, Pack* out) const override;

 private:
  Options options_;
};

}  // namespace resilin
