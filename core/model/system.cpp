#include "core/model/system.hpp"

#include "core/base/file.hpp"
#include "core/energy/shape.hpp"
#include "core/mesh/regions.hpp"

#include <fmt/format.h>

#include <atomic>
#include <cmath>

namespace resilin {
namespace {

std::uint64_t next_revision() {
  static std::atomic<std::uint64_t> counter{0};
  return ++counter;
}

/// The undisplaced initial shape of a body.
Mat3X posed_shape(const Body& body, const BuildContext& context) {
  const InitialOptions& o = body.options.initial;
  Mat3X x = body.mesh.vertices;
  if (!o.positions_file.empty()) {
    const MatX table = read_table(o.positions_file);
    if (table.cols() != 3 || table.rows() != x.cols())
      throw context.input_error(
          "initial.positions",
          fmt::format("{} has {} rows of {} numbers; the mesh has {} vertices, so {} rows of 3 "
                      "are expected",
                      o.positions_file, table.rows(), table.cols(), x.cols(), x.cols()));
    return table.transpose();
  }
  if (o.has_twist) {
    if (!(o.twist.axis.norm() > 0))
      throw context.input_error("initial.twist.axis", "the axis must not be zero");
    const Vec3 axis = o.twist.axis.normalized();
    for (Index i = 0; i < x.cols(); ++i) {
      const Vec3 r = x.col(i) - o.twist.point;
      x.col(i) = o.twist.point + Eigen::AngleAxisd(o.twist.rate * axis.dot(r), axis) * r;
    }
  }
  if (const double angle = o.rotation.norm(); angle > 0) {
    const Vec3 center = x.rowwise().mean();
    const Mat3 turn = Eigen::AngleAxisd(angle, o.rotation / angle).toRotationMatrix();
    x = (turn * (x.colwise() - center)).colwise() + center;
  }
  x.colwise() += o.translation;
  return x;
}

/// A per-vertex field with one entry per vertex, so that its gradient has one too.
void expand(Field& field, Index vertices, const BuildContext& context, const char* key) {
  require_no_regions(field, key, context);
  if (field.steps != 1 || (field.items != 1 && field.items != vertices))
    throw context.input_error(key, fmt::format("{} entries given; one or {} (a vertex each) are expected",
                                               field.items * field.steps, vertices));
  if (field.items == vertices && field.size() == 3 * vertices) return;
  field.values = field.values.head<3>().eval().replicate(vertices, 1);
  field.items = vertices;
}

/// The density's item at each element, if it is given per region.
std::vector<int> density_items(const Field& density, Index elements, const BuildContext& context) {
  if (density.regions.empty()) return {};
  std::vector<Index> all;
  for (Index e = 0; e < elements; ++e) all.push_back(e);
  return region_items(density, all, "density", context);
}

/// One density for the body or one per element.
VecX element_density(const Body& body) {
  const VecX& values = body.options.density.values;
  if (body.density_item.empty()) return values;
  return values(body.density_item);
}

}  // namespace

System::System(const SceneOptions& scene, const Registry& registry, const PlaceMap& places)
    : gravity_(scene.gravity),
      steps_(scene.time.steps),
      time_step_(scene.time.step),
      revision_(next_revision()) {
  if (scene.bodies.empty()) {
    const auto it = places.find("bodies");
    throw Error(Errc::Input, "bodies: a scene needs at least one body",
                it == places.end() ? "" : to_string(it->second));
  }
  for (const auto& [name, options] : scene.bodies) add_body(name, options, scene, registry, places);
  update_mass();
  add_scene_energies(scene, registry, places);
  add_extra_forces(scene.forces, registry, places, scene.time.steps);
  num_scene_forces_ = forces_.size();
  register_parameters();
}
System::~System() = default;

BuildContext System::context(const SceneOptions& scene, const Registry& registry,
                             const PlaceMap& places) const {
  BuildContext c;
  c.registry = &registry;
  c.steps = scene.time.steps;
  c.time_step = scene.time.step;
  c.places = &places;
  return c;
}

void System::add_body(const std::string& name, const BodyOptions& options, const SceneOptions& scene,
                      const Registry& registry, const PlaceMap& places) {
  BuildContext c = context(scene, registry, places);
  c.path = "bodies." + name;
  if (const auto it = places.find(c.path); it != places.end()) c.place = it->second;
  auto body = std::make_unique<Body>();
  body->name = name;
  body->options = options;
  body->mesh = build_mesh(options.mesh, c);
  body->first_node = base_x_.size() / 3;
  const Index n = body->mesh.num_vertices(), elements = body->mesh.num_elements();
  const RegionElements regions = select_regions(body->mesh, options.regions, c);
  c.regions = &regions;
  Field& density = body->options.density;
  body->density_item = density_items(density, elements, c);
  if (density.steps != 1 || (density.items != 1 && density.items != elements && body->density_item.empty()))
    throw c.input_error("density", fmt::format("{} values given; one or {} (an element each) are expected",
                                               density.items * density.steps, elements));
  if (options.mass == "uniform" && density.items != 1)
    throw c.input_error("density", "uniform mass needs one density for the whole body");
  expand(body->options.initial.displacements, n, c, "initial.displacements");
  expand(body->options.initial.velocities, n, c, "initial.velocities");

  c.mesh = &body->mesh;
  c.first_node = body->first_node;
  c.num_nodes = body->first_node + n;
  if (options.materials.empty()) throw c.input_error("materials", "a body needs at least one material");
  std::vector<std::unique_ptr<Material>> materials;
  std::vector<BuildContext> contexts;
  for (const ComponentSpec& spec : options.materials) {
    contexts.push_back(c);
    contexts.back().path = spec.path;
    contexts.back().place = spec.place;
    materials.push_back(registry.make<Material>(spec, contexts.back()));
  }
  auto elastic =
      std::make_unique<FiniteElementEnergy>(body->mesh, body->first_node, std::move(materials), contexts);
  body->elastic = elastic.get();
  energies_.push_back(std::move(elastic));

  const Mat3X x = posed_shape(*body, c);
  base_x_.conservativeResize(3 * (body->first_node + n));
  base_x_.tail(3 * n) = x.reshaped();
  base_v_ = VecX::Zero(base_x_.size());
  add_pins(*body, places);
  body_views_.push_back({name, &body->mesh, body->first_node});
  bodies_.push_back(std::move(body));
}

void System::add_pins(const Body& body, const PlaceMap& places) {
  const Index dofs = base_x_.size();
  fixed_.resize(static_cast<std::size_t>(dofs), 0);
  pin_targets_.conservativeResize(dofs);
  const auto& shift = body.options.initial.displacements;
  for (std::size_t p = 0; p < body.options.pins.size(); ++p) {
    const PinOptions& pin = body.options.pins[p];
    BuildContext c;
    c.path = fmt::format("bodies.{}.pins[{}]", body.name, p);
    c.places = &places;
    if (const auto it = places.find(c.path); it != places.end()) c.place = it->second;
    std::vector<Index> nodes;
    try {
      nodes = select_vertices(body.mesh, pin.nodes);
    } catch (const Error& e) {
      throw c.input_error("nodes", e.message());
    }
    if (nodes.empty()) throw c.input_error("nodes", "the selection matches no vertex of the body");
    for (const Index local : nodes)
      for (const std::string& axis : pin.axes) {
        const Index k = axis[0] - 'x', dof = 3 * (body.first_node + local) + k;
        const bool initial = pin.hold == "initial";
        fixed_[static_cast<std::size_t>(dof)] = 1;
        pin_targets_[dof] = initial ? base_x_[dof] + shift.at(local, 0, k) : body.mesh.vertices(k, local);
      }
  }
}

namespace {

/// The surroundings of a component that belongs to no single body.
BuildContext of_whole_system(const ComponentSpec& spec, BuildContext c, Index nodes,
                             const std::vector<BodyView>& bodies) {
  c.path = spec.path;
  c.place = spec.place;
  c.num_nodes = nodes;
  c.bodies = &bodies;
  return c;
}

}  // namespace

void System::add_scene_energies(const SceneOptions& scene, const Registry& registry, const PlaceMap& places) {
  for (const auto& [name, spec] : scene.energies) {
    energies_.push_back(registry.make<Energy>(
        spec, of_whole_system(spec, context(scene, registry, places), num_nodes(), body_views_)));
    energy_names_.push_back(name);
  }
}

void System::add_extra_forces(const NamedList<ComponentSpec>& specs, const Registry& registry,
                              const PlaceMap& places, Index steps) {
  BuildContext c;
  c.registry = &registry;
  c.steps = steps;
  c.time_step = time_step_;
  c.places = &places;
  for (const auto& [name, spec] : specs) {
    forces_.push_back(registry.make<Force>(spec, of_whole_system(spec, c, num_nodes(), body_views_)));
    force_names_.push_back(name);
  }
}

void System::clear_extra_forces() {
  forces_.resize(num_scene_forces_);
  force_names_.resize(num_scene_forces_);
}

void System::register_parameters() {
  gravity_offset_ = table_.size();
  table_.add("", [&](ParamVisitor& v) {
    v.vec3("gravity", gravity_, {.doc = "acceleration of gravity", .unit = "m/s^2", .differentiable = true});
  });
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    Body& body = *bodies_[b];
    const std::string path = "bodies." + body.name;
    const std::size_t first = table_.entries().size();
    table_.add(path, [&](ParamVisitor& v) { body.options.visit(v); });
    BodyOffsets o;
    for (std::size_t i = first; i < table_.entries().size(); ++i) {
      const ParameterEntry& e = table_.entries()[i];
      const std::string key = e.path.substr(path.size() + 1);
      if (key == "density") o.density = e.offset;
      if (key == "initial.velocity") o.velocity = e.offset;
      if (key == "initial.angular_velocity") o.angular_velocity = e.offset;
      if (key == "initial.displacements") o.displacements = e.offset;
      if (key == "initial.velocities") o.velocities = e.offset;
    }
    body_offset_.push_back(o);
    FiniteElementEnergy& energy = *body.elastic;
    energy_offset_.push_back(table_.size());
    for (Index m = 0; m < energy.num_materials(); ++m) {
      const Index added = table_.add(fmt::format("{}.materials[{}]", path, m),
                                     [&](ParamVisitor& v) { energy.material(m).visit_parameters(v); });
      Index expected = 0;
      for (const Field* f : energy.material(m).fields()) expected += f->size();
      if (added != expected)
        throw Error(
            Errc::Plugin,
            fmt::format("{}.materials[{}]: fields() has {} values but its differentiable parameters {}", path,
                        m, expected, added));
    }
  }
  for (std::size_t e = 0; e < energy_names_.size(); ++e) {
    Energy& energy = *energies_[bodies_.size() + e];
    energy_offset_.push_back(table_.size());
    const Index added =
        table_.add("energies." + energy_names_[e], [&](ParamVisitor& v) { energy.visit_parameters(v); });
    if (added != energy.num_parameters())
      throw Error(
          Errc::Plugin,
          fmt::format("energies.{}: num_parameters() is {} but its differentiable parameters have {} values",
                      energy_names_[e], energy.num_parameters(), added));
  }
  for (std::size_t f = 0; f < forces_.size(); ++f) {
    force_offset_.push_back(table_.size());
    const Index added =
        table_.add("forces." + force_names_[f], [&](ParamVisitor& v) { forces_[f]->visit_parameters(v); });
    if (added != forces_[f]->num_parameters())
      throw Error(
          Errc::Plugin,
          fmt::format("forces.{}: num_parameters() is {} but its differentiable parameters have {} values",
                      force_names_[f], forces_[f]->num_parameters(), added));
  }
}

void System::update_mass() {
  mass_.resize(base_x_.size() / 3);
  for (const auto& body : bodies_) {
    const VecX density = element_density(*body);
    auto m = mass_.segment(body->first_node, body->mesh.num_vertices());
    if (body->options.mass == "uniform")
      m.setConstant(density[0] * element_measures(body->mesh).mean());
    else
      m = lumped_mass(body->mesh, density);
    Index massless = -1;
    if (m.minCoeff(&massless) <= 0)
      throw Error(
          Errc::Input,
          fmt::format(
              "bodies.{}: vertex {} belongs to no element and so has no mass: remove it from the mesh",
              body->name, massless));
  }
}

void System::set_parameters(ConstVec theta) {
  table_.assign(theta);
  for (const auto& energy : energies_) energy->parameters_changed();
  for (const auto& force : forces_) force->parameters_changed();
  update_mass();
  revision_ = next_revision();
}

bool System::is_projective() const {
  for (const auto& e : energies_)
    if (!e->is_projective()) return false;
  return true;
}

void System::set_initial_base(const VecX& x, const VecX& v) {
  base_x_ = x;
  base_v_ = v;
}

State System::initial_state() const {
  State s;
  s.x = base_x_;
  s.v = base_v_;
  for (const auto& body : bodies_) {
    const InitialOptions& o = body->options.initial;
    const Index n = body->mesh.num_vertices(), first = 3 * body->first_node;
    const Eigen::Map<const Mat3X> base(base_x_.data() + first, 3, n);
    const Vec3 center = base.rowwise().mean();
    Eigen::Map<Mat3X> v(s.v.data() + first, 3, n);
    for (Index i = 0; i < n; ++i) v.col(i) += o.velocity + o.angular_velocity.cross(base.col(i) - center);
    s.v.segment(first, 3 * n) += o.velocities.values;
    s.x.segment(first, 3 * n) += o.displacements.values;
  }
  return s;
}

SystemCotangent System::zero_cotangent() const {
  return {VecX::Zero(table_.size()), VecX::Zero(num_nodes()), Vec3::Zero()};
}

void System::finish_cotangent(SystemCotangent& c, ConstVec dx0, ConstVec dv0) const {
  c.theta.segment<3>(gravity_offset_) += c.gravity;
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    const Body& body = *bodies_[b];
    const BodyOffsets& o = body_offset_[b];
    const Index n = body.mesh.num_vertices(), first = 3 * body.first_node;
    auto density = c.theta.segment(o.density, body.options.density.size());
    const VecX dm = c.mass.segment(body.first_node, n);
    if (body.options.mass == "uniform")
      density[0] += element_measures(body.mesh).mean() * dm.sum();
    else if (body.density_item.empty())
      add_lumped_mass_vjp(body.mesh, dm, density);
    else {
      VecX per_element = VecX::Zero(body.mesh.num_elements());
      add_lumped_mass_vjp(body.mesh, dm, per_element);
      for (Index e = 0; e < per_element.size(); ++e)
        density[body.density_item[static_cast<std::size_t>(e)]] += per_element[e];
    }
    c.theta.segment(o.displacements, 3 * n) += dx0.segment(first, 3 * n);
    c.theta.segment(o.velocities, 3 * n) += dv0.segment(first, 3 * n);
    const Eigen::Map<const Mat3X> base(base_x_.data() + first, 3, n), dv(dv0.data() + first, 3, n);
    const Vec3 center = base.rowwise().mean();
    c.theta.segment<3>(o.velocity) += dv.rowwise().sum();
    for (Index i = 0; i < n; ++i)
      c.theta.segment<3>(o.angular_velocity) += (base.col(i) - center).cross(dv.col(i));
  }
}

double System::kinetic_energy(const State& s) const {
  return 0.5 * as_columns(s.v).colwise().squaredNorm().dot(mass_.transpose());
}

double System::gravitational_energy(const State& s) const {
  return -gravity_.dot(as_columns(s.x) * mass_);
}

std::string System::diagnose(const StepContext& c, ConstVec x) const {
  for (const auto& body : bodies_)
    for (Index i = 0; i < body->mesh.num_vertices(); ++i)
      if (!x.segment<3>(3 * (body->first_node + i)).allFinite())
        return fmt::format("body {}: the position of node {} is not finite", body->name, i);
  for (std::size_t e = 0; e < energies_.size(); ++e)
    if (const std::string text = energies_[e]->diagnose(c, x); !text.empty())
      return e < bodies_.size() ? fmt::format("body {}: {}", bodies_[e]->name, text)
                                : fmt::format("energies.{}: {}", energy_names_[e - bodies_.size()], text);
  return {};
}

}  // namespace resilin
