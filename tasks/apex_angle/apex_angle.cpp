#include "tasks/apex_angle/apex_angle.hpp"

#include <algorithm>
#include <cmath>

namespace resilin {

void ApexAngle::Options::visit(ParamVisitor& v) {
  selection.visit(v);
  v.vec3("apex", apex, {.doc = "tip of the cone", .unit = "m"});
  v.vec3("up", up, {.doc = "direction of its axis, from the vertices to the tip"});
  v.real("target", target, {.doc = "apex angle to reach", .unit = "rad", .min = 0, .max = 6.283185307179586});
  v.integers("frames", frames, {.doc = "frames that count (0 is the start); the last if empty"});
}

ApexAngle::ApexAngle(const Options& options, const BuildContext& context)
    : options_(options),
      nodes_(options.selection.vertices(context)),
      up_(unit_vector(options.up, "up", context)) {
  check_frames(options.frames, context);
  share_ = 1 / static_cast<double>(nodes_.size() * std::max<std::size_t>(options.frames.size(), 1));
}

bool ApexAngle::counts(Index k, Index last) const {
  return options_.frames.empty() ? k == last : place_of(options_.frames, k) >= 0;
}

ApexAngle::Place ApexAngle::place(const State& s, Index node) const {
  const Vec3 from_apex = s.x.segment<3>(3 * node) - options_.apex;
  Place p;
  p.height = -from_apex.dot(up_);
  const Vec3 across = from_apex + p.height * up_;
  p.radius = across.norm();
  if (p.radius > 0) p.outward = across / p.radius;
  return p;
}

double ApexAngle::excess(const Place& p) const {
  return 2 * std::atan2(p.radius, p.height) - options_.target;
}

double ApexAngle::frame_value(const State& s, Index) const {
  double sum = 0;
  for (const Index n : nodes_) sum += std::pow(excess(place(s, n)), 2);
  return share_ * sum;
}

void ApexAngle::add_frame_gradient(const State& s, Index, double weight, Adjoint& a) const {
  for (const Index n : nodes_) {
    const Place p = place(s, n);
    const double squared = p.radius * p.radius + p.height * p.height;
    if (squared == 0) continue;  // at the apex itself
    // d phi = (h dr - r dh)/(r^2 + h^2), dr = outward . dx, dh = -up . dx
    a.x.segment<3>(3 * n) +=
        weight * share_ * 4 * excess(p) / squared * (p.height * p.outward + p.radius * up_);
  }
}

}  // namespace resilin
