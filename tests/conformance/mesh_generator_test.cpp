// Every registered mesh generator, with its defaults and with each word of each choice it offers.
#include "core/mesh/mesh_generator.hpp"

#include "core/energy/shape.hpp"
#include "core/mesh/quality.hpp"
#include "tests/support/components.hpp"

namespace resilin::test {
namespace {

/// Collects the choices of a type, and sets one of them.
class Choices final : public PassiveVisitor {
 public:
  std::vector<std::pair<std::string, std::string>> words;
  std::string set_name, set_word;
  void choice(const char* name, std::string& value, std::initializer_list<const char*> options,
              const Spec&) override {
    for (const char* o : options) words.emplace_back(name, o);
    if (name == set_name) value = set_word;
  }
};

class EveryMeshGenerator : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryMeshGenerator, MakesUsableMeshesTheSameBitsEachTime) {
  Choices choices;
  registry().make_options("mesh_generator", GetParam())->visit(choices);
  auto words = choices.words;
  words.emplace_back("", "");  // the defaults
  for (const auto& [name, word] : words) {
    SCOPED_TRACE(name + " " + word);
    ComponentSpec spec;
    spec.type = GetParam();
    spec.options = filled_options("mesh_generator", GetParam());
    Choices setter;
    setter.set_name = name;
    setter.set_word = word;
    spec.options->visit(setter);
    const auto generator = registry().make<MeshGenerator>(spec, {});
    const Mesh mesh = generator->generate(), again = generator->generate();
    ASSERT_GT(mesh.num_elements(), 0);
    EXPECT_EQ(mesh.elements.rows(), nodes_per_element(mesh.type));
    EXPECT_GT(element_measures(mesh).minCoeff(), 0);
    for (const MeshFinding& f : check_mesh(mesh)) EXPECT_FALSE(f.is_error) << f.name << ": " << f.message;
    EXPECT_TRUE(mesh.vertices == again.vertices);
    EXPECT_TRUE(mesh.elements == again.elements);
    for (Index e = 0; e < mesh.num_elements(); ++e) ASSERT_NO_THROW(element_quadrature(mesh, e));
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryMeshGenerator,
                         ::testing::ValuesIn(registry().types("mesh_generator")));

}  // namespace
}  // namespace resilin::test
