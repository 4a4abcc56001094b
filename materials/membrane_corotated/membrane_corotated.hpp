// psi = mu |F - R|^2 = mu ((s_1 - 1)^2 + (s_2 - 1)^2), R the isometry of the surface into space nearest to F:
// Projective Dynamics with weight 2 mu and the manifold of isometries [Bouaziz 2014, section 5.1]. Alone it
// stretches like a material without lateral contraction and Young's modulus 2 mu = E/(1 + nu). With
// `lateral_contraction` lambda/2 (s_1 + s_2 - 2)^2, lambda = E nu/(1 - nu^2), is added: Hooke's law in plane
// stress at small strain. A pressed membrane has negative curvature out of its plane; not a number in
// derivatives where it has shrunk to a line (s_2 = 0).
#pragma once

#include "core/energy/material.hpp"

namespace resilin {

class MembraneCorotated final : public Material {
 public:
  struct Options : ElasticModuli {
    bool lateral_contraction = false;
    Selector region;
    void visit(ParamVisitor& v);
  };
  MembraneCorotated(const Options& options, const BuildContext& context) : options_(options) {
    options.require_constant(context);
  }

  void visit_parameters(ParamVisitor& v) override { options_.visit(v); }
  std::vector<const Field*> fields() const override {
    return {&options_.youngs_modulus, &options_.poissons_ratio};
  }
  const Selector* elements() const override { return &options_.region; }
  bool acts_on(int dimension) const override { return dimension == 2; }
  bool needs_svd() const override { return true; }
  /// s_1 + s_2 = 2 is a manifold too, but the distance from it is another where s_2 would turn negative.
  bool is_projective() const override { return !options_.lateral_contraction; }
  Mat3 quadratic_form(const double* params) const override;

  void add_energy(const SampleBatch& b, Pack* psi) const override;
  void add_stress(const SampleBatch& b, Pack* psi, Mat3Pack* p) const override;
  void add_tangent(const SampleBatch& b, TangentPack* c) const override;
  void add_param_vjp(const SampleBatch& b, const Mat3Pack* w, Pack* out) const override;

 private:
  LamePack moduli(const SampleBatch& b, Index p) const;
  Options options_;
};

}  // namespace resilin
