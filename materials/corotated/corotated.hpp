// psi = mu |F - R|^2, R the rotation nearest to F: the shear part of the corotated solid, in the form of
// Projective Dynamics with weight 2 mu and manifold SO(3) [Bouaziz 2014; DiffPD 2021, section 3].
#pragma once

#include "core/energy/material.hpp"

namespace resilin {

class Corotated final : public Material {
 public:
  struct Options : ElasticModuli {
    Selector region;
    void visit(ParamVisitor& v);
  };
  Corotated(const Options& options, const BuildContext& context) : options_(options) {
    options.require_constant(context);
  }

  void visit_parameters(ParamVisitor& v) override { options_.visit(v); }
  std::vector<const Field*> fields() const override {
    return {&options_.youngs_modulus, &options_.poissons_ratio};
  }
  const Selector* elements() const override { return &options_.region; }
  bool needs_svd() const override { return true; }
  bool is_projective() const override { return true; }
  Mat3 quadratic_form(const double* params) const override;

  void add_energy(const SampleBatch& b, Pack* psi) const override;
  void add_stress(const SampleBatch& b, Pack* psi, Mat3Pack* p) const override;
  void add_tangent(const SampleBatch& b, TangentPack* c) const override;
  void add_param_vjp(const SampleBatch& b, const Mat3Pack* w, Pack* out) const override;

 private:
  Options options_;
};

}  // namespace resilin
