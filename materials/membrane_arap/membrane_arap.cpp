#include "materials/membrane_arap/membrane_arap.hpp"

#include <fmt/format.h>

namespace resilin {
namespace {

/// What energy and stress of the isometry share.
struct Polar {
  Mat3Pack cof, b;  ///< cofactors of F; B = dJ/dF
  Pack j, sum;      ///< area ratio J, S = s_1 + s_2
};
RESILIN_INLINE Polar polar(const Mat3Pack& f) {
  Polar r;
  r.cof = cofactor(f);
  r.j = sqrt(dot(r.cof, r.cof));
  const Mat3Pack c = transposed_times(f, f);
  const Pack square = c(0, 0) + c(1, 1) + c(2, 2), scale = 1.0 / r.j;
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 3; ++i) {
      const Pack fc = f(i, 0) * c(0, j) + f(i, 1) * c(1, j) + f(i, 2) * c(2, j);
      r.b(i, j) = scale * (square * f(i, j) - fc);
    }
  r.sum = sqrt(square + 2.0 * r.j);
  return r;
}

/// (s_1 - 1)^2 + (s_2 - 1)^2 = ((S - 2)^2 + D^2)/2 with D = s_1 - s_2, D^2 = |F - B|^2/2: no difference of
/// large numbers is squared, so that small strains keep their digits.
RESILIN_INLINE Pack distance2(const Mat3Pack& f, const Polar& r) {
  Pack d2 = splat(0.0);
  for (int k = 0; k < 9; ++k) {
    const Pack d = f.m[k] - r.b.m[k];
    d2 += d * d;
  }
  const Pack e = r.sum - 2.0;
  return 0.5 * e * e + 0.25 * d2;
}

/// The unit normal of the deformed surface, of either sign: cof F = J n N^T, of whose columns the longest is
/// taken.
RESILIN_INLINE void normal(const Polar& r, Pack (&n)[3]) {
  Pack longest = splat(-1.0);
  for (auto& e : n) e = splat(0.0);
  for (int j = 0; j < 3; ++j) {
    const Pack x = r.cof(0, j), y = r.cof(1, j), z = r.cof(2, j), l = x * x + y * y + z * z;
    const PackMask better = l > longest;
    longest = better ? l : longest;
    n[0] = better ? x : n[0];
    n[1] = better ? y : n[1];
    n[2] = better ? z : n[2];
  }
  const Pack scale = 1.0 / sqrt(longest);
  for (auto& e : n) e *= scale;
}

}  // namespace

void MembraneArap::Options::visit(ParamVisitor& v) {
  v.field("stiffness", stiffness,
          {.doc = "stiffness k: per area [N/m], as k_s in papers on cloth, where the body's thickness stays "
                  "at 1; a modulus [Pa] otherwise",
           .unit = "Pa",
           .min = 0,
           .max = 1e15,
           .open = true,
           .differentiable = true});
  v.real("min_stretch", min_stretch,
         {.doc = "lower limit of the stretches that cost nothing; 1, with max_stretch 1: the isometry",
          .min = 0,
          .max = 1e3});
  v.real("max_stretch", max_stretch,
         {.doc = "upper limit of the stretches that cost nothing", .min = 0, .max = 1e3, .open = true});
  v.check(min_stretch <= max_stretch, "min_stretch must not exceed max_stretch");
  v.section("elements", region, {.doc = "elements that it acts on; all if empty"});
}

MembraneArap::MembraneArap(const Options& options, const BuildContext& context)
    : options_(options), has_limits_(options.min_stretch != 1 || options.max_stretch != 1) {
  if (options.stiffness.steps != 1)
    throw context.input_error("stiffness", "the stiffness of a projection cannot change from step to step");
}

RESILIN_INLINE Pack MembraneArap::excess(Pack s) const {
  return s - min(max(s, splat(options_.min_stretch)), splat(options_.max_stretch));
}

void MembraneArap::add_energy(const SampleBatch& b, Pack* psi) const {
  for (Index p = 0; p < b.packs; ++p) {
    if (has_limits_) {
      const Pack e0 = excess(b.svd[p].s[0]), e1 = excess(b.svd[p].s[1]);
      psi[p] += 0.5 * b.param(0, p) * (e0 * e0 + e1 * e1);
    } else {
      psi[p] += 0.5 * b.param(0, p) * distance2(b.f[p], polar(b.f[p]));
    }
  }
}

/// F - P = U diag(s - clamp(s)) V^T.
RESILIN_INLINE Mat3Pack beyond(const Svd3Pack& d, Pack e0, Pack e1) {
  Mat3Pack r;
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 3; ++i) r(i, j) = e0 * d.u(i, 0) * d.v(j, 0) + e1 * d.u(i, 1) * d.v(j, 1);
  return r;
}

void MembraneArap::add_stress(const SampleBatch& b, Pack* psi, Mat3Pack* stress) const {
  for (Index p = 0; p < b.packs; ++p) {
    const Pack k = b.param(0, p);
    if (has_limits_) {
      const Pack e0 = excess(b.svd[p].s[0]), e1 = excess(b.svd[p].s[1]);
      psi[p] += 0.5 * k * (e0 * e0 + e1 * e1);
      const Mat3Pack r = beyond(b.svd[p], e0, e1);
      for (int i = 0; i < 9; ++i) stress[p].m[i] += k * r.m[i];
      continue;
    }
    const Mat3Pack& f = b.f[p];
    const Polar r = polar(f);
    psi[p] += 0.5 * k * distance2(f, r);
    // F - (F + B)/S = ((S - 2) F + (F - B))/S
    const Pack scale = k / r.sum, e = r.sum - 2.0;
    for (int i = 0; i < 9; ++i) stress[p].m[i] += scale * (e * f.m[i] + (f.m[i] - r.b.m[i]));
  }
}

/// dP/dF = t t^T 2/S + sum_i (n v_i^T)(n v_i^T)^T / s_i with t = (u_1 v_2^T - u_2 v_1^T)/sqrt 2 = [n]x P/sqrt
/// 2, and sum_i v_i v_i^T / s_i = (S P^T P - P^T F)/J.
void MembraneArap::add_tangent(const SampleBatch& b, TangentPack* c) const {
  if (has_limits_) return add_limited_tangent(b, c);
  for (Index p = 0; p < b.packs; ++p) {
    const Mat3Pack& f = b.f[p];
    const Pack k = b.param(0, p);
    const Polar r = polar(f);
    Pack n[3];
    normal(r, n);
    Mat3Pack iso, turn;
    for (int i = 0; i < 9; ++i) iso.m[i] = (f.m[i] + r.b.m[i]) / r.sum;
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < 3; ++i) {
        const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
        turn(i, j) = n[i1] * iso(i2, j) - n[i2] * iso(i1, j);
      }
    const Mat3Pack tangents = transposed_times(iso, iso), stretch = transposed_times(iso, f);
    Mat3Pack across;  // k times the sum over i
    for (int i = 0; i < 9; ++i) across.m[i] = k / r.j * (r.sum * tangents.m[i] - stretch.m[i]);
    const Pack twist = k / r.sum;
    for (int a = 0; a < 9; ++a) {
      c[p](a, a) += k;
      const Pack along = twist * turn.m[a];
      for (int e = a; e < 9; ++e)
        c[p](a, e) -= along * turn.m[e] + n[a % 3] * n[e % 3] * across(a / 3, e / 3);
    }
  }
}

void MembraneArap::add_limited_tangent(const SampleBatch& b, TangentPack* c) const {
  const Pack zero = splat(0.0), low = splat(options_.min_stretch), high = splat(options_.max_stretch);
  for (Index p = 0; p < b.packs; ++p) {
    const Pack k = b.param(0, p);
    const Pack &s0 = b.svd[p].s[0], &s1 = b.svd[p].s[1];
    const Pack g0 = k * excess(s0), g1 = k * excess(s1), gap = s0 - s1;
    const Pack d0 = (s0 < low) | (s0 > high) ? k : zero, d1 = (s1 < low) | (s1 > high) ? k : zero;
    // On the same side of the limits the excesses differ as the stretches do, whatever their gap.
    const PackMask alike = ((s0 > high) & (s1 > high)) | ((s0 < low) & (s1 < low)) | ((d0 + d1) == zero);
    const Pack flip = alike ? d0 : (g0 - g1) / gap;
    const IsotropicTangent t{{d0, zero, zero, d1, zero, zero},
                             {flip, g0 / s0, g1 / s1},
                             {(g0 + g1) / (s0 + s1), g0 / s0, g1 / s1}};
    add_isotropic_tangent(b.svd[p], t, c[p]);
  }
}

void MembraneArap::add_param_vjp(const SampleBatch& b, const Mat3Pack* w, Pack* out) const {
  for (Index p = 0; p < b.packs; ++p) {
    if (has_limits_) {
      out[p] += dot(beyond(b.svd[p], excess(b.svd[p].s[0]), excess(b.svd[p].s[1])), w[p]);
      continue;
    }
    const Mat3Pack& f = b.f[p];
    const Polar r = polar(f);
    out[p] += ((r.sum - 2.0) * dot(f, w[p]) + (dot(f, w[p]) - dot(r.b, w[p]))) / r.sum;
  }
}

}  // namespace resilin
