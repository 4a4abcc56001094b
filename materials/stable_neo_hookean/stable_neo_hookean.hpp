// psi = mu/2 (tr F^T F - 3) - mu (J - 1) + (lambda + mu)/2 (J - 1)^2: stable neo-Hookean solid without the
// term that only regularises its Hessian at the origin [Smith, de Goes, Kim 2018, eq. 13]. Defined and finite
// for inverted elements. Lame's parameters agree with linear elasticity at rest. Written by its energy alone:
// everything else comes from dual numbers.
#pragma once

#include "core/energy/energy_density_material.hpp"

namespace resilin {

class StableNeoHookean final : public EnergyDensityMaterial<StableNeoHookean, 2> {
 public:
  struct Options : ElasticModuli {
    Selector region;
    void visit(ParamVisitor& v);
  };
  StableNeoHookean(const Options& options, const BuildContext&) : options_(options) {}

  void visit_parameters(ParamVisitor& v) override { options_.visit(v); }
  std::vector<const Field*> fields() const override {
    return {&options_.youngs_modulus, &options_.poissons_ratio};
  }
  const Selector* elements() const override { return &options_.region; }

  template <class T>
  static T psi(const Matrix3<T>& f, const std::array<T, 2>& p) {
    const T &e = p[0], &nu = p[1];
    const T mu = e / (2.0 * (1.0 + nu)), lambda = e * nu / ((1.0 + nu) * (1.0 - 2.0 * nu));
    const T volume = f.determinant() - 1.0;
    return mu * (0.5 * (f.squaredNorm() - 3.0) - volume) + 0.5 * (lambda + mu) * volume * volume;
  }

 private:
  Options options_;
};

}  // namespace resilin
