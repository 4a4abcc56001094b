// The part of System that lets fields follow signals, and takes meshes from a folder of assets.
#include "core/model/system.hpp"
#include "core/params/passive_visitor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>

namespace resilin {
namespace {

/// Shows every field of a scene that follows a signal, with its path, its Spec and whether a component owns
/// it.
class DrivenFields final : public PassiveVisitor {
 public:
  using See = std::function<void(const std::string& path, Field& field, const Spec& spec, bool in_component)>;
  explicit DrivenFields(See see) : see_(std::move(see)) {}

  void field(const char* name, Field& value, const Spec& spec) override {
    if (!value.drives.empty()) see_(scope_ + name, value, spec, depth_ > 0);
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
    for (Index i = 0; i < value.size(); ++i)
      within(fmt::format("{}[{}]", name, i), [&] { value.visit(i, *this); });
  }
  void named(const char* name, SequenceAccess& value, const Spec&) override {
    for (Index i = 0; i < value.size(); ++i)
      within(fmt::format("{}.{}", name, value.key(i)), [&] { value.visit(i, *this); });
  }

 private:
  void enter(const char* name) override { scope_ += std::string(name) + "."; }
  void leave() override { scope_.erase(scope_.find_last_of('.', scope_.size() - 2) + 1); }
  template <class Part>
  void within(const std::string& name, const Part& part) {
    const std::string outer = scope_;
    scope_ += name + ".";
    part();
    scope_ = outer;
  }
  void walk(const std::string& name, ComponentSpec& component) {
    if (component.options == nullptr) return;
    ++depth_;
    within(name, [&] { component.options->visit(*this); });
    --depth_;
  }

  See see_;
  std::string scope_;
  int depth_ = 0;
};

/// One entry per time step; what follows no signal keeps its values.
void spread_over_steps(Field& field, Index steps) {
  if (field.steps == steps) return;
  field.values = VecX(field.values.replicate(steps, 1));
  field.steps = steps;
}

/// Sets the entries of the items that follow signals to signal_value(name, t) at the starts t of the steps.
template <class SignalValue>
void fill(Field& field, double time_step, const SignalValue& signal_value) {
  for (Index step = 0; step < field.steps; ++step)
    for (std::size_t i = 0; i < field.drives.size(); ++i) {
      const FieldDrive& d = field.drives[i];
      if (d.signal.empty()) continue;
      const double s = signal_value(d.signal, time_step * static_cast<double>(step));
      for (Index c = 0; c < field.components; ++c)
        field.values[field.index(static_cast<Index>(i), step, c)] = d.offset[c] + d.scale[c] * s;
    }
}

bool in_range(double value, double min, double max, bool open) {
  return open ? value > min && value < max : value >= min && value <= max;
}

/// What is wrong with the values of a field that follows signals; "" if nothing is.
std::string range_mistake(const Field& field, double min, double max, bool open) {
  for (Index step = 0; step < field.steps; ++step)
    for (std::size_t i = 0; i < field.drives.size(); ++i)
      for (Index c = 0; c < field.components && !field.drives[i].signal.empty(); ++c)
        if (const double v = field.at(static_cast<Index>(i), step, c); !in_range(v, min, max, open))
          return fmt::format("{}follows the signal '{}' to {} in step {}, outside {}{}, {}{}",
                             field.regions.empty() ? "" : "in region '" + field.regions[i] + "' ",
                             field.drives[i].signal, v, step + 1, open ? "(" : "[", min, max,
                             open ? ")" : "]");
  return {};
}

/// The mesh that a folder of assets has for a body.
void take_asset(const std::string& folder, MeshOptions& mesh) {
  mesh.file = (std::filesystem::path(folder) / mesh.asset.file).string();
  mesh.scale = mesh.asset.scale;
  mesh.rotation = mesh.asset.rotation;
  mesh.translation = mesh.asset.translation;
}

}  // namespace

bool System::add_signals(const SceneOptions& scene, const BuildContext& c, Diagnostics& found) {
  bool good = true;
  for (const auto& [name, spec] : scene.signals)
    good = found.attempt([&, &name = name, &spec = spec] {
      BuildContext of = c;
      of.path = spec.path;
      of.place = spec.place;
      signals_.push_back(c.registry->make<Signal>(spec, of));
      signal_names_.push_back(name);
    }) && good;
  return good;
}

std::size_t System::find_signal(const std::string& name) const {
  return static_cast<std::size_t>(std::find(signal_names_.begin(), signal_names_.end(), name) -
                                  signal_names_.begin());
}

SceneOptions System::prepared(const SceneOptions& scene, const PlaceMap& places, Diagnostics& found) const {
  SceneOptions result = scene;
  for (auto& [name, body] : result.bodies)
    if (!scene.assets.empty() && body.mesh.has_asset) take_asset(scene.assets, body.mesh);
  DrivenFields visitor([&](const std::string& path, Field& field, const Spec& spec, bool in_component) {
    const auto it = places.find(path);
    const Place place = it == places.end() ? Place{} : it->second;
    const auto mistake = [&](const std::string& text) { found.error(place, {}, path + ": " + text); };
    if (!in_component) return mistake("does not change in time, so it cannot follow a signal");
    if (path.rfind("preload.", 0) == 0) return mistake("time stands still in a preload: give it as values");
    if (field.steps != 1 && field.steps != scene.time.steps)
      return mistake(fmt::format("values for {} steps given beside a signal; the scene has {} steps",
                                 field.steps, scene.time.steps));
    for (const FieldDrive& d : field.drives)
      if (!d.signal.empty() && find_signal(d.signal) == signals_.size())
        return mistake(
            fmt::format("the scene has no signal '{}'{}", d.signal, suggest(d.signal, signal_names_)));
    spread_over_steps(field, scene.time.steps);
    fill(field, scene.time.step,
         [&](const std::string& name, double t) { return signals_[find_signal(name)]->value(t); });
    if (const std::string text = range_mistake(field, spec.min, spec.max, spec.open); !text.empty())
      mistake(text);
  });
  result.visit(visitor);
  return result;
}

void System::drive_fields() const {
  for (const auto& [entry, field] : table_.driven()) {
    fill(*field, time_step_,
         [&](const std::string& name, double t) { return signals_[find_signal(name)]->value(t); });
    if (const std::string text = range_mistake(*field, entry.min, entry.max, entry.open); !text.empty())
      throw Error(Errc::Numerics, entry.path + " " + text);
  }
}

/// Moves the gradient of what follows signals to their parameters.
void System::add_drive_vjp(MutVec theta) const {
  for (const auto& [entry, field] : table_.driven()) {
    for (Index step = 0; step < field->steps; ++step)
      for (std::size_t i = 0; i < field->drives.size(); ++i) {
        const FieldDrive& d = field->drives[i];
        if (d.signal.empty()) continue;
        double z = 0;
        for (Index c = 0; c < field->components; ++c)
          z += d.scale[c] * theta[entry.offset + field->index(static_cast<Index>(i), step, c)];
        const std::size_t k = find_signal(d.signal);
        signals_[k]->add_param_vjp(time_step_ * static_cast<double>(step), z,
                                   theta.segment(signal_offset_[k], signals_[k]->num_parameters()));
      }
    theta.segment(entry.offset, entry.size).setZero();
  }
}

}  // namespace resilin
