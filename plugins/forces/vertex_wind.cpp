#include "plugins/forces/vertex_wind.hpp"

#include "core/energy/key_times.hpp"

#include <algorithm>
#include <cmath>

namespace resilin {

void VertexWind::Falloff::visit(ParamVisitor& v) {
  v.vec3("center", center, {.doc = "where the wind comes from", .unit = "m"});
  v.real(
      "distance", distance,
      {.doc = "from the centre, up to which the wind is full; it falls off as one over the distance beyond",
       .unit = "m",
       .min = 0,
       .max = 1e9,
       .open = true});
}

void VertexWind::Options::visit(ParamVisitor& v) {
  v.text("body", body, {.doc = "body that it acts on; may be left out if there is only one"});
  v.section("nodes", nodes, {.doc = "vertices that it acts on; all if empty"});
  v.vec3("force", force,
         {.doc = "force on each vertex at full strength", .unit = "N", .differentiable = true});
  v.choice("strength", strength, {"constant", "sinusoid", "steps"},
           {.doc = "factor on the force: 1, (sin(angular_frequency t + phase) + 1)/2 with t the end of the "
                   "step, or factors"});
  v.real("angular_frequency", angular_frequency,
         {.doc = "of the sinusoid", .unit = "rad/s", .min = 0, .max = 1e6, .differentiable = true});
  v.real("phase", phase, {.doc = "angle of it at time zero", .unit = "rad", .differentiable = true});
  v.field("factors", factors,
          {.doc = "with strength: steps, the factor of each time step under 'steps', or of each key time",
           .differentiable = true});
  visit_key_times(v, key_times);
  v.optional_section("falloff", has_falloff, falloff,
                     {.doc = "the wind weakens away from a centre, by where vertices are in the rest mesh"});
}

VertexWind::VertexWind(const Options& options, const BuildContext& context) : options_(options) {
  const BodyView& body = context.find_body("body", options.body);
  nodes_ = select_vertices(*body.mesh, options.nodes);
  if (nodes_.empty())
    throw context.input_error("nodes", "the selection matches no vertex of body " + body.name);
  check_entries(options.factors, "factors", options.key_times, 1, "all vertices", context);
  if (options.strength != "steps" && options.factors.steps != 1)
    throw context.input_error(
        "factors", "given, but the strength is '" + options.strength + "'; expected strength: steps");
  decay_ = VecX::Ones(static_cast<Index>(nodes_.size()));
  for (Index i = 0; i < decay_.size() && options.has_falloff; ++i) {
    const Vec3 place = body.mesh->vertices.col(nodes_[static_cast<std::size_t>(i)]);
    const double away = (place - options.falloff.center).norm();
    if (away > options.falloff.distance) decay_[i] = options.falloff.distance / away;
  }
  for (Index& n : nodes_) n += body.first_node;
}

double VertexWind::strength(const StepContext& c) const {
  if (options_.strength == "constant") return 1;
  if (options_.strength == "sinusoid")
    return 0.5 * (std::sin(options_.angular_frequency * c.time + options_.phase) + 1);
  const KeyBlend b = blend_at(options_.key_times, c);
  return (1 - b.weight) * options_.factors.at(0, b.from) + b.weight * options_.factors.at(0, b.to);
}

void VertexWind::add_force(const StepContext& c, ConstVec, ConstVec, MutVec f) const {
  const Vec3 full = strength(c) * options_.force;
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    f.segment<3>(3 * nodes_[i]) += decay_[static_cast<Index>(i)] * full;
}

void VertexWind::add_vjp(const StepContext& c, ConstVec, ConstVec, ConstVec z, MutVec, MutVec,
                         MutVec dtheta) const {
  Vec3 sum = Vec3::Zero();
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    sum += decay_[static_cast<Index>(i)] * z.segment<3>(3 * nodes_[i]);
  dtheta.segment<3>(kForce) += strength(c) * sum;
  const double d_strength = sum.dot(options_.force);
  if (options_.strength == "sinusoid") {
    const double slope = 0.5 * std::cos(options_.angular_frequency * c.time + options_.phase) * d_strength;
    dtheta[kFrequency] += slope * c.time;
    dtheta[kPhase] += slope;
  } else if (options_.strength == "steps") {
    const KeyBlend b = blend_at(options_.key_times, c);
    dtheta[kFactors + options_.factors.index(0, b.from)] += (1 - b.weight) * d_strength;
    dtheta[kFactors + options_.factors.index(0, b.to)] += b.weight * d_strength;
  }
}

}  // namespace resilin
