// The part of System that holds nodes: where pins are at a time, and when they let go.
#include "core/base/log.hpp"
#include "core/model/system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace resilin {

void System::add_pin(const Body& body, const PinOptions& options, const BuildContext& c) {
  std::vector<Index> nodes;
  try {
    nodes = select_vertices(body.mesh, options.nodes);
  } catch (const Error& e) {
    throw c.input_error("nodes", e.message());
  }
  if (nodes.empty()) throw c.input_error("nodes", "the selection matches no vertex of the body");
  if (static_cast<Index>(nodes.size()) == body.mesh.num_vertices())
    log_warn(fmt::format("{}: holds every vertex of the body", c.path));
  Pin pin;
  pin.path = c.path;
  for (const std::string& axis : options.axes) pin.axes[static_cast<std::size_t>(axis[0] - 'x')] = true;
  pin.release = options.release;
  pin.body = bodies_.size() - 1;
  pin.holds_rest = options.hold == "rest";
  pin.shift.setZero(3, static_cast<Index>(nodes.size()));
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    pin.nodes.push_back(body.first_node + nodes[i]);
    if (!pin.holds_rest)
      pin.shift.col(static_cast<Index>(i)) = body.options.initial.displacements.vec3(nodes[i], 0);
  }
  place_pin(pin);
  if (!options.motion.type.empty()) pin.motion = c.registry->make<Motion>(options.motion, c);
  pins_.push_back(std::move(pin));
}

void System::find_phases() {
  std::vector<double> ends;
  for (const Pin& pin : pins_) ends.push_back(pin.release);
  ends.push_back(std::numeric_limits<double>::infinity());
  std::sort(ends.begin(), ends.end());
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  for (const double end : ends) {
    Phase phase{end, std::vector<char>(static_cast<std::size_t>(base_x_.size()), 0)};
    for (const Pin& pin : pins_)
      if (pin.release >= end)
        for (const Index node : pin.nodes)
          for (std::size_t k = 0; k < 3; ++k)
            if (pin.axes[k]) phase.fixed[3 * static_cast<std::size_t>(node) + k] = 1;
    phases_.push_back(std::move(phase));
  }
}

std::size_t System::phase(double t) const {
  // Times of steps are sums of many terms: half a thousandth of a step is the same time.
  const double early = t - 5e-4 * time_step_;
  std::size_t k = 0;
  while (early > phases_[k].end) ++k;
  return k;
}

void System::place_pins(double t, MutVec x) const {
  const double end = phases_[phase(t)].end;
  for (const Pin& pin : pins_) {
    if (pin.release < end) continue;
    for (std::size_t i = 0; i < pin.nodes.size(); ++i) {
      const Vec3 place = pin.places.col(static_cast<Index>(i));
      const Vec3 p = pin.motion ? pin.motion->position(t, place) : place;
      for (Index k = 0; k < 3; ++k)
        if (pin.axes[static_cast<std::size_t>(k)]) x[3 * pin.nodes[i] + k] = p[k];
    }
  }
}

void System::add_pin_vjp(double t, ConstVec z, MutVec theta) const {
  const double end = phases_[phase(t)].end;
  // A coordinate belongs to the last pin that holds it.
  std::vector<char> taken(static_cast<std::size_t>(num_dofs()), 0);
  for (std::size_t p = pins_.size(); p-- > 0;) {
    const Pin& pin = pins_[p];
    if (pin.release < end) continue;
    const bool follows = follows_rest(pin);
    Mat3X places;  // cotangents of the places, at the body's nodes
    if (follows) places.setZero(3, bodies_[pin.body]->mesh.num_vertices());
    for (std::size_t i = 0; i < pin.nodes.size(); ++i) {
      Vec3 part = Vec3::Zero();
      for (Index k = 0; k < 3; ++k) {
        char& seen = taken[static_cast<std::size_t>(3 * pin.nodes[i] + k)];
        if (!pin.axes[static_cast<std::size_t>(k)] || seen) continue;
        part[k] = z[3 * pin.nodes[i] + k];
        seen = 1;
      }
      const auto column = static_cast<Index>(i);
      if (pin.motion)
        pin.motion->add_param_vjp(t, pin.places.col(column), part,
                                  theta.segment(pin_offset_[p], pin.motion->num_parameters()));
      if (follows)
        places.col(pin.nodes[i] - bodies_[pin.body]->first_node) +=
            pin.motion ? pin.motion->pull_back(t, pin.places.col(column), part) : part;
    }
    if (follows) add_place_vjp(pin, places, theta);
  }
}

}  // namespace resilin
