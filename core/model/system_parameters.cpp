// The part of System that enters differentiable parameters into its table.
#include "core/model/system.hpp"

#include <fmt/format.h>

namespace resilin {

void System::require_same_count(const std::string& path, const char* counted, Index count, Index registered) {
  if (count != registered)
    throw Error(Errc::Plugin, fmt::format("{}: {} has {} values but its differentiable parameters {}", path,
                                          counted, count, registered));
}

void System::register_body(Body& body) {
  const std::string path = "bodies." + body.name;
  const std::size_t first = table_.entries().size();
  table_.add(path, [&](ParamVisitor& v) { body.options.visit(v); });
  BodyOffsets o;
  for (std::size_t i = first; i < table_.entries().size(); ++i) {
    const ParameterEntry& e = table_.entries()[i];
    const std::string key = e.path.substr(path.size() + 1);
    if (key == "density") o.density = e.offset;
    if (key == "damping.mass") o.damping = e.offset;
    if (key == "initial.translation") o.translation = e.offset;
    if (key == "initial.rotation") o.rotation = e.offset;
    if (key == "initial.velocity") o.velocity = e.offset;
    if (key == "initial.angular_velocity") o.angular_velocity = e.offset;
    if (key == "initial.displacements") o.displacements = e.offset;
    if (key == "initial.velocities") o.velocities = e.offset;
    if (key == "rest_shape.displacements") o.rest = e.offset;
    if (key == "thickness" || key == "cross_section") o.cross_measure = e.offset;
  }
  body_offset_.push_back(o);
  FiniteElementEnergy& energy = *body.elastic;
  // The energy counts them as the first of its parameters, so they have to stand right before the materials.
  Index first_of_energy = table_.size();
  if (o.rest >= 0) first_of_energy -= 3 * body.mesh.num_vertices();
  if (o.cross_measure >= 0) --first_of_energy;
  const Index found = o.cross_measure >= 0 ? o.cross_measure : o.rest;
  if (found >= 0 && found != first_of_energy)
    throw Error(Errc::Internal, fmt::format("{}: the rest shape is not the last of the options", path));
  energy_offset_.push_back(first_of_energy);
  for (Index m = 0; m < energy.num_materials(); ++m) {
    const std::string name = fmt::format("{}.materials[{}]", path, m);
    const Index added = table_.add(name, [&](ParamVisitor& v) { energy.material(m).visit_parameters(v); });
    Index expected = 0;
    for (const Field* f : energy.material(m).fields()) expected += f->size();
    require_same_count(name, "fields()", expected, added);
  }
}

void System::register_parameters() {
  gravity_offset_ = table_.size();
  table_.add("", [&](ParamVisitor& v) {
    v.vec3("gravity", gravity_, {.doc = "acceleration of gravity", .unit = "m/s^2", .differentiable = true});
  });
  for (std::size_t i = 0; i < signals_.size(); ++i) {
    const std::string name = "signals." + signal_names_[i];
    signal_offset_.push_back(table_.size());
    const Index added = table_.add(name, [&](ParamVisitor& v) { signals_[i]->visit_parameters(v); });
    require_same_count(name, "num_parameters()", signals_[i]->num_parameters(), added);
  }
  for (const auto& body : bodies_) register_body(*body);
  for (const Pin& pin : pins_) {
    pin_offset_.push_back(table_.size());
    if (!pin.motion) continue;
    const std::string name = pin.path + ".motion";
    const Index added = table_.add(name, [&](ParamVisitor& v) { pin.motion->visit_parameters(v); });
    require_same_count(name, "num_parameters()", pin.motion->num_parameters(), added);
    num_motion_parameters_ += added;
  }
  for (std::size_t e = 0; e < energy_names_.size(); ++e) {
    Energy& energy = *energies_[bodies_.size() + e];
    const std::string name = "energies." + energy_names_[e];
    energy_offset_.push_back(table_.size());
    const Index added = table_.add(name, [&](ParamVisitor& v) { energy.visit_parameters(v); });
    require_same_count(name, "num_parameters()", energy.num_parameters(), added);
  }
  for (std::size_t f = 0; f < forces_.size(); ++f) {
    const std::string name = "forces." + force_names_[f];
    force_offset_.push_back(table_.size());
    const Index added = table_.add(name, [&](ParamVisitor& v) { forces_[f]->visit_parameters(v); });
    require_same_count(name, "num_parameters()", forces_[f]->num_parameters(), added);
  }
  for (std::size_t k = 0; k < colliders_.size(); ++k) {
    const std::string name = "colliders." + collider_names_[k];
    collider_offset_.push_back(table_.size());
    const Index added = table_.add(name, [&](ParamVisitor& v) { colliders_[k]->visit_parameters(v); });
    require_same_count(name, "num_parameters()", colliders_[k]->num_parameters(), added);
  }
  for (std::size_t k = 0; k < contact_models_.size(); ++k) {
    ContactModel& model = *contact_models_[k];
    const std::string name = fmt::format("contacts[{}]", k);
    const Index offset = table_.size();
    const Index added = table_.add(name, [&](ParamVisitor& v) { model.visit_parameters(v); });
    require_same_count(name, "num_parameters()", model.num_parameters(), added);
    couple_contact(model, name, offset);
  }
}

Index System::add_parameters(const std::string& path, Component& component, Index count) {
  const Index offset = table_.size();
  const Index added = table_.add(path, [&](ParamVisitor& v) { component.visit_parameters(v); });
  require_same_count(path, "num_parameters()", count, added);
  guests_.push_back(&component);
  return offset;
}

}  // namespace resilin
