// psi = lambda/2 |F - D|^2, D the matrix of determinant 1 nearest to F: volume preservation in the form of
// Projective Dynamics with weight lambda and manifold SL(3) [Bouaziz 2014; DiffPD 2021, section 3].
// With the published weights kept here, corotated + volume is not Hooke's law of its E and nu at small
// strain: near rest |F - D|^2 = (tr eps)^2 / 3, so it behaves like mu and lambda / 3 (nu = 0.45 like 0.375).
// Tested in tests/physics.
#pragma once

#include "core/energy/material.hpp"

namespace resilin {

class Volume final : public Material {
 public:
  struct Options : ElasticModuli {
    Selector region;
    void visit(ParamVisitor& v);
  };
  Volume(const Options& options, const BuildContext& context) : options_(options) {
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
