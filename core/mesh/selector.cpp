#include "core/mesh/selector.hpp"

#include "core/base/error.hpp"

#include <fmt/format.h>

#include <algorithm>

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
    if (!s.has_plane) return;
    const double length = s.plane_normal.norm();
    if (!(length > 0))
      throw Error(Errc::Input, "the plane of a selector has normal [0, 0, 0]; expected a direction");
    normal_ = s.plane_normal / length;
  }
  bool operator()(const Vec3& p) const {
    if (s_.has_box &&
        (((p - s_.box_min).array() < -tolerance_).any() || ((p - s_.box_max).array() > tolerance_).any()))
      return false;
    if (s_.has_plane && (p - s_.plane_point).dot(normal_) < -tolerance_) return false;
    return !s_.has_sphere || (p - s_.sphere_center).norm() <= s_.sphere_radius + tolerance_;
  }

 private:
  const Selector& s_;
  double tolerance_;
  Vec3 normal_ = Vec3::UnitZ();
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

void intersect(std::vector<char>& keep, const std::vector<char>& other) {
  for (std::size_t i = 0; i < keep.size(); ++i) keep[i] = keep[i] != 0 && other[i] != 0 ? 1 : 0;
}

}  // namespace

void Selector::visit(ParamVisitor& v) {
  using Body = ParamVisitor::Body;
  const auto box = [this](ParamVisitor& w) {
    w.vec3("min", box_min, {.doc = "lower corner", .unit = "m", .required = true});
    w.vec3("max", box_max, {.doc = "upper corner", .unit = "m", .required = true});
    w.check((box_min.array() <= box_max.array()).all(), "min must not be above max along any axis");
  };
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
  v.optional_section("plane", has_plane, Body(plane), {.doc = "one side of a plane, the plane included"});
  v.optional_section("sphere", has_sphere, Body(sphere), {.doc = "inside of a sphere, its surface included"});
  v.integers("indices", indices,
             {.doc = "only these vertices (or elements), counted from 0; empty: all", .min = 0});
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
  if (selector.boundary) intersect(keep, marked(find_boundary(mesh).elements, keep.size()));
  return kept(keep);
}

}  // namespace resilin
