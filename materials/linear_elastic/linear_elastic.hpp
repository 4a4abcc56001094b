// psi = mu eps:eps + lambda/2 (tr eps)^2, eps = (F + F^T)/2 - I: Hooke's law of small strains and small
// rotations. Not objective: a body that is turned by an angle a feels a spurious strain of a^2/2. Finite for
// inverted elements, which nothing keeps from forming.
#pragma once

#include "core/energy/material.hpp"

namespace resilin {

class LinearElastic final : public Material {
 public:
  struct Options : ElasticModuli {
    Selector region;
    void visit(ParamVisitor& v);
  };
  LinearElastic(const Options& options, const BuildContext&) : options_(options) {}

  void visit_parameters(ParamVisitor& v) override { options_.visit(v); }
  std::vector<const Field*> fields() const override {
    return {&options_.youngs_modulus, &options_.poissons_ratio};
  }
  const Selector* elements() const override { return &options_.region; }
  bool is_objective() const override { return false; }

  void add_energy(const SampleBatch& b, Pack* psi) const override;
  void add_stress(const SampleBatch& b, Pack* psi, Mat3Pack* p) const override;
  void add_tangent(const SampleBatch& b, TangentPack* c) const override;
  void add_param_vjp(const SampleBatch& b, const Mat3Pack* w, Pack* out) const override;

 private:
  Options options_;
};

}  // namespace resilin
