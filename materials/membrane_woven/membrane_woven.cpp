#include "materials/membrane_woven/membrane_woven.hpp"

#include "core/mesh/regions.hpp"

#include <Eigen/Geometry>
#include <fmt/format.h>

#include <utility>

namespace resilin {
namespace {

constexpr double kNormal = 1e-3;  ///< sine of the angle to the normal below which a direction says nothing

/// At each element the direction has to have a part in the surface.
void check_direction(const MembraneWoven::Options& o, const BuildContext& context) {
  const Mesh* mesh = context.mesh;
  for (Index i = 0; i < o.direction.size(); i += 3)
    if (!(o.direction.values.segment<3>(i).norm() > 0))
      throw context.input_error("direction", "the direction of the warp must not be zero");
  if (mesh == nullptr || mesh->type != ElementType::Tri3) return;
  const std::vector<Index> chosen = select_elements(*mesh, o.region);
  std::vector<int> items;
  if (!o.direction.regions.empty())
    items = region_items(o.direction, chosen, "direction", context);
  else if (o.direction.items != 1 && o.direction.items != static_cast<Index>(chosen.size()))
    return;  // the energy says how many there should be
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const Vec3 d = o.direction.vec3(items.empty() ? static_cast<Index>(i) : items[i], 0);
    const auto x = [&](Index c) -> Vec3 { return mesh->vertices.col(mesh->elements(c, chosen[i])); };
    const Vec3 normal = (x(1) - x(0)).cross(x(2) - x(0)).normalized();
    if (d.cross(normal).norm() < kNormal * d.norm())
      throw context.input_error(
          "direction", fmt::format("({}, {}, {}) is normal to element {}: it gives no direction in it", d.x(),
                                   d.y(), d.z(), chosen[i]));
  }
}

}  // namespace

void MembraneWoven::Options::visit(ParamVisitor& v) {
  const auto stiffness = [&](const char* name, Field& field, const char* doc) {
    v.field(name, field, {.doc = doc, .unit = "Pa", .min = 0, .max = 1e15, .differentiable = true});
  };
  stiffness("warp", warp,
            "stiffness along the direction: per area [N/m] where the body's thickness stays at 1; a modulus "
            "[Pa] otherwise");
  stiffness("weft", weft, "the same across it, within the surface");
  stiffness("shear", shear, "the same against the loss of the right angle between both");
  v.field(
      "direction", direction,
      {.doc = "direction of the warp at rest, one or per element; its projection on each triangle counts, "
              "its length does not",
       .differentiable = true});
  v.section("elements", region, {.doc = "elements that it acts on; all if empty"});
}

MembraneWoven::MembraneWoven(const Options& options, const BuildContext& context) : options_(options) {
  for (const auto& [key, field] : {std::pair{"warp", &options.warp},
                                   {"weft", &options.weft},
                                   {"shear", &options.shear},
                                   {"direction", &options.direction}})
    if (field->steps != 1)
      throw context.input_error(key,
                                fmt::format("the {} of woven cloth cannot change from step to step", key));
  check_direction(options, context);
}

}  // namespace resilin
