// psi = k/2 (|F d| - a)^2, d = m/|m| the fibre's direction m at rest, a the activation (target stretch, 1 =
// rest length): a muscle fibre in the form of Projective Dynamics [Min 2019; DiffPD 2021, section 3]. The
// manifold is the sphere of radius a; Q = k d d^T.
#pragma once

#include "core/energy/material.hpp"

namespace resilin {

class Muscle final : public Material {
 public:
  struct Options {
    Field stiffness{1e5};
    Field activation{1.0};
    Field fibre{Vec3(1, 0, 0)};
    bool has_around = false;
    Vec3 point = Vec3::Zero(), axis = Vec3::UnitZ();
    Selector region;
    void visit(ParamVisitor& v);
  };
  Muscle(const Options& options, const BuildContext& context);

  void visit_parameters(ParamVisitor& v) override { options_.visit(v); }
  void parameters_changed() override;
  std::vector<const Field*> fields() const override {
    return {&options_.stiffness, &options_.activation, &options_.fibre};
  }
  std::vector<const Field*> controllable() const override { return {&options_.activation}; }
  const Selector* elements() const override { return &options_.region; }
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
