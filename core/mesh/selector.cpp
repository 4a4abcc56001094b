#include "core/mesh/selector.hpp"

#include "core/base/error.hpp"

#include <Eigen/Geometry>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace resilin {
namespace {

constexpr double kWidening = 1e-9;  ///< of the mesh's extent

double tolerance_of(const Mesh& mesh) {
  if (mesh.num_vertices() == 0) return 0;
  return kWidening * (mesh.vertices.rowwise().maxCoeff() - mesh.vertices.rowwise().minCoeff()).maxCoeff();
}

/// The criteria that look at a point only.
class PointTest {
 public:
  PointTest(const Selector& s, double tolerance) : s_(s), tolerance_(tolerance) {
    if (s.has_plane) {
      const double length = s.plane_normal.norm();
      if (!(length > 0))
        throw Error(Errc::Input, "the plane of a selector has normal [0, 0, 0]; expected a direction");
      normal_ = s.plane_normal / length;
    }
    if (s.has_sector) {
      axis_ = s.sector_axis.normalized();
      start_ = (s.sector_start - s.sector_start.dot(axis_) * axis_).normalized();
      if (!axis_.allFinite() || !(start_.norm() > 0.5))
        throw Error(Errc::Input,
                    "the sector of a selector needs an axis and a start that is not parallel to it");
    }
  }
  bool operator()(const Vec3& p) const {
    if (s_.has_box && !in_box(p, s_.box_min, s_.box_max)) return false;
    if (!s_.boxes.empty() && std::none_of(s_.boxes.begin(), s_.boxes.end(),
                                          [&](const SelectorBox& b) { return in_box(p, b.min, b.max); }))
      return false;
    if (s_.has_plane && (p - s_.plane_point).dot(normal_) < -tolerance_) return false;
    if (s_.has_sector && !in_sector(p - s_.sector_point)) return false;
    return !s_.has_sphere || (p - s_.sphere_center).norm() <= s_.sphere_radius + tolerance_;
  }

 private:
  bool in_box(const Vec3& p, const Vec3& min, const Vec3& max) const {
    return ((p - min).array() >= -tolerance_).all() && ((p - max).array() <= tolerance_).all();
  }
  bool in_sector(const Vec3& r) const {
    constexpr double kTurn = 2 * std::numbers::pi, kRounding = 1e-9;
    double angle = std::atan2(r.dot(axis_.cross(start_)), r.dot(start_)) + kRounding;
    while (angle < s_.sector_from) angle += kTurn;
    while (angle - kTurn >= s_.sector_from) angle -= kTurn;
    return angle < s_.sector_to;
  }

  const Selector& s_;
  double tolerance_;
  Vec3 normal_ = Vec3::UnitZ(), axis_ = Vec3::UnitZ(), start_ = Vec3::UnitX();
};

/// 1 for the items that `indices` allows (all, if none are given).
std::vector<char> allowed(const std::vector<Index>& indices, Index count, const char* what) {
  if (indices.empty()) return std::vector<char>(static_cast<std::size_t>(count), 1);
  std::vector<char> keep(static_cast<std::size_t>(count), 0);
  for (const Index i : indices) {
    if (i < 0 || i >= count)
      throw Error(Errc::Input, fmt::format("index {} is out of range; the mesh has {} {}", i, count, what));
    keep[static_cast<std::size_t>(i)] = 1;
  }
  return keep;
}

std::vector<Index> kept(const std::vector<char>& keep) {
  std::vector<Index> list;
  for (std::size_t i = 0; i < keep.size(); ++i)
    if (keep[i] != 0) list.push_back(static_cast<Index>(i));
  return list;
}

std::vector<char> marked(const std::vector<Index>& list, std::size_t count) {
  std::vector<char> marks(count, 0);
  for (const Index i : list) marks[static_cast<std::size_t>(i)] = 1;
  return marks;
}

/// 1 for vertices that belong to exactly one element.
std::vector<char> corner_marks(const Mesh& mesh) {
  std::vector<int> uses(static_cast<std::size_t>(mesh.num_vertices()), 0);
  for (const int node : mesh.elements.reshaped()) ++uses[static_cast<std::size_t>(node)];
  std::vector<char> marks;
  for (const int count : uses) marks.push_back(count == 1 ? 1 : 0);
  return marks;
}

void intersect(std::vector<char>& keep, const std::vector<char>& other) {
  for (std::size_t i = 0; i < keep.size(); ++i) keep[i] = keep[i] != 0 && other[i] != 0 ? 1 : 0;
}

}  // namespace

namespace {

void visit_box(ParamVisitor& v, Vec3& min, Vec3& max) {
  v.vec3("min", min, {.doc = "lower corner", .unit = "m", .required = true});
  v.vec3("max", max, {.doc = "upper corner", .unit = "m", .required = true});
  v.check((min.array() <= max.array()).all(), "min must not be above max along any axis");
}

}  // namespace

void SelectorBox::visit(ParamVisitor& v) {
  visit_box(v, min, max);
}

void Selector::visit(ParamVisitor& v) {
  using Body = ParamVisitor::Body;
  const auto box = [this](ParamVisitor& w) { visit_box(w, box_min, box_max); };
  const auto plane = [this](ParamVisitor& w) {
    w.vec3("point", plane_point, {.doc = "a point of the plane", .unit = "m", .required = true});
    w.vec3("normal", plane_normal,
           {.doc = "direction that points to the selected side, of any length", .required = true});
    w.check(plane_normal.norm() > 0, "normal must not be zero");
  };
  const auto sphere = [this](ParamVisitor& w) {
    w.vec3("center", sphere_center, {.doc = "centre", .unit = "m", .required = true});
    w.real("radius", sphere_radius, {.doc = "radius", .unit = "m", .min = 0, .required = true});
  };
  v.optional_section("box", has_box, Body(box), {.doc = "inside of an axis-aligned box, its faces included"});
  v.list("boxes", boxes, {.doc = "inside of one of these boxes at least"});
  v.optional_section("plane", has_plane, Body(plane), {.doc = "one side of a plane, the plane included"});
  const auto sector = [this](ParamVisitor& w) {
    w.vec3("point", sector_point, {.doc = "a point of the axis", .unit = "m"});
    w.vec3("axis", sector_axis, {.doc = "direction of the axis, of any length"});
    w.vec3("start", sector_start, {.doc = "direction of angle zero; its part across the axis counts"});
    w.real("from", sector_from,
           {.doc = "angle of one side, right-handed about the axis",
            .unit = "rad",
            .min = -7,
            .max = 7,
            .required = true});
    w.real("to", sector_to,
           {.doc = "angle of the other side, itself excluded",
            .unit = "rad",
            .min = -7,
            .max = 14,
            .required = true});
    w.check(sector_axis.norm() > 0 && sector_axis.cross(sector_start).norm() > 0,
            "start must not be parallel to the axis");
    w.check(sector_from < sector_to, "from must be less than to");
  };
  v.optional_section("sphere", has_sphere, Body(sphere), {.doc = "inside of a sphere, its surface included"});
  v.optional_section("sector", has_sector, Body(sector),
                     {.doc = "wedge between two half-planes from an axis"});
  v.integers("indices", indices,
             {.doc = "only these vertices (or elements), counted from 0; empty: all", .min = 0});
  v.flag("corners", corners,
         {.doc = "only vertices that belong to exactly one element (or elements with such a vertex)"});
  v.flag("surface", surface, {.doc = "only vertices of boundary faces (or elements with a boundary face)"});
  v.flag("boundary", boundary,
         {.doc = "only where the mesh ends: boundary faces of a volume, open edges of a surface, ends of a "
                 "curve"});
}

std::vector<Index> select_vertices(const Mesh& mesh, const Selector& selector) {
  std::vector<char> keep = allowed(selector.indices, mesh.num_vertices(), "vertices");
  const PointTest inside(selector, tolerance_of(mesh));
  for (Index i = 0; i < mesh.num_vertices(); ++i)
    if (!inside(mesh.vertices.col(i))) keep[static_cast<std::size_t>(i)] = 0;
  if (selector.surface) {
    std::vector<char> on_surface(keep.size(), 0);
    const SurfaceFaces surface = extract_surface(mesh);  // reshaped() only refers to it
    for (const int node : surface.faces.reshaped()) on_surface[static_cast<std::size_t>(node)] = 1;
    intersect(keep, on_surface);
  }
  if (selector.corners) intersect(keep, corner_marks(mesh));
  if (selector.boundary) intersect(keep, marked(find_boundary(mesh).vertices, keep.size()));
  return kept(keep);
}

std::vector<Index> select_elements(const Mesh& mesh, const Selector& selector) {
  std::vector<char> keep = allowed(selector.indices, mesh.num_elements(), "elements");
  const PointTest inside(selector, tolerance_of(mesh));
  for (Index e = 0; e < mesh.num_elements(); ++e) {
    Vec3 sum = Vec3::Zero();
    for (const int node : mesh.elements.col(e)) sum += mesh.vertices.col(node);
    if (!inside(sum / static_cast<double>(mesh.elements.rows()))) keep[static_cast<std::size_t>(e)] = 0;
  }
  if (selector.surface) {
    std::vector<char> on_surface(keep.size(), 0);
    for (const Index e : extract_surface(mesh).element) on_surface[static_cast<std::size_t>(e)] = 1;
    intersect(keep, on_surface);
  }
  if (selector.corners) {
    const std::vector<char> corner = corner_marks(mesh);
    for (Index e = 0; e < mesh.num_elements(); ++e) {
      bool any = false;
      for (const int node : mesh.elements.col(e)) any = any || corner[static_cast<std::size_t>(node)] != 0;
      if (!any) keep[static_cast<std::size_t>(e)] = 0;
    }
  }
  if (selector.boundary) intersect(keep, marked(find_boundary(mesh).elements, keep.size()));
  return kept(keep);
}

}  // namespace resilin
