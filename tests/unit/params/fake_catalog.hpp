// A catalog of invented types and structs that use every kind of parameter, for the tests of core/params.
#pragma once

#include "core/params/io.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <unistd.h>
#include <vector>

namespace resilin::test {

/// Holds an options struct the way the registry does.
template <class O>
class Holder final : public OptionsBase {
 public:
  O value;
  void visit(ParamVisitor& v) override { value.visit(v); }
  std::unique_ptr<OptionsBase> clone() const override { return std::make_unique<Holder>(*this); }
};

struct NeoHookean {
  Field youngs_modulus{1e6};
  double poissons_ratio = 0.45;
  void visit(ParamVisitor& v) {
    v.field("youngs_modulus", youngs_modulus,
            {.doc = "stiffness", .unit = "Pa", .min = 0, .open = true, .differentiable = true, .alias = "E"});
    v.real("poissons_ratio", poissons_ratio,
           {.doc = "compressibility", .min = -1, .max = 0.5, .open = true, .alias = "nu"});
  }
};

struct Newton {
  double tolerance = 1e-8;
  ComponentSpec linear_solver;
  void visit(ParamVisitor& v) {
    v.real("tolerance", tolerance, {.doc = "stop below this residual", .unit = "N", .min = 0});
    v.component("linear_solver", "linear_solver", linear_solver, {.doc = "solves each step"});
  }
};

struct Empty {
  void visit(ParamVisitor&) {}
};

struct Needy {
  double strength = 0;
  void visit(ParamVisitor& v) {
    v.real("strength", strength, {.doc = "how strong", .unit = "N", .required = true});
  }
};

/// Its default inner component is again of this type.
struct Nested {
  ComponentSpec inner;
  void visit(ParamVisitor& v) { v.component("inner", "endless", inner, {.doc = "another one"}); }
};

class FakeCatalog final : public TypeCatalog {
 public:
  FakeCatalog() {
    add<NeoHookean>("material", "neo_hookean");
    add<Empty>("material", "rigid");
    add<Newton>("forward", "newton");
    add<Empty>("forward", "explicit");
    add<Empty>("linear_solver", "cholesky");
    add<Needy>("force", "push");
    add<Nested>("endless", "nested");
  }
  std::unique_ptr<OptionsBase> make_options(const std::string& kind, const std::string& type) const override {
    return makers_.at({kind, type})();
  }
  bool knows(const std::string& kind, const std::string& type) const override {
    return makers_.count({kind, type}) != 0;
  }
  std::vector<std::string> types(const std::string& kind) const override {
    std::vector<std::string> names;
    for (const auto& [key, maker] : makers_) {
      if (key.first == kind) names.push_back(key.second);
    }
    return names;
  }
  std::string default_type(const std::string& kind) const override {
    const std::map<std::string, std::string> defaults = {
        {"forward", "newton"}, {"linear_solver", "cholesky"}, {"force", "push"}, {"endless", "nested"}};
    const auto found = defaults.find(kind);
    return found == defaults.end() ? std::string{} : found->second;
  }
  std::string summary(const std::string&, const std::string& type) const override { return "about " + type; }

 private:
  template <class O>
  void add(const char* kind, const char* type) {
    makers_[{kind, type}] = []() -> std::unique_ptr<OptionsBase> { return std::make_unique<Holder<O>>(); };
  }
  std::map<std::pair<std::string, std::string>, std::unique_ptr<OptionsBase> (*)()> makers_;
};

struct Entry {
  double weight = 1;
  std::string label;
  void visit(ParamVisitor& v) {
    v.real("weight", weight, {.doc = "share of the sum"});
    v.text("label", label, {.doc = "for plots"});
  }
};

struct Time {
  double step = 0.01;
  Index steps = 100;
  void visit(ParamVisitor& v) {
    v.real("step", step, {.doc = "length of a step", .unit = "s", .min = 0, .open = true});
    v.integer("steps", steps, {.doc = "how many", .min = 1, .max = 1000});
    v.check(step * static_cast<double>(steps) <= 100, "step * steps must not exceed 100 s");
  }
};

/// One of everything.
struct Everything {
  std::string name;
  bool enabled = true;
  double limit = std::numeric_limits<double>::infinity();
  std::string mesh;
  Vec3 gravity{0, 0, -9.81};
  std::string mode = "fast";
  VecX knots;
  std::vector<Index> ids;
  std::vector<std::string> plugins;
  std::vector<std::string> outputs;
  Field stiffness{0.1};
  Field wind{Vec3(1, 2, 3)};
  Time time;
  bool has_record = false;
  Entry record;
  ComponentSpec forward;
  std::vector<ComponentSpec> materials;
  NamedList<ComponentSpec> forces;
  std::vector<Entry> losses;
  NamedList<Entry> bodies;
  NamedList<std::string> set;

  void visit(ParamVisitor& v) {
    v.text("name", name, {.doc = "what to call it"});
    v.flag("enabled", enabled, {.doc = "used | unused"});
    v.real("limit", limit, {.doc = "largest force", .unit = "N"});
    v.path("mesh", mesh, {.doc = "a surface"});
    v.vec3("gravity", gravity, {.doc = "acceleration", .unit = "m/s^2", .min = -100, .max = 100});
    v.choice("mode", mode, {"fast", "exact"}, {.doc = "how"});
    v.numbers("knots", knots, {.doc = "of a spline"});
    v.integers("ids", ids, {.doc = "of vertices", .min = 0});
    v.texts("plugins", plugins, {.doc = "libraries"});
    v.choices("outputs", outputs, {"vtu", "obj"}, {.doc = "formats"});
    v.field("stiffness", stiffness, {.doc = "per element", .min = 0});
    v.field("wind", wind, {.doc = "per vertex", .unit = "m/s"});
    v.section("time", time, {.doc = "steps of time"});
    v.optional_section("record", has_record, record, {.doc = "what to keep"});
    v.component("forward", "forward", forward, {.doc = "solver"});
    v.components("materials", "material", materials, {.doc = "of the body"});
    v.component_map("forces", "force", forces, {.doc = "on the body"});
    v.list("losses", losses, {.doc = "terms"});
    v.map("bodies", bodies, {.doc = "bodies"});
    v.assignments("set", set, {.doc = "overrides"});
  }
};

/// Reads a text; throws as a program would.
template <class O>
O read_text(const std::string& text, PlaceMap* places = nullptr, const std::vector<std::string>& sets = {}) {
  TreeNode tree = parse_tree(text, "scene.yaml");
  for (const std::string& set : sets) apply_override(tree, set);
  O options;
  Diagnostics diagnostics;
  PlaceMap found;
  read_options(
      tree, [&](ParamVisitor& v) { options.visit(v); }, FakeCatalog(), diagnostics, found);
  diagnostics.throw_if_any();
  if (places != nullptr) *places = found;
  return options;
}

/// What the call complains of; fails the test if it does not.
template <class F>
std::string error_of(F call) {
  try {
    call();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Errc::Input);
    return e.what();
  }
  ADD_FAILURE() << "expected an Error";
  return {};
}

template <class O>
std::string read_error(const std::string& text, const std::vector<std::string>& sets = {}) {
  return error_of([&] { read_text<O>(text, nullptr, sets); });
}

inline std::size_t count_of(const std::string& text, const std::string& word) {
  std::size_t count = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
  return count;
}

/// A folder that is removed with everything in it.
class TempFolder {
 public:
  TempFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "resilin_params_XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make a folder");
    path_ = name;
  }
  ~TempFolder() {
    std::error_code code;
    std::filesystem::remove_all(path_, code);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  std::string write(const std::string& name, const std::string& text) const {
    const std::filesystem::path file = path_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
    return file.string();
  }
  std::string path(const std::string& name = {}) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace resilin::test
