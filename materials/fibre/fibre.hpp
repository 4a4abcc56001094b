// Straight fibres through a body, each with its own direction a at rest (d = a/|a|) and the stretch
// l = |F d|, I4 = l^2:
//     fibre:              psi = k/2 e^2,                     e = l - 1        (linear spring)
//     exponential_fibre:  psi = k/(2 b) (exp(b e^2) - 1),    e = (l^2 - 1)/2  [Fung 1967; Holzapfel, Gasser,
//                         Ogden 2000, with k1 = k/4 and k2 = b/4]
// Both have the modulus k along d at small strain and no stiffness across. With `tension_only` e is replaced
// by r(e) = w (t^3 - t^4/2), t = e/w clipped to [0, 1], plus what e exceeds w: zero while pressed, growing
// smoothly (psi is twice continuously differentiable) over the strain w, and e - w/2 beyond.
// On surfaces the direction has to be a tangent of the rest surface. It is a constant: where the rest shape
// is a parameter and tilts, the stretch is that of the direction's projection.
// Inverted elements: finite for any J, since only the length of F d is seen, without any resistance of its
// own (combine it with a solid). Not a number where the spring is shrunk to a point (l = 0), and
// infinite where exp(b e^2) exceeds what a double holds: solvers step back from both.
#pragma once

#include "core/energy/material.hpp"
#include "materials/fibre/slack.hpp"

namespace resilin {

struct FibreOptions {
  Field stiffness{1e5};
  Field direction{Vec3(1, 0, 0)};
  bool tension_only = false;
  double transition = 0.01;
  Selector region;
};

/// What the laws have in common.
class FibreSolid : public Material {
 public:
  void parameters_changed() override;
  const Selector* elements() const override { return &common().region; }
  bool acts_on(int dimension) const override { return dimension >= 2; }
  Mat3 quadratic_form(const double* params) const override;

  void add_energy(const SampleBatch& b, Pack* psi) const override;
  void add_stress(const SampleBatch& b, Pack* psi, Mat3Pack* p) const override;
  void add_tangent(const SampleBatch& b, TangentPack* c) const override;
  void add_param_vjp(const SampleBatch& b, const Mat3Pack* w, Pack* out) const override;

 protected:
  /// Energy per stiffness as a function of I4, with derivatives in I4; `d1_exponent` is that of d1 in b.
  struct Response {
    Pack value, d1, d2, d1_exponent;
  };
  void ramp(const Pack& e, SlackStrain& out) const;  ///< r(e); e itself unless tension_only
  /// Throws Error(Input) for options that fit no fibre.
  void check(const BuildContext& context) const;

 private:
  virtual const FibreOptions& common() const = 0;
  virtual bool has_exponent() const = 0;
  virtual void respond(const SampleBatch& b, Index p, const Pack& i4, Response& out) const = 0;
  Index direction_at() const { return has_exponent() ? 2 : 1; }
};

class Fibre final : public FibreSolid {
 public:
  struct Options : FibreOptions {
    void visit(ParamVisitor& v);
  };
  Fibre(const Options& options, const BuildContext& context) : options_(options) { check(context); }
  void visit_parameters(ParamVisitor& v) override { options_.visit(v); }
  std::vector<const Field*> fields() const override { return {&options_.stiffness, &options_.direction}; }
  /// The manifold is that of unit length, as for muscles; a fibre that may go slack has none.
  bool is_projective() const override { return !options_.tension_only; }

 private:
  const FibreOptions& common() const override { return options_; }
  bool has_exponent() const override { return false; }
  void respond(const SampleBatch& b, Index p, const Pack& i4, Response& out) const override;
  Options options_;
};

class ExponentialFibre final : public FibreSolid {
 public:
  struct Options : FibreOptions {
    Field exponent{5.0};
    void visit(ParamVisitor& v);
  };
  ExponentialFibre(const Options& options, const BuildContext& context) : options_(options) {
    check(context);
  }
  void visit_parameters(ParamVisitor& v) override { options_.visit(v); }
  std::vector<const Field*> fields() const override {
    return {&options_.stiffness, &options_.exponent, &options_.direction};
  }

 private:
  const FibreOptions& common() const override { return options_; }
  bool has_exponent() const override { return true; }
  void respond(const SampleBatch& b, Index p, const Pack& i4, Response& out) const override;
  Options options_;
};

}  // namespace resilin
