#include "core/model/system.hpp"

#include "core/energy/shape.hpp"
#include "core/model/rest_shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

namespace resilin {
namespace {

std::uint64_t next_revision() {
  static std::atomic<std::uint64_t> counter{0};
  return ++counter;
}

}  // namespace

System::System(const SceneOptions& scene, const Registry& registry, const PlaceMap& places) {
  Diagnostics found;
  build(scene, registry, places, found);
  found.throw_if_any();
}

System::System(const SceneOptions& scene, const Registry& registry, const PlaceMap& places,
               Diagnostics& found) {
  build(scene, registry, places, found);
}

void System::build(const SceneOptions& written, const Registry& registry, const PlaceMap& places,
                   Diagnostics& found) {
  if (!add_signals(written, context(written, registry, places), found)) return;
  const SceneOptions scene = prepared(written, places, found);
  if (!found.ok()) return;  // what followed an unknown signal has no values
  gravity_ = scene.gravity;
  time_step_ = scene.time.step;
  has_preload_ = scene.has_preload;
  revision_ = next_revision();
  if (scene.bodies.empty()) {
    const auto it = places.find("bodies");
    found.error(it == places.end() ? Place{} : it->second, {}, "bodies: a scene needs at least one body");
    return;
  }
  bool good = true;
  for (const auto& [name, options] : scene.bodies) {
    BuildContext c = context(scene, registry, places);
    c.path = "bodies." + name;
    if (const auto it = places.find(c.path); it != places.end()) c.place = it->second;
    good = add_body(name, options, c, scene.per_element, found) && good;
  }
  find_phases();
  if (!good) return;  // what else there is may refer to the body that is missing
  mass_ = VecX::Zero(base_x_.size() / 3);
  if (found.ok()) found.attempt([&] { update_mass(); });
  good = add_scene_energies(scene, registry, places, found);
  good = add_forces(scene.forces, context(scene, registry, places), found) && good;
  num_scene_forces_ = forces_.size();
  const BuildContext c = context(scene, registry, places);
  good = add_contacts(scene, c, found) && good;
  if (!good) return;
  register_parameters();
  if (!add_controllers(scene, c, found)) return;
  if (found.ok()) check_start(c, found);
  complete_ = true;
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

bool System::add_scene_energies(const SceneOptions& scene, const Registry& registry, const PlaceMap& places,
                                Diagnostics& found) {
  bool good = true;
  for (const auto& [name, spec] : scene.energies)
    good = found.attempt([&, &name = name, &spec = spec] {
      energies_.push_back(registry.make<Energy>(
          spec, of_whole_system(spec, context(scene, registry, places), num_nodes(), body_views_)));
      energy_names_.push_back(name);
    }) && good;
  return good;
}

bool System::add_forces(const NamedList<ComponentSpec>& specs, BuildContext c, Diagnostics& found) {
  bool good = true;
  for (const auto& [name, spec] : specs)
    good = found.attempt([&, &name = name, &spec = spec] {
      forces_.push_back(c.registry->make<Force>(spec, of_whole_system(spec, c, num_nodes(), body_views_)));
      force_names_.push_back(name);
    }) && good;
  return good;
}

void System::add_extra_forces(const NamedList<ComponentSpec>& specs, const Registry& registry,
                              const PlaceMap& places, Index steps) {
  BuildContext c;
  c.registry = &registry;
  c.steps = steps;
  c.time_step = time_step_;
  c.places = &places;
  Diagnostics found;
  add_forces(specs, c, found);
  found.throw_if_any();
}

void System::clear_extra_forces() {
  forces_.resize(num_scene_forces_);
  force_names_.resize(num_scene_forces_);
}

void System::update_mass() {
  mass_.resize(base_x_.size() / 3);
  for (const auto& body : bodies_) {
    const VecX density = element_density(*body);
    auto m = mass_.segment(body->first_node, body->mesh.num_vertices());
    if (body->options.mass == "uniform")
      m.setConstant(density[0] * element_measures(body->rest()).mean());
    else
      m = lumped_mass(body->rest(), density);
    m *= body->options.cross_measure();
    Index massless = -1;
    if (m.minCoeff(&massless) <= 0)
      throw Error(
          Errc::Input,
          fmt::format(
              "bodies.{}: vertex {} belongs to no element and so has no mass: remove it from the mesh",
              body->name, massless));
  }
}

/// Everything that is derived from the values in the table.
void System::apply_parameters() {
  for (const auto& signal : signals_) signal->parameters_changed();
  drive_fields();
  update_rest_shapes();
  update_poses();
  for (const auto& body : bodies_) body->elastic->set_cross_measure(body->options.cross_measure());
  for (const auto& energy : energies_) energy->parameters_changed();
  for (const auto& force : forces_) force->parameters_changed();
  for (const auto& collider : colliders_) collider->parameters_changed();
  for (const auto& loop : control_loops_) loop->law->parameters_changed();
  for (const auto& contact : contact_models_) contact->parameters_changed();
  for (const Pin& pin : pins_)
    if (pin.motion) pin.motion->parameters_changed();
  for (Component* guest : guests_) guest->parameters_changed();
  update_mass();
}

void System::set_parameters(ConstVec theta) {
  const VecX before = table_.values();
  revision_ = next_revision();
  table_.assign(theta);
  try {
    apply_parameters();
  } catch (const Error&) {
    table_.assign(before);
    apply_parameters();
    throw;
  }
}

bool System::is_per_element(const std::string& path) const {
  return std::find(per_element_.begin(), per_element_.end(), path) != per_element_.end();
}

bool System::is_projective() const {
  for (const auto& e : energies_)
    if (!e->is_projective()) return false;
  return true;
}

void System::set_initial_base(const VecX& x, const VecX& v) {
  base_x_ = x;
  base_v_ = v;
  for (const auto& body : bodies_) body->start_is_given = true;
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
    const VecX dm = body.options.cross_measure() * c.mass.segment(body.first_node, n);
    if (o.cross_measure >= 0)
      c.theta[o.cross_measure] += c.mass.segment(body.first_node, n).dot(mass_.segment(body.first_node, n)) /
                                  body.options.cross_measure();
    if (body.options.mass == "uniform")
      density[0] += element_measures(body.rest()).mean() * dm.sum();
    else if (body.density_item.empty())
      add_lumped_mass_vjp(body.rest(), dm, density);
    else {
      VecX per_element = VecX::Zero(body.mesh.num_elements());
      add_lumped_mass_vjp(body.rest(), dm, per_element);
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
    if (o.rest >= 0) add_rest_cotangent(b, c, dx0, dv0);
    if (follows_pose(body)) add_pose_cotangent(b, c, dx0, dv0);
  }
  add_drive_vjp(c.theta);
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

std::string System::describe_node(Index node, ConstVec x) const {
  for (const auto& body : bodies_)
    if (node < body->first_node + body->mesh.num_vertices())
      return fmt::format("node {} of body {} at ({:.4g}, {:.4g}, {:.4g})", node - body->first_node,
                         body->name, x[3 * node], x[3 * node + 1], x[3 * node + 2]);
  return fmt::format("node {}", node);
}

}  // namespace resilin
