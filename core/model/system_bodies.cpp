// The part of System that makes bodies: their meshes, masses, materials and initial shapes.
#include "core/base/file.hpp"
#include "core/mesh/regions.hpp"
#include "core/model/per_element.hpp"
#include "core/model/pose.hpp"
#include "core/model/rest_shape.hpp"
#include "core/model/system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace resilin {
namespace {

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

/// How many elements a material acts on.
Index count_elements(const Material& material, const Mesh& mesh, const BuildContext& context) {
  if (material.elements() == nullptr) return mesh.num_elements();
  try {
    return static_cast<Index>(select_elements(mesh, *material.elements()).size());
  } catch (const Error& e) {
    throw context.input_error("elements", e.message());
  }
}

/// A thickness is for surfaces, a cross-section for curves.
void check_cross_measure(const Body& body, const BuildContext& context) {
  struct Measure {
    const char *key, *kind;
    double value;
    int dimension;
  };
  const BodyOptions& o = body.options;
  for (const Measure& m : {Measure{"thickness", "surfaces (tri3)", o.thickness, 2},
                           Measure{"cross_section", "curves (segment2)", o.cross_section, 1}}) {
    // The default may stand there: a resolved scene writes all defaults out.
    if (m.value != 1 && o.dimension != m.dimension)
      throw context.input_error(m.key, fmt::format("is for {}; the mesh of body '{}' has {} elements", m.kind,
                                                   body.name, name_of(body.mesh.type)));
  }
}

/// "a, b": the registered materials that act on elements of this dimension.
std::string materials_acting_on(int dimension, const Registry& registry) {
  std::string names;
  for (const std::string& type : registry.types("material")) {
    ComponentSpec spec;
    spec.type = type;
    spec.options = registry.make_options("material", type);
    try {
      if (registry.make<Material>(spec, {})->acts_on(dimension)) names += (names.empty() ? "" : ", ") + type;
    } catch (const Error&) {
      continue;  // its defaults make no material: this list is a suggestion, so it may lack one
    }
  }
  return names;
}

const char* dimension_name(int dimension) {
  return dimension == 3 ? "volumes (tet4, hex8)" : dimension == 2 ? "surfaces (tri3)" : "curves (segment2)";
}

/// Throws Error(Input) unless the material acts on elements like those of the body.
void require_acting(const Material& material, const std::string& type, const Body& body,
                    const BuildContext& context) {
  const ElementType element = body.mesh.type;
  if (material.acts_on(dimension_of(element))) return;
  std::string acts;
  for (const int dimension : {3, 2, 1})
    if (material.acts_on(dimension))
      acts += (acts.empty() ? "" : " and ") + std::string(dimension_name(dimension));
  std::string message = fmt::format("material '{}' acts on {}, but body '{}' has {} elements", type, acts,
                                    body.name, name_of(element));
  if (const std::string others = materials_acting_on(dimension_of(element), *context.registry);
      !others.empty())
    message += "; materials for these: " + others;
  if (element == ElementType::Tri3) message += "; or give voxel_size to fill a closed surface with hexahedra";
  throw context.input_error("", message);
}

}  // namespace

/// False if the body could not be made; of a body that could, other things may be wrong all the same.
bool System::add_body(const std::string& name, const BodyOptions& options, BuildContext c,
                      const std::vector<std::string>& per_element, Diagnostics& found) {
  auto body = std::make_unique<Body>();
  body->name = name;
  body->options = options;
  if (!found.attempt([&] { body->mesh = build_mesh(options.mesh, c); })) return false;
  body->first_node = base_x_.size() / 3;
  const Index n = body->mesh.num_vertices();
  RegionElements regions;
  if (!found.attempt([&] { regions = select_regions(body->mesh, options.regions, c); })) return false;
  c.regions = &regions;
  body->options.dimension = dimension_of(body->mesh.type);
  found.attempt([&] { check_cross_measure(*body, c); });
  found.attempt([&] {
    const auto density = [&](ParamVisitor& v) {
      v.field("density", body->options.density, {.doc = "", .differentiable = true});
    };
    spread_over_elements(c.path, density, per_element, body->mesh.num_elements(), c, per_element_);
    check_density(*body, c);
  });
  InitialOptions& initial = body->options.initial;
  initial.pose_is_parameter = !has_preload_ && initial.positions_file.empty() &&
                              std::none_of(options.pins.begin(), options.pins.end(),
                                           [](const PinOptions& p) { return p.hold == "initial"; });
  for (const auto& [key, field] : {std::pair("initial.displacements", &initial.displacements),
                                   std::pair("initial.velocities", &initial.velocities)})
    if (!found.attempt([&, &key = key, &field = field] { expand(*field, n, c, key); }))
      *field = Field(Vec3(0, 0, 0));  // so that the pins can be looked at
  if (!found.attempt([&] { displace_rest(*body, c); })) body->options.has_rest_shape = false;
  c.mesh = &body->mesh;
  c.first_node = body->first_node;
  c.num_nodes = body->first_node + n;
  const bool good = found.attempt([&] { add_materials(*body, c, per_element); });
  body->start_is_given = !initial.positions_file.empty();
  Mat3X x = body->rest().vertices;
  found.attempt([&] { x = posed_shape(*body, c); });
  base_x_.conservativeResize(3 * (body->first_node + n));
  base_x_.tail(3 * n) = x.reshaped();
  base_v_ = VecX::Zero(base_x_.size());
  bodies_.push_back(std::move(body));
  Body& added = *bodies_.back();
  body_views_.push_back({name, &added.mesh, added.first_node, added.options.cross_measure()});
  for (std::size_t p = 0; p < options.pins.size(); ++p) {
    BuildContext pin = c;
    pin.path = fmt::format("bodies.{}.pins[{}]", name, p);
    if (const auto it = c.places->find(pin.path); it != c.places->end()) pin.place = it->second;
    found.attempt([&] { add_pin(added, options.pins[p], pin); });
  }
  return good;
}

void System::add_materials(Body& body, const BuildContext& c, const std::vector<std::string>& per_element) {
  if (body.options.materials.empty()) throw c.input_error("materials", "a body needs at least one material");
  Diagnostics found;
  std::vector<std::unique_ptr<Material>> materials;
  std::vector<BuildContext> contexts;
  for (const ComponentSpec& spec : body.options.materials) {
    contexts.push_back(c);
    contexts.back().path = spec.path;
    contexts.back().place = spec.place;
    found.attempt([&] {
      materials.push_back(c.registry->make<Material>(spec, contexts.back()));
      require_acting(*materials.back(), spec.type, body, contexts.back());
      if (per_element.empty()) return;
      Material& made = *materials.back();
      const Index count = count_elements(made, body.rest(), contexts.back());
      const auto visit = [&](ParamVisitor& v) { made.visit_parameters(v); };
      if (spread_over_elements(spec.path, visit, per_element, count, contexts.back(), per_element_) > 0)
        made.parameters_changed();
    });
  }
  found.throw_if_any();
  const FiniteElementEnergy::Shape shape{body.displaced != nullptr, !is_volume(body.mesh.type),
                                         body.options.cross_measure()};
  auto elastic = std::make_unique<FiniteElementEnergy>(body.rest(), body.first_node, std::move(materials),
                                                       contexts, shape);
  body.elastic = elastic.get();
  energies_.push_back(std::move(elastic));
}

}  // namespace resilin
