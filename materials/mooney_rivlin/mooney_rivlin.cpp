#include "materials/mooney_rivlin/mooney_rivlin.hpp"

namespace resilin {
namespace {

/// What all derivatives need; NaN where J <= 0.
struct Invariants {
  Mat3Pack inverse;  ///< F^-T
  Mat3Pack right;    ///< C = F^T F
  Mat3Pack di2;      ///< dI2/dF = 2 (I1 F - F C)
  Pack j, log_j, i1, i2;
  Pack scale1, scale2;  ///< J^(-2/3), J^(-4/3)
};
RESILIN_INLINE Invariants invariants(const Mat3Pack& f) {
  Invariants r;
  r.j = det(f);
  r.log_j = log(r.j);
  r.inverse = cofactor(f);
  r.i2 = dot(r.inverse, r.inverse);  // |cof F|^2
  for (Pack& e : r.inverse.m) e /= r.j;
  r.right = transposed_times(f, f);
  r.i1 = dot(f, f);
  r.di2 = times_transposed(f, r.right);
  for (int k = 0; k < 9; ++k) r.di2.m[k] = 2.0 * (r.i1 * f.m[k] - r.di2.m[k]);
  r.scale1 = exp(r.log_j * (-2.0 / 3.0));
  r.scale2 = r.scale1 * r.scale1;
  return r;
}

/// Stresses of unit mu1, mu2 and K.
struct UnitStresses {
  Mat3Pack first, second, volume;
};
RESILIN_INLINE UnitStresses unit_stresses(const Mat3Pack& f, const Invariants& v) {
  UnitStresses s;
  for (int k = 0; k < 9; ++k) {
    s.first.m[k] = v.scale1 * (f.m[k] - v.i1 / 3.0 * v.inverse.m[k]);
    s.second.m[k] = v.scale2 * (0.5 * v.di2.m[k] - 2.0 / 3.0 * v.i2 * v.inverse.m[k]);
    s.volume.m[k] = 0.5 * (v.j * v.j - 1.0) * v.inverse.m[k];
  }
  return s;
}

}  // namespace

void MooneyRivlin::Options::visit(ParamVisitor& v) {
  v.field("mu1", mu1,
          {.doc = "shear modulus of the part in I1 (twice C10)",
           .unit = "Pa",
           .min = 0,
           .max = 1e15,
           .differentiable = true});
  v.field("mu2", mu2,
          {.doc = "shear modulus of the part in I2 (twice C01)",
           .unit = "Pa",
           .min = 0,
           .max = 1e15,
           .differentiable = true});
  v.field(
      "bulk", bulk,
      {.doc = "bulk modulus K", .unit = "Pa", .min = 0, .max = 1e15, .open = true, .differentiable = true});
  v.section("elements", region, {.doc = "elements that it acts on; all if empty"});
}

void MooneyRivlin::add_energy(const SampleBatch& b, Pack* psi) const {
  for (Index p = 0; p < b.packs; ++p) {
    const Invariants v = invariants(b.f[p]);
    psi[p] += 0.5 * b.param(0, p) * (v.scale1 * v.i1 - 3.0) + 0.5 * b.param(1, p) * (v.scale2 * v.i2 - 3.0) +
              0.25 * b.param(2, p) * (v.j * v.j - 1.0 - 2.0 * v.log_j);
  }
}

void MooneyRivlin::add_stress(const SampleBatch& b, Pack* psi, Mat3Pack* stress) const {
  add_energy(b, psi);
  for (Index p = 0; p < b.packs; ++p) {
    const UnitStresses s = unit_stresses(b.f[p], invariants(b.f[p]));
    for (int k = 0; k < 9; ++k)
      stress[p].m[k] +=
          b.param(0, p) * s.first.m[k] + b.param(1, p) * s.second.m[k] + b.param(2, p) * s.volume.m[k];
  }
}

void MooneyRivlin::add_tangent(const SampleBatch& b, TangentPack* c) const {
  for (Index p = 0; p < b.packs; ++p) {
    const Mat3Pack& f = b.f[p];
    const Invariants v = invariants(f);
    const Mat3Pack &n = v.inverse, left = times_transposed(f, f);
    const Pack a = b.param(0, p) * v.scale1, e = b.param(1, p) * v.scale2, bulk = b.param(2, p);
    // With N = F^-T, dN = -N dF^T N, d ln J = N : dF:
    const Pack nn = 2.0 / 9.0 * a * v.i1 + 8.0 / 9.0 * e * v.i2 + bulk * v.j * v.j;       // N (N : dF)
    const Pack ndn = (a * v.i1 + 2.0 * e * v.i2) / 3.0 - 0.5 * bulk * (v.j * v.j - 1.0);  // N dF^T N
    for (int j = 0; j < 3; ++j)
      for (int q = j; q < 3; ++q)
        for (int i = 0; i < 3; ++i)
          for (int o = 0; o < 3; ++o) {
            if (j == q && o < i) continue;  // upper triangle only
            const Pack f1 = f(i, j), f2 = f(o, q), n1 = n(i, j), n2 = n(o, q);
            Pack h = nn * n1 * n2 + ndn * n(i, q) * n(o, j) - 2.0 / 3.0 * a * (f1 * n2 + n1 * f2) -
                     2.0 / 3.0 * e * (v.di2(i, j) * n2 + n1 * v.di2(o, q)) +
                     e * (2.0 * f1 * f2 - f(i, q) * f(o, j));
            if (i == o) h -= e * v.right(j, q);
            if (j == q) h -= e * left(i, o);
            if (i == o && j == q) h += a + e * v.i1;
            c[p](3 * j + i, 3 * q + o) += h;
          }
  }
}

void MooneyRivlin::add_param_vjp(const SampleBatch& b, const Mat3Pack* w, Pack* out) const {
  for (Index p = 0; p < b.packs; ++p) {
    const UnitStresses s = unit_stresses(b.f[p], invariants(b.f[p]));
    out[p] += dot(w[p], s.first);
    out[b.packs + p] += dot(w[p], s.second);
    out[2 * b.packs + p] += dot(w[p], s.volume);
  }
}

}  // namespace resilin
