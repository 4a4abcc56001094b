#include "materials/membrane_neo_hookean/membrane_neo_hookean.hpp"

namespace resilin {
namespace {

/// det C and half its derivative A = tr(C) F - F C.
struct Area {
  Pack trace, det;
  Mat3Pack c, slope;
};
RESILIN_INLINE Area area(const Mat3Pack& f) {
  const Mat3Pack minors = cofactor(f);  // their squares add up to det C: positive, without cancellation
  Area a{dot(f, f), dot(minors, minors), transposed_times(f, f), {}};
  const Mat3Pack fc = times_transposed(f, a.c);
  for (int k = 0; k < 9; ++k) a.slope.m[k] = a.trace * f.m[k] - fc.m[k];
  return a;
}
/// dP/dmu = F - A / det^2
RESILIN_INLINE Mat3Pack unit_stress(const Mat3Pack& f, const Area& a) {
  Mat3Pack p;
  const Pack push = 1.0 / (a.det * a.det);
  for (int k = 0; k < 9; ++k) p.m[k] = f.m[k] - push * a.slope.m[k];
  return p;
}

}  // namespace

void MembraneNeoHookean::Options::visit(ParamVisitor& v) {
  v.field("youngs_modulus", youngs_modulus,
          {.doc = "Young's modulus at small strain, three times the shear modulus",
           .unit = "Pa",
           .min = 0,
           .max = 1e15,
           .open = true,
           .differentiable = true,
           .alias = "E"});
  v.section("elements", region, {.doc = "elements that it acts on; all if empty"});
}

void MembraneNeoHookean::add_energy(const SampleBatch& b, Pack* psi) const {
  for (Index p = 0; p < b.packs; ++p) {
    const Area a = area(b.f[p]);
    psi[p] += b.param(0, p) / 6.0 * (a.trace + 1.0 / a.det - 3.0);
  }
}

void MembraneNeoHookean::add_stress(const SampleBatch& b, Pack* psi, Mat3Pack* stress) const {
  for (Index p = 0; p < b.packs; ++p) {
    const Pack mu = b.param(0, p) / 3.0;
    const Area a = area(b.f[p]);
    const Mat3Pack unit = unit_stress(b.f[p], a);
    psi[p] += 0.5 * mu * (a.trace + 1.0 / a.det - 3.0);
    for (int k = 0; k < 9; ++k) stress[p].m[k] += mu * unit.m[k];
  }
}

void MembraneNeoHookean::add_tangent(const SampleBatch& b, TangentPack* c) const {
  for (Index p = 0; p < b.packs; ++p) {
    const Mat3Pack &f = b.f[p], left = times_transposed(f, f);
    const Area a = area(f);
    const Pack mu = b.param(0, p) / 3.0, second = mu / (a.det * a.det), third = 4.0 * second / a.det;
    // dA_(ij)/dF_(kl) = 2 F_ij F_kl + tr(C) d_ik d_jl - d_ik C_jl - (F F^T)_ik d_jl - F_il F_kj
    for (int j = 0; j < 3; ++j)
      for (int q = j; q < 3; ++q)
        for (int i = 0; i < 3; ++i)
          for (int o = 0; o < 3; ++o) {
            if (j == q && o < i) continue;  // upper triangle only
            Pack h = f(i, q) * f(o, j) - 2.0 * f(i, j) * f(o, q);
            if (i == o) h += a.c(j, q);
            if (j == q) h += left(i, o);
            if (i == o && j == q) h -= a.trace;
            Pack entry = second * h + third * a.slope(i, j) * a.slope(o, q);
            if (i == o && j == q) entry += mu;
            c[p](3 * j + i, 3 * q + o) += entry;
          }
  }
}

void MembraneNeoHookean::add_param_vjp(const SampleBatch& b, const Mat3Pack* w, Pack* out) const {
  for (Index p = 0; p < b.packs; ++p) out[p] += dot(unit_stress(b.f[p], area(b.f[p])), w[p]) / 3.0;
}

}  // namespace resilin
