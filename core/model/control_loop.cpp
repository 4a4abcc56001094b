#include "core/model/control_loop.hpp"

#include <fmt/format.h>

#include <cmath>

namespace resilin {

VecX ControlLoop::sense(const State& state) const {
  VecX s(num_inputs);
  Index at = 0;
  for (const auto& sensor : sensors) {
    sensor->read(state, s.segment(at, sensor->size()));
    at += sensor->size();
  }
  return s;
}

void ControlLoop::evaluate(const State& state, MutVec controls) const {
  VecX y(num_outputs);
  law->evaluate(sense(state), y);
  for (std::size_t k = 0; k < drives.size(); ++k) {
    const ControlDrive& d = drives[k];
    const double value = d.offset + d.gain * y[d.output];
    const bool inside = d.open ? value > d.min && value < d.max : value >= d.min && value <= d.max;
    if (!std::isfinite(value) || !inside)
      throw Error(Errc::Numerics,
                  fmt::format("{}: at t = {:.6g} s it gives {} = {:.6g}, outside {}{}, {}{}", path, state.t,
                              d.path, value, d.open ? "(" : "[", d.min, d.max, d.open ? ")" : "]"));
    controls[static_cast<Index>(k)] = value;
  }
}

void ControlLoop::add_vjp(const State& state, ConstVec controls, MutVec dx, MutVec dv, MutVec dtheta) const {
  VecX z = VecX::Zero(num_outputs), ds = VecX::Zero(num_inputs);
  for (std::size_t k = 0; k < drives.size(); ++k)
    z[drives[k].output] += drives[k].gain * controls[static_cast<Index>(k)];
  law->add_vjp(sense(state), z, ds, dtheta);
  Index at = 0;
  for (const auto& sensor : sensors) {
    sensor->add_vjp(state, ds.segment(at, sensor->size()), dx, dv);
    at += sensor->size();
  }
}

}  // namespace resilin
