// psi = E/2 (l - 1)^2, l = |F| the stretch of a curve: a string or chain that resists stretching in
// proportion to its engineering strain, without any bending. In the form of Projective Dynamics: weight E and
// the manifold l = 1. With `tension_only` l - 1 is replaced by a strain that is zero while the string is
// pressed, see materials/fibre/slack.hpp. Not a number where a segment has shrunk to a point (l = 0).
#pragma once

#include "core/energy/material.hpp"

namespace resilin {

class Strand final : public Material {
 public:
  struct Options {
    Field youngs_modulus{1e6};
    bool tension_only = false;
    double transition = 0.01;
    Selector region;
    void visit(ParamVisitor& v);
  };
  Strand(const Options& options, const BuildContext& context);

  void visit_parameters(ParamVisitor& v) override { options_.visit(v); }
  std::vector<const Field*> fields() const override { return {&options_.youngs_modulus}; }
  const Selector* elements() const override { return &options_.region; }
  bool acts_on(int dimension) const override { return dimension == 1; }
  /// A string that may go slack has no manifold: its smooth onset is softer than any distance.
  bool is_projective() const override { return !options_.tension_only; }
  Mat3 quadratic_form(const double* params) const override { return params[0] * Mat3::Identity(); }

  void add_energy(const SampleBatch& b, Pack* psi) const override;
  void add_stress(const SampleBatch& b, Pack* psi, Mat3Pack* p) const override;
  void add_tangent(const SampleBatch& b, TangentPack* c) const override;
  void add_param_vjp(const SampleBatch& b, const Mat3Pack* w, Pack* out) const override;

 private:
  struct Response;
  Response respond(const Mat3Pack& f) const;
  Options options_;
};

}  // namespace resilin
