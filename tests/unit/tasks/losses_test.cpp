// The losses on trajectories and bodies for which their value is known.
#include "tests/unit/tasks/losses.hpp"

#include <fmt/format.h>

#include <cmath>

namespace resilin::test {
namespace {

TEST_F(Losses, ReachTargetOfPointsSumsOverThem) {
  // Four vertices with x = 2 at the start, 2.3 at the end; distances to (2.3, 0.5, 0.5) are sqrt(1/2).
  EXPECT_NEAR(
      value("{type: reach_target, target: [2.3, 0.5, 0.5], nodes: {box: {min: [2, 0, 0], max: [2, 1, 1]}}}"),
      0.5 * 4 * 0.5, 1e-14);
  // One target for each vertex and frame: the vertex itself but for 3 m in z of the last.
  const auto at = [&](Index i, double shift, double dz) {
    const Vec3 x = body_.mesh.vertices.col(i);
    return "[" + std::to_string(x.x() + shift) + ", " + std::to_string(x.y()) + ", " +
           std::to_string(x.z() + dz) + "]";
  };
  EXPECT_NEAR(
      value("{type: reach_target, frames: [1, 3], nodes: {indices: [0, 1]}, target: {steps: [[" +
            at(0, 0.1, 0) + ", " + at(1, 0.1, 0) + "], [" + at(0, 0.3, 0) + ", " + at(1, 0.3, 3) + "]]}}"),
      0.5 * 9, 1e-14);
}

TEST_F(Losses, ReachTargetOfACentreLooksAtTheMean) {
  EXPECT_NEAR(value("{type: reach_target, of: centroid, target: [1.3, 0.5, 0.5]}"), 0, 1e-28);
  EXPECT_NEAR(value("{type: reach_target, of: center_of_mass, target: [1.3, 0.5, 2.5], frames: [3]}"), 2,
              1e-14);
  EXPECT_NEAR(
      value(
          "{type: reach_target, of: center_of_mass, quantity: velocity, target: [0, 0, 2], frames: [0, 2]}"),
      0.5 * 4, 1e-14);
}

TEST_F(Losses, ReachTargetComparesTheAxesThatAreNamed) {
  EXPECT_NEAR(value("{type: reach_target, of: centroid, target: [1.3, 2.5, 4.5], axes: [y]}"), 0.5 * 4,
              1e-13);
  EXPECT_NEAR(value("{type: reach_target, of: centroid, target: [7, 2.5, 4.5], axes: [z, y]}"),
              0.5 * (4 + 16), 1e-13);
  EXPECT_NEAR(value("{type: reach_target, target: [2.3, 7, 1], nodes: {indices: [0]}, axes: [x, z]}"),
              0.5 * (4 + 1), 1e-13);
}

TEST_F(Losses, ReachTargetCountsEveryNthStep) {
  // Centre at 1 + k/10 at the end of step k.
  EXPECT_NEAR(value("{type: reach_target, of: centroid, target: [1, 0.5, 0.5], every: 1}"),
              0.5 * (0.01 + 0.04 + 0.09), 1e-14);
  EXPECT_NEAR(value("{type: reach_target, of: centroid, target: [1, 0.5, 0.5], every: 2}"), 0.5 * 0.04,
              1e-14);
  EXPECT_NEAR(
      value("{type: reach_target, of: centroid, every: 1, target: {steps: [[1.1, 0.5, 0.5], [1.2, 0.5, "
            "0.5], [1.3, 0.5, 2.5]]}}"),
      0.5 * 4, 1e-14);
}

TEST_F(Losses, LinearFunctionalsAreSumsOrOfACentre) {
  // Of 12 vertices around (1, 0.5, 0.5), at the end around (1.3, 0.5, 0.5) with velocity (3, 0, 2).
  EXPECT_NEAR(value("{type: linear_functional, positions: [1, 2, 3]}"), 12 * (1.3 + 1 + 1.5), 1e-12);
  EXPECT_NEAR(value("{type: linear_functional, of: centroid, positions: [-1, 0, -0.4]}"), -1.3 - 0.2, 1e-14);
  EXPECT_NEAR(
      value("{type: linear_functional, of: center_of_mass, positions: [0, 0, 0], velocities: [1, 5, -2]}"),
      3 - 4, 1e-13);
  EXPECT_NEAR(value("{type: linear_functional, of: centroid, positions: [1, 0, 0], frames: [0, 2]}"), 1 + 1.2,
              1e-14);
  EXPECT_NEAR(value("{type: linear_functional, positions: [[1, 0, 0], [0, 2, 0]], nodes: {indices: [0, 2]}}"),
              (body_.mesh.vertices(0, 0) + 0.3) + 2 * body_.mesh.vertices(1, 2), 1e-14);
}

TEST_F(Losses, ForwardVelocityRewardsTheDirectionAndPunishesTheRest) {
  // Velocities (k, 0, 2): forward k along x, sideways 2.
  EXPECT_NEAR(value("{type: forward_velocity}"), -(1 + 2 + 3), 1e-13);
  EXPECT_NEAR(value("{type: forward_velocity, direction: [5, 0, 0], sideways_weight: 0.5}"),
              -(1 + 2 + 3) + 0.5 * 3 * 4, 1e-13);
  EXPECT_NEAR(value("{type: forward_velocity, direction: [0, 0, -1], sideways_weight: 10, frames: [0, 3]}"),
              2 + 2 + 10 * (0 + 9), 1e-12);
}

TEST_F(Losses, TheCentreOfMassWeighsByVolume) {
  // Graded in x: the vertices at x = 0, 1/4, 1 have 1/8, 1/2, 3/8 of the volume; their plain mean is 5/12.
  Mesh mesh = make_box({1, 1, 1}, {2, 1, 1}, ElementType::Hex8);
  for (Index i = 0; i < mesh.num_vertices(); ++i)
    if (mesh.vertices(0, i) == 0.5) mesh.vertices(0, i) = 0.25;
  const SampleBody graded(std::move(mesh));
  const auto centre = [&](const std::string& of) {
    auto options = filled_options("loss", "reach_target");
    ComponentSpec spec;
    Diagnostics diagnostics;
    PlaceMap places;
    read_options(
        parse_tree("loss: {type: reach_target, target: [0, 0.5, 0.5], of: " + of + "}", "test.yaml"),
        [&](ParamVisitor& v) { v.component("loss", "loss", spec, {.doc = "a"}); }, registry(), diagnostics,
        places);
    diagnostics.throw_if_any();
    Tape tape;
    tape.states.push_back({graded.mesh.vertices.reshaped(), VecX::Zero(3 * graded.mesh.num_vertices()), 0});
    tape.frames.push_back(0);
    return std::sqrt(2 * observed(*registry().make<Loss>(spec, graded.context()), tape)->value());
  };
  EXPECT_NEAR(centre("centroid"), 5.0 / 12, 1e-14);
  EXPECT_NEAR(centre("center_of_mass"), 0.5, 1e-14);
}

TEST_F(Losses, KineticEnergyIsThatOfTheBody) {
  EXPECT_NEAR(value("{type: kinetic_energy, density: 500}"), 0.5 * 500 * 2 * (9 + 4), 1e-9);
  EXPECT_NEAR(value("{type: kinetic_energy, density: 500, frames: [0, 1]}"), 0.5 * 1000 * (4 + 5), 1e-9);
  EXPECT_NEAR(value("{type: kinetic_energy, reference_velocity: [3, 0, 2]}"), 0, 1e-12);
}

TEST_F(Losses, TheSmoothMaximumLiesAboveTheMaximumByAtMostLogNOverItsSharpness) {
  const std::string inner = "{type: kinetic_energy, density: 1, frames: [0, 1, 2, 3]}";
  const double largest = 0.5 * 2 * 13;
  for (const double b : {0.01, 0.1, 1.0, 10.0, 1e4}) {
    const double l =
        value("{type: smooth_maximum, sharpness: " + std::to_string(b) + ", loss: " + inner + "}");
    EXPECT_GE(l, largest * (1 - 1e-14)) << b;
    EXPECT_LE(l, largest + std::log(4.0) / b * (1 + 1e-12)) << b;
  }
  double exact = 0;
  for (const double e : {4.0, 5.0, 8.0, 13.0}) exact += std::exp(0.1 * e);
  EXPECT_NEAR(value("{type: smooth_maximum, sharpness: 0.1, loss: " + inner + "}"), 10 * std::log(exact),
              1e-12);
}

TEST_F(Losses, MatchTrajectoryCountsTheFramesThatAreNamed) {
  std::vector<State> reference = tape_.states;
  for (Index k = 0; k <= 3; ++k)
    reference[static_cast<std::size_t>(k)].x[0] += std::pow(10.0, static_cast<double>(k));
  const auto with = [&](const std::string& options) {
    const auto l = loss("{type: match_trajectory" + options + "}");
    for (Index k = 0; k <= 3; ++k) l->observe_reference(k, 3, reference[static_cast<std::size_t>(k)]);
    return value_of(*l);
  };
  EXPECT_NEAR(with(""), 0.5 * (1e2 + 1e4 + 1e6), 1e-6);
  EXPECT_NEAR(with(", every: 2"), 0.5 * 1e4, 1e-8);
  EXPECT_NEAR(with(", frames: [0, 3]"), 0.5 * (1 + 1e6), 1e-6);
}

TEST_F(Losses, ALinearFunctionalOfTheCentreIsOneOfItsPlace) {
  // The box's centre starts at (1, 0.5, 0.5); its vertices count alike here, all being around the same
  // volumes in pairs.
  EXPECT_NEAR(value("{type: linear_functional, of: centroid, positions: [-1, 0, 2]}"), -1.3 + 1, 1e-12);
  EXPECT_NEAR(value("{type: linear_functional, of: center_of_mass, positions: [-1, 0, 2]}"), -1.3 + 1, 1e-12);
  EXPECT_NEAR(value("{type: linear_functional, of: center_of_mass, positions: [0, 0, 0], velocities: [1, 0, "
                    "0.5], frames: [1, 3]}"),
              4 + 2, 1e-12);
  const std::string end = "nodes: {box: {min: [0, 0, 0], max: [1, 0, 0]}}, positions: [1, 0, 0], frames: [0]";
  EXPECT_NEAR(value("{type: linear_functional, of: centroid, " + end + "}"), 0.5, 1e-12);
  // The vertex in the middle is around two elements.
  EXPECT_NEAR(value("{type: linear_functional, of: center_of_mass, " + end + "}"), 2.0 / 3, 1e-12);
}

// Frame k is the rest shape moved by k (0.1, 0, 0).
TEST_F(Losses, AShapeMovedAsAWholeIsReachedWhereItIs) {
  EXPECT_NEAR(value("{type: reach_target, relative_to: rest, target: [0.3, 0, 0]}"), 0, 1e-28);
  EXPECT_NEAR(value("{type: reach_target, relative_to: rest, target: [0.3, 2, 0], average: true}"), 4, 1e-13);
  EXPECT_NEAR(value("{type: reach_target, relative_to: rest, target: [0.3, 2, 0]}"), 12 * 0.5 * 4, 1e-13);
  EXPECT_NEAR(value("{type: reach_target, relative_to: rest, of: centroid, target: [0, 0, 1], average: true, "
                    "frames: [1, 2]}"),
              0.5 * (0.01 + 0.04) + 1, 1e-14);
}

TEST_F(Losses, TheMeanOfATrajectoryIsOverVerticesAndFrames) {
  const auto with = [&](const std::string& options) {
    const auto l = loss("{type: match_trajectory" + options + "}");
    for (Index k = 0; k <= 3; ++k) {
      State s = tape_.states[static_cast<std::size_t>(k)];
      s.x[0] += static_cast<double>(k);
      l->observe_reference(k, 3, s);
    }
    return value_of(*l);
  };
  EXPECT_NEAR(with(""), 0.5 * (1 + 4 + 9), 1e-13);
  EXPECT_NEAR(with(", average: true"), (1 + 4 + 9) / (3 * 12.0), 1e-13);
  EXPECT_NEAR(with(", average: true, every: 2"), 4 / 12.0, 1e-13);
  EXPECT_NEAR(with(", average: true, frames: [0, 3]"), 9 / (2 * 12.0), 1e-13);
}

TEST_F(Losses, ATrajectoryMayBeARecordingOfPlaces) {
  const TestFolder folder;
  std::string rows;  // vertices 0 and 1 at t = 0 and 0.03 s: at frame k they are (0, 0, k), (k, 0, 0)
  for (const int k : {0, 3}) rows += fmt::format("{},0,0,{},{},0,0\n", 0.01 * k, k, k);
  const std::string file = folder.write("places.csv", rows);
  double expected = 0;
  for (Index k = 1; k <= 3; ++k)
    for (Index i = 0; i < 2; ++i) {
      const auto f = static_cast<double>(k);
      const Vec3 seen = i == 0 ? Vec3(0, 0, f) : Vec3(f, 0, 0);
      expected += (tape_.states[static_cast<std::size_t>(k)].x.segment<3>(3 * i) - seen).squaredNorm() / 6;
    }
  EXPECT_NEAR(value("{type: match_trajectory, average: true, nodes: {indices: [0, 1]}, recording: {file: " +
                    file + "}}"),
              expected, 1e-13);
  EXPECT_NE(error("{type: match_trajectory, nodes: {indices: [0, 1, 2]}, recording: {file: " + file + "}}")
                .find("places.csv has 7 columns; expected x, y, z of the 12 vertices"),
            std::string::npos);
}

TEST_F(Losses, KeyPointsCountTheFarthestOfEachSet) {
  // Frame 3: vertices 0, 1 are at (0.3, 0, 0) and (0.3, 0, 1), frame 1: at (0.1, ..).
  const std::string ends =
      "{type: key_points, points: [{nodes: {indices: [0, 1]}, target: [0.3, 0, 0.25]}, {nodes: {indices: "
      "[0]}, "
      "target: [0, 0, 0], frame: 1}]}";
  EXPECT_NEAR(value(ends), 0.5 * (0.75 * 0.75 + 0.01), 1e-15);
  const auto gradient = [&](const std::string& yaml, Index k) {
    Adjoint a;
    a.ensure(36);
    observed(*loss(yaml), tape_)->add_gradient(k, tape_.states[static_cast<std::size_t>(k)], 3, a);
    return a.x;
  };
  VecX expected = VecX::Zero(36);
  expected[5] = 3 * 0.5 * 2 * 0.75;
  EXPECT_LT((gradient(ends, 3) - expected).norm(), 1e-14);
  // Equally far: the lowest number, whatever the order; and the same vertex in two sets gets both.
  const std::string ties =
      "{type: key_points, points: [{nodes: {indices: [1, 0]}, target: [0.3, 0, 0.5]}, {nodes: {indices: "
      "[0]}, "
      "target: [0.3, 0, 1]}]}";
  expected.setZero();
  expected[2] = 3 * 0.5 * 2 * (-0.5 - 1);
  EXPECT_LT((gradient(ties, 3) - expected).norm(), 1e-14);
  EXPECT_EQ(gradient(ties, 2).norm(), 0) << "not a frame that counts";
}

TEST_F(Losses, TheApexAngleIsThatOfTheConeThroughAVertex) {
  // Vertex 0 at (0.3, 0, 0) in the last frame; the apex 0.3 above the origin: 45 degrees.
  const std::string cone = "{type: apex_angle, nodes: {indices: [0]}, apex: [0, 0, 0.3], target: ";
  EXPECT_NEAR(value(cone + "1.5707963267948966}"), 0, 1e-30);
  EXPECT_NEAR(value(cone + "1}"), std::pow(M_PI / 2 - 1, 2), 1e-15);
  EXPECT_NEAR(value("{type: apex_angle, nodes: {indices: [0]}, apex: [0.3, 0, 1], target: 0}"), 0, 1e-30);
  EXPECT_NEAR(
      value("{type: apex_angle, nodes: {indices: [0]}, apex: [0, 0, -1], up: [0, 0, -3], frames: [0, 3], "
            "target: 0}"),
      0.5 * std::pow(2 * std::atan(0.3), 2), 1e-15);
}

TEST_F(Losses, MistakesAreNamed) {
  const auto expect = [&](const std::string& yaml, const std::string& part) {
    EXPECT_NE(error(yaml).find(part), std::string::npos) << error(yaml);
  };
  expect("{type: reach_target, target: [[0, 0, 0], [1, 1, 1]]}", "2 targets given; expected one or 12");
  expect("{type: reach_target, of: centroid, target: [[0, 0, 0], [1, 1, 1]]}", "expected one, for centroid");
  expect("{type: reach_target, target: {steps: [[0, 0, 0], [1, 1, 1]]}, frames: [1, 2, 3]}",
         "2 entries in steps");
  expect("{type: reach_target, target: [0, 0, 0], frames: [4]}",
         "there is no frame 4: the scene has frames 0 to 3");
  expect("{type: reach_target, target: [0, 0, 0], frames: [2, 1]}", "expected rising numbers");
  expect("{type: reach_target, target: [0, 0, 0], every: 4}", "no step counts: the scene has only 3 steps");
  expect("{type: reach_target, target: [0, 0, 0], every: 1, frames: [1]}", "give one of them");
  expect("{type: reach_target, target: {steps: [[0, 0, 0], [1, 1, 1]]}, every: 1}",
         "expected 3 (one per frame");
  expect("{type: reach_target, target: [0, 0, 0], axes: []}", "no axis is left");
  expect("{type: reach_target, target: [0, 0, 0], quantity: velocity, relative_to: rest}",
         "velocities are relative to nothing");
  expect("{type: key_points, points: []}", "at least one key point is needed");
  expect("{type: key_points, points: [{target: [0, 0, 0], frame: 4}]}",
         "points[0].frame: there is no frame 4: the scene has frames 0 to 3");
  expect("{type: key_points, points: [{}, {nodes: {sphere: {center: [9, 9, 9], radius: 1}}}]}",
         "points[1].nodes: the selection matches no vertex");
  expect("{type: apex_angle, up: [0, 0, 0]}", "up: expected a direction");
  expect("{type: linear_functional, of: centroid, positions: [[1, 0, 0], [0, 2, 0]]}",
         "2 entries given; one is");
  expect("{type: linear_functional, positions: [[1, 0, 0], [0, 2, 0]]}",
         "one or 12 (a vertex each) are expected");
  expect("{type: forward_velocity, direction: [0, 0, 0]}", "direction: expected a direction");
  expect("{type: bounce_apex, target: [0, 0, 0], up: [0, 0, 0]}", "up: expected a direction");
  expect("{type: kinetic_energy, nodes: {box: {min: [5, 5, 5], max: [6, 6, 6]}}}", "matches no vertex");
  expect("{type: match_trajectory, every: 4}", "no step counts");
  expect("{type: smooth_maximum, loss: {type: smooth_maximum, loss: {type: kinetic_energy}}}",
         "'smooth_maximum' is no sum over frames");
}

}  // namespace
}  // namespace resilin::test
