#include "materials/strand/strand.hpp"

#include "materials/fibre/slack.hpp"

namespace resilin {

void Strand::Options::visit(ParamVisitor& v) {
  v.field("youngs_modulus", youngs_modulus,
          {.doc = "Young's modulus along the curve",
           .unit = "Pa",
           .min = 0,
           .max = 1e15,
           .open = true,
           .differentiable = true,
           .alias = "E"});
  v.flag("tension_only", tension_only, {.doc = "the string goes slack when it is pressed"});
  v.real("transition", transition,
         {.doc = "strain over which a slack string takes up load (with tension_only)",
          .min = 0,
          .max = 1,
          .open = true});
  v.section("elements", region, {.doc = "elements that it acts on; all if empty"});
}

Strand::Strand(const Options& options, const BuildContext& context) : options_(options) {
  if (options.youngs_modulus.steps != 1)
    throw context.input_error("youngs_modulus", "the modulus of a strand cannot change from step to step");
}

/// psi / E as a function of F: P = E slope F, dP/dF = E (slope I + curvature F F), as outer product.
struct Strand::Response {
  Pack value, slope, curvature;
};
RESILIN_INLINE Strand::Response Strand::respond(const Mat3Pack& f) const {
  const Pack square = dot(f, f), l = sqrt(square);
  SlackStrain r{l - 1.0, splat(1.0), splat(0.0)};
  if (options_.tension_only) slack_strain(l - 1.0, options_.transition, r);
  const Pack slope = r.value * r.d1 / l;
  return {0.5 * r.value * r.value, slope, (r.d1 * r.d1 + r.value * r.d2 - slope) / square};
}

void Strand::add_energy(const SampleBatch& b, Pack* psi) const {
  for (Index p = 0; p < b.packs; ++p) psi[p] += b.param(0, p) * respond(b.f[p]).value;
}

void Strand::add_stress(const SampleBatch& b, Pack* psi, Mat3Pack* stress) const {
  for (Index p = 0; p < b.packs; ++p) {
    const Response r = respond(b.f[p]);
    psi[p] += b.param(0, p) * r.value;
    for (int k = 0; k < 9; ++k) stress[p].m[k] += b.param(0, p) * r.slope * b.f[p].m[k];
  }
}

void Strand::add_tangent(const SampleBatch& b, TangentPack* c) const {
  for (Index p = 0; p < b.packs; ++p) {
    const Response r = respond(b.f[p]);
    for (int i = 0; i < 9; ++i) {
      c[p](i, i) += b.param(0, p) * r.slope;
      const Pack along = b.param(0, p) * r.curvature * b.f[p].m[i];
      for (int j = i; j < 9; ++j) c[p](i, j) += along * b.f[p].m[j];
    }
  }
}

void Strand::add_param_vjp(const SampleBatch& b, const Mat3Pack* w, Pack* out) const {
  for (Index p = 0; p < b.packs; ++p) out[p] += respond(b.f[p]).slope * dot(b.f[p], w[p]);
}

}  // namespace resilin
