#include "core/model/system.hpp"

#include "core/base/file.hpp"
#include "core/base/log.hpp"
#include "core/energy/shape.hpp"
#include "core/mesh/regions.hpp"
#include "core/model/pose.hpp"
#include "core/model/rest_shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

namespace resilin {
namespace {

std::uint64_t next_revision() {
  static std::atomic<std::uint64_t> counter{0};
  return ++counter;
}

/// The undisplaced initial shape of a body.
Mat3X posed_shape(const Body& body, const BuildContext& context) {
  const InitialOptions& o = body.options.initial;
  if (!o.positions_file.empty()) {
    const Index vertices = body.mesh.num_vertices();
    const MatX table = read_table(o.positions_file);
    if (table.cols() != 3 || table.rows() != vertices)
      throw context.input_error(
          "initial.positions",
          fmt::format("{} has {} rows of {} numbers; the mesh has {} vertices, so {} rows of 3 "
                      "are expected",
                      o.positions_file, table.rows(), table.cols(), vertices, vertices));
    return table.transpose();
  }
  if (o.has_twist && !(o.twist.axis.norm() > 0))
    throw context.input_error("initial.twist.axis", "the axis must not be zero");
  return posed(o, body.rest().vertices);
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

/// Adds the rest shape's displacements to the body's mesh; where they spoil an element the mesh as given
/// stays.
void displace_rest(Body& body, const BuildContext& context) {
  if (!body.options.has_rest_shape) return;
  expand(body.options.rest_shape.displacements, body.mesh.num_vertices(), context,
         "rest_shape.displacements");
  try {
    body.displaced = std::make_unique<Mesh>(displaced_mesh(body, body.options.rest_shape.displacements));
  } catch (const Error& e) {
    throw context.input_error("rest_shape.displacements", e.message());
  }
}

/// The density's item at each element, if it is given per region.
std::vector<int> density_items(const Field& density, Index elements, const BuildContext& context) {
  if (density.regions.empty()) return {};
  std::vector<Index> all;
  for (Index e = 0; e < elements; ++e) all.push_back(e);
  return region_items(density, all, "density", context);
}

void check_density(Body& body, const BuildContext& context) {
  const Field& density = body.options.density;
  const Index elements = body.mesh.num_elements();
  body.density_item = density_items(density, elements, context);
  if (density.steps != 1) throw context.input_error("density", "must not change from step to step");
  if (density.items != 1 && density.items != elements && body.density_item.empty())
    throw context.input_error(
        "density",
        fmt::format("{} values given; one or {} (an element each) are expected", density.items, elements));
  if (body.options.mass == "uniform" && density.items != 1)
    throw context.input_error("density", "uniform mass needs one density for the whole body");
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

void System::build(const SceneOptions& scene, const Registry& registry, const PlaceMap& places,
                   Diagnostics& found) {
  gravity_ = scene.gravity;
  time_step_ = scene.time.step;
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
    good = add_body(name, options, c, found) && good;
  }
  find_phases();
  if (!good) return;  // what else there is may refer to the body that is missing
  mass_ = VecX::Zero(base_x_.size() / 3);
  if (found.ok()) found.attempt([&] { update_mass(); });
  good = add_scene_energies(scene, registry, places, found);
  good = add_forces(scene.forces, context(scene, registry, places), found) && good;
  num_scene_forces_ = forces_.size();
  if (!good) return;
  register_parameters();
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

/// False if the body could not be made; of a body that could, other things may be wrong all the same.
bool System::add_body(const std::string& name, const BodyOptions& options, BuildContext c,
                      Diagnostics& found) {
  auto body = std::make_unique<Body>();
  body->name = name;
  body->options = options;
  if (!found.attempt([&] { body->mesh = build_mesh(options.mesh, c); })) return false;
  body->first_node = base_x_.size() / 3;
  const Index n = body->mesh.num_vertices();
  RegionElements regions;
  if (!found.attempt([&] { regions = select_regions(body->mesh, options.regions, c); })) return false;
  c.regions = &regions;
  found.attempt([&] { check_density(*body, c); });
  InitialOptions& initial = body->options.initial;
  for (const auto& [key, field] : {std::pair("initial.displacements", &initial.displacements),
                                   std::pair("initial.velocities", &initial.velocities)})
    if (!found.attempt([&, &key = key, &field = field] { expand(*field, n, c, key); }))
      *field = Field(Vec3(0, 0, 0));  // so that the pins can be looked at
  if (!found.attempt([&] { displace_rest(*body, c); })) body->options.has_rest_shape = false;
  c.mesh = &body->mesh;
  c.first_node = body->first_node;
  c.num_nodes = body->first_node + n;
  const bool good = found.attempt([&] { add_materials(*body, c); });
  body->start_is_given = !initial.positions_file.empty();
  Mat3X x = body->rest().vertices;
  found.attempt([&] { x = posed_shape(*body, c); });
  base_x_.conservativeResize(3 * (body->first_node + n));
  base_x_.tail(3 * n) = x.reshaped();
  base_v_ = VecX::Zero(base_x_.size());
  bodies_.push_back(std::move(body));
  Body& added = *bodies_.back();
  body_views_.push_back({name, &added.mesh, added.first_node});
  for (std::size_t p = 0; p < options.pins.size(); ++p) {
    BuildContext pin = c;
    pin.path = fmt::format("bodies.{}.pins[{}]", name, p);
    if (const auto it = c.places->find(pin.path); it != c.places->end()) pin.place = it->second;
    found.attempt([&] { add_pin(added, options.pins[p], pin); });
  }
  return good;
}

void System::add_materials(Body& body, const BuildContext& c) {
  if (body.options.materials.empty()) throw c.input_error("materials", "a body needs at least one material");
  Diagnostics found;
  std::vector<std::unique_ptr<Material>> materials;
  std::vector<BuildContext> contexts;
  for (const ComponentSpec& spec : body.options.materials) {
    contexts.push_back(c);
    contexts.back().path = spec.path;
    contexts.back().place = spec.place;
    found.attempt([&] { materials.push_back(c.registry->make<Material>(spec, contexts.back())); });
  }
  found.throw_if_any();
  auto elastic = std::make_unique<FiniteElementEnergy>(body.rest(), body.first_node, std::move(materials),
                                                       contexts, body.displaced != nullptr);
  body.elastic = elastic.get();
  energies_.push_back(std::move(elastic));
}

void System::add_pin(const Body& body, const PinOptions& options, const BuildContext& c) {
  std::vector<Index> nodes;
  try {
    nodes = select_vertices(body.mesh, options.nodes);
  } catch (const Error& e) {
    throw c.input_error("nodes", e.message());
  }
  if (nodes.empty()) throw c.input_error("nodes", "the selection matches no vertex of the body");
  if (static_cast<Index>(nodes.size()) == body.mesh.num_vertices())
    log_warn(fmt::format("{}: holds every vertex of the body", c.path));
  Pin pin;
  pin.path = c.path;
  for (const std::string& axis : options.axes) pin.axes[static_cast<std::size_t>(axis[0] - 'x')] = true;
  pin.release = options.release;
  pin.body = bodies_.size() - 1;
  pin.holds_rest = options.hold == "rest";
  pin.shift.setZero(3, static_cast<Index>(nodes.size()));
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    pin.nodes.push_back(body.first_node + nodes[i]);
    if (!pin.holds_rest)
      pin.shift.col(static_cast<Index>(i)) = body.options.initial.displacements.vec3(nodes[i], 0);
  }
  place_pin(pin);
  if (!options.motion.type.empty()) pin.motion = c.registry->make<Motion>(options.motion, c);
  pins_.push_back(std::move(pin));
}

void System::find_phases() {
  std::vector<double> ends;
  for (const Pin& pin : pins_) ends.push_back(pin.release);
  ends.push_back(std::numeric_limits<double>::infinity());
  std::sort(ends.begin(), ends.end());
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  for (const double end : ends) {
    Phase phase{end, std::vector<char>(static_cast<std::size_t>(base_x_.size()), 0)};
    for (const Pin& pin : pins_)
      if (pin.release >= end)
        for (const Index node : pin.nodes)
          for (std::size_t k = 0; k < 3; ++k)
            if (pin.axes[k]) phase.fixed[3 * static_cast<std::size_t>(node) + k] = 1;
    phases_.push_back(std::move(phase));
  }
}

std::size_t System::phase(double t) const {
  // Times of steps are sums of many terms: half a thousandth of a step is the same time.
  const double early = t - 5e-4 * time_step_;
  std::size_t k = 0;
  while (early > phases_[k].end) ++k;
  return k;
}

void System::place_pins(double t, MutVec x) const {
  const double end = phases_[phase(t)].end;
  for (const Pin& pin : pins_) {
    if (pin.release < end) continue;
    for (std::size_t i = 0; i < pin.nodes.size(); ++i) {
      const Vec3 place = pin.places.col(static_cast<Index>(i));
      const Vec3 p = pin.motion ? pin.motion->position(t, place) : place;
      for (Index k = 0; k < 3; ++k)
        if (pin.axes[static_cast<std::size_t>(k)]) x[3 * pin.nodes[i] + k] = p[k];
    }
  }
}

void System::add_pin_vjp(double t, ConstVec z, MutVec theta) const {
  const double end = phases_[phase(t)].end;
  // A coordinate belongs to the last pin that holds it.
  std::vector<char> taken(static_cast<std::size_t>(num_dofs()), 0);
  for (std::size_t p = pins_.size(); p-- > 0;) {
    const Pin& pin = pins_[p];
    if (pin.release < end) continue;
    const bool follows = follows_rest(pin);
    Mat3X places;  // cotangents of the places, at the body's nodes
    if (follows) places.setZero(3, bodies_[pin.body]->mesh.num_vertices());
    for (std::size_t i = 0; i < pin.nodes.size(); ++i) {
      Vec3 part = Vec3::Zero();
      for (Index k = 0; k < 3; ++k) {
        char& seen = taken[static_cast<std::size_t>(3 * pin.nodes[i] + k)];
        if (!pin.axes[static_cast<std::size_t>(k)] || seen) continue;
        part[k] = z[3 * pin.nodes[i] + k];
        seen = 1;
      }
      const auto column = static_cast<Index>(i);
      if (pin.motion)
        pin.motion->add_param_vjp(t, pin.places.col(column), part,
                                  theta.segment(pin_offset_[p], pin.motion->num_parameters()));
      if (follows)
        places.col(pin.nodes[i] - bodies_[pin.body]->first_node) +=
            pin.motion ? pin.motion->pull_back(t, pin.places.col(column), part) : part;
    }
    if (follows) add_place_vjp(pin, places, theta);
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

namespace {

/// A component whose visit and own count of parameters disagree would write gradients to the wrong places.
void require_same_count(const std::string& path, const char* counted, Index count, Index registered) {
  if (count != registered)
    throw Error(Errc::Plugin, fmt::format("{}: {} has {} values but its differentiable parameters {}", path,
                                          counted, count, registered));
}

}  // namespace

void System::register_body(Body& body) {
  const std::string path = "bodies." + body.name;
  const std::size_t first = table_.entries().size();
  table_.add(path, [&](ParamVisitor& v) { body.options.visit(v); });
  BodyOffsets o;
  for (std::size_t i = first; i < table_.entries().size(); ++i) {
    const ParameterEntry& e = table_.entries()[i];
    const std::string key = e.path.substr(path.size() + 1);
    if (key == "density") o.density = e.offset;
    if (key == "damping.mass") o.damping = e.offset;
    if (key == "initial.velocity") o.velocity = e.offset;
    if (key == "initial.angular_velocity") o.angular_velocity = e.offset;
    if (key == "initial.displacements") o.displacements = e.offset;
    if (key == "initial.velocities") o.velocities = e.offset;
    if (key == "rest_shape.displacements") o.rest = e.offset;
  }
  body_offset_.push_back(o);
  FiniteElementEnergy& energy = *body.elastic;
  // The energy counts the rest shape as the first of its parameters, so it has to stand right before the
  // materials.
  if (o.rest >= 0 && o.rest + 3 * body.mesh.num_vertices() != table_.size())
    throw Error(Errc::Internal, fmt::format("{}: the rest shape is not the last of the options", path));
  energy_offset_.push_back(o.rest >= 0 ? o.rest : table_.size());
  for (Index m = 0; m < energy.num_materials(); ++m) {
    const std::string name = fmt::format("{}.materials[{}]", path, m);
    const Index added = table_.add(name, [&](ParamVisitor& v) { energy.material(m).visit_parameters(v); });
    Index expected = 0;
    for (const Field* f : energy.material(m).fields()) expected += f->size();
    require_same_count(name, "fields()", expected, added);
  }
}

void System::register_parameters() {
  gravity_offset_ = table_.size();
  table_.add("", [&](ParamVisitor& v) {
    v.vec3("gravity", gravity_, {.doc = "acceleration of gravity", .unit = "m/s^2", .differentiable = true});
  });
  for (const auto& body : bodies_) register_body(*body);
  for (const Pin& pin : pins_) {
    pin_offset_.push_back(table_.size());
    if (!pin.motion) continue;
    const std::string name = pin.path + ".motion";
    const Index added = table_.add(name, [&](ParamVisitor& v) { pin.motion->visit_parameters(v); });
    require_same_count(name, "num_parameters()", pin.motion->num_parameters(), added);
    num_motion_parameters_ += added;
  }
  for (std::size_t e = 0; e < energy_names_.size(); ++e) {
    Energy& energy = *energies_[bodies_.size() + e];
    const std::string name = "energies." + energy_names_[e];
    energy_offset_.push_back(table_.size());
    const Index added = table_.add(name, [&](ParamVisitor& v) { energy.visit_parameters(v); });
    require_same_count(name, "num_parameters()", energy.num_parameters(), added);
  }
  for (std::size_t f = 0; f < forces_.size(); ++f) {
    const std::string name = "forces." + force_names_[f];
    force_offset_.push_back(table_.size());
    const Index added = table_.add(name, [&](ParamVisitor& v) { forces_[f]->visit_parameters(v); });
    require_same_count(name, "num_parameters()", forces_[f]->num_parameters(), added);
  }
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
  const VecX before = table_.values();
  table_.assign(theta);
  try {
    update_rest_shapes();
  } catch (const Error&) {
    table_.assign(before);
    throw;
  }
  for (const auto& energy : energies_) energy->parameters_changed();
  for (const auto& force : forces_) force->parameters_changed();
  for (const Pin& pin : pins_)
    if (pin.motion) pin.motion->parameters_changed();
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
    const VecX dm = c.mass.segment(body.first_node, n);
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

std::string System::describe_node(Index node, ConstVec x) const {
  for (const auto& body : bodies_)
    if (node < body->first_node + body->mesh.num_vertices())
      return fmt::format("node {} of body {} at ({:.4g}, {:.4g}, {:.4g})", node - body->first_node,
                         body->name, x[3 * node], x[3 * node + 1], x[3 * node + 2]);
  return fmt::format("node {}", node);
}

}  // namespace resilin
