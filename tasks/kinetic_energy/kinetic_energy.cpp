#include "tasks/kinetic_energy/kinetic_energy.hpp"

namespace resilin {

void KineticEnergy::Options::visit(ParamVisitor& v) {
  selection.visit(v);
  v.real("density", density,
         {.doc = "mass per volume that the loss reckons with", .unit = "kg/m^3", .min = 0, .open = true});
  v.vec3("reference_velocity", reference_velocity,
         {.doc = "velocity of the frame in which the energy is measured", .unit = "m/s"});
  v.integers("frames", frames, {.doc = "frames that count (0 is the start); the last if empty"});
}

KineticEnergy::KineticEnergy(const Options& options, const BuildContext& context)
    : options_(options), nodes_(options.selection.vertices(context)) {
  check_frames(options.frames, context);
  const VecX measures = vertex_measures(context);
  mass_.resize(static_cast<Index>(nodes_.size()));
  for (Index i = 0; i < mass_.size(); ++i)
    mass_[i] = options.density * measures[nodes_[static_cast<std::size_t>(i)]];
}

bool KineticEnergy::counts(Index k, Index last) const {
  return options_.frames.empty() ? k == last : place_of(options_.frames, k) >= 0;
}

double KineticEnergy::frame_value(const State& s, Index) const {
  double sum = 0;
  for (Index i = 0; i < mass_.size(); ++i) {
    const Index n = nodes_[static_cast<std::size_t>(i)];
    sum += 0.5 * mass_[i] * (s.v.segment<3>(3 * n) - options_.reference_velocity).squaredNorm();
  }
  return sum;
}

void KineticEnergy::add_frame_gradient(const State& s, Index, double weight, Adjoint& a) const {
  for (Index i = 0; i < mass_.size(); ++i) {
    const Index n = nodes_[static_cast<std::size_t>(i)];
    a.v.segment<3>(3 * n) += weight * mass_[i] * (s.v.segment<3>(3 * n) - options_.reference_velocity);
  }
}

}  // namespace resilin
