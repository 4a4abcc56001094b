// psi = mu/2 (tr F^T F - 3) - mu ln J + lambda/2 (ln J)^2, J = det F: compressible neo-Hookean solid
// [Bonet and Wood 2008, eq. 6.27]. Not a number for J <= 0: solvers step back from there.
#pragma once

#include "core/energy/material.hpp"

namespace resilin {

class NeoHookean final : public Material {
 public:
  struct Options : ElasticModuli {
    Selector region;
    void visit(ParamVisitor& v);
  };
  NeoHookean(const Options& options, const BuildContext&) : options_(options) {}

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
