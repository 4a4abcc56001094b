// The shapes of the colliders in closed form, and what they refuse.
#include "core/geometry/triangle_surface.hpp"
#include "tests/support/colliders.hpp"

#include <fmt/format.h>

#include <gmock/gmock.h>
#include <numbers>

namespace resilin::test {
namespace {

using ::testing::HasSubstr;

double distance(const Collider& c, const Vec3& p, double t = 0) {
  return c.at(t, p).distance;
}

TEST(PlaneCollider, IsTheSlopeOfItsNormal) {
  const auto c = collider("plane", "normal: [0, 0.7399, 0.6727]\nposition: [1, 2, 3]\n");
  const Vec3 n = Vec3(0, 0.7399, 0.6727).normalized();
  const SurfacePoint s = c->at(0, Vec3(1, 2, 3) + 0.25 * n + Vec3(4, 0, 0));
  EXPECT_NEAR(s.distance, 0.25, 1e-14);
  EXPECT_LT((s.normal - n).norm(), 1e-14);
  EXPECT_EQ(s.hessian, Mat3::Zero());
  EXPECT_FALSE(c->bounds(0, 1).sizes().allFinite());
}

TEST(SphereCollider, IsABallAndAHollowOne) {
  const auto ball = collider("sphere", "radius: 2\nposition: [1, 0, 0]\n");
  const auto hollow = collider("sphere", "radius: 2\nposition: [1, 0, 0]\ninside: true\n");
  const Vec3 p(1, 3, 4);
  EXPECT_NEAR(distance(*ball, p), 3, 1e-15);
  EXPECT_NEAR(distance(*hollow, p), -3, 1e-15);
  EXPECT_LT((ball->at(0, p).normal - Vec3(0, 0.6, 0.8)).norm(), 1e-15);
  EXPECT_LT((hollow->at(0, p).normal + Vec3(0, 0.6, 0.8)).norm(), 1e-15);
  EXPECT_NEAR(ball->at(0, p).hessian.trace(), 2.0 / 5, 1e-15);  // twice the mean curvature at distance 5
  EXPECT_NEAR(hollow->at(0, p).hessian.trace(), -2.0 / 5, 1e-15);
  const SurfacePoint centre = ball->at(0, {1, 0, 0});
  EXPECT_EQ(centre.distance, -2);
  EXPECT_FALSE(centre.regular);
  EXPECT_EQ(centre.normal.norm(), 1);
  const Box3 box = ball->bounds(0, 1);
  EXPECT_LT((box.min() - Vec3(-1, -2, -2)).norm() + (box.max() - Vec3(3, 2, 2)).norm(), 1e-14);
}

TEST(CapsuleCollider, HasASideAndTwoCaps) {
  const auto c = collider("capsule", "radius: 0.8\nlength: 4\naxis: [0, 1, 0]\n");
  EXPECT_NEAR(distance(*c, {3, 1, 4}), 5 - 0.8, 1e-14);
  EXPECT_NEAR(distance(*c, {0, 5, 4}), 5 - 0.8, 1e-14);
  EXPECT_NEAR(distance(*c, {0, -2.5, 0}), -0.3, 1e-14);
  EXPECT_EQ(c->at(0, {0, -5, 0}).feature, 0);
  EXPECT_EQ(c->at(0, {1, 0, 0}).feature, 1);
  EXPECT_EQ(c->at(0, {0, 5, 0}).feature, 2);
  EXPECT_FALSE(collider("capsule")->at(0, {0, 0, 0.1}).regular) << "on the segment";
}

TEST(BoxCollider, IsExactAtFacesEdgesAndCornersAndInside) {
  const auto c = collider("box", "size: [2, 4, 6]\n");
  EXPECT_NEAR(distance(*c, {3, 0.1, 0.1}), 2, 1e-15);
  EXPECT_NEAR(distance(*c, {4, 6, 0.1}), 5, 1e-15);
  EXPECT_NEAR(distance(*c, {2, 4, 5}), 3, 1e-15);
  EXPECT_NEAR(distance(*c, {0.8, 0, 0}), -0.2, 1e-15);
  EXPECT_EQ(c->at(0, {3, 0.1, 0.1}).feature, 2);
  EXPECT_EQ(c->at(0, {-3, -6, 0.1}).feature, 1 + 3);
  EXPECT_EQ(c->at(0, {2, 4, -5}).feature, 2 + 6 + 9);
  EXPECT_EQ(c->at(0, {0.8, 0.1, 0}).feature, 2) << "inside the nearest face";
  EXPECT_EQ(c->at(0, {2, 4, 5}).normal, Vec3(1, 2, 2) / 3);
}

TEST(BoxCollider, RoundingKeepsTheFacesAndShortensTheCorners) {
  const auto c = collider("box", "size: [2, 4, 6]\nrounding: 0.5\n");
  EXPECT_NEAR(distance(*c, {1, 0.1, 0.1}), 0, 1e-15);
  EXPECT_NEAR(distance(*c, {0.5, 1.5, 3}), 0, 1e-15);
  EXPECT_NEAR(distance(*c, {1, 2, 3}), 0.5 * (std::sqrt(3) - 1), 1e-15);
  EXPECT_THAT([] { collider("box", "size: [2, 4, 6]\nrounding: 1\n"); },
              ::testing::ThrowsMessage<Error>(
                  HasSubstr("test.yaml:2:11: thing.rounding: a radius of 1 m is too large")));
}

TEST(CylinderCollider, HasASideTwoCapsAndTwoRims) {
  const auto c = collider("cylinder", "radius: 1\nlength: 4\naxis: [1, 0, 0]\n");
  EXPECT_NEAR(distance(*c, {0, 3, 4}), 4, 1e-14);
  EXPECT_NEAR(distance(*c, {3, 0.2, 0}), 1, 1e-14);
  EXPECT_NEAR(distance(*c, {5, 5, 0}), 5, 1e-14);
  EXPECT_NEAR(distance(*c, {0.5, 0.7, 0}), -0.3, 1e-14);
  EXPECT_NEAR(distance(*c, {1.9, 0.1, 0}), -0.1, 1e-14);
  EXPECT_EQ(c->at(0, {0, 3, 4}).feature, 1);
  EXPECT_EQ(c->at(0, {-3, 0, 0}).feature, 2);
  EXPECT_EQ(c->at(0, {5, 5, 0}).feature, 5);
  EXPECT_TRUE(c->at(0, {3, 0, 0}).regular) << "on the axis beyond a cap";
  EXPECT_FALSE(c->at(0, {0, 0, 0}).regular) << "on the axis, nearest to the side";
}

// The slide of DiffPD's duck: centre (-0.6, 0, 7.7), radius 7.5, from 60 to 100 degrees below the horizontal.
TEST(ArcCollider, IsASlideOnItsInnerSide) {
  const double degree = std::numbers::pi / 180, start = -10 * degree, end = 30 * degree;
  const auto c =
      collider("arc", fmt::format("position: [-0.6, 0, 7.7]\nradius: 7.5\nthickness: 0.2\nstart: {}\nend: "
                                  "{}\nwidth: 10\n",
                                  start, end));
  const Vec3 centre(-0.6, 0, 7.7);
  const auto at = [&](double r, double angle, double y) -> Vec3 {
    return centre + Vec3(r * std::sin(angle), y, -r * std::cos(angle));
  };
  for (const double angle : {-9 * degree, 0.0, 20 * degree, 29 * degree})
    for (const double gap : {2.0, 0.1, -0.05}) {
      const SurfacePoint s = c->at(0, at(7.5 - gap, angle, 1.3));
      EXPECT_NEAR(s.distance, gap, 1e-13);
      EXPECT_LT((s.normal - (centre - at(1, angle, 0))).norm(), 1e-13) << "towards the centre";
      EXPECT_NEAR(s.hessian.trace(), -1 / (7.5 - gap), 1e-13);
      EXPECT_EQ(s.feature, 1);
    }
  EXPECT_NEAR(distance(*c, at(7.9, 0, 0)), 0.2, 1e-13) << "outer side";
  EXPECT_NEAR(distance(*c, at(7.6, end, 0) + Vec3(3 * std::cos(end), 0, 3 * std::sin(end))), 2.9, 1e-13)
      << "end";
  EXPECT_NEAR(distance(*c, at(7.5 - 3, 0, 9)), 5, 1e-13) << "beyond its width";
}

// The bowl of DiffCloth: a hemisphere of radius 0.5 open upwards.
TEST(BowlCollider, HasAnInnerAnOuterSideAndARoundRim) {
  const auto c = collider("bowl", "radius: 0.5\nthickness: 0.1\nposition: [0, 0.5, 0]\naxis: [0, 1, 0]\n");
  const Vec3 centre(0, 0.5, 0), down = Vec3(0.48, -0.6, 0.64);
  const SurfacePoint inner = c->at(0, centre + 0.4 * down), outer = c->at(0, centre + 0.8 * down);
  EXPECT_NEAR(inner.distance, 0.1, 1e-14);
  EXPECT_LT((inner.normal + down).norm(), 1e-14);
  EXPECT_NEAR(inner.hessian.trace(), -2 / 0.4, 1e-12);
  EXPECT_EQ(inner.feature, 0);
  EXPECT_NEAR(outer.distance, 0.2, 1e-14);
  EXPECT_LT((outer.normal - down).norm(), 1e-14);
  EXPECT_EQ(outer.feature, 1);
  // The rim is a ring of radius 0.55, 0.1 thick.
  EXPECT_NEAR(distance(*c, centre + Vec3(0.55, 0.3, 0)), 0.25, 1e-14);
  EXPECT_EQ(c->at(0, centre + Vec3(0.55, 0.3, 0)).feature, 3);
  // On the axis: regular at the bottom, with the curvature of the sphere all around; not above the rim.
  const SurfacePoint bottom = c->at(0, centre + Vec3(0, -0.4, 0));
  EXPECT_TRUE(bottom.regular);
  EXPECT_LT((bottom.hessian - Mat3(Vec3(-2.5, 0, -2.5).asDiagonal())).norm(), 1e-12);
  EXPECT_FALSE(collider("bowl")->at(0, {0, 0, 0.3}).regular);
}

TEST(HeightFieldCollider, RunsThroughItsHeightsWithAContinuousNormal) {
  const auto c = collider(
      "height_field",
      "columns: 4\nrows: 3\nspacing: 0.5\nheights: [0, 0.1, 0.3, 0.2,  0.1, 0, 0.2, 0.1,  0, 0, 0, 0.4]\n");
  const double heights[] = {0, 0.1, 0.3, 0.2, 0.1, 0, 0.2, 0.1, 0, 0, 0, 0.4};
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 4; ++i)
      EXPECT_NEAR(distance(*c, {0.5 * i - 0.75, 0.5 * j - 0.5, heights[4 * j + i]}), 0, 1e-14)
          << i << " " << j;
  // Across the line between two cells, and over the border of the grid.
  for (const double x : {0.25, -0.25, 0.75, -0.75}) {
    const SurfacePoint s = c->at(0, {x, 0.13, 0.2}),
                       before = c->at(0, s.distance * -s.normal + Vec3(x - 1e-9, 0.13, 0.2)),
                       after = c->at(0, s.distance * -s.normal + Vec3(x + 1e-9, 0.13, 0.2));
    EXPECT_LT((before.normal - after.normal).norm(), 1e-7);
  }
}

TEST(HeightFieldCollider, OfAPlaneIsAPlaneOnTheGridAndBeyond) {
  const auto field = collider("height_field",
                              "columns: 5\nrows: 4\nspacing: 0.3\nscale: 2\nformula: 0.1*x - 0.2*y + 0.05\n");
  const Vec3 n = Vec3(-0.2, 0.4, 1).normalized();
  for (unsigned k = 0; k < 40; ++k) {
    const Vec3 p = 2 * random_vector(3, k);
    const SurfacePoint s = field->at(0, p);
    EXPECT_NEAR(s.distance, n.dot(p - Vec3(0, 0, 0.1)), 1e-13);
    EXPECT_LT((s.normal - n).norm(), 1e-13);
    EXPECT_LT(s.hessian.norm(), 1e-11);
  }
}

TEST(HeightFieldCollider, FindsTheNearestOfTwoHills) {
  // Two bumps: above the valley between them the closest point is on the nearer one, although straight below
  // is neither.
  const auto c = collider("height_field",
                          "columns: 41\nrows: 41\nspacing: 0.1\nformula: 0.8*exp(-4*((x-0.8)^2+y^2)) + "
                          "0.8*exp(-4*((x+0.8)^2+y^2))\n");
  for (const double x : {-0.3, 0.3, -0.15, 0.15}) {
    const Vec3 p(x, 0, 0.9);
    const SurfacePoint s = c->at(0, p);
    double least = std::numeric_limits<double>::infinity();
    for (double u = -2; u <= 2; u += 1e-3) {
      const double z =
          0.8 * std::exp(-4 * (u - 0.8) * (u - 0.8)) + 0.8 * std::exp(-4 * (u + 0.8) * (u + 0.8));
      least = std::min(least, (p - Vec3(u, 0, z)).norm());
    }
    EXPECT_NEAR(s.distance, least, 5e-3) << "the samples of the formula are 0.1 apart";
  }
}

TEST(HeightFieldCollider, ReadsATableAndRefusesWhatIsNoGrid) {
  const TestFolder folder;
  const std::string file = folder.write("h.csv", "0, 1, 2\n1, 2, 3\n");
  const auto c = collider("height_field", "file: " + file + "\n");
  EXPECT_NEAR(distance(*c, {1, 0.5, 3}), 0, 1e-14);
  EXPECT_NEAR(distance(*c, {-1, -0.5, 0}), 0, 1e-14);
  const auto refuses = [](const std::string& yaml, const char* why) {
    EXPECT_THAT([&] { collider("height_field", yaml); }, ::testing::ThrowsMessage<Error>(HasSubstr(why)))
        << yaml;
  };
  refuses("file: " + folder.write("line.csv", "0, 1, 2\n") + "\n", "1 rows and 3 columns");
  refuses("file: " + file + "\nformula: x\n", "not both");
  refuses("heights: [1, 2, 3]\n", "3 heights given for a grid of 2 columns and 2 rows");
  refuses("heights: {steps: [1, 2]}\n", "cannot change with the steps");
  refuses("formula: x + u\n", "thing.formula");
  refuses("formula: log(x)\n", "at x = -0.5");
  refuses("columns: 1\n", "columns");
  refuses("spacing: 0\n", "spacing");
}

Mesh triangles_of(const Mesh& volume) {
  const SurfaceFaces s = extract_surface(volume);
  Mesh mesh;
  mesh.type = ElementType::Tri3;
  mesh.vertices = volume.vertices;
  mesh.elements = s.faces;
  return mesh;
}

TEST(TriangleMeshCollider, OfABoxIsTheBoxAndScales) {
  const TestFolder folder;
  const std::string file = folder.file("box.obj");
  write_mesh(file, triangles_of(make_box({1, 2, 3}, {1, 1, 1}, ElementType::Tet4, {-0.5, -1, -1.5})));
  const auto mesh = collider("triangle_mesh", "file: " + file + "\nscale: 2\n"),
             box = collider("box", "size: [2, 4, 6]\n");
  for (unsigned k = 0; k < 500; ++k) {
    const Vec3 p = 2 * random_vector(3, k);
    EXPECT_NEAR(distance(*mesh, p), distance(*box, p), 1e-13);
  }
}

TEST(TriangleMeshCollider, SaysWhatIsWrongWithItsFile) {
  const TestFolder folder;
  Mesh mesh = triangles_of(make_box({1, 2, 3}, {1, 1, 1}, ElementType::Tet4));
  Mesh inverted = mesh;
  inverted.elements.row(0).swap(inverted.elements.row(1));
  mesh.elements.conservativeResize(3, mesh.num_elements() - 1);
  write_mesh(folder.file("open.obj"), mesh);
  write_mesh(folder.file("inverted.obj"), inverted);
  const auto refuses = [&](const std::string& yaml, const std::string& why) {
    EXPECT_THAT([&] { collider("triangle_mesh", yaml); }, ::testing::ThrowsMessage<Error>(HasSubstr(why)))
        << yaml;
  };
  refuses("file: " + folder.file("open.obj") + "\n", "open.obj: the surface is open: the edge from vertex");
  refuses("file: " + folder.file("open.obj") + "\n", "test.yaml:1:7: thing.file");
  refuses("file: " + folder.file("inverted.obj") + "\n", "counter-clockwise seen from outside");
  refuses("file: missing.obj\n", "missing.obj");
  refuses("scale: 2\n", "file");
}

TEST(ColliderOptions, SizesHaveToBePositive) {
  const std::map<std::string, std::string> keys{{"sphere", "radius"},
                                                {"capsule", "length"},
                                                {"cylinder", "radius"},
                                                {"bowl", "thickness"},
                                                {"arc", "width"}};
  for (const auto& entry : keys)
    EXPECT_THAT([&] { collider(entry.first, entry.second + ": 0\n"); },
                ::testing::ThrowsMessage<Error>(HasSubstr("thing." + entry.second)));
  EXPECT_THAT([] { collider("box", "size: [1, 0, 1]\n"); },
              ::testing::ThrowsMessage<Error>(HasSubstr("thing.size")));
  EXPECT_THAT([] { collider("arc", "start: 0.5\nend: 0.2\n"); },
              ::testing::ThrowsMessage<Error>(HasSubstr("thing.end: the arc must end between")));
  EXPECT_THAT([] { collider("bowl", "angle: 3.2\n"); },
              ::testing::ThrowsMessage<Error>(HasSubstr("thing.angle")));
}

TEST(ColliderOptions, ParametersThatNoShapeHasAreRefusedLater) {
  const auto box = collider("box", "rounding: 0.1\n");
  ParameterTable table;
  table.add("box", [&](ParamVisitor& v) { box->visit_parameters(v); });
  VecX theta = table.values();
  theta[theta.size() - 1] = 0.6;
  table.assign(theta);
  EXPECT_THAT([&] { box->parameters_changed(); }, ::testing::ThrowsMessage<Error>(HasSubstr("too large")));
}

TEST(ColliderMotion, ARollingBallTouchesTheGroundWithoutSliding) {
  const auto ball =
      collider("sphere",
               "radius: 0.5\nposition: [0, 0, 0.5]\nmotion: {type: rigid_motion, velocity: [1, 0, "
               "0], rotation: {axis: [0, 1, 0], point: [0, 0, 0.5], rate: 2}}\n");
  for (const double t : {0.0, 0.7, 2.0}) {
    const SurfacePoint bottom = ball->at(t, {t, 0, -1}), top = ball->at(t, {t, 0, 3});
    EXPECT_NEAR(bottom.distance, 1, 1e-14);
    EXPECT_LT(bottom.velocity.norm(), 1e-14);
    EXPECT_LT((top.velocity - Vec3(2, 0, 0)).norm(), 1e-14);
  }
  const Box3 box = ball->bounds(0, 2);
  EXPECT_LE(box.min().x(), -0.5);
  EXPECT_GE(box.max().x(), 2.5);
  EXPECT_LT(box.sizes().x(), 3 + 0.6);  // the box of a turned box is larger
}

TEST(ColliderBounds, HoldACornerThatSwingsOutBetweenTheEndsOfTheStep) {
  // Half a turn: at both ends the long side lies along x, in between along y.
  const auto box = collider(
      "box", "size: [4, 0.2, 0.2]\nmotion: {type: rotation, axis: [0, 0, 1], rate: 3.141592653589793}\n");
  const Box3 swept = box->bounds(0, 1);
  EXPECT_GE(swept.max().y(), 2);
  EXPECT_LE(swept.min().y(), -2);
  EXPECT_LT(swept.max().y(), 2.3);
}

}  // namespace
}  // namespace resilin::test
