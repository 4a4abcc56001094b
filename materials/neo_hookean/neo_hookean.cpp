#include "materials/neo_hookean/neo_hookean.hpp"

namespace resilin {
namespace {

/// F^-T and ln J; NaN in both where J <= 0.
struct Inverse {
  Mat3Pack b;
  Pack log_j;
};
RESILIN_INLINE Inverse inverse_transposed(const Mat3Pack& f) {
  Inverse r;
  const Pack j = det(f);
  r.log_j = log(j);
  r.b = cofactor(f);
  for (auto& e : r.b.m) e /= j;
  return r;
}

}  // namespace

void NeoHookean::Options::visit(ParamVisitor& v) {
  ElasticModuli::visit(v);
  v.section("elements", region, {.doc = "elements that it acts on; all if empty"});
}

void NeoHookean::add_energy(const SampleBatch& b, Pack* psi) const {
  for (Index p = 0; p < b.packs; ++p) {
    const LamePack l = lame(b.param(0, p), b.param(1, p));
    const Pack log_j = log(det(b.f[p]));
    psi[p] += l.mu * (0.5 * (dot(b.f[p], b.f[p]) - 3.0) - log_j) + 0.5 * l.lambda * log_j * log_j;
  }
}

void NeoHookean::add_stress(const SampleBatch& b, Pack* psi, Mat3Pack* stress) const {
  add_energy(b, psi);
  for (Index p = 0; p < b.packs; ++p) {
    const LamePack l = lame(b.param(0, p), b.param(1, p));
    const Inverse f = inverse_transposed(b.f[p]);
    const Pack a = l.lambda * f.log_j - l.mu;
    for (int k = 0; k < 9; ++k) stress[p].m[k] += l.mu * b.f[p].m[k] + a * f.b.m[k];
  }
}

void NeoHookean::add_tangent(const SampleBatch& b, TangentPack* c) const {
  for (Index p = 0; p < b.packs; ++p) {
    const LamePack l = lame(b.param(0, p), b.param(1, p));
    const Inverse f = inverse_transposed(b.f[p]);
    const Pack a = l.mu - l.lambda * f.log_j;
    // dP = mu dF + lambda (B : dF) B + a B dF^T B, B = F^-T
    for (int j = 0; j < 3; ++j)
      for (int q = j; q < 3; ++q)
        for (int i = 0; i < 3; ++i)
          for (int o = 0; o < 3; ++o) {
            if (j == q && o < i) continue;  // upper triangle only
            c[p](3 * j + i, 3 * q + o) += l.lambda * f.b(i, j) * f.b(o, q) + a * f.b(i, q) * f.b(o, j);
          }
    for (int k = 0; k < 9; ++k) c[p](k, k) += l.mu;
  }
}

void NeoHookean::add_param_vjp(const SampleBatch& b, const Mat3Pack* w, Pack* out) const {
  for (Index p = 0; p < b.packs; ++p) {
    const LamePack l = lame(b.param(0, p), b.param(1, p));
    const Inverse f = inverse_transposed(b.f[p]);
    const Pack wb = dot(w[p], f.b), dmu = dot(w[p], b.f[p]) - wb, dlambda = f.log_j * wb;
    out[p] += l.mu_e * dmu + l.lambda_e * dlambda;
    out[b.packs + p] += l.mu_nu * dmu + l.lambda_nu * dlambda;
  }
}

}  // namespace resilin
