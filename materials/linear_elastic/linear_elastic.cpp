#include "materials/linear_elastic/linear_elastic.hpp"

namespace resilin {
namespace {

RESILIN_INLINE Mat3Pack strain(const Mat3Pack& f) {
  Mat3Pack e;
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 3; ++i) e(i, j) = i == j ? f(i, i) - 1.0 : 0.5 * (f(i, j) + f(j, i));
  return e;
}
RESILIN_INLINE Pack trace(const Mat3Pack& a) {
  return a(0, 0) + a(1, 1) + a(2, 2);
}

}  // namespace

void LinearElastic::Options::visit(ParamVisitor& v) {
  ElasticModuli::visit(v);
  v.section("elements", region, {.doc = "elements that it acts on; all if empty"});
}

void LinearElastic::add_energy(const SampleBatch& b, Pack* psi) const {
  for (Index p = 0; p < b.packs; ++p) {
    const LamePack l = lame(b.param(0, p), b.param(1, p));
    const Mat3Pack e = strain(b.f[p]);
    const Pack t = trace(e);
    psi[p] += l.mu * dot(e, e) + 0.5 * l.lambda * t * t;
  }
}

void LinearElastic::add_stress(const SampleBatch& b, Pack* psi, Mat3Pack* stress) const {
  add_energy(b, psi);
  for (Index p = 0; p < b.packs; ++p) {
    const LamePack l = lame(b.param(0, p), b.param(1, p));
    const Mat3Pack e = strain(b.f[p]);
    for (int k = 0; k < 9; ++k) stress[p].m[k] += 2.0 * l.mu * e.m[k];
    const Pack pressure = l.lambda * trace(e);
    for (int i = 0; i < 3; ++i) stress[p](i, i) += pressure;
  }
}

void LinearElastic::add_tangent(const SampleBatch& b, TangentPack* c) const {
  // C_(ij)(kl) = mu (d_ik d_jl + d_il d_jk) + lambda d_ij d_kl
  for (Index p = 0; p < b.packs; ++p) {
    const LamePack l = lame(b.param(0, p), b.param(1, p));
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        c[p](3 * j + i, 3 * j + i) += l.mu;
        if (3 * j + i <= 3 * i + j) c[p](3 * j + i, 3 * i + j) += l.mu;
        if (i <= j) c[p](4 * i, 4 * j) += l.lambda;
      }
  }
}

void LinearElastic::add_param_vjp(const SampleBatch& b, const Mat3Pack* w, Pack* out) const {
  for (Index p = 0; p < b.packs; ++p) {
    const LamePack l = lame(b.param(0, p), b.param(1, p));
    const Mat3Pack e = strain(b.f[p]);
    const Pack dmu = 2.0 * dot(e, w[p]), dlambda = trace(e) * trace(w[p]);
    out[p] += l.mu_e * dmu + l.lambda_e * dlambda;
    out[b.packs + p] += l.mu_nu * dmu + l.lambda_nu * dlambda;
  }
}

}  // namespace resilin
