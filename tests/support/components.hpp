// Components made from the registry without a scene, for tests of every registered type alike.
#pragma once

#include "core/energy/finite_element_energy.hpp"
#include "core/mesh/generators.hpp"
#include "core/mesh/io.hpp"
#include "core/model/parameter_table.hpp"
#include "core/optim/loss.hpp"
#include "core/params/passive_visitor.hpp"
#include "tests/support/scenes.hpp"

#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace resilin::test {

/// One parameter as its options name it; nested ones by "section.key".
struct ParameterFact {
  std::string path;
  Spec spec;
  Index values = 0;  ///< numbers that it would bring to the parameter table, if it is differentiable
};

/// Lists the parameters of a visit, those of absent sections and of list entries included.
class FactCollector final : public PassiveVisitor {
 public:
  std::vector<ParameterFact> facts;

  void real(const char* n, double&, const Spec& s) override { note(n, s, 1); }
  void integer(const char* n, Index&, const Spec& s) override { note(n, s); }
  void flag(const char* n, bool&, const Spec& s) override { note(n, s); }
  void text(const char* n, std::string&, const Spec& s) override { note(n, s); }
  void path(const char* n, std::string&, const Spec& s) override { note(n, s); }
  void vec3(const char* n, Vec3&, const Spec& s) override { note(n, s, 3); }
  void choice(const char* n, std::string&, std::initializer_list<const char*>, const Spec& s) override {
    note(n, s);
  }
  void numbers(const char* n, VecX&, const Spec& s) override { note(n, s); }
  void integers(const char* n, std::vector<Index>&, const Spec& s) override { note(n, s); }
  void texts(const char* n, std::vector<std::string>&, const Spec& s) override { note(n, s); }
  void choices(const char* n, std::vector<std::string>&, std::initializer_list<const char*>,
               const Spec& s) override {
    note(n, s);
  }
  void field(const char* n, Field& f, const Spec& s) override { note(n, s, f.size()); }
  void section(const char* n, Body body, const Spec& s) override {
    note(n, s);
    nested(n, body);
  }
  void optional_section(const char* n, bool&, Body body, const Spec& s) override {
    note(n, s);
    nested(n, body);
  }
  void component(const char* n, const char*, ComponentSpec&, const Spec& s) override { note(n, s); }
  void components(const char* n, const char*, std::vector<ComponentSpec>&, const Spec& s) override {
    note(n, s);
  }
  void component_map(const char* n, const char*, NamedList<ComponentSpec>&, const Spec& s) override {
    note(n, s);
  }
  void sequence(const char* n, SequenceAccess& a, const Spec& s) override {
    note(n, s);
    nested(n, [&](ParamVisitor& v) { a.visit_default(v); });
  }
  void named(const char* n, SequenceAccess& a, const Spec& s) override { sequence(n, a, s); }
  void assignments(const char* n, NamedList<std::string>&, const Spec& s) override { note(n, s); }

 private:
  void note(const char* name, const Spec& spec, Index values = 0) {
    facts.push_back({prefix_ + name, spec, spec.differentiable ? values : 0});
  }
  void nested(const std::string& name, Body body) {
    const std::string outer = std::exchange(prefix_, prefix_ + name + ".");
    body(*this);
    prefix_ = outer;
  }
  std::string prefix_;
};

inline std::unique_ptr<OptionsBase> filled_options(const std::string& kind, const std::string& type,
                                                   const std::map<std::string, double>& values = {});

/// Gives what a type requires (a force, a surface file, a component, formulas) and sets numbers and flags by
/// name.
class OptionFiller final : public PassiveVisitor {
 public:
  explicit OptionFiller(std::map<std::string, double> values = {}, std::string surface = {})
      : values_(std::move(values)), surface_(std::move(surface)) {}

  void real(const char* name, double& value, const Spec&) override { set(name, value); }
  void integer(const char* name, Index& value, const Spec&) override {
    auto number = static_cast<double>(value);
    if (set(name, number)) value = static_cast<Index>(number);
  }
  void flag(const char* name, bool& value, const Spec&) override {
    double number = 0;
    if (set(name, number)) value = number != 0;
  }
  void path(const char* name, std::string& value, const Spec& spec) override;
  /// A camera stands in front of the origin, looking at it.
  void vec3(const char* name, Vec3& value, const Spec& spec) override {
    if (spec.required && name == std::string("position")) value = Vec3(0.1, 0.2, -5);
  }
  void text(const char* name, std::string& value, const Spec&) override {
    static const std::map<std::string, std::string> formulas{
        {"fx", "2 - 0.3*vx*x + 0.2*tanh(vy)"}, {"fy", "sin(3*x)*exp(-z) + t*y^2"}, {"fz", "-0.5*vz + x*y*z"}};
    if (const auto found = formulas.find(name); found != formulas.end()) value = found->second;
  }
  void field(const char* name, Field& value, const Spec& spec) override {
    double number = 0;
    if (set(name, number)) value.values.setConstant(number);
    if (spec.required)
      for (Index i = 0; i < value.size(); ++i) value.values[i] = 0.1 * static_cast<double>(i + 1);
  }
  void component(const char*, const char* kind, ComponentSpec& value, const Spec& spec) override {
    if (value.options != nullptr) return;
    value.type = registry().default_type(kind);
    if (!spec.required && value.type.empty()) return;
    if (value.type.empty())
      value.type = std::string(kind) == "loss" ? "match_trajectory" : registry().types(kind).front();
    value.options = filled_options(kind, value.type);
  }
  void components(const char*, const char* kind, std::vector<ComponentSpec>& value,
                  const Spec& spec) override {
    if (!spec.required || !value.empty()) return;
    for (const char* type : {"cma_es", "lbfgsb"}) {
      value.emplace_back();
      value.back().type = type;
      value.back().options = filled_options(kind, type);
    }
  }

 private:
  bool set(const char* name, double& value) const {
    const auto found = values_.find(name);
    if (found == values_.end()) return false;
    value = found->second;
    return true;
  }
  std::map<std::string, double> values_;
  std::string surface_;
};

/// A closed surface in a file, written at the first call (from within a test) and kept until the process
/// ends.
inline const std::string& surface_file() {
  static const TestFolder folder;
  static const std::string file = [] {
    write_obj(folder.file("box.obj"), make_box({1, 1, 1}, {1, 1, 1}, ElementType::Hex8));
    return folder.file("box.obj");
  }();
  return file;
}

/// Where the body of a SampleBody was seen in some frames of a film; kept in the same way.
inline const std::string& observations_file() {
  static const TestFolder folder;
  static const std::string file =
      folder.write("film.csv", "frame,marker,u,v\n0,beam,30,-20\n1,beam,-45.5,12\n3,beam,8,1e1\n");
  return file;
}

inline void OptionFiller::path(const char* name, std::string& value, const Spec& spec) {
  if (spec.required && value.empty())
    value = name == std::string("observations") ? observations_file() : surface_;
}

inline std::unique_ptr<OptionsBase> filled_options(const std::string& kind, const std::string& type,
                                                   const std::map<std::string, double>& values) {
  auto options = registry().make_options(kind, type);
  OptionFiller filler(values, surface_file());
  options->visit(filler);
  return options;
}

/// A body for components to look at, and the context that a constructor would get there.
struct SampleBody {
  explicit SampleBody(Mesh m) : mesh(std::move(m)), views{{"beam", &mesh, 0}} {}
  SampleBody(const SampleBody&) = delete;
  SampleBody& operator=(const SampleBody&) = delete;
  BuildContext context() const {
    BuildContext c;
    c.registry = &registry();
    c.mesh = &mesh;
    c.num_nodes = mesh.num_vertices();
    c.bodies = &views;
    c.colliders = &colliders;
    c.steps = 3;
    c.time_step = 0.01;
    return c;
  }
  Mesh mesh;
  std::vector<BodyView> views;
  std::vector<std::string> colliders{"ground"};
};

template <class Interface>
std::unique_ptr<Interface> make_component(const std::string& type, const BuildContext& context,
                                          const std::map<std::string, double>& values = {}) {
  ComponentSpec spec;
  spec.type = type;
  spec.options = filled_options(Kind<Interface>::kName, type, values);
  return registry().make<Interface>(spec, context);
}

/// Whether a material, with its defaults, is one of elements of this dimension; also before any test runs.
inline bool acts_on(const std::string& material, int dimension) {
  ComponentSpec spec;
  spec.type = material;
  spec.options = registry().make_options("material", material);
  return registry().make<Material>(spec, {})->acts_on(dimension);
}

/// A box whose inner vertices are moved, so that no two elements are alike.
inline Mesh distorted_box(const Cells& cells, ElementType type) {
  Mesh mesh = make_box(0.1 * cells.cast<double>(), cells, type);
  for (Index i = 0; i < mesh.num_vertices(); ++i) {
    const auto a = static_cast<double>(i);
    mesh.vertices.col(i) += 0.012 * Vec3(std::sin(1.3 * a), std::cos(2.1 * a), std::sin(0.7 * a + 1));
  }
  return mesh;
}

/// The same for any element type: triangles are the surface of such a box one cell thick, segments a winding
/// curve of as many.
inline Mesh distorted_mesh(const Cells& cells, ElementType type) {
  if (is_volume(type)) return distorted_box(cells, type);
  Mesh mesh;
  mesh.type = type;
  if (type == ElementType::Tri3) {
    const Mesh box = distorted_box({cells.x(), cells.y(), 1}, ElementType::Tet4);
    mesh.vertices = box.vertices;
    mesh.elements = extract_surface(box).faces;
    return mesh;
  }
  const Index segments = 8 * cells.prod();
  mesh.vertices.resize(3, segments + 1);
  mesh.elements.resize(2, segments);
  for (Index i = 0; i <= segments; ++i) {
    const auto a = static_cast<double>(i);
    mesh.vertices.col(i) =
        0.1 * Vec3(std::sin(0.4 * a), std::cos(0.5 * a), 0.2 * a + 0.1 * std::sin(1.9 * a));
    if (i < segments) mesh.elements.col(i) << static_cast<int>(i), static_cast<int>(i + 1);
  }
  return mesh;
}

/// Gives every `direction` of fibres one tangent per element of a surface.
struct TangentDirections final : PassiveVisitor {
  explicit TangentDirections(const Mesh& m) : mesh(m) {}
  void field(const char* name, Field& f, const Spec&) override {
    if (mesh.type != ElementType::Tri3 || name != std::string("direction")) return;
    f.items = mesh.num_elements();
    f.values.resize(3 * f.items);
    for (Index e = 0; e < f.items; ++e)
      f.values.segment<3>(3 * e) = mesh.vertices.col(mesh.elements(1, e)) -
                                   0.3 * mesh.vertices.col(mesh.elements(0, e)) -
                                   0.7 * mesh.vertices.col(mesh.elements(2, e));
  }
  const Mesh& mesh;
};

/// Positions in between: bent, stretched and shaken, without inversion.
inline VecX deformed(const Mesh& mesh, double size = 1) {
  VecX x(3 * mesh.num_vertices());
  for (Index i = 0; i < mesh.num_vertices(); ++i) {
    const Vec3 r = mesh.vertices.col(i);
    const auto a = static_cast<double>(i);
    x.segment<3>(3 * i) = r + size * (Vec3(0.2 * r.x() + 0.1 * r.y(), 0.5 * r.x() * r.z() - 0.1 * r.y(),
                                           0.15 * r.z() + 0.1 * r.x()) +
                                      0.004 * Vec3(std::cos(1.7 * a), std::sin(0.9 * a), std::cos(2.3 * a)));
  }
  return x;
}

inline VecX random_vector(Index n, unsigned seed) {
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> normal;
  VecX v(n);
  for (double& e : v) e = normal(engine);
  return v;
}

/// Smallest relative gap between `exact` and fourth-order central differences of f over several steps;
/// `floor` is the size below which the gap is measured absolutely.
inline double difference_gap(const std::function<double(double)>& f, double exact, double largest,
                             double floor) {
  double best = std::numeric_limits<double>::infinity();
  for (double s = largest; s > 1e-4 * largest; s *= 0.2) {
    const double d = (8 * (f(s) - f(-s)) - (f(2 * s) - f(-2 * s))) / (12 * s);
    const double gap = std::abs(d - exact) / std::max({std::abs(exact), std::abs(d), floor});
    if (gap < best) best = gap;
  }
  return best;
}
/// The same for a vector.
inline double difference_gap(const std::function<VecX(double)>& f, const VecX& exact, double largest) {
  double best = std::numeric_limits<double>::infinity();
  for (double s = largest; s > 1e-4 * largest; s *= 0.2) {
    const VecX d = (8 * (f(s) - f(-s)) - (f(2 * s) - f(-2 * s))) / (12 * s);
    const double gap = (d - exact).norm() / std::max(exact.norm(), 1e-300);
    if (gap < best) best = gap;
  }
  return best;
}

/// A pass that has seen all frames of the tape.
inline std::unique_ptr<LossPass> observed(const Loss& loss, const Tape& tape) {
  const auto last = static_cast<Index>(tape.frames.size()) - 1;
  auto pass = loss.begin(last);
  for (Index k = 0; k <= last; ++k)
    pass->observe(k, tape.states[static_cast<std::size_t>(tape.frames[static_cast<std::size_t>(k)])]);
  return pass;
}

}  // namespace resilin::test
