// The options of every registered type: documented, sane, readable back, describable.
#include "core/params/io.hpp"
#include "tests/support/energies.hpp"
#include "tests/support/json_value.hpp"

#include <algorithm>
#include <cctype>
#include <set>

namespace resilin::test {
namespace {

std::vector<std::string> all_types() {
  std::vector<std::string> names;
  for (const Registry::Entry* e : registry().entries()) names.push_back(e->kind + "." + e->type);
  return names;
}

class EveryType : public ::testing::TestWithParam<std::string> {
 protected:
  EveryType() {
    const std::size_t dot = GetParam().find('.');
    entry_ = registry().find(GetParam().substr(0, dot), GetParam().substr(dot + 1));
    options_ = entry_->make_options();
    FactCollector collector;
    options_->visit(collector);
    facts_ = collector.facts;
  }
  static bool is_snake_case(const std::string& name) {
    return !name.empty() && std::islower(static_cast<unsigned char>(name[0])) && name.back() != '_' &&
           std::all_of(name.begin(), name.end(),
                       [](unsigned char c) { return std::islower(c) || std::isdigit(c) || c == '_'; });
  }

  const Registry::Entry* entry_;
  std::unique_ptr<OptionsBase> options_;
  std::vector<ParameterFact> facts_;
};

TEST_P(EveryType, HasALowerCaseNameAndASummaryOfOneSentence) {
  EXPECT_TRUE(is_snake_case(entry_->type)) << entry_->type;
  EXPECT_TRUE(is_snake_case(entry_->kind)) << entry_->kind;
  const std::string& s = entry_->summary;
  ASSERT_FALSE(s.empty());
  EXPECT_EQ(s.find('\n'), std::string::npos);
  EXPECT_EQ(s.find(". "), std::string::npos) << "more than one sentence: " << s;
  EXPECT_LE(s.size(), 120u) << s;
}

TEST_P(EveryType, DocumentsEveryParameter) {
  std::set<std::string> paths;
  for (const ParameterFact& f : facts_) {
    ASSERT_NE(f.spec.doc, nullptr) << f.path;
    EXPECT_GT(std::string(f.spec.doc).size(), 2u) << f.path;
    EXPECT_LE(f.spec.min, f.spec.max) << f.path;
    EXPECT_TRUE(paths.insert(f.path).second) << f.path << " is named twice";
    EXPECT_TRUE(is_snake_case(f.path.substr(f.path.rfind('.') + 1))) << f.path;
  }
}

TEST_P(EveryType, DescribesEachParameterInARowOfItsOwn) {
  const std::string text = describe_markdown([&](ParamVisitor& v) { options_->visit(v); });
  std::vector<std::string> rows;
  for (std::size_t at = 0, end = 0; at < text.size(); at = end + 1) {
    end = text.find('\n', at);
    ASSERT_NE(end, std::string::npos);
    rows.push_back(text.substr(at, end - at));
  }
  ASSERT_EQ(rows.size(), facts_.size() + 2);
  for (std::size_t i = 0; i < facts_.size(); ++i) {
    const std::string name = facts_[i].path.substr(facts_[i].path.rfind('.') + 1);
    EXPECT_NE(rows[i + 2].find(name + "`"), std::string::npos) << rows[i + 2];
    EXPECT_EQ(rows[i + 2].find("|  |\n"), std::string::npos);
    const std::size_t last = rows[i + 2].rfind(" | ");
    ASSERT_NE(last, std::string::npos);
    EXPECT_GT(rows[i + 2].size() - last, 6u) << "no meaning: " << rows[i + 2];
  }
}

TEST_P(EveryType, ReadsBackWhatItWrites) {
  const auto written = filled_options(entry_->kind, entry_->type), read = entry_->make_options();
  const std::string text = dump_yaml([&](ParamVisitor& v) { written->visit(v); });
  Diagnostics diagnostics;
  PlaceMap places;
  read_options(
      parse_tree(text.empty() ? "{}" : text, "defaults"), [&](ParamVisitor& v) { read->visit(v); },
      registry(), diagnostics, places);
  EXPECT_NO_THROW(diagnostics.throw_if_any()) << text;
  EXPECT_EQ(dump_yaml([&](ParamVisitor& v) { read->visit(v); }), text);
}

TEST_P(EveryType, HasAJsonSchemaWithEveryKey) {
  const JsonValue schema =
      JsonReader::read(json_schema([&](ParamVisitor& v) { options_->visit(v); }, registry()));
  EXPECT_EQ(schema.at("type").text, "object");
  EXPECT_FALSE(schema.at("additionalProperties").flag);
  std::set<std::string> required;
  if (schema.has("required"))
    for (const JsonValue& r : schema.at("required").items) required.insert(r.text);
  for (const ParameterFact& f : facts_) {
    if (f.path.find('.') != std::string::npos) continue;
    EXPECT_TRUE(schema.at("properties").has(f.path)) << f.path;
    if (f.spec.required && *f.spec.alias == '\0') {
      EXPECT_TRUE(required.count(f.path)) << f.path;
    }
  }
}

TEST_P(EveryType, BringsItsDifferentiableParametersToTheTable) {
  const bool is_energy = entry_->kind == std::string("energy");
  SampleBody body(is_energy ? sample_mesh(entry_->type) : make_box({1, 1, 1}, {2, 2, 2}, ElementType::Hex8));
  if (entry_->type == "ball_contact") body.views.push_back({"other", &body.mesh, 0});
  const auto filled = filled_options(entry_->kind, entry_->type);
  const auto made = entry_->make(*filled, body.context());
  ASSERT_NE(made, nullptr);
  std::vector<std::string> expected, found;
  FactCollector collector;
  filled->visit(collector);
  for (const ParameterFact& f : collector.facts)
    if (f.spec.differentiable) expected.push_back(f.path);
  ParameterTable table;
  table.add("", [&](ParamVisitor& v) { made->visit_parameters(v); });
  for (const ParameterEntry& e : table.entries()) found.push_back(e.path);
  EXPECT_EQ(found, expected) << "visit_parameters() and the options name different parameters";
  if (const auto* material = dynamic_cast<const Material*>(made.get())) {
    const std::vector<const Field*> fields = material->fields();
    ASSERT_EQ(fields.size(), table.entries().size());
    for (std::size_t i = 0; i < fields.size(); ++i)
      EXPECT_EQ(fields[i]->values.data(), table.entries()[i].values) << found[i];
  }
  if (const auto* force = dynamic_cast<const Force*>(made.get())) {
    EXPECT_EQ(force->num_parameters(), table.size());
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryType, ::testing::ValuesIn(all_types()), [](const auto& p) {
  std::string name = p.param;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
});

TEST(EveryKind, HasAtMostOneDefaultAndTheSceneItsDefaults) {
  for (const char* kind : {"integrator", "forward_solver", "backward_solver", "linear_solver", "optimizer"})
    EXPECT_FALSE(registry().default_type(kind).empty()) << kind;
  std::set<std::string> kinds_with_default;
  for (const Registry::Entry* e : registry().entries()) {
    if (e->is_default) {
      EXPECT_TRUE(kinds_with_default.insert(e->kind).second) << e->kind;
    }
  }
}

}  // namespace
}  // namespace resilin::test
