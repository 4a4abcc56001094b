#include "materials/fibre/fibre.hpp"

#include "core/mesh/regions.hpp"

#include <Eigen/Geometry>
#include <fmt/format.h>

#include <cmath>

namespace resilin {
namespace {

/// A fibre at rest and deformed: d = a/|a|, x = F d.
struct Deformed {
  Pack norm, d[3], x[3], i4;
};
RESILIN_INLINE Deformed deform(const SampleBatch& b, Index p, Index direction_at) {
  Deformed r;
  Pack a[3];
  for (int i = 0; i < 3; ++i) a[i] = b.param(direction_at + i, p);
  r.norm = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
  for (int i = 0; i < 3; ++i) r.d[i] = a[i] / r.norm;
  const Mat3Pack& f = b.f[p];
  for (int i = 0; i < 3; ++i) r.x[i] = f(i, 0) * r.d[0] + f(i, 1) * r.d[1] + f(i, 2) * r.d[2];
  r.i4 = r.x[0] * r.x[0] + r.x[1] * r.x[1] + r.x[2] * r.x[2];
  return r;
}

void visit_stiffness(FibreOptions& o, ParamVisitor& v) {
  v.field("stiffness", o.stiffness,
          {.doc = "modulus k along the fibres at small strain",
           .unit = "Pa",
           .min = 0,
           .max = 1e15,
           .differentiable = true});
}
void visit_rest(FibreOptions& o, ParamVisitor& v) {
  v.field("direction", o.direction,
          {.doc = "direction of the fibres at rest, one or per element; its length does not matter",
           .differentiable = true});
  v.flag("tension_only", o.tension_only, {.doc = "the fibres go slack when they are pressed"});
  v.real("transition", o.transition,
         {.doc = "strain over which a slack fibre takes up load (with tension_only)",
          .min = 0,
          .max = 1,
          .open = true});
  v.section("elements", o.region, {.doc = "elements that it acts on; all if empty"});
}

bool has_direction(const Field& field) {
  for (Index i = 0; i < field.size(); i += 3)
    if (!(field.values.segment<3>(i).norm() > 0)) return false;
  return true;
}

constexpr double kOutOfPlane = 1e-6;  ///< sine of the angle; files with single precision have 1e-7

/// On a surface: the direction at each element has to be one of its tangents.
void require_tangent(const FibreOptions& o, const BuildContext& context) {
  if (context.mesh == nullptr || context.mesh->type != ElementType::Tri3) return;
  const Mesh& mesh = *context.mesh;
  const std::vector<Index> chosen = select_elements(mesh, o.region);
  std::vector<int> items;
  if (!o.direction.regions.empty())
    items = region_items(o.direction, chosen, "direction", context);
  else if (o.direction.items != 1 && o.direction.items != static_cast<Index>(chosen.size()))
    return;  // the energy says how many there should be
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const Vec3 d = o.direction.vec3(items.empty() ? static_cast<Index>(i) : items[i], 0);
    const auto x = [&](Index c) -> Vec3 { return mesh.vertices.col(mesh.elements(c, chosen[i])); };
    const Vec3 area = (x(1) - x(0)).cross(x(2) - x(0));
    if (std::abs(d.dot(area)) > kOutOfPlane * d.norm() * area.norm())
      throw context.input_error(
          "direction", fmt::format("({}, {}, {}) is no tangent of element {}: on a surface fibres lie in it, "
                                   "on a curved one each element needs a direction of its own",
                                   d.x(), d.y(), d.z(), chosen[i]));
  }
}

}  // namespace

void Fibre::Options::visit(ParamVisitor& v) {
  visit_stiffness(*this, v);
  visit_rest(*this, v);
}

void ExponentialFibre::Options::visit(ParamVisitor& v) {
  visit_stiffness(*this, v);
  v.field("exponent", exponent,
          {.doc = "how fast the fibres stiffen: factor b in exp(b e^2)",
           .min = 0,
           .max = 1e6,
           .open = true,
           .differentiable = true});
  visit_rest(*this, v);
}

void FibreSolid::check(const BuildContext& context) const {
  if (!has_direction(common().direction))
    throw context.input_error("direction", "the fibre direction must not be zero");
  for (const auto& [key, field] :
       {std::pair{"stiffness", &common().stiffness}, {"direction", &common().direction}})
    if (field->steps != 1)
      throw context.input_error(key,
                                std::string("the ") + key + " of a fibre cannot change from step to step");
  require_tangent(common(), context);
}

void FibreSolid::parameters_changed() {
  if (!has_direction(common().direction)) throw Error(Errc::Input, "the fibre direction must not be zero");
}

Mat3 FibreSolid::quadratic_form(const double* params) const {
  const Vec3 d = Eigen::Map<const Vec3>(params + direction_at()).normalized();
  return params[0] * d * d.transpose();
}

void FibreSolid::ramp(const Pack& e, SlackStrain& out) const {
  out = {e, splat(1.0), splat(0.0)};
  if (common().tension_only) slack_strain(e, common().transition, out);
}

void Fibre::respond(const SampleBatch&, Index, const Pack& i4, Response& out) const {
  const Pack l = sqrt(i4), e1 = 0.5 / l, e2 = -0.5 * e1 / i4;
  SlackStrain r;
  ramp(l - 1.0, r);
  out.value = 0.5 * r.value * r.value;
  out.d1 = r.value * r.d1 * e1;
  out.d2 = r.d1 * e1 * r.d1 * e1 + r.value * (r.d2 * e1 * e1 + r.d1 * e2);
  out.d1_exponent = splat(0.0);
}

void ExponentialFibre::respond(const SampleBatch& b, Index p, const Pack& i4, Response& out) const {
  const Pack exponent = b.param(1, p), e = 0.5 * (i4 - 1.0);  // de/dI4 = 1/2
  SlackStrain r;
  ramp(e, r);
  const Pack square = r.value * r.value, growth = exp(exponent * square);
  Pack excess;  // growth - 1 without cancellation
  for (int l = 0; l < kLanes; ++l) excess[l] = std::expm1(exponent[l] * square[l]);
  out.value = 0.5 * excess / exponent;
  out.d1 = 0.5 * growth * r.value * r.d1;
  out.d2 = 0.25 * growth * ((1.0 + 2.0 * exponent * square) * r.d1 * r.d1 + r.value * r.d2);
  out.d1_exponent = square * out.d1;
}

void FibreSolid::add_energy(const SampleBatch& b, Pack* psi) const {
  for (Index p = 0; p < b.packs; ++p) {
    Response r;
    respond(b, p, deform(b, p, direction_at()).i4, r);
    psi[p] += b.param(0, p) * r.value;
  }
}

void FibreSolid::add_stress(const SampleBatch& b, Pack* psi, Mat3Pack* stress) const {
  for (Index p = 0; p < b.packs; ++p) {
    const Deformed f = deform(b, p, direction_at());
    Response r;
    respond(b, p, f.i4, r);
    psi[p] += b.param(0, p) * r.value;
    const Pack pull = 2.0 * b.param(0, p) * r.d1;  // P = 2 k g'(I4) x d^T
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < 3; ++i) stress[p](i, j) += pull * f.x[i] * f.d[j];
  }
}

void FibreSolid::add_tangent(const SampleBatch& b, TangentPack* c) const {
  for (Index p = 0; p < b.packs; ++p) {
    const Deformed f = deform(b, p, direction_at());
    Response r;
    respond(b, p, f.i4, r);
    const Pack along = 4.0 * b.param(0, p) * r.d2, pull = 2.0 * b.param(0, p) * r.d1;
    for (int j = 0; j < 3; ++j)
      for (int l = j; l < 3; ++l)
        for (int i = 0; i < 3; ++i)
          for (int o = 0; o < 3; ++o) {
            if (j == l && o < i) continue;  // upper triangle only
            Pack h = along * f.x[i] * f.x[o];
            if (i == o) h += pull;
            c[p](3 * j + i, 3 * l + o) += h * (f.d[j] * f.d[l]);
          }
  }
}

void FibreSolid::add_param_vjp(const SampleBatch& b, const Mat3Pack* w, Pack* out) const {
  for (Index p = 0; p < b.packs; ++p) {
    const Deformed f = deform(b, p, direction_at());
    Response r;
    respond(b, p, f.i4, r);
    const Pack k = b.param(0, p);
    Pack wd[3], along = splat(0.0);  // W d and x . W d
    for (int i = 0; i < 3; ++i) {
      wd[i] = w[p](i, 0) * f.d[0] + w[p](i, 1) * f.d[1] + w[p](i, 2) * f.d[2];
      along += f.x[i] * wd[i];
    }
    out[p] += 2.0 * r.d1 * along;
    if (has_exponent()) out[b.packs + p] += 2.0 * k * r.d1_exponent * along;
    // Gradient of 2 k g'(I4) (F d).(W d) in d, whose part along d falls out by the normalisation.
    Pack g[3], radial = splat(0.0);
    for (int j = 0; j < 3; ++j) {
      g[j] = splat(0.0);
      for (int i = 0; i < 3; ++i)
        g[j] += 2.0 * k *
                (2.0 * r.d2 * along * b.f[p](i, j) * f.x[i] +
                 r.d1 * (b.f[p](i, j) * wd[i] + w[p](i, j) * f.x[i]));
      radial += g[j] * f.d[j];
    }
    for (int j = 0; j < 3; ++j) out[(direction_at() + j) * b.packs + p] += (g[j] - radial * f.d[j]) / f.norm;
  }
}

}  // namespace resilin
