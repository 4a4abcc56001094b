#include "plugins/meshes/polyline.hpp"

#include "core/mesh/regions.hpp"

#include <fmt/format.h>

#include <limits>

namespace resilin::meshes {

Field Polyline::Options::unit_length() {
  Field points(Vec3(0, 0, 0));
  points.items = 2;
  points.values = VecX::Unit(6, 3);
  return points;
}

void Polyline::Options::visit(ParamVisitor& v) {
  v.field("points", points, {.doc = "corners of the curve in their order, at least two", .unit = "m"});
  v.integer("cells", cells, {.doc = "equal segments of each piece between two points", .min = 1});
  v.flag("closed", closed, {.doc = "the last point is joined to the first (three points or more)"});
}

Polyline::Polyline(const Options& options, const BuildContext& context) : options_(options) {
  const Field& points = options.points;
  require_no_regions(points, "points", context);
  if (points.steps != 1) throw context.input_error("points", "must not change from step to step");
  const Index least = options.closed ? 3 : 2;
  if (points.items < least)
    throw context.input_error("points", fmt::format("{} given; expected at least {}", points.items, least));
  const double segments = static_cast<double>(points.items) * static_cast<double>(options.cells);
  if (segments > std::numeric_limits<int>::max() / 8.0)
    throw context.input_error("cells", fmt::format("a curve of {:.3g} segments is too large", segments));
}

Mesh Polyline::generate() const {
  const Field& points = options_.points;
  const Index pieces = options_.closed ? points.items : points.items - 1, segments = pieces * options_.cells;
  Mesh mesh;
  mesh.type = ElementType::Segment2;
  mesh.vertices.resize(3, segments + (options_.closed ? 0 : 1));
  for (Index v = 0; v < mesh.num_vertices(); ++v) {
    const Index piece = v / options_.cells;
    const Vec3 from = points.vec3(piece, 0), to = points.vec3((piece + 1) % points.items, 0);
    const double t = static_cast<double>(v % options_.cells) / static_cast<double>(options_.cells);
    mesh.vertices.col(v) = (1 - t) * from + t * to;
  }
  mesh.elements.resize(2, segments);
  for (Index e = 0; e < segments; ++e)
    mesh.elements.col(e) << static_cast<int>(e), static_cast<int>((e + 1) % mesh.num_vertices());
  return mesh;
}

}  // namespace resilin::meshes
