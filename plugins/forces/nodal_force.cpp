#include "plugins/forces/nodal_force.hpp"

#include "core/mesh/regions.hpp"

#include <fmt/format.h>

namespace resilin {

void NodalForce::Options::visit(ParamVisitor& v) {
  v.text("body", body, {.doc = "body that it acts on; may be left out if there is only one"});
  v.section("nodes", nodes, {.doc = "vertices that it acts on; all if empty"});
  v.field("force", force,
          {.doc = "force on each vertex: one for all or one per vertex, constant or per step",
           .unit = "N",
           .differentiable = true,
           .required = true});
}

NodalForce::NodalForce(const Options& options, const BuildContext& context) : options_(options) {
  const BodyView& body = context.find_body("body", options.body);
  nodes_ = select_vertices(*body.mesh, options.nodes);
  if (nodes_.empty())
    throw context.input_error("nodes", "the selection matches no vertex of body " + body.name);
  const auto count = static_cast<Index>(nodes_.size());
  require_no_regions(options.force, "force", context);
  if (options.force.items != 1 && options.force.items != count)
    throw context.input_error("force",
                              fmt::format("{} forces given; one or {} (a selected vertex each) are expected",
                                          options.force.items, count));
  if (options.force.steps != 1 && options.force.steps != context.steps)
    throw context.input_error("force", fmt::format("forces for {} steps given; the scene has {} steps",
                                                   options.force.steps, context.steps));
  for (Index& n : nodes_) n += body.first_node;
}

void NodalForce::add_force(const StepContext& c, ConstVec, ConstVec, MutVec f) const {
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    f.segment<3>(3 * nodes_[i]) += options_.force.vec3(static_cast<Index>(i), c.step);
}

void NodalForce::add_vjp(const StepContext& c, ConstVec, ConstVec, ConstVec z, MutVec, MutVec,
                         MutVec dtheta) const {
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    dtheta.segment<3>(options_.force.index(static_cast<Index>(i), c.step)) += z.segment<3>(3 * nodes_[i]);
}

}  // namespace resilin
