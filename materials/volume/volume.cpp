#include "materials/volume/volume.hpp"

#include <cstdint>
#include <cstring>
#include <limits>

namespace resilin {
namespace {

/// Nearest point t of {t0 t1 t2 = 1} to the singular values s, with its multiplier: t - s = m grad(t0 t1 t2).
struct Projection {
  Pack t[3], m;
};

/// Inverse (as adjugate over determinant) of the Lagrangian's Hessian I - m d2(t0 t1 t2)/dt2.
struct Kkt {
  Pack inverse[6];  // 00 01 02 11 12 22
  Pack g[3];        // gradient of the product
  Pack kg[3];       // inverse times g
  Pack gkg;
};

RESILIN_INLINE Kkt kkt(const Projection& p) {
  const Pack *t = p.t, m = p.m;
  // K = [1, -m t2, -m t1; ., 1, -m t0; ., ., 1]
  const Pack a = m * t[2], b = m * t[1], c = m * t[0];
  const Pack d = 1.0 / (1.0 - a * a - b * b - c * c - 2.0 * a * b * c);
  Kkt k{{(1.0 - c * c) * d, (a + b * c) * d, (b + a * c) * d, (1.0 - b * b) * d, (c + a * b) * d,
         (1.0 - a * a) * d},
        {t[1] * t[2], t[0] * t[2], t[0] * t[1]},
        {},
        {}};
  constexpr int kSym[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
  for (int i = 0; i < 3; ++i)
    k.kg[i] =
        k.inverse[kSym[i][0]] * k.g[0] + k.inverse[kSym[i][1]] * k.g[1] + k.inverse[kSym[i][2]] * k.g[2];
  k.gkg = k.g[0] * k.kg[0] + k.g[1] * k.kg[1] + k.g[2] * k.kg[2];
  return k;
}

/// 1/cbrt(a), a > 0, to some ten digits.
RESILIN_INLINE Pack reciprocal_cbrt(Pack a) {
  // A third of the exponent by way of the bits, then Newton's method on 1/y^3 = a. Packs that hold integers
  // do not divide: the division is one of doubles, exact enough for the estimate that it makes.
  Pack y;
  for (int l = 0; l < kLanes; ++l) {
    std::uint64_t bits;
    const double v = a[l];
    std::memcpy(&bits, &v, sizeof bits);
    bits = 0x553EF0FF289DD796ULL - bits / 3;
    double estimate;
    std::memcpy(&estimate, &bits, sizeof estimate);
    y[l] = estimate;
  }
  for (int i = 0; i < 4; ++i) y += y * (1.0 - a * y * y * y) * (1.0 / 3.0);
  return y;
}

/// Start near the surface: s scaled to determinant 1, s2 raised where it is small or negative.
RESILIN_INLINE void start(const Pack* s, Projection& p) {
  const Pack low = s[0] > 0.0 ? 0.1 * s[0] : splat(1.0);
  p.t[0] = s[0] > 0.0 ? s[0] : splat(1.0), p.t[1] = max(s[1], low), p.t[2] = max(s[2], low);
  const Pack scale = reciprocal_cbrt(p.t[0] * p.t[1] * p.t[2]);
  for (Pack& t : p.t) t *= scale;
}

/// d <- g (g.d - C)/|g|^2: projects s on the linearised surface; robust, linear convergence.
RESILIN_INLINE void linear_step(const Pack* s, Projection& p) {
  const Pack g0 = p.t[1] * p.t[2], g1 = p.t[0] * p.t[2], g2 = p.t[0] * p.t[1];
  const Pack c = p.t[0] * g0 - 1.0;
  p.m = (g0 * (p.t[0] - s[0]) + g1 * (p.t[1] - s[1]) + g2 * (p.t[2] - s[2]) - c) /
        (g0 * g0 + g1 * g1 + g2 * g2);
  p.t[0] = s[0] + p.m * g0, p.t[1] = s[1] + p.m * g1, p.t[2] = s[2] + p.m * g2;
}

RESILIN_INLINE Projection project(const Pack* s) {
  Projection p;
  start(s, p);
  for (int i = 0; i < 3; ++i) linear_step(s, p);
  // Newton on the conditions t - s - m g = 0, t0 t1 t2 = 1; lanes that are done stay as they are.
  PackMask active = splat(0.0) == 0.0;
  for (int iteration = 0; iteration < 40; ++iteration) {
    const Kkt k = kkt(p);
    const Pack c = p.t[0] * k.g[0] - 1.0;
    Pack r[3], kr[3];
    for (int i = 0; i < 3; ++i) r[i] = p.t[i] - s[i] - p.m * k.g[i];
    constexpr int kSym[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    for (int i = 0; i < 3; ++i)
      kr[i] = k.inverse[kSym[i][0]] * r[0] + k.inverse[kSym[i][1]] * r[1] + k.inverse[kSym[i][2]] * r[2];
    const Pack dm = (k.g[0] * kr[0] + k.g[1] * kr[1] + k.g[2] * kr[2] - c) / k.gkg;
    Pack change = splat(0.0);
    for (int i = 0; i < 3; ++i) {
      const Pack dt = dm * k.kg[i] - kr[i];
      p.t[i] = active ? p.t[i] + dt : p.t[i];
      change = max(change, abs(dt));
    }
    p.m = active ? p.m + dm : p.m;
    // The error after a step is about the square of the step.
    active &= change > 1e-9 * (abs(p.t[0]) + abs(s[0]));
    if (!any(active)) return p;
  }
  // A lane that did not converge has no usable projection: NaN is reported with its element.
  const Kkt k = kkt(p);
  const Pack c = abs(p.t[0] * k.g[0] - 1.0);
  for (int i = 0; i < 3; ++i) {
    const Pack r = abs(p.t[i] - s[i] - p.m * k.g[i]);
    const Pack nan = splat(std::numeric_limits<double>::quiet_NaN());
    p.t[i] = (active == 0) | ((c < 1e-11) & (r < 1e-11 * (1.0 + abs(s[0])))) ? p.t[i] : nan;
  }
  return p;
}

}  // namespace

void Volume::Options::visit(ParamVisitor& v) {
  ElasticModuli::visit(v);
  v.section("elements", region, {.doc = "elements that it acts on; all if empty"});
}

Mat3 Volume::quadratic_form(const double* params) const {
  return lame(splat(params[0]), splat(params[1])).lambda[0] * Mat3::Identity();
}

void Volume::add_energy(const SampleBatch& b, Pack* psi) const {
  for (Index p = 0; p < b.packs; ++p) {
    const Pack lambda = lame(b.param(0, p), b.param(1, p)).lambda;
    const Pack* s = b.svd[p].s;
    const Projection d = project(s);
    const Pack e0 = s[0] - d.t[0], e1 = s[1] - d.t[1], e2 = s[2] - d.t[2];
    psi[p] += 0.5 * lambda * (e0 * e0 + e1 * e1 + e2 * e2);
  }
}

void Volume::add_stress(const SampleBatch& b, Pack* psi, Mat3Pack* stress) const {
  for (Index p = 0; p < b.packs; ++p) {
    const Pack lambda = lame(b.param(0, p), b.param(1, p)).lambda;
    const Svd3Pack& svd = b.svd[p];
    const Projection d = project(svd.s);
    Pack e[3];
    for (int a = 0; a < 3; ++a) e[a] = svd.s[a] - d.t[a];
    psi[p] += 0.5 * lambda * (e[0] * e[0] + e[1] * e[1] + e[2] * e[2]);
    for (int a = 0; a < 3; ++a) e[a] *= lambda;
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < 3; ++i)
        stress[p](i, j) += svd.u(i, 0) * e[0] * svd.v(j, 0) + svd.u(i, 1) * e[1] * svd.v(j, 1) +
                           svd.u(i, 2) * e[2] * svd.v(j, 2);
  }
}

void Volume::add_tangent(const SampleBatch& b, TangentPack* c) const {
  constexpr int kSym[6][2] = {{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 2}};
  constexpr int kPair[3][2] = {{0, 1}, {0, 2}, {1, 2}};
  for (Index p = 0; p < b.packs; ++p) {
    const Pack lambda = lame(b.param(0, p), b.param(1, p)).lambda;
    const Svd3Pack& svd = b.svd[p];
    const Projection d = project(svd.s);
    const Kkt k = kkt(d);
    IsotropicTangent t;
    for (int n = 0; n < 6; ++n)  // minus lambda dt/ds, from the differentiated conditions
      t.diag[n] = -lambda * (k.inverse[n] - k.kg[kSym[n][0]] * k.kg[kSym[n][1]] / k.gkg);
    for (int n = 0; n < 3; ++n) {
      const int i = kPair[n][0], j = kPair[n][1], other = 3 - i - j;
      // (t_i - t_j)/(s_i - s_j) without the difference: it follows from the conditions of i and j.
      t.flip[n] = -lambda / (1.0 + d.m * d.t[other]);
      t.twist[n] = -lambda * (d.t[i] + d.t[j]) / (svd.s[i] + svd.s[j]);
    }
    add_isotropic_tangent(svd, t, c[p]);
    for (int n = 0; n < 9; ++n) c[p](n, n) += lambda;
  }
}

void Volume::add_param_vjp(const SampleBatch& b, const Mat3Pack* w, Pack* out) const {
  for (Index p = 0; p < b.packs; ++p) {
    const LamePack l = lame(b.param(0, p), b.param(1, p));
    const Svd3Pack& svd = b.svd[p];
    const Projection d = project(svd.s);
    Pack dp = splat(0.0);  // w : dP/dlambda, P / lambda = U diag(s - t) V^T
    for (int a = 0; a < 3; ++a) {
      Pack uwv = splat(0.0);
      for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i) uwv += svd.u(i, a) * w[p](i, j) * svd.v(j, a);
      dp += (svd.s[a] - d.t[a]) * uwv;
    }
    out[p] += l.lambda_e * dp;
    out[b.packs + p] += l.lambda_nu * dp;
  }
}

}  // namespace resilin
