#include "plugins/colliders/triangle_mesh.hpp"

#include "core/mesh/io.hpp"

#include <fmt/format.h>

namespace resilin {

void TriangleMeshOptions::visit(ParamVisitor& v) {
  pose.visit(v, keys());
  v.path("file", file,
         {.doc = "a closed triangle surface, counter-clockwise seen from outside", .required = true});
  v.real("scale", scale,
         {.doc = "factor on the coordinates of the file", .min = 0, .open = true, .differentiable = true});
}

TriangleMesh::TriangleMesh(const Options& options, const BuildContext& context) : ShapeCollider(options) {
  try {
    surface_ = TriangleSurface(read_mesh(options.file));
  } catch (const Error& e) {
    if (e.code() != Errc::Input || !e.where().empty()) throw;
    throw context.input_error("file", fmt::format("{}: {}", options.file, e.message()));
  }
  place(context);
}

LocalPoint TriangleMesh::local(const Vec3& y) const {
  LocalPoint at = surface_.at(y / options_.scale);
  at.distance *= options_.scale;
  at.hessian /= options_.scale;
  return at;
}

Box3 TriangleMesh::local_bounds() const {
  const Box3 box = surface_.set().bounds();
  return {options_.scale * box.min(), options_.scale * box.max()};
}

// From d = s D(y / s): dd/ds = (d - n . y) / s, dn/ds = - H y / s.
void TriangleMesh::add_size_vjp(const Vec3& y, const LocalPoint& at, double zd, const Vec3& zn,
                                MutVec dsizes) const {
  dsizes[0] += (zd * (at.distance - at.normal.dot(y)) - zn.dot(at.hessian * y)) / options_.scale;
}

}  // namespace resilin
