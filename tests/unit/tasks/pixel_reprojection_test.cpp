// Pictures of known points by known cameras, and films that are wrong.
#include "tests/support/gradcheck.hpp"
#include "tests/unit/tasks/losses.hpp"

#include <Eigen/Geometry>
#include <fmt/format.h>

#include <cmath>

namespace resilin::test {
namespace {

class PixelReprojectionTest : public Losses {
 protected:
  /// Distances of one pixel, with these lines of a film.
  std::string yaml(const std::string& film, const std::string& options) const {
    return "{type: pixel_reprojection, width: 10, height: 5, observations: " +
           folder_.write("film.csv", film) + ", " + options + "}";
  }
  std::string film_error(
      const std::string& film,
      const std::string& options =
          "camera: {position: [0, 0, -5], focal_length: 1, principal_x: 0, principal_y: 0}") {
    return error(yaml(film, options));
  }
  TestFolder folder_;
};

// Frame k of the trajectory: the body's centre at (1 + k/10, 1/2, 1/2).
TEST_F(PixelReprojectionTest, APinholeProjectsByTheInterceptTheorem) {
  // From (0, 0, -5) along z: depth 5.5, so that x = 1.1 gives f/5, y = 1/2 gives f/11.
  const std::string camera =
      "camera: {position: [0, 0, -5], focal_length: 110, principal_x: 3, principal_y: 4}";
  EXPECT_NEAR(value(yaml("frame,marker,u,v\n1,beam,25,14\n", camera)), 0, 1e-26);
  EXPECT_NEAR(value(yaml("frame,marker,u,v\n1,beam,27,11\n", camera)), 0.5 * (4 + 9) / 50, 1e-14);
  // Frames and markers may be missing, in any order; others beyond the end do not count.
  EXPECT_NEAR(
      value(yaml("# a film\nframe, marker, u, v\n\n2,beam,28,14\r\n900,beam,0,0\n0,beam,23,15\n", camera)),
      0.5 * (1 + 1) / 50, 1e-13);
  // The vertical focal length by itself.
  EXPECT_NEAR(value(yaml("frame,marker,u,v\n1,beam,25,24\n",
                         "camera: {position: [0, 0, -5], focal_length: 110, focal_ratio: 2, principal_x: 3, "
                         "principal_y: 4}")),
              0, 1e-26);
}

TEST_F(PixelReprojectionTest, LooksWhereItsRotationTurnsIt) {
  // From (1.1, -5, 0.5) along y with z up: the centre in the middle; 1 m above it, pixels fall.
  const std::string camera =
      "camera: {position: [1.1, -5, 0.5], rotation: [-1.5707963267948966, 0, 0], focal_length: 110, "
      "principal_x: 0, principal_y: 0}";
  EXPECT_NEAR(value(yaml("frame,marker,u,v\n1,beam,0,0\n", camera)), 0, 1e-26);
  EXPECT_NEAR(value(yaml("frame,marker,u,v\n1,beam,0,20\n",
                         "camera: {position: [1.1, -5, 1.5], rotation: [-1.5707963267948966, 0, 0], "
                         "focal_length: 110, principal_x: 0, principal_y: 0}")),
              0, 1e-24);
  // To the right in the picture is along x of the world.
  EXPECT_NEAR(value(yaml("frame,marker,u,v\n1,beam,20,0\n",
                         "camera: {position: [0.1, -5, 0.5], rotation: [-1.5707963267948966, 0, 0], "
                         "focal_length: 110, principal_x: 0, principal_y: 0}")),
              0, 1e-24);
}

TEST_F(PixelReprojectionTest, TheLensMovesPointsAlongTheirRay) {
  // r = 0.22 / 1.1 = 0.2 on the plane at distance 1: d = 1 + 0.5 r^2 - 2 r^4.
  const double d = 1 + 0.5 * 0.04 - 2 * 0.0016;
  const std::string camera =
      "camera: {position: [0, 0.5, -5], focal_length: 100, principal_x: 0, principal_y: 0, distortion_k1: "
      "0.5, distortion_k2: -2}";
  EXPECT_NEAR(value(yaml(fmt::format("frame,marker,u,v\n1,beam,{:.17g},0\n", 20 * d), camera)), 0, 1e-26);
}

TEST_F(PixelReprojectionTest, MarkersAreSelectionsAndFramesOfTheFilmSteps) {
  // Two ends of the box, at x = 0 and x = 2 in frame 0; frame m of the film is step 1 + 2 m.
  const std::string options =
      "camera: {position: [0, 0.5, -4.5], focal_length: 50, principal_x: 0, principal_y: 0}, first_step: 1, "
      "steps_per_frame: 2, markers: "
      "{left: "
      "{nodes: {box: {min: [0, 0, 0], max: [0, 1, 1]}}}, right: {nodes: {box: {min: [2, 0, 0], max: [2, 1, "
      "1]}}}}";
  EXPECT_NEAR(value(yaml("frame,marker,u,v\n0,left,1,0\n0,right,21,0\n1,right,23,0\n", options)), 0, 1e-25);
  EXPECT_NEAR(value(yaml("frame,marker,u,v\n0,left,1,0\n1,right,23,7\n", options)), 0.5 * 49 / 50, 1e-13);
}

TEST_F(PixelReprojectionTest, ACentreBehindTheCameraIsNamed) {
  const auto l =
      loss(yaml("frame,marker,u,v\n2,beam,1,1\n",
                "camera: {position: [0, 0, 0.75], focal_length: 1, principal_x: 0, principal_y: 0}"));
  try {
    (void)value_of(*l);
    ADD_FAILURE() << "seen from behind";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Errc::Numerics);
    EXPECT_STREQ(e.what(), "marker 'beam' is not in front of the camera after step 2: its depth is -0.25 m");
  }
}

TEST_F(PixelReprojectionTest, WrongFilmsAreSaidWithTheirLine) {
  const std::string header = "frame,marker,u,v\n";
  const auto expect = [&](const std::string& film, const std::string& part) {
    const std::string text = film_error(film);
    EXPECT_NE(text.find("film.csv:" + part), std::string::npos) << text;
  };
  expect("", "1: expected the header 'frame,marker,u,v', but the file is empty");
  expect("0,beam,1,2\n", "1: expected the header 'frame,marker,u,v'");
  expect(header, "1: no row follows the header");
  expect(header + "0,beam,1\n", "2: expected 4 entries, got 3");
  expect(header + "0,beam,1,2\n# so\n1,beam,1,2,3\n", "4: expected 4 entries, got 5");
  expect(header + "-1,beam,1,2\n", "2: '-1' is no number of a frame");
  expect(header + "1.5,beam,1,2\n", "2: '1.5' is no number of a frame");
  expect(header + "0,bean,1,2\n", "2: no marker is called 'bean'; did you mean 'beam'?");
  expect(header + "0,beam,one,2\n", "2: 'one' is no pixel coordinate");
  expect(header + "0,beam,1,nan\n", "2: 'nan' is no pixel coordinate");
  expect(header + "0,beam,1,\n", "2: '' is no pixel coordinate");
  expect(header + "3,beam,1,2\n0,beam,1,2\n3,beam,1,2\n",
         "4: marker 'beam' has a place in frame 3 already, in line 2");
  EXPECT_NE(film_error(header + "4,beam,1,2\n").find("no frame of the film lies within the 3 steps"),
            std::string::npos);
  EXPECT_NE(film_error(header + "0,a,1,2\n",
                       "camera: {position: [0, 0, -5], focal_length: 1, principal_x: 0, principal_y: 0}, "
                       "markers: {a: {nodes: {box: {min: [9, "
                       "9, 9], max: [10, 10, 10]}}}}")
                .find("markers.a.nodes: the selection matches no vertex"),
            std::string::npos);
  EXPECT_NE(error("{type: pixel_reprojection, camera: {position: [0, 0, 0]}, observations: none.csv}")
                .find("none.csv"),
            std::string::npos);
  EXPECT_NE(film_error(header + "0,beam,1,2\n", "of: centroid").find("camera"), std::string::npos)
      << "a camera has to stand somewhere";
}

TEST_F(PixelReprojectionTest, WithoutObservationsTheSceneItselfIsFilmed) {
  const std::string file = folder_.file("made.csv");
  const std::string camera =
      "camera: {position: [0, 0, -5], focal_length: 110, principal_x: 3, principal_y: 4}";
  const auto films = [&](const std::string& options) {
    auto l = loss("{type: pixel_reprojection, width: 10, height: 5, " + camera + ", " + options + "}");
    EXPECT_TRUE(l->needs_reference());
    for (Index k = 0; k <= 3; ++k) l->observe_reference(k, 3, tape_.states[static_cast<std::size_t>(k)]);
    return value_of(*l);
  };
  // x = 1 + k/10 at depth 5.5: 20 + 2 k pixels from the principal point.
  EXPECT_EQ(films("first_step: 1, steps_per_frame: 2, write: " + file), 0);
  EXPECT_EQ(read_file(file), "frame,marker,u,v\n0,beam,25.000,14.000\n1,beam,29.000,14.000\n");
  // Four frames of two coordinates: the squares of their noise, which the file has to three digits.
  const double noisy = films("noise: 0.5, noise_seed: 3, write: " + file);
  EXPECT_NEAR(value(yaml(read_file(file), camera)), noisy, 1e-3 * noisy);
  EXPECT_GT(noisy, 0.5 * 8 * 0.25 / 50 / 5);
  EXPECT_LT(noisy, 0.5 * 8 * 0.25 / 50 * 5);
  EXPECT_EQ(films("noise: 0.5, noise_seed: 3"), noisy);
  EXPECT_NE(films("noise: 0.5, noise_seed: 4"), noisy);
  const auto mistake = [&](const std::string& options) {
    return film_error("frame,marker,u,v\n0,beam,1,2\n", camera + ", " + options);
  };
  EXPECT_NE(mistake("write: a.csv").find("write: does not go with observations"), std::string::npos);
  EXPECT_NE(mistake("noise: 1").find("noise: does not go with observations"), std::string::npos);
  EXPECT_NE(error("{type: pixel_reprojection, " + camera + ", width: 9, height: 9, first_step: 4}")
                .find("first_step: the scene has 3 steps only"),
            std::string::npos);
}

// A falling and turning block is filmed; the film is computed here, by another way to turn.
constexpr const char* kBlock = R"(
time: {step: 0.01, steps: 12}
bodies:
  block:
    mesh: {generator: {type: box, size: [0.2, 0.1, 0.1], cells: [2, 1, 1]}}
    materials: [{type: neo_hookean, E: 1e5, nu: 0.4}]
    initial: {velocity: [0.5, 0.2, 1], angular_velocity: [3, 1, 2]}
forward: {type: newton, relative_tolerance: 1e-10}
losses: [{loss: {type: pixel_reprojection, observations: FILM, width: 640, height: 480, camera: CAMERA,
          markers: {left: {nodes: {box: {min: [0, 0, 0], max: [0, 1, 1]}}}, right: {nodes: {box: {min: [0.2, 0, 0],
          max: [0.2, 1, 1]}}}, all: {}}}}]
)";

class Film : public ::testing::Test {
 protected:
  /// What a camera at `position` sees that is turned by `rotation`, focal length 500, distortion 0.1.
  Film() {
    const auto simulation =
        make_simulation(std::string(kBlock).substr(0, std::string(kBlock).find("losses:")));
    Tape tape;
    simulation->run(tape, true);
    const Vec3 position(0.3, -1.5, 0.2), axis = Vec3(-1.6, 0.1, 0.05);
    const Eigen::Matrix3d turn = Eigen::AngleAxisd(axis.norm(), axis.normalized()).toRotationMatrix();
    const Mat3X& rest = simulation->system().bodies()[0]->mesh.vertices;
    std::string film = "frame,marker,u,v\n";
    for (std::size_t k = 0; k < tape.frames.size(); ++k)
      for (const auto& [name, x0, x1] : std::vector<std::tuple<std::string, double, double>>{
               {"left", 0, 0}, {"right", 0.2, 0.2}, {"all", 0, 1}}) {
        // Of these bodies of equal elements: corners have one, inner layers two of them around.
        Vec3 sum = Vec3::Zero();
        double weight = 0;
        for (Index i = 0; i < rest.cols(); ++i) {
          if (rest(0, i) < x0 - 1e-9 || rest(0, i) > x1 + 1e-9) continue;
          const double w = std::abs(rest(0, i) - 0.1) < 1e-9 ? 2 : 1;
          sum += w * tape.states[static_cast<std::size_t>(tape.frames[k])].x.segment<3>(3 * i);
          weight += w;
        }
        const Vec3 local = turn.inverse() * (sum / weight - position);
        const double a = local.x() / local.z(), b = local.y() / local.z(), d = 1 + 0.1 * (a * a + b * b);
        film += fmt::format("{},{},{:.17g},{:.17g}\n", k, name, 320 + 500 * d * a, 240 + 500 * d * b);
      }
    file_ = folder_.write("film.csv", film);
  }
  std::string scene(const std::string& camera, const std::string& more = {}) const {
    std::string text = kBlock;
    text.replace(text.find("FILM"), 4, file_);
    return text.replace(text.find("CAMERA"), 6, camera) + more;
  }
  TestFolder folder_;
  std::string file_;
};

TEST_F(Film, IsReproducedByTheCameraThatMadeIt) {
  const auto task = make_task(
      scene("{position: [0.3, -1.5, 0.2], rotation: [-1.6, 0.1, 0.05], focal_length: 500, principal_x: 320, "
            "principal_y: 240, distortion_k1: 0.1}"));
  EXPECT_LT(task->loss_of_table(), 1e-20);
}

constexpr const char* kNearCamera =
    "{position: [0.2, -1.6, 0.25], rotation: [-1.5, 0.05, 0], focal_length: 450, principal_x: 300, "
    "principal_y: "
    "250, focal_ratio: 1.1, distortion_k1: 0.05, distortion_k2: 0.3}";

TEST_F(Film, CameraAndSceneHaveGradients) {
  const auto task = make_task(scene(kNearCamera, "backward: {type: direct}\n"));
  const std::string camera = "losses[0].loss.camera.";
  expect_gradients(
      *task,
      {camera + "position", camera + "rotation", camera + "focal_length", camera + "focal_ratio",
       camera + "principal_x", camera + "principal_y", camera + "distortion_k1", camera + "distortion_k2",
       "bodies.block.initial.velocity", "bodies.block.initial.angular_velocity", "gravity"},
      3);
}

TEST_F(Film, TheCameraHasGradientsInASmoothMaximumToo) {
  std::string text = scene(kNearCamera, "backward: {type: direct}\n");
  text.insert(text.find("{type: pixel_reprojection"), "{type: smooth_maximum, sharpness: 30, loss: ");
  text.insert(text.rfind("}}]"), "}");
  const auto task = make_task(text);
  const std::string camera = "losses[0].loss.loss.camera.";
  expect_gradients(*task, {camera + "position", camera + "focal_length", "bodies.block.initial.velocity"}, 3);
}

TEST_F(Film, CameraAndVelocityAreFoundTogether) {
  const auto task = make_task(
      scene("{position: [0.3, -1.5, 0.2], rotation: [-1.6, 0.1, 0.05], focal_length: 500, principal_x: 320, "
            "principal_y: 240, distortion_k1: 0.1}",
            "parameters:\n"
            "  - {path: 'losses[0].loss.camera.position', lower: -2, upper: 1, start: [0.25, -1.4, 0.3]}\n"
            "  - {path: 'losses[0].loss.camera.rotation', lower: -2, upper: 1, start: [-1.55, 0.05, 0]}\n"
            "  - {path: bodies.block.initial.velocity, lower: -2, upper: 2, start: [0, 0, 0]}\n"));
  BuildContext context;
  context.registry = &registry();
  const auto optimizer = make_component<Optimizer>("lbfgsb", context, {{"max_iterations", 400}});
  VecX u = task->start();
  const OptimizerReport r = optimizer->minimize(*task, task->lower(), task->upper(), u);
  EXPECT_LT(r.loss, 1e-8) << r.note;
  EXPECT_LT((u.head(3) - Vec3(0.3, -1.5, 0.2)).norm(), 1e-2) << u.transpose();
  EXPECT_LT((u.segment(3, 3) - Vec3(-1.6, 0.1, 0.05)).norm(), 1e-2);
  EXPECT_LT((u.tail(3) - Vec3(0.5, 0.2, 1)).norm(), 1e-2);
}

}  // namespace
}  // namespace resilin::test
