// The ground below a surface z = f(x, y) through heights on a grid (grid_surface.hpp), in all of space. The
// closest point is found by minimising |y - s(u, v)|^2 with Newton's method to rounding, from straight below
// and from every square of a triangulation (four a cell) that may hold it: those that are no farther than the
// nearest one and twice the largest gap between triangulation and surface. So the distance is exact as long
// as the closest point lies above the grid; beyond the grid only what can be reached downhill from its border
// or from straight below is found. The derivatives follow from the implicit function theorem. The normal
// jumps where two points are equally near (above valleys, from their radius of curvature on); the Hessian
// jumps where the closest point goes from cell to cell. Features: the cell, counted with a ring of cells
// around the grid, x fastest.
#pragma once

#include "core/geometry/rigid_collider.hpp"
#include "core/geometry/triangle_surface.hpp"
#include "plugins/colliders/grid_surface.hpp"

#include <string>

namespace resilin {

struct HeightFieldOptions {
  ColliderPose pose;
  Index columns = 2, rows = 2;
  double spacing = 1, scale = 1;
  Field heights{0.0};
  std::string file, formula;
  static PoseKeys keys() { return {.inside = false}; }
  void visit(ParamVisitor& v);
};

class HeightField final : public ShapeCollider<HeightFieldOptions> {
 public:
  using Options = HeightFieldOptions;
  HeightField(const Options& options, const BuildContext& context);

 private:
  using Place = Eigen::Vector2d;  ///< (u, v) [m]
  /// A place with the surface there and the squared distance to y, halved.
  struct Foot {
    Place at;
    colliders::GridPoint surface;
    double value = 0;
    Place gradient;
    Eigen::Matrix2d hessian;
  };

  LocalPoint local(const Vec3& y) const override;
  Box3 local_bounds() const override { return unbounded_box(); }
  Index num_sizes() const override { return 1 + options_.heights.size(); }
  void add_size_vjp(const Vec3& y, const LocalPoint& at, double zd, const Vec3& zn,
                    MutVec dsizes) const override;
  void sizes_changed() override;

  void take_file(const BuildContext& context);
  void take_formula(const BuildContext& context);
  Foot foot_at(const Vec3& y, const Place& at) const;
  Foot descend(const Vec3& y, const Place& start) const;
  Foot closest(const Vec3& y) const;
  void triangulate();
  double largest_gap() const;

  colliders::GridShape shape_;
  VecX heights_;  ///< scaled [m], one for each node of the grid
  TriangleSet triangles_;
  double gap_ = 0;  ///< bound of |surface - triangulation| [m]
};

}  // namespace resilin
