#include "core/mesh/mesh.hpp"

#include "core/base/error.hpp"
#include "core/mesh/adjacency.hpp"
#include "core/mesh/hex_jacobian.hpp"

#include <Eigen/LU>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace resilin {
namespace {

constexpr std::array<std::array<int, 3>, 4> kTetFaces{{{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}}};
constexpr std::array<std::array<int, 4>, 6> kHexFaces{
    {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}}};

Index faces_per_element(ElementType type) {
  return type == ElementType::Tet4 ? 4 : 6;
}
Index nodes_per_face(ElementType type) {
  return type == ElementType::Hex8 ? 4 : 3;
}

/// Node `corner` of local face `face` of an element.
int face_node(const Mesh& mesh, Index element, Index face, Index corner) {
  const auto f = static_cast<std::size_t>(face);
  const auto c = static_cast<std::size_t>(corner);
  const int local = mesh.type == ElementType::Tet4 ? kTetFaces[f][c] : kHexFaces[f][c];
  return mesh.elements(local, element);
}

struct FaceKey {
  std::array<int, 4> nodes;  ///< sorted, so that the two sides of a face have equal keys
  Index id;                  ///< element * faces per element + local face
};

/// All faces of all elements, equal ones next to each other.
std::vector<FaceKey> sorted_faces(const Mesh& mesh) {
  const Index per = faces_per_element(mesh.type), corners = nodes_per_face(mesh.type);
  std::vector<FaceKey> keys(static_cast<std::size_t>(mesh.num_elements() * per));
  for (Index id = 0; id < mesh.num_elements() * per; ++id) {
    FaceKey& key = keys[static_cast<std::size_t>(id)];
    key.nodes.fill(-1);
    for (Index c = 0; c < corners; ++c)
      key.nodes[static_cast<std::size_t>(c)] = face_node(mesh, id / per, id % per, c);
    std::sort(key.nodes.begin(), key.nodes.end());
    key.id = id;
  }
  std::sort(keys.begin(), keys.end(), [](const FaceKey& a, const FaceKey& b) {
    return a.nodes != b.nodes ? a.nodes < b.nodes : a.id < b.id;
  });
  return keys;
}

/// Calls visit(first, last) for each run of equal faces.
template <class Visit>
void for_each_face(const std::vector<FaceKey>& keys, Visit visit) {
  for (std::size_t begin = 0; begin < keys.size();) {
    std::size_t end = begin + 1;
    while (end < keys.size() && keys[end].nodes == keys[begin].nodes) ++end;
    visit(begin, end);
    begin = end;
  }
}

double measure(const Mesh& mesh, Index e) {
  const auto x = [&](Index i) -> Vec3 { return mesh.vertices.col(mesh.elements(i, e)); };
  switch (mesh.type) {
    case ElementType::Segment2:
      return (x(1) - x(0)).norm();
    case ElementType::Tri3:
      return 0.5 * (x(1) - x(0)).cross(x(2) - x(0)).norm();
    case ElementType::Tet4:
      return (x(1) - x(0)).cross(x(2) - x(0)).dot(x(3) - x(0)) / 6.0;
    case ElementType::Hex8:
      break;
  }
  double volume = 0;
  for (const Mat3& jacobian : mesh_detail::hex_jacobians(mesh, e)) volume += jacobian.determinant() / 8.0;
  return volume;
}

}  // namespace

std::array<Mat3, 8> mesh_detail::hex_jacobians(const Mesh& mesh, Index element) {
  // Reference corners in the order of VTK.
  constexpr std::array<std::array<int, 3>, 8> corner{
      {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}}};
  const double shift = 0.5 / std::sqrt(3.0);
  std::array<Mat3, 8> jacobians;
  for (std::size_t g = 0; g < 8; ++g) {
    Mat3 sum = Mat3::Zero();
    for (std::size_t n = 0; n < 8; ++n) {
      std::array<double, 3> value{}, slope{};
      for (std::size_t a = 0; a < 3; ++a) {
        const double t = corner[g][a] == 1 ? 0.5 + shift : 0.5 - shift;
        value[a] = corner[n][a] == 1 ? t : 1 - t;
        slope[a] = corner[n][a] == 1 ? 1 : -1;
      }
      const Vec3 gradient(slope[0] * value[1] * value[2], value[0] * slope[1] * value[2],
                          value[0] * value[1] * slope[2]);
      sum += mesh.vertices.col(mesh.elements(static_cast<Index>(n), element)) * gradient.transpose();
    }
    jacobians[g] = sum;
  }
  return jacobians;
}

Index nodes_per_element(ElementType type) {
  switch (type) {
    case ElementType::Segment2:
      return 2;
    case ElementType::Tri3:
      return 3;
    case ElementType::Tet4:
      return 4;
    case ElementType::Hex8:
      return 8;
  }
  throw Error(Errc::Internal, "unknown element type");
}

const char* name_of(ElementType type) {
  switch (type) {
    case ElementType::Segment2:
      return "segment2";
    case ElementType::Tri3:
      return "tri3";
    case ElementType::Tet4:
      return "tet4";
    case ElementType::Hex8:
      return "hex8";
  }
  throw Error(Errc::Internal, "unknown element type");
}

VecX element_measures(const Mesh& mesh) {
  VecX measures(mesh.num_elements());
  for (Index e = 0; e < mesh.num_elements(); ++e) measures[e] = measure(mesh, e);
  return measures;
}

SurfaceFaces extract_surface(const Mesh& mesh) {
  SurfaceFaces surface;
  if (mesh.type == ElementType::Tri3) {
    surface.faces = mesh.elements;
    surface.element.resize(static_cast<std::size_t>(mesh.num_elements()));
    std::iota(surface.element.begin(), surface.element.end(), Index{0});
    return surface;
  }
  if (!is_volume(mesh.type))
    throw Error(Errc::Input,
                fmt::format("a {} mesh has no surface; expected tri3, tet4 or hex8", name_of(mesh.type)));
  const std::vector<FaceKey> keys = sorted_faces(mesh);
  const Index per = faces_per_element(mesh.type);
  std::vector<Index> open;
  for_each_face(keys, [&](std::size_t begin, std::size_t end) {
    if (end - begin > 2)
      throw Error(Errc::Input,
                  fmt::format("elements {}, {} and {} share one face; expected at most two",
                              keys[begin].id / per, keys[begin + 1].id / per, keys[begin + 2].id / per));
    if (end - begin == 1) open.push_back(keys[begin].id);
  });
  std::sort(open.begin(), open.end());
  surface.nodes_per_face = nodes_per_face(mesh.type);
  surface.faces.resize(surface.nodes_per_face, static_cast<Index>(open.size()));
  for (Index f = 0; f < surface.faces.cols(); ++f) {
    const Index id = open[static_cast<std::size_t>(f)];
    for (Index c = 0; c < surface.nodes_per_face; ++c)
      surface.faces(c, f) = face_node(mesh, id / per, id % per, c);
    surface.element.push_back(id / per);
  }
  return surface;
}

namespace {

/// Sides of a surface's triangles (edges) or of a curve's segments (ends) that belong to one element only.
struct OpenSide {
  std::array<int, 2> nodes;  ///< sorted; both the same for an end
  Index element;
};
std::vector<OpenSide> open_sides(const Mesh& mesh) {
  const bool curve = mesh.type == ElementType::Segment2;
  std::vector<OpenSide> sides;
  for (Index e = 0; e < mesh.num_elements(); ++e)
    for (Index c = 0; c < mesh.elements.rows(); ++c) {
      const int a = mesh.elements(c, e), b = curve ? a : mesh.elements((c + 1) % 3, e);
      sides.push_back({{std::min(a, b), std::max(a, b)}, e});
    }
  std::stable_sort(sides.begin(), sides.end(),
                   [](const OpenSide& a, const OpenSide& b) { return a.nodes < b.nodes; });
  std::vector<OpenSide> open;
  for (std::size_t i = 0; i < sides.size(); ++i) {
    const auto same = [&](std::size_t j) { return j < sides.size() && sides[j].nodes == sides[i].nodes; };
    if (!same(i + 1) && !(i > 0 && same(i - 1))) open.push_back(sides[i]);
  }
  return open;
}

void sort_unique(std::vector<Index>& list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

}  // namespace

MeshBoundary find_boundary(const Mesh& mesh) {
  MeshBoundary boundary;
  if (is_volume(mesh.type)) {
    const SurfaceFaces surface = extract_surface(mesh);
    for (const int node : surface.faces.reshaped()) boundary.vertices.push_back(node);
    boundary.elements = surface.element;
  } else {
    for (const OpenSide& side : open_sides(mesh)) {
      boundary.vertices.insert(boundary.vertices.end(), side.nodes.begin(), side.nodes.end());
      boundary.elements.push_back(side.element);
    }
  }
  sort_unique(boundary.vertices);
  sort_unique(boundary.elements);
  return boundary;
}

std::vector<SharedFace> shared_faces(const Mesh& mesh) {
  if (!is_volume(mesh.type))
    throw Error(Errc::Input,
                fmt::format("shared faces need a tet4 or hex8 mesh, not {}", name_of(mesh.type)));
  const std::vector<FaceKey> keys = sorted_faces(mesh);
  const Index per = faces_per_element(mesh.type);
  const bool quad = nodes_per_face(mesh.type) == 4;
  std::vector<SharedFace> shared;
  for_each_face(keys, [&](std::size_t begin, std::size_t end) {
    if (end - begin != 2) return;
    const Index id = keys[begin].id, a = id / per, b = keys[begin + 1].id / per;
    const auto x = [&](Index c) -> Vec3 { return mesh.vertices.col(face_node(mesh, a, id % per, c)); };
    const Vec3 area = quad ? (x(2) - x(0)).cross(x(3) - x(1)) : (x(1) - x(0)).cross(x(2) - x(0));
    shared.push_back({std::min(a, b), std::max(a, b), 0.5 * area.norm()});
  });
  std::sort(shared.begin(), shared.end(), [](const SharedFace& a, const SharedFace& b) {
    return std::pair(a.first, a.second) < std::pair(b.first, b.second);
  });
  return shared;
}

std::vector<Index> face_components(const Mesh& mesh) {
  if (!is_volume(mesh.type))
    throw Error(Errc::Input,
                fmt::format("face_components needs a tet4 or hex8 mesh, not {}", name_of(mesh.type)));
  const auto count = static_cast<std::size_t>(mesh.num_elements());
  std::vector<Index> parent(count);
  std::iota(parent.begin(), parent.end(), Index{0});
  const auto root = [&](Index e) {
    while (parent[static_cast<std::size_t>(e)] != e) {
      Index& up = parent[static_cast<std::size_t>(e)];
      up = parent[static_cast<std::size_t>(up)];
      e = up;
    }
    return e;
  };
  const std::vector<FaceKey> keys = sorted_faces(mesh);
  const Index per = faces_per_element(mesh.type);
  for_each_face(keys, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin + 1; i < end; ++i) {
      const Index a = root(keys[begin].id / per), b = root(keys[i].id / per);
      parent[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
    }
  });
  // The root is the smallest element of its component, so numbers come out in the order of first elements.
  std::vector<Index> component(count);
  Index next = 0;
  for (std::size_t e = 0; e < count; ++e) {
    const Index r = root(static_cast<Index>(e));
    component[e] = r == static_cast<Index>(e) ? next++ : component[static_cast<std::size_t>(r)];
  }
  return component;
}

}  // namespace resilin
