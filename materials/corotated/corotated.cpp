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
    const Svd3Pack& svd = b.svd[p];
    for (int k = 0; k < 3; ++k) {
      // Minus w dR/dF: R turns with the antisymmetric part t = u_i v_j^T - u_j v_i^T alone, by t:dF/(s_i +
      // s_j).
      const int i = k == 2 ? 1 : 0, j = k == 0 ? 1 : 2;
      Pack t[9], scaled[9];
      for (int column = 0; column < 3; ++column)
        for (int row = 0; row < 3; ++row)
          t[3 * column + row] = svd.u(row, i) * svd.v(column, j) - svd.u(row, j) * svd.v(column, i);
      const Pack twist = -w / (svd.s[i] + svd.s[j]);
      for (int e = 0; e < 9; ++e) scaled[e] = twist * t[e];
      int n = 0;
      for (int e = 0; e < 9; ++e)
        for (int d = e; d < 9; ++d, ++n) c[p].c[n] += t[e] * scaled[d];
    }
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
