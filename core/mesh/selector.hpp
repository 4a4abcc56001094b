// Selections of vertices and elements by where they are.
#pragma once

#include "core/mesh/mesh.hpp"
#include "core/params/visitor.hpp"

#include <string>
#include <vector>

namespace resilin {

struct RESILIN_API SelectorBox {
  Vec3 min = Vec3::Zero(), max = Vec3::Zero();
  void visit(ParamVisitor& v);
};

/// A vertex (or an element, by its centroid) is selected if ALL criteria that are given hold; a selector
/// without criteria selects everything. In YAML: {box: {min: [..], max: [..]}}, {boxes: [{min, max}, ..]} (in
/// one of them at least), {plane: {point, normal}} (the side that the normal points to, the plane included),
/// {sphere: {center, radius}}, {sector: {point, axis, start, from, to}} (the angle about the axis,
/// right-handed from the direction `start`, lies in [from, to), an angle within 1e-9 of an end being taken
/// for it: sectors that follow each other share nothing), {indices: [..]}, {corners: true} (vertices of
/// exactly one element; elements with such a vertex), {surface: true} (vertices of boundary faces; elements
/// with a boundary face; all of a surface), {boundary: true} (see MeshBoundary: also the open edges of a
/// surface and the ends of a curve). Ends are inclusive, widened by 1e-9 of the mesh's extent. Coordinates
/// are those of the rest mesh [m].
struct RESILIN_API Selector {
  bool has_box = false;
  Vec3 box_min = Vec3::Zero();
  Vec3 box_max = Vec3::Zero();
  std::vector<SelectorBox> boxes;
  bool has_plane = false;
  Vec3 plane_point = Vec3::Zero();
  Vec3 plane_normal = Vec3::UnitZ();
  bool has_sphere = false;
  Vec3 sphere_center = Vec3::Zero();
  double sphere_radius = 0;
  bool has_sector = false;
  Vec3 sector_point = Vec3::Zero();
  Vec3 sector_axis = Vec3::UnitZ();
  Vec3 sector_start = Vec3::UnitX();
  double sector_from = 0, sector_to = 0;
  std::vector<Index> indices;
  bool corners = false;
  bool surface = false, boundary = false;

  bool has_criteria() const {
    return has_box || !boxes.empty() || has_plane || has_sphere || has_sector || !indices.empty() ||
           corners || surface || boundary;
  }
  void visit(ParamVisitor& v);
};

/// Selected vertices in increasing order. Throws Error(Input) for an index out of range; an empty result is
/// returned as such (whoever asked says where the selector stands).
RESILIN_API std::vector<Index> select_vertices(const Mesh& mesh, const Selector& selector);
RESILIN_API std::vector<Index> select_elements(const Mesh& mesh, const Selector& selector);

}  // namespace resilin
