#include "materials/muscle/muscle.hpp"

#include <Eigen/Geometry>

namespace resilin {
namespace {

constexpr Index kFibreAt = 2;  ///< of the fibre's components among the pointwise parameters

/// The fibre at rest d = m / |m| and deformed: x = F d, its length and direction.
struct Deformed {
  Pack norm, d[3], length, n[3];
};
RESILIN_INLINE Deformed deform(const SampleBatch& b, Index p) {
  Deformed r;
  Pack m[3];
  for (int i = 0; i < 3; ++i) m[i] = b.param(kFibreAt + i, p);
  r.norm = sqrt(m[0] * m[0] + m[1] * m[1] + m[2] * m[2]);
  for (int i = 0; i < 3; ++i) r.d[i] = m[i] / r.norm;
  const Mat3Pack& f = b.f[p];
  Pack x[3];
  for (int i = 0; i < 3; ++i) x[i] = f(i, 0) * r.d[0] + f(i, 1) * r.d[1] + f(i, 2) * r.d[2];
  r.length = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
  for (int i = 0; i < 3; ++i) r.n[i] = x[i] / r.length;
  return r;
}

bool has_direction(const Field& fibre) {
  for (Index i = 0; i < fibre.size(); i += 3)
    if (!(fibre.values.segment<3>(i).norm() > 0)) return false;
  return true;
}

/// Fibres along the circles about an axis, one for each of the elements that the muscle acts on.
Field circling_fibres(const Muscle::Options& o, const BuildContext& context) {
  if (context.mesh == nullptr) throw context.input_error("around", "only a body's mesh has places for it");
  const Mesh& mesh = *context.mesh;
  Field fibre{Vec3(0, 0, 0)};
  const std::vector<Index> elements = select_elements(mesh, o.region);
  fibre.items = static_cast<Index>(elements.size());
  fibre.values.resize(3 * fibre.items);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    Vec3 centre = Vec3::Zero();
    for (const int node : mesh.elements.col(elements[i])) centre += mesh.vertices.col(node);
    centre /= static_cast<double>(mesh.elements.rows());
    const Vec3 along = o.axis.cross(centre - o.point), direction = along.normalized();
    if (!(along.norm() > 1e-9 * o.axis.norm() * (1 + centre.norm())))
      throw context.input_error("around", "element " + std::to_string(elements[i]) + " lies on the axis");
    fibre.values.segment<3>(3 * static_cast<Index>(i)) = direction;
  }
  return fibre;
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
  v.field("fibre", fibre,
          {.doc = "direction of the fibres at rest, one or per element; its length does not matter",
           .differentiable = true});
  const auto circles = [this](ParamVisitor& w) {
    w.vec3("point", point, {.doc = "a point of the axis", .unit = "m"});
    w.vec3("axis", axis, {.doc = "direction of the axis"});
    w.check(axis.norm() > 0, "axis must not be zero");
  };
  v.optional_section(
      "around", has_around, ParamVisitor::Body(circles),
      {.doc = "in place of fibre: fibres along the circles about an axis, as in a ring, by the "
              "centres of the elements in the mesh as given"});
  v.section("elements", region, {.doc = "elements that it acts on; all if empty"});
}

Muscle::Muscle(const Options& options, const BuildContext& context) : options_(options) {
  if (options.has_around) options_.fibre = circling_fibres(options, context);
  if (!has_direction(options_.fibre))
    throw context.input_error("fibre", "the fibre direction must not be zero");
  for (const auto& [key, field] : {std::pair{"stiffness", &options.stiffness}, {"fibre", &options.fibre}})
    if (field->steps != 1)
      throw context.input_error(key,
                                std::string("the ") + key + " of a muscle cannot change from step to step");
}

void Muscle::parameters_changed() {
  if (!has_direction(options_.fibre)) throw Error(Errc::Input, "the fibre direction must not be zero");
}

Mat3 Muscle::quadratic_form(const double* params) const {
  const Vec3 d = Eigen::Map<const Vec3>(params + kFibreAt).normalized();
  return params[0] * d * d.transpose();
}

void Muscle::add_energy(const SampleBatch& b, Pack* psi) const {
  for (Index p = 0; p < b.packs; ++p) {
    const Pack e = deform(b, p).length - b.param(1, p);
    psi[p] += 0.5 * b.param(0, p) * e * e;
  }
}

void Muscle::add_stress(const SampleBatch& b, Pack* psi, Mat3Pack* stress) const {
  for (Index p = 0; p < b.packs; ++p) {
    const Deformed x = deform(b, p);
    const Pack e = x.length - b.param(1, p), k = b.param(0, p);
    psi[p] += 0.5 * k * e * e;
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < 3; ++i) stress[p](i, j) += k * e * x.n[i] * x.d[j];
  }
}

void Muscle::add_tangent(const SampleBatch& b, TangentPack* c) const {
  for (Index p = 0; p < b.packs; ++p) {
    const Deformed x = deform(b, p);
    const Pack k = b.param(0, p), ratio = b.param(1, p) / x.length;
    for (int j = 0; j < 3; ++j)
      for (int l = j; l < 3; ++l)
        for (int i = 0; i < 3; ++i)
          for (int o = 0; o < 3; ++o) {
            if (j == l && o < i) continue;  // upper triangle only
            Pack h = ratio * x.n[i] * x.n[o];
            if (i == o) h += 1.0 - ratio;
            c[p](3 * j + i, 3 * l + o) += k * h * (x.d[j] * x.d[l]);
          }
  }
}

void Muscle::add_param_vjp(const SampleBatch& b, const Mat3Pack* w, Pack* out) const {
  for (Index p = 0; p < b.packs; ++p) {
    const Deformed x = deform(b, p);
    const Pack k = b.param(0, p), e = x.length - b.param(1, p);
    Pack wd[3], wn = splat(0.0);  // W d and n . W d
    for (int i = 0; i < 3; ++i) {
      wd[i] = w[p](i, 0) * x.d[0] + w[p](i, 1) * x.d[1] + w[p](i, 2) * x.d[2];
      wn += x.n[i] * wd[i];
    }
    out[p] += e * wn;
    out[b.packs + p] -= k * wn;
    // Gradient of k e n . W d in d, e and n depending on it too; its part along d falls out by the
    // normalisation.
    Pack g[3], radial = splat(0.0);
    for (int j = 0; j < 3; ++j) {
      g[j] = splat(0.0);
      for (int i = 0; i < 3; ++i)
        g[j] += k * (b.f[p](i, j) * (wn * x.n[i] + e / x.length * (wd[i] - wn * x.n[i])) +
                     e * w[p](i, j) * x.n[i]);
      radial += g[j] * x.d[j];
    }
    for (int j = 0; j < 3; ++j) out[(kFibreAt + j) * b.packs + p] += (g[j] - radial * x.d[j]) / x.norm;
  }
}

}  // namespace resilin
