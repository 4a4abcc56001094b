#include "materials/muscle/muscle.hpp"

namespace resilin {
namespace {

/// The deformed fibre F m, its length and direction.
struct Fibre {
  Pack x[3], length, n[3];
};
RESILIN_INLINE Fibre fibre(const Mat3Pack& f, const Vec3& m) {
  Fibre r;
  for (int i = 0; i < 3; ++i) r.x[i] = f(i, 0) * m[0] + f(i, 1) * m[1] + f(i, 2) * m[2];
  r.length = sqrt(r.x[0] * r.x[0] + r.x[1] * r.x[1] + r.x[2] * r.x[2]);
  for (int i = 0; i < 3; ++i) r.n[i] = r.x[i] / r.length;
  return r;
}

}  // namespace

void Muscle::Options::visit(ParamVisitor& v) {
  v.field("stiffness", stiffness,
          {.doc = "stiffness k of the fibres", .unit = "Pa", .min = 0, .max = 1e15, .differentiable = true});
  v.field("activation", activation,
          {.doc = "target stretch a of the fibres (1 = rest length), per element and per step",
           .min = 0,
           .max = 100,
           .differentiable = true});
  v.vec3("fibre", fibre, {.doc = "direction of the fibres at rest; its length does not matter"});
  v.section("elements", region, {.doc = "elements that it acts on; all if empty"});
}

Muscle::Muscle(const Options& options, const BuildContext& context) : options_(options) {
  if (!(options.fibre.norm() > 0)) throw context.input_error("fibre", "the fibre direction must not be zero");
  m_ = options.fibre.normalized();
  if (options.stiffness.steps != 1)
    throw context.input_error("stiffness", "the stiffness of a muscle cannot change from step to step");
}

void Muscle::add_energy(const SampleBatch& b, Pack* psi) const {
  for (Index p = 0; p < b.packs; ++p) {
    const Pack e = fibre(b.f[p], m_).length - b.param(1, p);
    psi[p] += 0.5 * b.param(0, p) * e * e;
  }
}

void Muscle::add_stress(const SampleBatch& b, Pack* psi, Mat3Pack* stress) const {
  for (Index p = 0; p < b.packs; ++p) {
    const Fibre x = fibre(b.f[p], m_);
    const Pack e = x.length - b.param(1, p), k = b.param(0, p);
    psi[p] += 0.5 * k * e * e;
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < 3; ++i) stress[p](i, j) += k * e * x.n[i] * m_[j];
  }
}

void Muscle::add_tangent(const SampleBatch& b, TangentPack* c) const {
  for (Index p = 0; p < b.packs; ++p) {
    const Fibre x = fibre(b.f[p], m_);
    const Pack k = b.param(0, p), ratio = b.param(1, p) / x.length;
    for (int j = 0; j < 3; ++j)
      for (int l = j; l < 3; ++l)
        for (int i = 0; i < 3; ++i)
          for (int o = 0; o < 3; ++o) {
            if (j == l && o < i) continue;  // upper triangle only
            Pack h = ratio * x.n[i] * x.n[o];
            if (i == o) h += 1.0 - ratio;
            c[p](3 * j + i, 3 * l + o) += k * h * (m_[j] * m_[l]);
          }
  }
}

void Muscle::add_param_vjp(const SampleBatch& b, const Mat3Pack* w, Pack* out) const {
  for (Index p = 0; p < b.packs; ++p) {
    const Fibre x = fibre(b.f[p], m_);
    Pack wn = splat(0.0);  // n . W m
    for (int i = 0; i < 3; ++i) wn += x.n[i] * (w[p](i, 0) * m_[0] + w[p](i, 1) * m_[1] + w[p](i, 2) * m_[2]);
    out[p] += (x.length - b.param(1, p)) * wn;
    out[b.packs + p] -= b.param(0, p) * wn;
  }
}

}  // namespace resilin
