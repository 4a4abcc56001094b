// What drives cloth from outside: attachments and pins that follow paths, turns and recordings, and let go.
#include "core/mesh/io.hpp"
#include "core/output/trajectory_file.hpp"
#include "core/solve/simulation.hpp"
#include "tests/support/gradcheck.hpp"
#include "tests/support/scenes.hpp"

#include <fmt/format.h>

#include <gmock/gmock.h>

namespace resilin::test {
namespace {

/// A small sheet without gravity, its corners 0 and 11 drawn.
std::string sheet(const std::string& energies, const std::string& rest = "") {
  return fmt::format(R"(
time: {{step: 0.01, steps: 20}}
gravity: [0, 0, 0]
bodies:
  sheet:
    mesh: {{generator: {{type: grid, size: [0.3, 0.2], cells: [3, 2]}}}}
    density: 0.2
    materials: [{{type: membrane_neo_hookean, youngs_modulus: 100}}]
energies:
{}
forward: {{type: newton, relative_tolerance: 1e-12, absolute_tolerance: 1e-13}}
backward: {{relative_tolerance: 1e-12}}
{})",
                     energies, rest);
}
Tape run(const std::string& text, const std::vector<std::string>& overrides = {}) {
  Tape tape;
  make_simulation(text, overrides)->run(tape, true);
  return tape;
}
Vec3 node(const Tape& tape, std::size_t step, Index i) {
  return tape.states[step].x.segment<3>(3 * i);
}

const char* const kPaths = R"(
  left: {type: attachment, nodes: {indices: [0]}, stiffness: 1e7, motion: {type: hermite, displacement: [0.1, 0, 0.2], start_tangent: [0, 0.3, 0], end_tangent: [0.1, 0, -0.2], duration: 0.2}}
  right: {type: attachment, nodes: {indices: [11]}, stiffness: 1e7, offset: [0, 0, 0.05], motion: {type: rotation, axis: [0, 0, 1], point: [0.3, 0, 0], rate: 3}}
)";

TEST(Drives, AttachmentsFollowPathsAndTurnsToTheEndOfEachStep) {
  const Tape tape = run(sheet(kPaths));
  EXPECT_LT((node(tape, 10, 0) - Vec3(0.05 - 0.1 / 8, 0.3 / 8, 0.1 + 0.2 / 8)).norm(), 1e-4);
  EXPECT_LT((node(tape, 20, 0) - Vec3(0.1, 0, 0.2)).norm(), 1e-4);
  const double angle = 3 * 0.2;  // vertex 11 is at (0.3, 0.2, 0)
  EXPECT_LT((node(tape, 20, 11) - Vec3(0.3 - 0.2 * std::sin(angle), 0.2 * std::cos(angle), 0.05)).norm(),
            1e-4);
}

TEST(Drives, GradientsReachThePathsOfAttachmentsAndOfPins) {
  const std::string loss =
      "losses: [{loss: {type: linear_functional, positions: [1, 0.7, -0.4], velocities: [0.05, 0.1, "
      "0.02]}}]\n";
  const auto soft =
      make_task(sheet(kPaths, loss), {"energies.left.stiffness=200", "energies.right.stiffness=300"});
  expect_gradients(*soft,
                   {"energies.left.stiffness", "energies.left.motion.displacement",
                    "energies.left.motion.start_tangent", "energies.left.motion.end_tangent",
                    "energies.right.offset", "energies.right.motion.point", "energies.right.motion.rate"},
                   3);
  const auto hard = make_task(
      sheet("  {}", loss),
      {"energies={}",
       "bodies.sheet.pins=[{nodes: {indices: [0]}, motion: {type: hermite, displacement: [0.1, 0, 0.2], "
       "start_tangent: [0, 0.3, 0], end_tangent: [0.1, 0, -0.2], duration: 0.3}}, {nodes: {indices: [11]}, "
       "release: 0.11, motion: {type: key_frames, interpolation: b_spline, times: [0, 0.05, 0.15, 0.2], "
       "offsets: [[0, 0, 0], [0, 0.02, 0], [0.02, 0.02, 0.03], [0, 0, 0.1]]}}]"});
  expect_gradients(*hard,
                   {"bodies.sheet.pins[0].motion.displacement", "bodies.sheet.pins[0].motion.start_tangent",
                    "bodies.sheet.pins[0].motion.end_tangent", "bodies.sheet.pins[1].motion.offsets"},
                   3);
}

// After the release nothing draws: momentum and the energy's part in it stay as they are.
TEST(Drives, WhatIsReleasedFliesOn) {
  const auto momentum = [](const Simulation& sim, const Tape& tape, std::size_t step) -> Vec3 {
    return as_columns(tape.states[step].v) * sim.system().mass();
  };
  for (const char* forward : {"newton", "pd_newton_krylov"}) {
    const auto sim = make_simulation(
        sheet(
            "  grip: {type: attachment, stiffness: 0.3, release: 0.1, motion: {type: key_frames, times: [0, "
            "1], "
            "offsets: [[0, 0, 0], [2, 0, 1]]}}"),
        {fmt::format("forward={{type: {}, relative_tolerance: 1e-11, max_iterations: 5000}}", forward)});
    Tape tape;
    sim->run(tape, true);
    const Vec3 at_release = momentum(*sim, tape, 10);
    EXPECT_GT((at_release - momentum(*sim, tape, 9)).norm(), 1e-4) << "it draws up to the release";
    for (std::size_t n = 11; n <= 20; ++n)
      EXPECT_LT((momentum(*sim, tape, n) - at_release).norm(), 1e-11) << forward << " step " << n;
  }
}

/// Grips at two corners that a law of the state moves.
std::string controlled(const std::string& law) {
  return sheet(R"(
  left: {type: attachment, nodes: {indices: [0]}, stiffness: 300}
  right: {type: attachment, nodes: {indices: [11]}, stiffness: 300, offset: [0.01, 0, 0]}
)",
               fmt::format(R"(
controllers:
  hands:
    sensors: [{{type: centroid_motion}}, {{type: vertex_motion, quantity: velocity, nodes: {{indices: [0, 5, 11]}}}}]
    law: {}
    drives: [{{parameter: energies.left.offset}}, {{parameter: energies.right.offset, gain: 2, offset: 0.01}}]
losses: [{{loss: {{type: linear_functional, positions: [1, 0.7, -0.4], velocities: [0.05, 0.1, 0.02]}}}}]
)",
                           law));
}

TEST(Drives, ControllersMoveGrippers) {
  // Weights of zero and constant outputs are the same as constant offsets.
  std::string weights;
  for (int i = 0; i < 6 * 12; ++i) weights += "0, ";
  const Tape driven =
      run(controlled("{type: affine, weights: [" + weights + "0.01, 0.02, 0.03, 0.02, 0, 0.01]}"));
  const Tape given = run(sheet(R"(
  left: {type: attachment, nodes: {indices: [0]}, stiffness: 300, offset: [0.01, 0.02, 0.03]}
  right: {type: attachment, nodes: {indices: [11]}, stiffness: 300, offset: [0.05, 0.01, 0.03]}
)"));
  EXPECT_LT((driven.states.back().x - given.states.back().x).norm(), 1e-12);
  const auto task = make_task(controlled("{type: mlp, hidden: [5], lower: -0.05, upper: 0.05, seed: 3}"));
  expect_gradients(*task, {"controllers.hands.law.weights", "bodies.sheet.initial.velocity"}, 4);
}

TEST(Drives, OffsetsThatChangeByThemselvesCannotBeDriven) {
  try {
    make_simulation(
        controlled("{type: mlp, hidden: [5]}"),
        {"energies.left.offset={steps: [[0, 0, 0], [1, 0, 0]]}", "energies.left.key_times=[0, 1]"});
    FAIL();
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), ::testing::HasSubstr("energies.left.offset cannot be driven"));
  }
}

class Recorded : public ::testing::Test {
 protected:
  Recorded() {
    for (int f = 0; f < 3; ++f) {
      frames_.push_back(rest_mesh());
      frames_.back().vertices.row(2).array() += 0.1 * f * f;
      write_obj(folder_.file(fmt::format("cloth{:02d}.obj", 8 + f)), frames_.back());
    }
  }
  static Mesh rest_mesh() {
    return make_simulation(sheet("  {}"), {"energies={}"})->system().bodies()[0]->mesh;
  }
  std::string scene(const std::string& recording, const std::string& nodes = "{indices: [2, 5]}") const {
    return sheet(fmt::format("  mocap: {{type: attachment, stiffness: 1e7, nodes: {}, recording: {{{}}}}}",
                             nodes, recording));
  }
  std::string error(const std::string& text) const {
    try {
      make_simulation(text);
    } catch (const Error& e) {
      return e.what();
    }
    return "no error";
  }
  /// Height at a step of 0.01 s of vertices whose frames are 0, 0.1 and 0.4 m high.
  static void expect_heights(const Tape& tape, double interval) {
    for (const Index i : {2, 5})
      for (const std::size_t n : {4, 12, 20}) {
        const double s = std::min(0.01 * static_cast<double>(n) / interval, 2.0);
        const double height = s < 1 ? 0.1 * s : 0.1 + 0.3 * (s - 1);
        EXPECT_NEAR(node(tape, n, i).z(), height, 1e-4) << "vertex " << i << " step " << n;
      }
  }
  TestFolder folder_;
  std::vector<Mesh> frames_;
};

TEST_F(Recorded, AMeshSequenceDrivesTheSelectedVertices) {
  expect_heights(run(scene("interval: 0.08, file: " + folder_.file("cloth08.obj"))), 0.08);
  // Two frames only, and moved as a whole.
  const Tape tape = run(scene("interval: 0.08, frames: 2, scale: 2, translation: [0, 0, 1], file: " +
                              folder_.file("cloth08.obj")));
  EXPECT_NEAR(node(tape, 20, 5).z(), 1.2, 1e-4);
}

TEST_F(Recorded, ATableOfAllOrOfTheSelectedVerticesDoesTheSame) {
  std::string all, some;
  for (int f = 0; f < 3; ++f) {
    const Mat3X& x = frames_[static_cast<std::size_t>(f)].vertices;
    some += fmt::format("{}", 0.05 * f);
    for (Index i = 0; i < x.cols(); ++i) {
      all += fmt::format("{}{},{},{}", i > 0 ? "," : "", x(0, i), x(1, i), x(2, i));
      if (i == 2 || i == 5) some += fmt::format(",{},{},{}", x(0, i), x(1, i), x(2, i));
    }
    all += "\n", some += "\n";
  }
  expect_heights(run(scene("interval: 0.08, file: " + folder_.write("all.csv", all))), 0.08);
  expect_heights(run(scene("file: " + folder_.write("some.csv", some))), 0.05);  // with times of its own
}

TEST_F(Recorded, ATrajectoryOfTheSameSceneIsFollowed) {
  const std::string text = sheet(kPaths);
  const Tape leader = run(text);
  TrajectoryHeader header;
  const auto sim = make_simulation(text);
  header.bodies.push_back({"sheet", 0, &sim->system().bodies()[0]->mesh});
  header.num_frames = 21;
  {
    TrajectoryWriter writer(folder_.file("lead.h5"), header);
    for (std::size_t k = 0; k <= 20; ++k) writer.append(static_cast<Index>(k), leader.states[k], {}, {});
    writer.close();
  }
  const Tape tape = run(scene("file: " + folder_.file("lead.h5")));
  for (const std::size_t n : {1, 7, 20}) EXPECT_LT((node(tape, n, 5) - node(leader, n, 5)).norm(), 1e-3);
}

TEST_F(Recorded, MistakesAreNamed) {
  using ::testing::HasSubstr;
  Mesh other = frames_[0];
  other.vertices.conservativeResize(Eigen::NoChange, 11);
  other.elements.resize(3, 1);
  other.elements << 0, 1, 2;
  write_obj(folder_.file("other.obj"), other);
  EXPECT_THAT(error(scene("file: " + folder_.file("other.obj"))),
              ::testing::AllOf(HasSubstr("energies.mocap.recording.file"),
                               HasSubstr("other.obj has 11 vertices; body sheet has 12")));
  EXPECT_THAT(error(scene("frames: 4, file: " + folder_.file("cloth08.obj"))),
              HasSubstr("4 frames are asked for, but there is no"));
  EXPECT_THAT(
      error(scene("file: " + folder_.write("bad.csv", "1,2,3,4,5\n"))),
      HasSubstr("has 5 columns; expected x, y, z of the 12 vertices of body sheet or of the 2 selected"));
  EXPECT_THAT(error(scene("file: " + folder_.write("late.csv", "0,1,2,3,4,5,6\n0,1,2,3,4,5,6\n"))),
              HasSubstr("times must rise; 0 s follows 0 s in frame 2"));
  EXPECT_THAT(error(scene("interval: 1")), HasSubstr("file"));
  EXPECT_THAT(error(sheet("  a: {type: attachment, motion: {type: hermit}}")),
              HasSubstr("did you mean 'hermite'"));
}

}  // namespace
}  // namespace resilin::test
