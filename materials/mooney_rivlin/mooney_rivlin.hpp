// psi = mu1/2 (J^(-2/3) I1 - 3) + mu2/2 (J^(-4/3) I2 - 3) + K/4 (J^2 - 1 - 2 ln J), I1 = tr C,
// I2 = ((tr C)^2 - tr C^2)/2, C = F^T F, J = det F: compressible Mooney-Rivlin solid in the isochoric-
// volumetric split, so that it is free of stress at rest for any parameters [Bonet and Wood 2008, section
// 6.5; volumetric part of Simo and Taylor 1982]. Hooke's law at small strain has the shear modulus mu1 + mu2
// and the bulk modulus K. Not a number for J <= 0 (infinite as J -> 0+): solvers step back from there.
#pragma once

#include "core/energy/material.hpp"

namespace resilin {

class MooneyRivlin final : public Material {
 public:
  struct Options {
    Field mu1{3e5};
    Field mu2{1e5};
    Field bulk{2e6};
    Selector region;
    void visit(ParamVisitor& v);
  };
  MooneyRivlin(const Options& options, const BuildContext&) : options_(options) {}

  void visit_parameters(ParamVisitor& v) override { options_.visit(v); }
  std::vector<const Field*> fields() const override { return {&options_.mu1, &options_.mu2, &options_.bulk}; }
  const Selector* elements() const override { return &options_.region; }

  void add_energy(const SampleBatch& b, Pack* psi) const override;
  void add_stress(const SampleBatch& b, Pack* psi, Mat3Pack* p) const override;
  void add_tangent(const SampleBatch& b, TangentPack* c) const override;
  void add_param_vjp(const SampleBatch& b, const Mat3Pack* w, Pack* out) const override;

 private:
  Options options_;
};

}  // namespace resilin
