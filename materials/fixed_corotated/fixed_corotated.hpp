// psi = mu |F - R|^2 + lambda/2 (J - 1)^2, R the rotation nearest to F (det R = +1), J = det F: the fixed
// corotated solid [Stomakhin 2012, section 3.1]. Hooke's law of its E and nu at small strain. By the signed
// singular values finite for inverted elements, which are pushed back through their smallest stretch.
#pragma once

#include "core/energy/material.hpp"

namespace resilin {

class FixedCorotated final : public Material {
 public:
  struct Options : ElasticModuli {
    Selector region;
    void visit(ParamVisitor& v);
  };
  FixedCorotated(const Options& options, const BuildContext&) : options_(options) {}

  void visit_parameters(ParamVisitor& v) override { options_.visit(v); }
  std::vector<const Field*> fields() const override {
    return {&options_.youngs_modulus, &options_.poissons_ratio};
  }
  const Selector* elements() const override { return &options_.region; }
  bool needs_svd() const override { return true; }

  void add_energy(const SampleBatch& b, Pack* psi) const override;
  void add_stress(const SampleBatch& b, Pack* psi, Mat3Pack* p) const override;
  void add_tangent(const SampleBatch& b, TangentPack* c) const override;
  void add_param_vjp(const SampleBatch& b, const Mat3Pack* w, Pack* out) const override;

 private:
  Options options_;
};

}  // namespace resilin
