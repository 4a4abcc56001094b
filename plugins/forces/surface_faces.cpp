#include "plugins/forces/surface_faces.hpp"

#include <fmt/format.h>

#include <map>
#include <utility>

namespace resilin {
namespace {

/// Throws Error(Input) unless the triangles have the same side outside where they meet: neighbours run
/// through their common edge in opposite directions.
void require_one_side(const BodyView& body, const std::vector<Index>& faces, const BuildContext& context) {
  std::map<std::pair<int, int>, Index> seen;
  for (const Index f : faces)
    for (Index c = 0; c < 3; ++c) {
      const std::pair edge(body.mesh->elements(c, f), body.mesh->elements((c + 1) % 3, f));
      const auto [other, is_new] = seen.emplace(edge, f);
      if (!is_new)
        throw context.input_error("faces",
                                  fmt::format("triangles {} and {} of body {} have opposite sides outside: "
                                              "orient its surface, or select faces of one side",
                                              other->second, f, body.name));
    }
}

}  // namespace

Mesh::Elements select_faces(const BodyView& body, const Selector& faces, bool one_sided,
                            const BuildContext& context) {
  const SurfaceFaces surface = extract_surface(*body.mesh);
  std::vector<char> selected(static_cast<std::size_t>(body.mesh->num_vertices()), 0);
  for (const Index i : select_vertices(*body.mesh, faces)) selected[static_cast<std::size_t>(i)] = 1;
  std::vector<Index> kept;
  for (Index f = 0; f < surface.faces.cols(); ++f) {
    bool all = true;
    for (const int i : surface.faces.col(f)) all = all && selected[static_cast<std::size_t>(i)];
    if (all) kept.push_back(f);
  }
  if (kept.empty())
    throw context.input_error("faces", "the selection holds all vertices of no face of body " + body.name);
  if (one_sided && body.mesh->type == ElementType::Tri3) require_one_side(body, kept, context);
  return surface.faces(Eigen::all, kept).array() + static_cast<int>(body.first_node);
}

Vec3 face_area(const Mesh::Elements& faces, Index face, const ConstVec& x) {
  const auto p = [&](Index corner) -> Vec3 { return x.segment<3>(3 * Index{faces(corner, face)}); };
  return faces.rows() == 3 ? 0.5 * (p(1) - p(0)).cross(p(2) - p(0)) : 0.5 * (p(2) - p(0)).cross(p(3) - p(1));
}

void add_face_area_vjp(const Mesh::Elements& faces, Index face, const ConstVec& x, const Vec3& d_area,
                       MutVec dx) {
  const auto p = [&](Index corner) -> Vec3 { return x.segment<3>(3 * Index{faces(corner, face)}); };
  const auto at = [&](Index corner) { return dx.segment<3>(3 * Index{faces(corner, face)}); };
  const bool is_quad = faces.rows() == 4;
  const Vec3 b = is_quad ? p(2) - p(0) : p(1) - p(0), c = is_quad ? p(3) - p(1) : p(2) - p(0);
  const Vec3 db = 0.5 * c.cross(d_area), dc = 0.5 * d_area.cross(b);  // of a = (b x c)/2
  at(0) -= db;
  at(is_quad ? 1 : 0) -= dc;
  at(is_quad ? 2 : 1) += db;
  at(is_quad ? 3 : 2) += dc;
}

}  // namespace resilin
