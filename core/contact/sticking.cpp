#include "core/contact/sticking.hpp"

#include "core/base/error.hpp"

namespace resilin {
namespace {

constexpr std::size_t kMaxProjections = 64;
constexpr double kDepth = 1e-12;  // what rounding may leave of a projection, relative to places and metres

}  // namespace

Vec3 Sticking::project(Index collider, const Vec3& x, std::vector<Projection>& steps) const {
  const auto at = [&](Index k, const Vec3& p) { return colliders_[static_cast<std::size_t>(k)]->at(t_, p); };
  // While time stands still, in a preload, nothing is taken along.
  Vec3 p = x + (t_ > 0 ? h_ : 0) * at(collider, x).velocity;
  if (model_.keeps_place()) return p;
  for (Index next = collider; next >= 0;) {
    if (steps.size() == kMaxProjections)
      throw Error(Errc::Numerics, "no place outside of all colliders was found for a node in contact");
    const SurfacePoint s = at(next, p);
    steps.push_back({next, p});
    p -= (s.distance - model_.distance()) * s.normal;
    next = -1;
    double deepest = -kDepth * (1 + p.norm());
    for (const Index k : model_.colliders())
      if (const double d = at(k, p).distance - model_.distance(); d < deepest) deepest = d, next = k;
  }
  return p;
}

Vec3 Sticking::place(Index collider, const Vec3& x) const {
  std::vector<Projection> steps;
  return project(collider, x, steps);
}

void Sticking::add_vjp(Index collider, const Vec3& x, const Vec3& z, Vec3& dx, MutVec theta,
                       const std::vector<Index>& offset, Index model_offset) const {
  std::vector<Projection> steps;
  project(collider, x, steps);
  Vec3 adjoint = z;
  const auto pull = [&](Index k, const Vec3& p, const SurfaceCotangent& cotangent, Vec3& out) {
    const Collider& c = *colliders_[static_cast<std::size_t>(k)];
    Mat3X dp = Mat3X::Zero(3, 1);
    c.add_vjp(t_, p, {&cotangent, 1}, dp,
              theta.segment(offset[static_cast<std::size_t>(k)], c.num_parameters()));
    out += dp.col(0);
  };
  for (auto s = steps.rbegin(); s != steps.rend(); ++s) {
    const SurfacePoint surface = colliders_[static_cast<std::size_t>(s->collider)]->at(t_, s->from);
    SurfaceCotangent c;  // of p - d n
    c.distance = -surface.normal.dot(adjoint);
    c.normal = -(surface.distance - model_.distance()) * adjoint;
    if (model_.distance_parameter() >= 0) theta[model_offset + model_.distance_parameter()] -= c.distance;
    pull(s->collider, s->from, c, adjoint);
  }
  dx += adjoint;
  SurfaceCotangent c;
  c.velocity = (t_ > 0 ? h_ : 0) * adjoint;
  pull(collider, x, c, dx);
}

}  // namespace resilin
