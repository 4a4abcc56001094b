// The surface of the height field. A plugin cannot be linked to, so the source is compiled into this file.
#include "plugins/colliders/grid_surface.cpp"

#include "tests/support/colliders.hpp"

#include <fmt/format.h>

namespace resilin::test {
namespace {

using colliders::GridPoint;
using colliders::GridShape;

const GridShape kShape{9, 8, 0.25};

/// Rough: neighbours differ by a cell or more.
VecX rough() {
  return 0.2 * random_vector(kShape.columns * kShape.rows, 21);
}

TEST(GridSurface, DerivativesAreThoseOfItsHeightWithinCellsAndBeyondTheGrid) {
  const VecX heights = rough();
  // None of these is within a step of a grid line.
  for (const double x : {-1.4, -0.91, -0.13, 0.31, 0.88, 1.37})
    for (const double y : {-1.2, -0.8, 0.04, 0.79, 1.1}) {
      const GridPoint p = evaluate(kShape, heights, x, y);
      const auto at = [&](double dx, double dy) { return evaluate(kShape, heights, x + dx, y + dy); };
      EXPECT_LT(difference_gap([&](double s) { return at(s, 0).z; }, p.zx, 5e-3, 1), 1e-10);
      EXPECT_LT(difference_gap([&](double s) { return at(0, s).z; }, p.zy, 5e-3, 1), 1e-10);
      EXPECT_LT(difference_gap([&](double s) { return at(s, 0).zx; }, p.zxx, 5e-3, 1), 1e-10);
      EXPECT_LT(difference_gap([&](double s) { return at(0, s).zx; }, p.zxy, 5e-3, 1), 1e-10);
      EXPECT_LT(difference_gap([&](double s) { return at(0, s).zy; }, p.zyy, 5e-3, 1), 1e-10);
    }
}

TEST(GridSurface, ReproducesAPlaneAndInsideTheGridAQuadratic) {
  VecX plane(kShape.columns * kShape.rows), parabola = plane;
  for (Index i = 0; i < plane.size(); ++i) {
    const double x = 0.25 * (static_cast<double>(i % 9) - 4), y = 0.25 * (static_cast<double>(i / 9) - 3.5);
    plane[i] = 0.3 * x - 0.7 * y + 2;
    parabola[i] = 0.5 * x * x - 0.4 * x * y + y * y;
  }
  for (const double x : {-2.0, -0.6, 0.1, 0.7, 3.0})
    for (const double y : {-1.5, -0.55, 0.2, 0.6, 1.7}) {
      EXPECT_NEAR(evaluate(kShape, plane, x, y).z, 0.3 * x - 0.7 * y + 2, 1e-14);
      // The outermost cells continue in a straight line.
      if (std::abs(x) < 0.75 && std::abs(y) < 0.625) {
        EXPECT_NEAR(evaluate(kShape, parabola, x, y).z, 0.5 * x * x - 0.4 * x * y + y * y, 1e-14);
      }
    }
}

TEST(HeightFieldCollider, OfRoughGroundIsNoFartherThanAnySample) {
  std::string list;
  const VecX heights = rough();
  for (const double h : heights) list += fmt::format("{}{:.17g}", list.empty() ? "" : ", ", h);
  const auto c = collider("height_field", "columns: 9\nrows: 8\nspacing: 0.25\nheights: [" + list + "]\n");
  for (unsigned k = 0; k < 300; ++k) {
    const Vec3 p = Vec3(0.35, 0.3, 0.5).cwiseProduct(random_vector(3, 40 + k));
    const SurfacePoint s = c->at(0, p);
    double least = std::numeric_limits<double>::infinity();
    for (double x = -1; x <= 1; x += 0.01)
      for (double y = -0.875; y <= 0.875; y += 0.01)
        least = std::min(least, (p - Vec3(x, y, evaluate(kShape, heights, x, y).z)).norm());
    EXPECT_LE(std::abs(s.distance), least + 1e-12) << p.transpose();
    EXPECT_EQ(s.distance > 0, p.z() > evaluate(kShape, heights, p.x(), p.y()).z);
    // ... and no nearer than it is: the foot is on the surface.
    const Vec3 foot = p - s.distance * s.normal;
    EXPECT_NEAR(foot.z(), evaluate(kShape, heights, foot.x(), foot.y()).z, 1e-12);
  }
}

}  // namespace
}  // namespace resilin::test
