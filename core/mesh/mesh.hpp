// Meshes: one element type each, in rest position.
#pragma once

#include "core/base/types.hpp"

#include <string>
#include <utility>
#include <vector>

namespace resilin {

/// Node orders are those of VTK. Hex8: bottom ring 0 1 2 3 counter-clockwise seen from above, then the top
/// ring above it. Tet4: det[x1-x0, x2-x0, x3-x0] > 0. Tri3: counter-clockwise seen from outside.
enum class ElementType { Segment2, Tri3, Tet4, Hex8 };

RESILIN_API Index nodes_per_element(ElementType type);
RESILIN_API const char* name_of(ElementType type);  ///< "segment2", "tri3", "tet4", "hex8"
inline bool is_volume(ElementType type) {
  return type == ElementType::Tet4 || type == ElementType::Hex8;
}
/// 3 for volumes, 2 for surfaces, 1 for curves.
inline int dimension_of(ElementType type) {
  return is_volume(type) ? 3 : type == ElementType::Tri3 ? 2 : 1;
}

/// Vertices [m] and elements; plain data.
class RESILIN_API Mesh {
 public:
  using Elements = Eigen::Matrix<int, Eigen::Dynamic, Eigen::Dynamic>;

  ElementType type = ElementType::Tet4;
  Mat3X vertices;     ///< 3 x n [m]
  Elements elements;  ///< nodes_per_element x m, 0-based

  Index num_vertices() const { return vertices.cols(); }
  Index num_elements() const { return elements.cols(); }
};

/// Signed measure of each element: volume [m^3] (hex8: by 2x2x2 Gauss quadrature), area [m^2], length [m].
RESILIN_API VecX element_measures(const Mesh& mesh);

/// Boundary of a volume mesh as outward oriented faces: triangles of tets, quads (4 nodes) of hexes, in the
/// order of elements and then of local faces. A tri3 mesh is its own surface. Throws Error(Input) for
/// segments and where more than two elements share a face.
struct SurfaceFaces {
  Index nodes_per_face = 3;
  Mesh::Elements faces;        ///< nodes_per_face x f
  std::vector<Index> element;  ///< element of each face
};
RESILIN_API SurfaceFaces extract_surface(const Mesh& mesh);

/// Where a mesh ends: at the boundary faces of a volume, the edges of a surface that belong to one triangle,
/// the vertices of a curve that belong to one segment. All numbers in increasing order.
struct MeshBoundary {
  std::vector<Index> vertices;
  std::vector<Index> elements;  ///< that have such a face, edge or end
};
/// Throws Error(Input) as extract_surface() does for volumes.
RESILIN_API MeshBoundary find_boundary(const Mesh& mesh);

/// For each element of a volume mesh the number of its connected component, where elements are connected
/// through shared faces. Components are numbered from 0 in the order of their first elements.
RESILIN_API std::vector<Index> face_components(const Mesh& mesh);

}  // namespace resilin
