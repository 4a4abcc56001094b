// Materials: laws that act at each point on its own, evaluated over batches of sample points.
#pragma once

#include "core/energy/pack.hpp"
#include "core/energy/svd.hpp"
#include "core/mesh/selector.hpp"
#include "core/params/field.hpp"
#include "core/plugin/registry.hpp"

#include <array>
#include <vector>

namespace resilin {

/// Sample points of a batch: 8 elements side by side, `packs` samples deep.
struct SampleBatch {
  Index packs = 0;
  const Mat3Pack* f = nullptr;    ///< deformation gradient F = dx/dX [-]
  const Svd3Pack* svd = nullptr;  ///< of F; null unless the material needs_svd()
  const Pack* params = nullptr;   ///< params[k * packs + p] is the k-th component of fields() at pack p
  RESILIN_INLINE Pack param(Index k, Index p) const { return params[k * packs + p]; }
};

/// Symmetric 9 x 9 tangent dP/dF of eight samples, upper triangle by rows; index of F_ij is 3 j + i.
struct TangentPack {
  Pack c[45];
  static constexpr int index(int a, int b) { return a <= b ? a * 9 - a * (a - 1) / 2 + b - a : index(b, a); }
  RESILIN_INLINE Pack& operator()(int a, int b) { return c[index(a, b)]; }
  RESILIN_INLINE const Pack& operator()(int a, int b) const { return c[index(a, b)]; }
};

/// A hyperelastic law psi(F; parameters) [J/m^3], P = dpsi/dF [Pa]. Everything is added to the outputs, so
/// materials of one body share one pass over its samples. A value that does not exist (log of a negative
/// volume) is NaN: solvers take NaN for "not admissible" and step back.
///
/// On surfaces and curves F is 3 x 3 too: it maps tangents of the rest element as it should and its normals
/// to zero, so F has rank 2 or 1, s[2] (and s[1]) of its singular values are zero up to rounding, of any
/// sign, and C = F^T F has the invariants of the surface's own metric. There a law is a function of what F
/// does to tangents; derivatives are those of that function over all 3 x 3 matrices near F. No frame is
/// given.
class RESILIN_API Material : public Component {
 public:
  static constexpr Index kMaxComponents = 8;
  /// The pointwise parameters in the order of their `differentiable` fields in visit_parameters(); each
  /// brings its components (1, or 3 for a vector), at most kMaxComponents of them together.
  virtual std::vector<const Field*> fields() const = 0;
  /// Those of fields() that a controller may drive: nothing that is computed once for a run, such as the
  /// quadratic form, may depend on them.
  virtual std::vector<const Field*> controllable() const { return {}; }
  /// Elements of the body that it acts on; null means all.
  virtual const Selector* elements() const { return nullptr; }
  virtual bool needs_svd() const { return false; }
  /// Whether it is a law of volumes (dimension 3: tet4, hex8), surfaces (2: tri3) or curves (1: segment2).
  virtual bool acts_on(int dimension) const { return dimension == 3; }
  /// True if psi(R F) = psi(F) for every rotation R, as for every law of finite deformations. False for a law
  /// of small rotations: a turned body then carries stress, and torques about deformed positions remain.
  virtual bool is_objective() const { return true; }

  virtual void add_energy(const SampleBatch& b, Pack* psi) const = 0;
  virtual void add_stress(const SampleBatch& b, Pack* psi,
                          Mat3Pack* p) const = 0;  ///< adds the energy as well
  virtual void add_tangent(const SampleBatch& b, TangentPack* c) const = 0;
  /// out[k * packs + p] += w[p] : dP/d(component k of fields())
  virtual void add_param_vjp(const SampleBatch& b, const Mat3Pack* w, Pack* out) const = 0;

  /// Constant matrix Q with which tr(F Q F^T)/2 stands for the material's stiffness in the prefactorised
  /// matrix of Projective Dynamics: P = F Q - B(F) with B the weighted projection [Bouaziz 2014]. The
  /// default, for materials that are no projection, is the stiffest plane wave at rest times the identity:
  /// the largest (u n^T) : dP/dF : (u n^T) over unit vectors u, n (2 mu + lambda for isotropic solids; local
  /// gradients of a wave are of rank one). Solvers that take it for a Hessian correct it from what they see.
  /// For a law of surfaces or curves rest means F = diag(1, 1, 0) or diag(1, 0, 0) and n is a tangent: a law
  /// with directions of its own has to override it there.
  virtual Mat3 quadratic_form(const double* params) const;
  /// True if psi = min over a manifold of tr((F - p) Q (F - p)^T)/2: then x - A^-1 R(x) never raises the
  /// energy.
  virtual bool is_projective() const { return false; }
};
RESILIN_KIND(Material, "material");

/// Young's modulus and Poisson's ratio, the parameters of most isotropic materials.
struct RESILIN_API ElasticModuli {
  Field youngs_modulus{1e6};
  Field poissons_ratio{0.4};
  void visit(ParamVisitor& v);
  /// Throws Error(Input) if they change from step to step: the prefactored matrix of a projection must not.
  void require_constant(const BuildContext& context) const;
};

/// Lame's parameters with derivatives: mu = E / (2 (1 + nu)), lambda = E nu / ((1 + nu)(1 - 2 nu)).
struct LamePack {
  Pack mu, lambda, mu_e, mu_nu, lambda_e, lambda_nu;
};
RESILIN_INLINE LamePack lame(Pack e, Pack nu) {
  const Pack a = 1.0 + nu, b = 1.0 - 2.0 * nu;
  LamePack l;
  l.mu_e = 0.5 / a;
  l.mu = e * l.mu_e;
  l.mu_nu = -l.mu / a;
  l.lambda_e = nu / (a * b);
  l.lambda = e * l.lambda_e;
  l.lambda_nu = e * (1.0 + 2.0 * nu * nu) / (a * a * b * b);
  return l;
}
/// The same in plane stress: lambda = E nu / (1 - nu^2) couples the two strains of a surface.
RESILIN_INLINE LamePack plane_stress_lame(Pack e, Pack nu) {
  LamePack l = lame(e, nu);
  const Pack b = 1.0 - nu * nu;
  l.lambda_e = nu / b;
  l.lambda = e * l.lambda_e;
  l.lambda_nu = e * (1.0 + nu * nu) / (b * b);
  return l;
}

/// Derivative of an isotropic tensor function G(F) = U diag(g(s)) V^T in the frame of the singular vectors:
/// dG = sum_ab diag(a,b) d_a d_b^T + sum_k flip_k f_k f_k^T + twist_k t_k t_k^T, where d_a = u_a v_a^T and
/// for k = (0,1), (0,2), (1,2): f, t = (u_i v_j^T +- u_j v_i^T)/sqrt 2; flip = (g_i - g_j)/(s_i - s_j), twist
/// = (g_i + g_j)/(s_i + s_j). diag is symmetric, packed 00 01 02 11 12 22. On a surface, with g_2 = s_2 = 0,
/// flip = twist = g_i / s_i for (i, 2).
struct IsotropicTangent {
  Pack diag[6], flip[3], twist[3];
};
RESILIN_API void add_isotropic_tangent(const Svd3Pack& svd, const IsotropicTangent& t, TangentPack& c);

}  // namespace resilin
