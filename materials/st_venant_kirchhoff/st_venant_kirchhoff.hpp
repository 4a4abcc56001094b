// psi = mu E:E + lambda/2 (tr E)^2, E = (F^T F - I)/2: Hooke's law in the strain of Green, for large
// rotations and small strains [Bonet and Wood 2008, section 6.3]. Sees C = F^T F alone, so an inverted
// element costs as much as its mirror image: finite for J <= 0, without any resistance against collapse (a
// bar softens once it is pressed below 1/sqrt 3 of its length).
#pragma once

#include "core/energy/material.hpp"

namespace resilin {

class StVenantKirchhoff final : public Material {
 public:
  struct Options : ElasticModuli {
    Selector region;
    void visit(ParamVisitor& v);
  };
  StVenantKirchhoff(const Options& options, const BuildContext&) : options_(options) {}

  void visit_parameters(ParamVisitor& v) override { options_.visit(v); }
  std::vector<const Field*> fields() const override {
    return {&options_.youngs_modulus, &options_.poissons_ratio};
  }
  const Selector* elements() const override { return &options_.region; }

  void add_energy(const SampleBatch& b, Pack* psi) const override;
  void add_stress(const SampleBatch& b, Pack* psi, Mat3Pack* p) const override;
  void add_tangent(const SampleBatch& b, TangentPack* c) const override;
  void add_param_vjp(const SampleBatch& b, const Mat3Pack* w, Pack* out) const override;

 private:
  Options options_;
};

}  // namespace resilin
