#include "contacts/velocity_friction/velocity_friction.hpp"

namespace resilin {

void VelocityFriction::Options::Region::visit(ParamVisitor& v) {
  v.vec3("min", min, {.doc = "lower corner", .unit = "m", .required = true});
  v.vec3("max", max, {.doc = "upper corner", .unit = "m", .required = true});
}

void VelocityFriction::Options::visit(ParamVisitor& v) {
  pairing.visit(v, kNodesOfLaw);
  v.real("friction", friction,
         {.doc = "Coulomb's coefficient of friction, static and dynamic",
          .min = 0,
          .max = 1e6,
          .differentiable = true});
  v.real("distance", distance,
         {.doc = "distance from a collider within which a node is in contact",
          .unit = "m",
          .min = 0,
          .max = 1e3});
  v.optional_section(
      "region", has_region, region,
      {.doc = "part of the surface of the colliders that can be touched: what bounds a published plane"});
}

VelocityFriction::VelocityFriction(const Options& options, const BuildContext& context) : options_(options) {
  nodes_ = options.pairing.find_nodes(context);
  colliders_ = options.pairing.find_colliders(context);
}

ContactPair VelocityFriction::pair_of(const ContactStep& step, Index node, Index collider) const {
  const SurfacePoint s =
      step.colliders[static_cast<std::size_t>(collider)]->at(step.time, step.start.segment<3>(3 * node));
  ContactPair pair;
  pair.nodes[0] = node;
  pair.weights[0] = 1;
  pair.collider = collider;
  pair.normal = s.normal;
  // While time stands still, in a preload, nothing is taken along.
  pair.drift = (step.time > 0 ? step.time_step : 0) * s.velocity;
  return pair;
}

void VelocityFriction::detect(const ContactStep& step, ConstVec, std::vector<ContactPair>& out) const {
  for (const Index i : nodes_) {
    const char* pinned = step.fixed.data() + 3 * i;
    if (pinned[0] || pinned[1] || pinned[2]) continue;
    const Vec3 start = step.start.segment<3>(3 * i), way = step.target.segment<3>(3 * i) - start;
    const auto touches = [&](Index k) {
      for (const double share : {0.0, 0.5, 1.0}) {
        const Vec3 p = start + share * way;
        const SurfacePoint s = step.colliders[static_cast<std::size_t>(k)]->at(step.time, p);
        const Vec3 foot = p - s.distance * s.normal;
        if (options_.has_region &&
            ((foot - options_.region.min).minCoeff() < 0 || (options_.region.max - foot).minCoeff() < 0))
          continue;
        if (s.distance <= options_.distance) return true;
      }
      return false;
    };
    for (const Index k : colliders_)
      if (touches(k)) {
        out.push_back(pair_of(step, i, k));
        break;
      }
  }
}

ContactPair VelocityFriction::find(const ContactStep& step, const NodeContact& contact) const {
  return pair_of(step, contact.node, contact.collider);
}

void VelocityFriction::add_vjp(const ContactStep& step, const ContactPair& pair,
                               const ContactPairCotangent& z, MutVec dstart, MutVec theta,
                               const std::vector<Index>& collider_offset, Index) const {
  SurfaceCotangent c;
  c.normal = z.normal;
  c.velocity = (step.time > 0 ? step.time_step : 0) * z.drift;
  const Index i = 3 * pair.nodes[0];
  const auto k = static_cast<std::size_t>(pair.collider);
  const Mat3X at = step.start.segment<3>(i);
  Mat3X dx = Mat3X::Zero(3, 1);
  step.colliders[k]->add_vjp(step.time, at, {&c, 1}, dx,
                             theta.segment(collider_offset[k], step.colliders[k]->num_parameters()));
  dstart.segment<3>(i) += dx.col(0);
}

}  // namespace resilin
