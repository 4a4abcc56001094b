#include "materials/st_venant_kirchhoff/st_venant_kirchhoff.hpp"

#include "materials/st_venant_kirchhoff/stvk_tangent.hpp"

namespace resilin {
namespace {

/// Green's strain E = (F^T F - I)/2 with its trace.
struct Green {
  Mat3Pack e;
  Pack trace;
};
RESILIN_INLINE Green green(const Mat3Pack& f) {
  Green g{transposed_times(f, f), {}};
  for (Pack& k : g.e.m) k *= 0.5;
  for (int i = 0; i < 3; ++i) g.e(i, i) -= 0.5;
  g.trace = g.e(0, 0) + g.e(1, 1) + g.e(2, 2);
  return g;
}
/// S = 2 mu E + lambda tr(E) I, the second stress of Piola and Kirchhoff; P = F S.
RESILIN_INLINE Mat3Pack second_stress(const Green& g, const LamePack& l) {
  Mat3Pack s;
  for (int k = 0; k < 9; ++k) s.m[k] = 2.0 * l.mu * g.e.m[k];
  for (int i = 0; i < 3; ++i) s(i, i) += l.lambda * g.trace;
  return s;
}
/// a b^T, b symmetric.
RESILIN_INLINE Mat3Pack times_symmetric(const Mat3Pack& a, const Mat3Pack& b) {
  return times_transposed(a, b);
}

}  // namespace

void StVenantKirchhoff::Options::visit(ParamVisitor& v) {
  ElasticModuli::visit(v);
  v.section("elements", region, {.doc = "elements that it acts on; all if empty"});
}

void StVenantKirchhoff::add_energy(const SampleBatch& b, Pack* psi) const {
  for (Index p = 0; p < b.packs; ++p) {
    const LamePack l = lame(b.param(0, p), b.param(1, p));
    const Green g = green(b.f[p]);
    psi[p] += l.mu * dot(g.e, g.e) + 0.5 * l.lambda * g.trace * g.trace;
  }
}

void StVenantKirchhoff::add_stress(const SampleBatch& b, Pack* psi, Mat3Pack* stress) const {
  add_energy(b, psi);
  for (Index p = 0; p < b.packs; ++p) {
    const LamePack l = lame(b.param(0, p), b.param(1, p));
    // F S: S is symmetric.
    const Mat3Pack fs = times_transposed(b.f[p], second_stress(green(b.f[p]), l));
    for (int k = 0; k < 9; ++k) stress[p].m[k] += fs.m[k];
  }
}

void StVenantKirchhoff::add_tangent(const SampleBatch& b, TangentPack* c) const {
  for (Index p = 0; p < b.packs; ++p) {
    const LamePack l = lame(b.param(0, p), b.param(1, p));
    add_stvk_tangent(b.f[p], second_stress(green(b.f[p]), l), l, c[p]);
  }
}

void StVenantKirchhoff::add_param_vjp(const SampleBatch& b, const Mat3Pack* w, Pack* out) const {
  for (Index p = 0; p < b.packs; ++p) {
    const LamePack l = lame(b.param(0, p), b.param(1, p));
    const Green g = green(b.f[p]);
    const Pack dmu = 2.0 * dot(times_transposed(b.f[p], g.e), w[p]), dlambda = g.trace * dot(b.f[p], w[p]);
    out[p] += l.mu_e * dmu + l.lambda_e * dlambda;
    out[b.packs + p] += l.mu_nu * dmu + l.lambda_nu * dlambda;
  }
}

}  // namespace resilin
