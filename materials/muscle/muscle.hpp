// psi = k/2 (|F m| - a)^2, m the unit fibre direction at rest, a the activation (target stretch, 1 = rest
// length): a muscle fibre in the form of Projective Dynamics [Min 2019; DiffPD 2021, section 3]. The manifold
// is the sphere of radius a; Q = k m m^T.
#pragma once

#include "core/energy/material.hpp"

namespace resilin {

class Muscle final : public Material {
 public:
  struct Options {
    Field stiffness{1e5};
    Field activation{1.0};
    Vec3 fibre = Vec3::UnitX();
    Selector region;
    void visit(ParamVisitor& v);
  };
  Muscle(const Options& options, const BuildContext& context);

  void visit_parameters(ParamVisitor& v) override { options_.visit(v); }
  std::vector<const Field*> fields() const override { return {&options_.stiffness, &options_.activation}; }
  std::vector<const Field*> controllable() const override { return {&options_.activation}; }
  const Selector* elements() const override { return &options_.region; }
  bool is_projective() const override { return true; }
  Mat3 quadratic_form(const double* params) const override { return params[0] * m_ * m_.transpose(); }

  void add_energy(const SampleBatch& b, Pack* psi) const override;
  void add_stress(const SampleBatch& b, Pack* psi, Mat3Pack* p) const override;
  void add_tangent(const SampleBatch& b, TangentPack* c) const override;
  void add_param_vjp(const SampleBatch& b, const Mat3Pack* w, Pack* out) const override;

 private:
  Options options_;
  Vec3 m_;  ///< unit fibre
};

}  // namespace resilin
