// Cases of published cloth code with contact (shared data; skipped where it is absent): a sheet that slides
// down a slope, by the published law between velocities.
#include "core/solve/simulation.hpp"
#include "tests/support/cloth_case.hpp"

namespace resilin::test {
namespace {

struct SlopeCase {
  const char* name;
  const char* region;  ///< what stands for the edges of the published plane
  const char* tight;   ///< folder of the run with the tightest threshold
  double tolerance;    ///< that case.md supports, of positions [m] and relative ones of losses and gradients
  std::vector<Index> shown;
};

class ClothSlope : public ::testing::TestWithParam<SlopeCase> {};

std::string slope_scene(const JsonValue& setup, const char* region) {
  const JsonValue& plane = setup.at("primitives").items.front();
  const VecX center = numbers_of(plane.at("center")), normal = numbers_of(plane.at("normal"));
  return fmt::format(R"(
time: {{step: {:.17g}, steps: {}}}
gravity: [0, -9.8, 0]
bodies:
  cloth: {{mesh: {{file: cloth.obj}}, density: {:.17g}, materials: [{{type: membrane_arap, stiffness: {:.17g}}}]}}
colliders:
  slope: {{type: plane, position: [{:.17g}, {:.17g}, {:.17g}], normal: [{:.17g}, {:.17g}, {:.17g}]}}
contacts: [{{type: velocity_friction, distance: 0.4, friction: {:.17g}{}}}]
contact_solver: {{type: semismooth_newton, gap_tolerance: 1e-13, force_tolerance: 1e-13}}
forward: {{type: pd_newton_krylov, relative_tolerance: 1e-12, absolute_tolerance: 0}}
backward: {{type: pd_krylov, relative_tolerance: 1e-12}}
)",
                     setup.at("h").number, setup.at("steps_run").number, setup.at("density").number,
                     setup.at("k_s").number, center[0], center[1], center[2], normal[0], normal[1], normal[2],
                     plane.at("mu").number, region);
}

TEST_P(ClothSlope, SlidesAsPublished) {
  const SlopeCase& c = GetParam();
  const std::string data = cloth_case_folder(c.name), tight = data + c.tight;
  // The published results are no part of the project; elsewhere closed forms and differences stand for them:
  // see tests/physics/friction_test.cpp.
  if (!std::filesystem::exists(data)) GTEST_SKIP() << "no shared reference cases beside this checkout";
  const JsonValue setup = read_json(data + "setup.json");
  TestFolder files;
  files.write("cloth.obj", cloth_case_mesh(data));
  const SceneFile file = load_scene(files.write("scene.yaml", slope_scene(setup, c.region)), {}, registry());
  Simulation sim(file.options.scene, registry(), file.places);
  Tape tape;
  sim.run(tape, true);
  for (const Index k : c.shown) {
    const VecX expected = read_column(fmt::format("{}x_step{}.csv", tight, k));
    EXPECT_LT((tape.states[static_cast<std::size_t>(k)].x - expected).cwiseAbs().maxCoeff(), c.tolerance)
        << "step " << k;
  }
  const State& last = tape.states.back();
  EXPECT_LT((last.x - read_column(tight + "x_final.csv")).cwiseAbs().maxCoeff(), c.tolerance);
  EXPECT_LT((last.v - read_column(tight + "v_final.csv")).cwiseAbs().maxCoeff(), c.tolerance);

  // 1/n sum |x - (X + t)|^2 at the end, and the linear loss.
  const VecX x0 = read_column(data + "x0.csv"), t = numbers_of(setup.at("target_translation")),
             r = linear_weights(x0.size());
  const Index n = x0.size() / 3;
  VecX gap = last.x - x0;
  as_columns(gap).colwise() -= Vec3(t);
  const JsonValue loss = read_json(tight + "loss.json");
  EXPECT_NEAR(gap.squaredNorm() / static_cast<double>(n), loss.at("loss").number,
              c.tolerance * loss.at("loss").number);
  const JsonValue gradient = read_json(data + "gradient.json");
  struct Part {
    VecX dx;
    const char *mu, *suffix;
  };
  for (const Part& p :
       {Part{2.0 / static_cast<double>(n) * gap, "adjoint", ""}, Part{r, "adjoint_linear_loss", "_linear"}}) {
    const VecX g = sim.gradient(tape, [&](Index k, Adjoint& a) {
      if (k == sim.num_steps()) a.x += p.dx;
    });
    const auto part = [&](const char* path) -> VecX {
      const ParameterEntry& e = *sim.system().parameters().find(path).front();
      return g.segment(e.offset, e.size);
    };
    const double mu = gradient.at(p.mu).items.front().number;
    EXPECT_NEAR(part("contacts[0].friction")[0], mu, c.tolerance * std::abs(mu));
    EXPECT_LT(relative_error(part("bodies.cloth.initial.displacements"),
                             read_column(fmt::format("{}dLdx0{}.csv", tight, p.suffix))),
              c.tolerance);
    EXPECT_LT(relative_error(part("bodies.cloth.initial.velocities"),
                             read_column(fmt::format("{}dLdv0{}.csv", tight, p.suffix))),
              c.tolerance);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Published, ClothSlope,
    ::testing::Values(SlopeCase{"slope25", "", "", 1e-7, {1, 75, 150, 225}},
                      // 24 nodes hang over the edge of the plane for six steps, one of them for seven.
                      SlopeCase{"slope24_slide",
                                ", region: {min: [-100, -100, -100], max: [100, 1.8473, 100]}",
                                "tight/",
                                1e-7,
                                {1, 25, 50, 75}}),
    [](const auto& slope) { return std::string(slope.param.name); });

}  // namespace
}  // namespace resilin::test
