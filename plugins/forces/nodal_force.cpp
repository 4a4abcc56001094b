#include "plugins/forces/nodal_force.hpp"

#include "core/energy/key_times.hpp"

namespace resilin {

void NodalForce::Options::visit(ParamVisitor& v) {
  v.text("body", body, {.doc = "body that it acts on; may be left out if there is only one"});
  v.section("nodes", nodes, {.doc = "vertices that it acts on; all if empty"});
  v.field(
      "force", force,
      {.doc = "force on each vertex: one for all or one per vertex, constant or by 'steps': per time step, "
              "or per key time if there are key_times",
       .unit = "N",
       .differentiable = true,
       .required = true});
  visit_key_times(v, key_times);
}

NodalForce::NodalForce(const Options& options, const BuildContext& context) : options_(options) {
  const BodyView& body = context.find_body("body", options.body);
  nodes_ = select_vertices(*body.mesh, options.nodes);
  if (nodes_.empty())
    throw context.input_error("nodes", "the selection matches no vertex of body " + body.name);
  check_entries(options.force, "force", options.key_times, static_cast<Index>(nodes_.size()),
                "a selected vertex", context);
  for (Index& n : nodes_) n += body.first_node;
}

void NodalForce::add_force(const StepContext& c, ConstVec, ConstVec, MutVec f) const {
  const KeyBlend b = blend_at(options_.key_times, c);
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    f.segment<3>(3 * nodes_[i]) += (1 - b.weight) * options_.force.vec3(static_cast<Index>(i), b.from) +
                                   b.weight * options_.force.vec3(static_cast<Index>(i), b.to);
}

void NodalForce::add_vjp(const StepContext& c, ConstVec, ConstVec, ConstVec z, MutVec, MutVec,
                         MutVec dtheta) const {
  const KeyBlend b = blend_at(options_.key_times, c);
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const Vec3 zi = z.segment<3>(3 * nodes_[i]);
    dtheta.segment<3>(options_.force.index(static_cast<Index>(i), b.from)) += (1 - b.weight) * zi;
    dtheta.segment<3>(options_.force.index(static_cast<Index>(i), b.to)) += b.weight * zi;
  }
}

}  // namespace resilin
