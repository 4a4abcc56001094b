#include "core/app/fitted_scene.hpp"

#include "core/base/file.hpp"
#include "core/params/passive_visitor.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <vector>

namespace resilin::app {
namespace {

/// Walks the options with the path of each parameter at hand.
class Setter final : public PassiveVisitor {
 public:
  explicit Setter(const std::map<std::string, VecX>& values) : missing_(values) {}
  const std::map<std::string, VecX>& missing() const { return missing_; }

  void real(const char* name, double& value, const Spec& spec) override {
    if (const VecX* found = take(name, spec, 1)) value = (*found)[0];
  }
  void vec3(const char* name, Vec3& value, const Spec& spec) override {
    if (const VecX* found = take(name, spec, 3)) value = *found;
  }
  void field(const char* name, Field& value, const Spec& spec) override {
    for (std::size_t i = 0; value.steps == 1 && i < value.regions.size(); ++i) {
      const std::string region = std::string(name) + "[" + value.regions[i] + "]";
      const VecX* part = take(region.c_str(), spec, value.components);
      if (part != nullptr)
        value.values.segment(static_cast<Index>(i) * value.components, value.components) = *part;
    }
    const VecX* found = take(name, spec, value.components * value.steps);
    if (found == nullptr) return;
    value.items = found->size() / (value.components * value.steps);
    value.values = *found;
  }
  /// Numbers that a component names itself, each behind its key.
  void assignments(const char* name, NamedList<std::string>& value, const Spec&) override {
    for (auto& [key, text] : value)
      if (const VecX* found = take((name + ("." + key)).c_str(), 1))
        text = fmt::format("{:.17g}", (*found)[0]);
  }
  void component(const char* name, const char*, ComponentSpec& value, const Spec&) override {
    walk(name, value);
  }
  void components(const char* name, const char*, std::vector<ComponentSpec>& value, const Spec&) override {
    for (std::size_t i = 0; i < value.size(); ++i) walk(fmt::format("{}[{}]", name, i), value[i]);
  }
  void component_map(const char* name, const char*, NamedList<ComponentSpec>& value, const Spec&) override {
    for (auto& [key, component] : value) walk(fmt::format("{}.{}", name, key), component);
  }
  void sequence(const char* name, SequenceAccess& value, const Spec&) override {
    for (Index i = 0; i < value.size(); ++i) walk(fmt::format("{}[{}]", name, i), value, i);
  }
  void named(const char* name, SequenceAccess& value, const Spec&) override {
    for (Index i = 0; i < value.size(); ++i) walk(fmt::format("{}.{}", name, value.key(i)), value, i);
  }

 private:
  void enter(const char* name) override { scope_.emplace_back(name); }
  void leave() override { scope_.pop_back(); }
  void walk(const std::string& name, ComponentSpec& component) {
    if (component.options == nullptr) return;
    scope_.push_back(name);
    component.options->visit(*this);
    scope_.pop_back();
  }
  void walk(const std::string& name, SequenceAccess& list, Index i) {
    scope_.push_back(name);
    list.visit(i, *this);
    scope_.pop_back();
  }

  /// The value for parameter `name` here, if there is one; its size is a multiple of `unit`.
  const VecX* take(const char* name, const Spec& spec, Index unit) {
    return spec.differentiable ? take(name, unit) : nullptr;
  }
  const VecX* take(const char* name, Index unit) {
    std::string path;
    for (const std::string& s : scope_) path += s + ".";
    const auto found = missing_.find(path + name);
    if (found == missing_.end()) return nullptr;
    taken_ = found->second;
    if (taken_.size() == 0 || taken_.size() % unit != 0)
      throw Error(Errc::Internal,
                  fmt::format("{}: {} values do not fit the options", path + name, taken_.size()));
    missing_.erase(found);
    return &taken_;
  }

  std::map<std::string, VecX> missing_;
  std::vector<std::string> scope_;
  VecX taken_;
};

}  // namespace

void set_parameters(SceneOptions& scene, const std::map<std::string, VecX>& values) {
  Setter setter(values);
  scene.visit(setter);
  if (!setter.missing().empty())
    throw Error(Errc::Internal,
                fmt::format("no option belongs to parameter {}", setter.missing().begin()->first));
}

void replace_preload(SceneOptions& scene, const System& system, const std::string& folder) {
  if (!scene.has_preload) return;
  scene.has_preload = false;
  const State start = system.initial_state();
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const Body& body = *system.bodies()[b];
    InitialOptions& initial = scene.bodies[b].second.initial;
    const Index first = 3 * body.first_node, size = 3 * body.mesh.num_vertices();
    const VecX base = start.x.segment(first, size) - body.options.initial.displacements.values;
    std::string text;
    for (Index i = 0; i < size; i += 3)
      text += fmt::format("{:.17g},{:.17g},{:.17g}\n", base[i], base[i + 1], base[i + 2]);
    initial.positions_file =
        std::filesystem::absolute(folder + "/initial_" + body.name + ".csv").lexically_normal().string();
    write_file(initial.positions_file, text);
    const VecX reached = system.initial_base_velocity().segment(first, size);
    if (reached.isZero(0)) continue;
    initial.velocities = body.options.initial.velocities;
    initial.velocities.values += reached;
  }
}

}  // namespace resilin::app
