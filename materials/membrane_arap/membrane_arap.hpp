// psi = k/2 |F - P|^2, P the matrix nearest to F whose singular values lie in [min_stretch, max_stretch]:
// the strain term of Projective Dynamics for cloth [Bouaziz 2014, section 5.1]. With the default limits, 1
// and 1, P is the nearest isometry of the surface into space and psi = k/2 ((s_1 - 1)^2 + (s_2 - 1)^2): as
// rigid as possible, with one stiffness and no lateral contraction (membrane_corotated without it, with k =
// 2 mu). With wider limits the cloth is free between them and held back beyond (strain limiting); beside
// another material of the body it only limits.
//
// The energy of a triangle is thickness x area x psi. So with the default thickness of 1 m k is a stiffness
// per area [N/m], the k_s of cloth papers; with a thickness t it is a modulus [Pa] and k_s = k t.
//
// Closed form, with the area ratio J = |cof F| = s_1 s_2, its derivative B = dJ/dF = U diag(s_2, s_1) V^T and
// S = s_1 + s_2 = sqrt(|F|^2 + 2 J): P = (F + B)/S. A pressed membrane has negative curvature out of its
// plane. Not a number where a triangle has shrunk to a line (J = 0).
#pragma once

#include "core/energy/material.hpp"

namespace resilin {

class MembraneArap final : public Material {
 public:
  struct Options {
    Field stiffness{1e3};
    double min_stretch = 1, max_stretch = 1;
    Selector region;
    void visit(ParamVisitor& v);
  };
  MembraneArap(const Options& options, const BuildContext& context);

  void visit_parameters(ParamVisitor& v) override { options_.visit(v); }
  std::vector<const Field*> fields() const override { return {&options_.stiffness}; }
  const Selector* elements() const override { return &options_.region; }
  bool acts_on(int dimension) const override { return dimension == 2; }
  bool needs_svd() const override { return has_limits_; }
  bool is_projective() const override { return true; }
  Mat3 quadratic_form(const double* params) const override { return params[0] * Mat3::Identity(); }

  void add_energy(const SampleBatch& b, Pack* psi) const override;
  void add_stress(const SampleBatch& b, Pack* psi, Mat3Pack* p) const override;
  void add_tangent(const SampleBatch& b, TangentPack* c) const override;
  void add_param_vjp(const SampleBatch& b, const Mat3Pack* w, Pack* out) const override;

 private:
  /// s - clamp(s)
  Pack excess(Pack s) const;
  void add_limited_tangent(const SampleBatch& b, TangentPack* c) const;

  Options options_;
  bool has_limits_ = false;  ///< other than those of an isometry
};

}  // namespace resilin
