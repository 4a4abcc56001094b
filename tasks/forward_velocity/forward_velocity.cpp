#include "tasks/forward_velocity/forward_velocity.hpp"

namespace resilin {

void ForwardVelocity::Options::visit(ParamVisitor& v) {
  selection.visit(v);
  v.choice("of", of, {"centroid", "center_of_mass"},
           {.doc = "whose velocity: the mean of the selected vertices, or that weighted by the volume around "
                   "each"});
  v.vec3("direction", direction, {.doc = "where to move, of any length"});
  v.real("sideways_weight", sideways_weight,
         {.doc = "weight of the squared velocity across the direction", .unit = "s/m", .min = 0});
  v.integers("frames", frames, {.doc = "frames that count (0 is the start); all but the start if empty"});
}

ForwardVelocity::ForwardVelocity(const Options& options, const BuildContext& context)
    : options_(options),
      mean_(options.selection.vertices(context), options.of, context),
      direction_(unit_vector(options.direction, "direction", context)) {
  check_frames(options.frames, context);
}

bool ForwardVelocity::counts(Index k, Index) const {
  return options_.frames.empty() ? k > 0 : place_of(options_.frames, k) >= 0;
}

double ForwardVelocity::frame_value(const State& s, Index) const {
  const Vec3 v = mean_(s.v);
  return -v.dot(direction_) + options_.sideways_weight * v.cross(direction_).squaredNorm();
}

void ForwardVelocity::add_frame_gradient(const State& s, Index, double weight, Adjoint& a) const {
  // |v x e|^2 = |v - (v . e) e|^2
  const Vec3 v = mean_(s.v), across = v - v.dot(direction_) * direction_;
  mean_.add_vjp(weight * (2 * options_.sideways_weight * across - direction_), a.v);
}

}  // namespace resilin
