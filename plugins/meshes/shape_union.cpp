#include "plugins/meshes/shape_union.hpp"

#include "core/mesh/generators.hpp"
#include "plugins/meshes/distance.hpp"
#include "plugins/meshes/element_choice.hpp"
#include "plugins/meshes/one_piece.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace resilin::meshes {
namespace {

double part_distance(const ShapeUnion::Part& s, const Vec3& p) {
  if (s.has_sphere) return distance(BallShape{s.center, s.radius}, p);
  if (s.has_box) return distance(BoxShape{s.center, 0.5 * s.size}, p);
  if (s.has_capsule) return distance(CapsuleShape{s.from, s.to, s.radius}, p);
  return distance(RingShape{s.center, s.axis.normalized(), s.radius, s.minor_radius}, p);
}

Eigen::AlignedBox3d part_bounds(const ShapeUnion::Part& s) {
  if (s.has_box) return {s.center - 0.5 * s.size, s.center + 0.5 * s.size};
  const double reach = s.has_torus ? s.radius + s.minor_radius : s.radius;
  Eigen::AlignedBox3d box(s.has_capsule ? s.from : s.center);
  if (s.has_capsule) box.extend(s.to);
  return {box.min() - Vec3::Constant(reach), box.max() + Vec3::Constant(reach)};
}

}  // namespace

void ShapeUnion::Part::visit(ParamVisitor& v) {
  using Body = ParamVisitor::Body;
  const auto centre = [this](ParamVisitor& w) {
    w.vec3("center", center, {.doc = "centre", .unit = "m", .required = true});
  };
  const auto ball_radius = [this](ParamVisitor& w) {
    w.real("radius", radius, {.doc = "radius", .unit = "m", .min = 0, .open = true, .required = true});
  };
  const auto sphere = [&](ParamVisitor& w) {
    centre(w);
    ball_radius(w);
  };
  const auto box = [&](ParamVisitor& w) {
    centre(w);
    w.vec3("size", size, {.doc = "edge lengths", .unit = "m", .min = 0, .open = true, .required = true});
  };
  const auto capsule = [&](ParamVisitor& w) {
    w.vec3("from", from, {.doc = "one end of its axis", .unit = "m", .required = true});
    w.vec3("to", to, {.doc = "the other end", .unit = "m", .required = true});
    ball_radius(w);
  };
  const auto torus = [&](ParamVisitor& w) {
    centre(w);
    w.vec3("axis", axis, {.doc = "direction of its axis, of any length"});
    w.real("major_radius", radius,
           {.doc = "radius of the circle that it runs along",
            .unit = "m",
            .min = 0,
            .open = true,
            .required = true});
    w.real("minor_radius", minor_radius,
           {.doc = "radius of the ring itself", .unit = "m", .min = 0, .open = true, .required = true});
    w.check(axis.norm() > 0, "axis must not be zero");
  };
  v.optional_section("sphere", has_sphere, Body(sphere), {.doc = "a ball"});
  v.optional_section("box", has_box, Body(box), {.doc = "a box along the axes"});
  v.optional_section("capsule", has_capsule, Body(capsule), {.doc = "a bar with round ends"});
  v.optional_section("torus", has_torus, Body(torus), {.doc = "a ring"});
  v.check(shapes() == 1, "a part must be one of sphere, box, capsule and torus");
}

std::vector<ShapeUnion::Part> ShapeUnion::default_parts() {
  std::vector<Part> parts(3);
  parts[0].has_sphere = parts[1].has_sphere = parts[2].has_capsule = true;
  parts[0].center = parts[2].from = Vec3(-0.2, 0, 0);
  parts[1].center = parts[2].to = Vec3(0.2, 0, 0);
  parts[2].radius = 0.05;
  return parts;
}

void ShapeUnion::Options::visit(ParamVisitor& v) {
  v.list("parts", parts, {.doc = "the shapes, in any number"});
  v.real(
      "smoothing", smoothing,
      {.doc = "how far apart two surfaces still flow together (polynomial smooth minimum, part after part); "
              "0: none",
       .unit = "m",
       .min = 0});
  v.real("cell", cell, {.doc = "edge of a cell", .unit = "m", .min = 0, .open = true});
  v.flag("one_piece", one_piece, {.doc = "refuse a union that falls into several pieces"});
  visit_element(v, element);
  v.check(!parts.empty(), "parts must not be empty");
}

ShapeUnion::ShapeUnion(const Options& options, const BuildContext& context) : options_(options) {
  if (options.parts.empty()) throw context.input_error("parts", "expected one shape at least");
  for (std::size_t i = 0; i < options.parts.size(); ++i) {
    const Part& part = options.parts[i];
    if (part.shapes() != 1 || (part.has_torus && !(part.axis.norm() > 0)))
      throw context.input_error(fmt::format("parts[{}]", i),
                                "expected one of sphere, box, capsule and torus");
  }
}

Mesh ShapeUnion::generate() const {
  Eigen::AlignedBox3d bounds;
  for (const Part& part : options_.parts) bounds.extend(part_bounds(part));
  // Each smooth minimum adds a quarter of the width at most, all of them together no more than 5 quarters:
  // past one width below the others, nothing is added any more.
  const double growth =
      0.25 * options_.smoothing * static_cast<double>(std::min<std::size_t>(options_.parts.size() - 1, 5));
  const Vec3 lower = ((bounds.min().array() - growth) / options_.cell).floor() * options_.cell;
  std::vector<char> seen(options_.parts.size(), 0);
  Mesh mesh = make_voxels(
      lower, bounds.max() + Vec3::Constant(growth), options_.cell,
      [&](const Vec3& p) {
        double d = std::numeric_limits<double>::max();
        for (std::size_t i = 0; i < seen.size(); ++i) {
          const double part = part_distance(options_.parts[i], p);
          if (part <= 0) seen[i] = 1;
          d = smooth_min(d, part, options_.smoothing);
        }
        return d;
      },
      element_type(options_.element));
  const auto lost = std::find(seen.begin(), seen.end(), 0);
  if (lost != seen.end())
    throw Error(Errc::Input,
                fmt::format("no cell of edge {} m has its centre inside parts[{}]; expected smaller cells",
                            options_.cell, lost - seen.begin()));
  if (options_.one_piece) require_one_piece(mesh, options_.cell, "the union, or its parts do not touch");
  return mesh;
}

}  // namespace resilin::meshes
