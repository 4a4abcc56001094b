#include "materials/corotated/corotated.hpp"

namespace resilin {

void Corotated::Options::visit(ParamVisitor& v) {
  ElasticModuli::visit(v);
  v.section("elements", region, {.doc = "elements that it acts on; all if empty"});
}

Mat3 Corotated::quadratic_form(const double* params) const {
  return 2 * lame(splat(params[0]), splat(params[1])).mu[0] * Mat3::Identity();
}

void Corotated::add_energy(const SampleBatch& b, Pack* psi) const {
  for (Index p = 0; p < b.packs; ++p) {
    const Pack mu = lame(b.param(0, p), b.param(1, p)).mu;
    const auto& s = b.svd[p].s;
    // |F - R| in the frame of the singular vectors.
    const Pack e0 = s[0] - 1.0, e1 = s[1] - 1.0, e2 = s[2] - 1.0;
    psi[p] += mu * (e0 * e0 + e1 * e1 + e2 * e2);
  }
}

void Corotated::add_stress(const SampleBatch& b, Pack* psi, Mat3Pack* stress) const {
  add_energy(b, psi);
  for (Index p = 0; p < b.packs; ++p) {
    const Pack w = 2.0 * lame(b.param(0, p), b.param(1, p)).mu;
    const Mat3Pack r = times_transposed(b.svd[p].u, b.svd[p].v);
    for (int k = 0; k < 9; ++k) stress[p].m[k] += w * (b.f[p].m[k] - r.m[k]);
  }
}

void Corotated::add_tangent(const SampleBatch& b, TangentPack* c) const {
  for (Index p = 0; p < b.packs; ++p) {
    const Pack w = 2.0 * lame(b.param(0, p), b.param(1, p)).mu;
    const auto& s = b.svd[p].s;
    // Minus w dR/dF: R turns with the antisymmetric part alone, by 2/(s_i + s_j).
    const Pack zero = splat(0.0);
    const IsotropicTangent t{{zero, zero, zero, zero, zero, zero},
                             {zero, zero, zero},
                             {-2.0 * w / (s[0] + s[1]), -2.0 * w / (s[0] + s[2]), -2.0 * w / (s[1] + s[2])}};
    add_isotropic_tangent(b.svd[p], t, c[p]);
    for (int k = 0; k < 9; ++k) c[p](k, k) += w;
  }
}

void Corotated::add_param_vjp(const SampleBatch& b, const Mat3Pack* w, Pack* out) const {
  for (Index p = 0; p < b.packs; ++p) {
    const LamePack l = lame(b.param(0, p), b.param(1, p));
    const Mat3Pack r = times_transposed(b.svd[p].u, b.svd[p].v);
    const Pack d = 2.0 * (dot(b.f[p], w[p]) - dot(r, w[p]));  // w : dP/dmu
    out[p] += l.mu_e * d;
    out[b.packs + p] += l.mu_nu * d;
  }
}

}  // namespace resilin
