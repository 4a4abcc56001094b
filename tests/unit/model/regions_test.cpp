// Parameters that are given per region of a body: what they mean, their gradients, their mistakes.
#include "core/optim/gradcheck.hpp"
#include "tests/support/components.hpp"

#include <fmt/format.h>

#include <gmock/gmock.h>

namespace resilin::test {
namespace {

using ::testing::HasSubstr;

/// A bar of 6 x 2 x 2 cells with a stem (x < 0.1), a leaf (0.1 to 0.2) and a tip of the rest.
std::string bar(const std::string& solid, const std::string& body = "density: 1000",
                const std::string& rest = "") {
  return fmt::format(R"(
time: {{step: 0.02, steps: 4}}
bodies:
  b:
    mesh: {{generator: {{type: box, size: [0.3, 0.1, 0.1], cells: [6, 2, 2]}}}}
    {}
    regions:
      stem: {{box: {{min: [0, 0, 0], max: [0.1, 0.1, 0.1]}}}}
      leaf: {{box: {{min: [0.1, 0, 0], max: [0.2, 0.1, 0.1]}}}}
      lower: {{box: {{min: [0, 0, 0], max: [0.3, 0.1, 0.05]}}}}
    materials: [{{type: {}}}]
    pins: [{{nodes: {{box: {{min: [0, 0, 0], max: [0, 0.1, 0.1]}}}}}}]
forward: {{type: newton, relative_tolerance: 1e-13}}
backward: {{type: direct, relative_tolerance: 1e-13}}
{})",
                     body, solid, rest);
}
constexpr const char* kSolid =
    "stable_neo_hookean, youngs_modulus: {regions: {leaf: 2e4, stem: 8e4}, default: 5e4}, poissons_ratio: "
    "0.3";

/// The same as a list over the 24 elements; x is the slowest coordinate of a box's cells.
std::string listed(double stem, double leaf, double tip) {
  std::string text = "[";
  const Mesh mesh = make_box({0.3, 0.1, 0.1}, {6, 2, 2}, ElementType::Hex8);
  for (Index e = 0; e < mesh.num_elements(); ++e) {
    Vec3 center = Vec3::Zero();
    for (const int n : mesh.elements.col(e)) center += mesh.vertices.col(n) / 8;
    text += fmt::format("{}{}", e ? ", " : "", center.x() < 0.1 ? stem : center.x() < 0.2 ? leaf : tip);
  }
  return text + "]";
}

VecX end_of(const std::string& yaml) {
  const auto sim = make_simulation(yaml);
  Tape tape;
  sim->run(tape, true);
  return tape.states.back().x;
}

constexpr const char* kLoss =
    "losses: [{loss: {type: linear_functional, positions: [1, -0.5, 0.7], velocities: [0.01, 0, 0.02]}}]\n";

TEST(Regions, MeanTheSameAsAListOverTheElements) {
  const std::string list =
      "stable_neo_hookean, youngs_modulus: " + listed(8e4, 2e4, 5e4) + ", poissons_ratio: 0.3";
  EXPECT_EQ(end_of(bar(kSolid)), end_of(bar(list)));
  EXPECT_EQ(end_of(bar(kSolid, "density: {regions: {stem: 900, leaf: 1100}, default: 1200}")),
            end_of(bar(list, "density: " + listed(900, 1100, 1200))));
}

TEST(Regions, GradientIsTheSumOverTheElements) {
  const auto gradient = [](const std::string& yaml) {
    const auto task = make_task(yaml);
    VecX dtheta;
    task->evaluate_table(dtheta, nullptr);
    const ParameterTable& table = task->simulation().system().parameters();
    std::vector<VecX> parts;
    for (const char* path : {"bodies.b.materials[0].youngs_modulus", "bodies.b.density"}) {
      const ParameterEntry& e = *table.find(path).front();
      parts.emplace_back(dtheta.segment(e.offset, e.size));
    }
    return parts;
  };
  const auto region =
      gradient(bar(kSolid, "density: {regions: {stem: 900, leaf: 1100}, default: 1200}", kLoss));
  const auto list =
      gradient(bar("stable_neo_hookean, youngs_modulus: " + listed(8e4, 2e4, 5e4) + ", poissons_ratio: 0.3",
                   "density: " + listed(900, 1100, 1200), kLoss));
  // Elements go along x in blocks of four: 8 of the stem, 8 of the leaf, 8 of the rest.
  const std::vector<std::vector<Index>> first = {{8, 0, 16}, {0, 8, 16}};  // in the order of the names
  for (std::size_t p = 0; p < 2; ++p) {
    ASSERT_EQ(region[p].size(), 3);
    for (Index i = 0; i < 3; ++i)
      EXPECT_NEAR(region[p][i], list[p].segment(first[p][static_cast<std::size_t>(i)], 8).sum(),
                  1e-10 * region[p].norm())
          << p << " " << i;
  }
}

TEST(Regions, PassTheGradientCheck) {
  const auto task = make_task(bar(
      "corotated, youngs_modulus: {regions: {stem: 8e4, leaf: 2e4}, default: 5e4}, poissons_ratio: {regions: "
      "{lower: 0.3}, default: 0.35}}, {type: muscle, stiffness: 1e4, elements: {box: {min: [0, 0, 0], max: "
      "[0.2, "
      "0.1, 0.1]}}, activation: {regions: {stem: {steps: [0.9, 0.8, 0.85, 0.9]}, leaf: 1.05}}",
      "density: {regions: {stem: 900, leaf: 1100}, default: 1200}", kLoss));
  GradcheckOptions options;
  options.coordinates = 3;
  options.random_directions = 1;
  const GradcheckReport report = check_gradient(*task, options);
  EXPECT_TRUE(report.passed);
  std::vector<std::string> checked;
  for (const GradcheckRow& row : report.rows) {
    EXPECT_LE(row.error, 1e-6) << row.path << " " << row.direction;
    if (!row.below_noise && row.adjoint != 0) checked.push_back(row.path);
  }
  for (const char* path : {"bodies.b.materials[0].youngs_modulus", "bodies.b.materials[0].poissons_ratio",
                           "bodies.b.materials[1].activation", "bodies.b.density"})
    EXPECT_THAT(checked, ::testing::Contains(path));
}

TEST(Regions, OneIsAddressedByItsName) {
  const std::string parameters =
      "parameters:\n"
      "  - {path: 'bodies.b.materials[0].youngs_modulus[stem]', lower: 1e4, upper: 1e5, start: [3e4]}\n"
      "  - {path: 'bodies.b.materials[0].youngs_modulus[default]', lower: 1e4, upper: 1e5, start: [4e4]}\n";
  const auto task = make_task(bar(kSolid, "density: 1000", kLoss + parameters));
  ASSERT_EQ(task->start().size(), 2);
  VecX gradient(2), all;
  task->evaluate(task->start(), gradient);
  const ParameterTable& table = task->simulation().system().parameters();
  const ParameterEntry& e = *table.find("bodies.b.materials[0].youngs_modulus").front();
  const VecX values = table.values();
  EXPECT_EQ(values.segment<3>(e.offset), Vec3(2e4, 3e4, 4e4)) << "leaf, stem, default";
  task->evaluate_table(all, nullptr);
  EXPECT_EQ(gradient[0], all[e.offset + 1]);
  EXPECT_EQ(gradient[1], all[e.offset + 2]);
  EXPECT_EQ(table.find("bodies.*.materials[*].youngs_modulus").size(), 1U) << "the regions are no entries";
}

std::string error_of(const std::string& text) {
  try {
    make_task(text);
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Errc::Input) << e.what();
    return e.what();
  }
  return "no error";
}

TEST(Regions, CannotBeOptimisedTwice) {
  const std::string both =
      "parameters:\n"
      "  - {path: 'bodies.b.materials[0].youngs_modulus', lower: 1e4, upper: 1e5, start: [3e4]}\n"
      "  - {path: 'bodies.b.materials[0].youngs_modulus[stem]', lower: 1e4, upper: 1e5, start: [3e4]}\n";
  EXPECT_THAT(error_of(bar(kSolid, "density: 1000", kLoss + both)), HasSubstr("already a parameter"));
  EXPECT_THAT(
      error_of(
          bar(kSolid, "density: 1000",
              std::string(kLoss) +
                  "parameters: [{path: 'bodies.b.materials[0].youngs_modulus[stm]', lower: 1, upper: 2}]")),
      HasSubstr("did you mean 'bodies.b.materials[0].youngs_modulus[stem]'"));
}

TEST(Regions, SurviveWriting) {
  SceneFile file = read_scene(bar(kSolid, "density: {regions: {stem: 900}, default: 1200}"));
  EXPECT_EQ(read_scene(file.resolved).resolved, file.resolved);
  EXPECT_THAT(file.resolved, HasSubstr("default: 50000"));
  EXPECT_EQ(end_of(file.resolved), end_of(bar(kSolid, "density: {regions: {stem: 900}, default: 1200}")));
}

TEST(Regions, MistakesAreFoundWithTheirPlace) {
  const auto solid = [](const std::string& modulus) {
    return error_of(bar("corotated, youngs_modulus: " + modulus, "density: 1000", kLoss));
  };
  EXPECT_EQ(solid("{regions: {stem: 1e4, leaf: 1e5}, default: 1e5}"), "no error");
  const std::string unknown = solid("{regions: {stme: 1e4}, default: 1e5}");
  EXPECT_THAT(unknown,
              HasSubstr("bodies.b.materials[0].youngs_modulus: the body has no region 'stme'; did you mean "
                        "'stem'?"));
  EXPECT_THAT(unknown, HasSubstr("scene.yaml:11"));
  EXPECT_THAT(solid("{regions: {stem: 1e4, leaf: 1e5}}"),
              HasSubstr("8 of 24 elements (the first is 16) lie in none"));
  EXPECT_THAT(solid("{regions: {stem: 1e4, lower: 1e5}, default: 1}"),
              HasSubstr("element 0 lies in both regions 'stem' and 'lower'"));
  EXPECT_THAT(
      error_of(bar("corotated, elements: {box: {min: [0, 0, 0], max: [0.1, 0.1, 0.1]}}, youngs_modulus: "
                   "{regions: {stem: 1e4, leaf: 1e5}}",
                   "density: 1000", kLoss)),
      HasSubstr("no element takes the value of 'leaf'"));
  const auto body = [](const std::string& rest) { return error_of(bar(kSolid, rest, kLoss)); };
  EXPECT_THAT(body("density: {regions: {stem: 1}}"), HasSubstr("bodies.b.density: 16 of 24 elements"));
  EXPECT_THAT(body("initial: {velocities: {regions: {stem: [1, 0, 0]}}}"),
              HasSubstr("cannot be given per region"));
  const auto declared = [](const std::string& entry) {
    std::string text = bar("corotated");
    const std::string from = "      stem:";
    return error_of(text.replace(text.find(from), from.size(), "      " + entry + "\n      stem:") + kLoss);
  };
  EXPECT_THAT(declared("default: {surface: true}"), HasSubstr("choose another name"));
  EXPECT_THAT(declared("'a[b]': {surface: true}"), HasSubstr("letters, digits"));
  EXPECT_THAT(declared("far: {sphere: {center: [9, 9, 9], radius: 1}}"), HasSubstr("matches no element"));
}

TEST(Regions, OfABodyWithoutAnyAreAMistake) {
  EXPECT_THAT(
      error_of("{bodies: {a: {mesh: {generator: {type: box}}, materials: [{type: corotated, youngs_modulus: "
               "{regions: {a: 1}}}]}}, losses: [{loss: linear_functional}]}"),
      HasSubstr("declares no regions"));
}

}  // namespace
}  // namespace resilin::test
