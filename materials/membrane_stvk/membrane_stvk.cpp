#include "materials/membrane_stvk/membrane_stvk.hpp"

#include "materials/st_venant_kirchhoff/stvk_tangent.hpp"

namespace resilin {
namespace {

/// C - I over all of space with the strains that the surface has: the normal entry of F^T F is zero, and no
/// law sees what stands there in its place.
struct Metric {
  Mat3Pack excess;  ///< C - I
  Pack trace;       ///< tr E
};
RESILIN_INLINE Metric metric(const Mat3Pack& f) {
  Metric m{transposed_times(f, f), {}};
  m.trace = 0.5 * (m.excess(0, 0) + m.excess(1, 1) + m.excess(2, 2)) - 1.0;
  for (int i = 0; i < 3; ++i) m.excess(i, i) -= 1.0;
  return m;
}
/// E:E. |C - I|^2 over all of space holds 1 for the normal.
RESILIN_INLINE Pack square(const Metric& m) {
  return 0.25 * (dot(m.excess, m.excess) - 1.0);
}
/// S = mu (C - I) + lambda tr(E) I, with P = F S.
RESILIN_INLINE Mat3Pack second_stress(const Metric& m, const LamePack& l) {
  Mat3Pack s;
  for (int k = 0; k < 9; ++k) s.m[k] = l.mu * m.excess.m[k];
  for (int i = 0; i < 3; ++i) s(i, i) += l.lambda * m.trace;
  return s;
}

}  // namespace

void MembraneStvk::Options::visit(ParamVisitor& v) {
  ElasticModuli::visit(v);
  v.section("elements", region, {.doc = "elements that it acts on; all if empty"});
}

void MembraneStvk::add_energy(const SampleBatch& b, Pack* psi) const {
  for (Index p = 0; p < b.packs; ++p) {
    const LamePack l = plane_stress_lame(b.param(0, p), b.param(1, p));
    const Metric m = metric(b.f[p]);
    psi[p] += l.mu * square(m) + 0.5 * l.lambda * m.trace * m.trace;
  }
}

void MembraneStvk::add_stress(const SampleBatch& b, Pack* psi, Mat3Pack* stress) const {
  add_energy(b, psi);
  for (Index p = 0; p < b.packs; ++p) {
    const LamePack l = plane_stress_lame(b.param(0, p), b.param(1, p));
    // F S: S is symmetric.
    const Mat3Pack fs = times_transposed(b.f[p], second_stress(metric(b.f[p]), l));
    for (int k = 0; k < 9; ++k) stress[p].m[k] += fs.m[k];
  }
}

void MembraneStvk::add_tangent(const SampleBatch& b, TangentPack* c) const {
  for (Index p = 0; p < b.packs; ++p) {
    const LamePack l = plane_stress_lame(b.param(0, p), b.param(1, p));
    add_stvk_tangent(b.f[p], second_stress(metric(b.f[p]), l), l, c[p]);
  }
}

void MembraneStvk::add_param_vjp(const SampleBatch& b, const Mat3Pack* w, Pack* out) const {
  for (Index p = 0; p < b.packs; ++p) {
    const LamePack l = plane_stress_lame(b.param(0, p), b.param(1, p));
    const Metric m = metric(b.f[p]);
    const Pack dmu = dot(times_transposed(b.f[p], m.excess), w[p]), dlambda = m.trace * dot(b.f[p], w[p]);
    out[p] += l.mu_e * dmu + l.lambda_e * dlambda;
    out[b.packs + p] += l.mu_nu * dmu + l.lambda_nu * dlambda;
  }
}

}  // namespace resilin
