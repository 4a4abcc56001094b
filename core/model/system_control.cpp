// The part of System that makes controllers and lets them drive parameters.
#include "core/model/system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace resilin {

namespace {

/// The surroundings of `spec`, a part of a controller.
BuildContext part_context(const BuildContext& c, const ComponentSpec& spec) {
  BuildContext part = c;
  part.path = spec.path;
  part.place = spec.place;
  return part;
}

void make_sensors(ControlLoop& loop, const ControllerOptions& options, const BuildContext& c) {
  Diagnostics found;
  for (const ComponentSpec& spec : options.sensors)
    found.attempt([&] {
      loop.sensors.push_back(c.registry->make<Sensor>(spec, part_context(c, spec)));
      loop.num_inputs += loop.sensors.back()->size();
    });
  found.throw_if_any();
}

}  // namespace

bool System::add_controllers(const SceneOptions& scene, BuildContext c, Diagnostics& found) {
  bool good = true;
  c.num_nodes = num_nodes();
  c.bodies = &body_views_;
  for (const auto& [name, options] : scene.controllers)
    good = found.attempt([&, &name = name, &options = options] {
      BuildContext of = c;
      of.path = "controllers." + name;
      if (const auto it = c.places->find(of.path); it != c.places->end()) of.place = it->second;
      add_controller(options, of);
    }) && good;
  return good;
}

void System::add_controller(const ControllerOptions& options, const BuildContext& c) {
  auto loop = std::make_unique<ControlLoop>();
  loop->path = c.path;
  loop->first_control = num_controls();
  make_sensors(*loop, options, c);
  if (options.drives.empty()) throw c.input_error("drives", "a controller has to drive a parameter");
  for (std::size_t i = 0; i < options.drives.size(); ++i) {
    BuildContext of = c;
    of.path = fmt::format("{}.drives[{}]", c.path, i);
    if (const auto it = c.places->find(of.path); it != c.places->end()) of.place = it->second;
    add_drives(*loop, options.drives[i], of);
  }
  std::vector<char> used(static_cast<std::size_t>(loop->num_outputs), 0);
  for (const ControlDrive& d : loop->drives) used[static_cast<std::size_t>(d.output)] = 1;
  if (const auto unused = std::find(used.begin(), used.end(), 0); unused != used.end())
    throw c.input_error("drives",
                        fmt::format("output {} drives nothing, but a later one does", unused - used.begin()));
  const BuildContext of_law = part_context(c, options.law);
  loop->law = c.registry->make<Controller>(options.law, of_law);
  try {
    loop->law->attach(loop->num_inputs, loop->num_outputs);
  } catch (const Error& e) {
    throw of_law.input_error("", e.message());
  }
  loop->parameter_offset = table_.size();
  const std::string name = c.path + ".law";
  const Index added = table_.add(name, [&](ParamVisitor& v) { loop->law->visit_parameters(v); });
  require_same_count(name, "num_parameters()", loop->law->num_parameters(), added);
  control_loops_.push_back(std::move(loop));
}

/// Adds a drive for every number of the parameters that the path matches.
void System::add_drives(ControlLoop& loop, const DriveOptions& options, const BuildContext& c) {
  std::vector<const ParameterEntry*> entries;
  try {
    entries = table_.find(options.parameter);
  } catch (const Error& e) {
    throw c.input_error("parameter", e.message());
  }
  Index output = options.output >= 0 ? options.output : loop.num_outputs;
  for (const ParameterEntry* e : entries) {
    if (const std::string other = driver_of(*e, &loop); !other.empty())
      throw c.input_error("parameter", fmt::format("{} is already driven by {}", e->path, other));
    for (Index i = 0; i < e->size; ++i, ++output) {
      const Index control = loop.first_control + static_cast<Index>(loop.drives.size());
      if (!drive(e->offset + i, control))
        throw c.input_error("parameter", e->path +
                                             " cannot be driven: only what may change in time, such as an "
                                             "activation, and is given as a constant");
      loop.drives.push_back({e->offset + i, output, options.gain, options.offset, e->min, e->max, e->open,
                             e->size == 1 ? e->path : fmt::format("{}[{}]", e->path, i)});
    }
  }
  loop.num_outputs = std::max(loop.num_outputs, output);
}

bool System::drive(Index parameter, Index control) {
  for (std::size_t e = 0; e < energies_.size(); ++e) {
    const Index local = parameter - energy_offset_[e];
    if (local >= 0 && local < energies_[e]->num_parameters()) return energies_[e]->drive(local, control);
  }
  return false;
}

std::string System::driver_of(const ParameterEntry& entry, const ControlLoop* also) const {
  const auto drives_it = [&](const ControlLoop& loop) {
    return std::any_of(loop.drives.begin(), loop.drives.end(), [&](const ControlDrive& d) {
      return d.parameter >= entry.offset && d.parameter < entry.offset + entry.size;
    });
  };
  for (const auto& loop : control_loops_)
    if (drives_it(*loop)) return loop->path;
  return also != nullptr && drives_it(*also) ? also->path : std::string();
}

Index System::num_controls() const {
  return control_loops_.empty() ? 0
                                : control_loops_.back()->first_control +
                                      static_cast<Index>(control_loops_.back()->drives.size());
}

VecX System::controls(const State& state) const {
  VecX all(num_controls());
  for (const auto& loop : control_loops_)
    loop->evaluate(state, all.segment(loop->first_control, static_cast<Index>(loop->drives.size())));
  return all;
}

void System::pull_back_controls(const State& state, SystemCotangent& c, MutVec dx, MutVec dv) const {
  for (const auto& loop : control_loops_) {
    VecX z(static_cast<Index>(loop->drives.size()));
    for (std::size_t k = 0; k < loop->drives.size(); ++k)
      z[static_cast<Index>(k)] = std::exchange(c.theta[loop->drives[k].parameter], 0);
    loop->add_vjp(state, z, dx, dv, c.theta.segment(loop->parameter_offset, loop->law->num_parameters()));
  }
}

}  // namespace resilin
