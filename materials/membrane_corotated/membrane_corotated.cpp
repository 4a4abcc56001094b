#include "materials/membrane_corotated/membrane_corotated.hpp"

namespace resilin {
namespace {

/// R = u_1 v_1^T + u_2 v_2^T
RESILIN_INLINE Mat3Pack isometry(const Svd3Pack& d) {
  Mat3Pack r;
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 3; ++i) r(i, j) = d.u(i, 0) * d.v(j, 0) + d.u(i, 1) * d.v(j, 1);
  return r;
}

}  // namespace

void MembraneCorotated::Options::visit(ParamVisitor& v) {
  ElasticModuli::visit(v);
  v.flag("lateral_contraction", lateral_contraction,
         {.doc = "adds the term by which a strip that is stretched becomes narrower; the law is then no "
                 "projection any more"});
  v.section("elements", region, {.doc = "elements that it acts on; all if empty"});
}

/// Those of plane stress; lambda and its derivatives are zero without lateral contraction.
RESILIN_INLINE LamePack MembraneCorotated::moduli(const SampleBatch& b, Index p) const {
  LamePack l = plane_stress_lame(b.param(0, p), b.param(1, p));
  if (!options_.lateral_contraction) l.lambda = l.lambda_e = l.lambda_nu = splat(0.0);
  return l;
}

Mat3 MembraneCorotated::quadratic_form(const double* params) const {
  const LamePack l = plane_stress_lame(splat(params[0]), splat(params[1]));
  return (2 * l.mu[0] + (options_.lateral_contraction ? l.lambda[0] : 0)) * Mat3::Identity();
}

void MembraneCorotated::add_energy(const SampleBatch& b, Pack* psi) const {
  for (Index p = 0; p < b.packs; ++p) {
    const LamePack l = moduli(b, p);
    const Pack e0 = b.svd[p].s[0] - 1.0, e1 = b.svd[p].s[1] - 1.0;
    psi[p] += l.mu * (e0 * e0 + e1 * e1) + 0.5 * l.lambda * (e0 + e1) * (e0 + e1);
  }
}

void MembraneCorotated::add_stress(const SampleBatch& b, Pack* psi, Mat3Pack* stress) const {
  add_energy(b, psi);
  for (Index p = 0; p < b.packs; ++p) {
    const LamePack l = moduli(b, p);
    const Pack spread = l.lambda * (b.svd[p].s[0] + b.svd[p].s[1] - 2.0);
    const Mat3Pack r = isometry(b.svd[p]);
    for (int k = 0; k < 9; ++k) stress[p].m[k] += 2.0 * l.mu * (b.f[p].m[k] - r.m[k]) + spread * r.m[k];
  }
}

void MembraneCorotated::add_tangent(const SampleBatch& b, TangentPack* c) const {
  for (Index p = 0; p < b.packs; ++p) {
    const LamePack l = moduli(b, p);
    const Pack &s0 = b.svd[p].s[0], &s1 = b.svd[p].s[1];
    const Pack w = 2.0 * l.mu, zero = splat(0.0), sum = s0 + s1, spread = l.lambda * (sum - 2.0);
    const Pack g0 = w * (s0 - 1.0) + spread, g1 = w * (s1 - 1.0) + spread;
    const IsotropicTangent t{{w + l.lambda, l.lambda, zero, w + l.lambda, zero, zero},
                             {w, g0 / s0, g1 / s1},
                             {(g0 + g1) / sum, g0 / s0, g1 / s1}};
    add_isotropic_tangent(b.svd[p], t, c[p]);
  }
}

void MembraneCorotated::add_param_vjp(const SampleBatch& b, const Mat3Pack* w, Pack* out) const {
  for (Index p = 0; p < b.packs; ++p) {
    const LamePack l = moduli(b, p);
    const Pack turned = dot(isometry(b.svd[p]), w[p]);
    const Pack dmu = 2.0 * (dot(b.f[p], w[p]) - turned);
    const Pack dlambda = (b.svd[p].s[0] + b.svd[p].s[1] - 2.0) * turned;
    out[p] += l.mu_e * dmu + l.lambda_e * dlambda;
    out[b.packs + p] += l.mu_nu * dmu + l.lambda_nu * dlambda;
  }
}

}  // namespace resilin
