#include "materials/fixed_corotated/fixed_corotated.hpp"

namespace resilin {
namespace {

/// c += scale d(cof F)/dF, the second derivative of the determinant.
RESILIN_INLINE void add_cofactor_derivative(const Mat3Pack& f, Pack scale, TangentPack& c) {
  // d(cof F)_ij/dF_kl = e_ika e_jlb F_ab, zero where i = k or j = l; so pairs j < l are all of the triangle.
  for (int j = 0; j < 3; ++j)
    for (int l = j + 1; l < 3; ++l)
      for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k) {
          if (i == k) continue;
          const bool even = ((k - i + 3) % 3 == 1) == ((l - j + 3) % 3 == 1);
          const Pack h = scale * f(3 - i - k, 3 - j - l);
          c(3 * j + i, 3 * l + k) += even ? h : -h;
        }
}

}  // namespace

void FixedCorotated::Options::visit(ParamVisitor& v) {
  ElasticModuli::visit(v);
  v.section("elements", region, {.doc = "elements that it acts on; all if empty"});
}

void FixedCorotated::add_energy(const SampleBatch& b, Pack* psi) const {
  for (Index p = 0; p < b.packs; ++p) {
    const LamePack l = lame(b.param(0, p), b.param(1, p));
    const auto& s = b.svd[p].s;
    // |F - R| in the frame of the singular vectors.
    const Pack e0 = s[0] - 1.0, e1 = s[1] - 1.0, e2 = s[2] - 1.0, volume = det(b.f[p]) - 1.0;
    psi[p] += l.mu * (e0 * e0 + e1 * e1 + e2 * e2) + 0.5 * l.lambda * volume * volume;
  }
}

void FixedCorotated::add_stress(const SampleBatch& b, Pack* psi, Mat3Pack* stress) const {
  add_energy(b, psi);
  for (Index p = 0; p < b.packs; ++p) {
    const LamePack l = lame(b.param(0, p), b.param(1, p));
    const Mat3Pack r = times_transposed(b.svd[p].u, b.svd[p].v), cof = cofactor(b.f[p]);
    const Pack pressure = l.lambda * (det(b.f[p]) - 1.0);
    for (int k = 0; k < 9; ++k) stress[p].m[k] += 2.0 * l.mu * (b.f[p].m[k] - r.m[k]) + pressure * cof.m[k];
  }
}

void FixedCorotated::add_tangent(const SampleBatch& b, TangentPack* c) const {
  for (Index p = 0; p < b.packs; ++p) {
    const LamePack l = lame(b.param(0, p), b.param(1, p));
    const auto& s = b.svd[p].s;
    // Minus 2 mu dR/dF: R turns with the antisymmetric part alone, by 2/(s_i + s_j).
    const Pack zero = splat(0.0), w = -4.0 * l.mu;
    const IsotropicTangent turn{{zero, zero, zero, zero, zero, zero},
                                {zero, zero, zero},
                                {w / (s[0] + s[1]), w / (s[0] + s[2]), w / (s[1] + s[2])}};
    add_isotropic_tangent(b.svd[p], turn, c[p]);
    for (int k = 0; k < 9; ++k) c[p](k, k) += 2.0 * l.mu;
    const Mat3Pack cof = cofactor(b.f[p]);
    int n = 0;
    for (int i = 0; i < 9; ++i)
      for (int j = i; j < 9; ++j, ++n) c[p].c[n] += l.lambda * cof.m[i] * cof.m[j];
    add_cofactor_derivative(b.f[p], l.lambda * (det(b.f[p]) - 1.0), c[p]);
  }
}

void FixedCorotated::add_param_vjp(const SampleBatch& b, const Mat3Pack* w, Pack* out) const {
  for (Index p = 0; p < b.packs; ++p) {
    const LamePack l = lame(b.param(0, p), b.param(1, p));
    const Mat3Pack r = times_transposed(b.svd[p].u, b.svd[p].v);
    const Pack dmu = 2.0 * (dot(b.f[p], w[p]) - dot(r, w[p]));
    const Pack dlambda = (det(b.f[p]) - 1.0) * dot(cofactor(b.f[p]), w[p]);
    out[p] += l.mu_e * dmu + l.lambda_e * dlambda;
    out[b.packs + p] += l.mu_nu * dmu + l.lambda_nu * dlambda;
  }
}

}  // namespace resilin
