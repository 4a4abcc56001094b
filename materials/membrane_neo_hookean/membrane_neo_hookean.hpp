// psi = mu/2 (tr C + 1/det C - 3), C the metric of the surface, mu = E/3: incompressible neo-Hookean membrane
// in plane stress; its thickness shrinks by 1/J, J = sqrt(det C), which is what the second term holds
// [Treloar 1975, chapter 4; Holzapfel 2000, section 6.5]. The law of balloons and rubber sheets: with the
// stretches s_1, s_2 the stress per rest area is mu (s_1 - 1/(s_1^3 s_2^2)). Infinite where the area is
// shrunk to nothing.
#pragma once

#include "core/energy/material.hpp"

namespace resilin {

class MembraneNeoHookean final : public Material {
 public:
  struct Options {
    Field youngs_modulus{1e6};
    Selector region;
    void visit(ParamVisitor& v);
  };
  MembraneNeoHookean(const Options& options, const BuildContext&) : options_(options) {}

  void visit_parameters(ParamVisitor& v) override { options_.visit(v); }
  std::vector<const Field*> fields() const override { return {&options_.youngs_modulus}; }
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
