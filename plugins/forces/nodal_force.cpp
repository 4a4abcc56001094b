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
  v.flag("per_vertex", per_vertex,
         {.doc = "a force that is given as one for all becomes one per vertex, each a variable of its own"});
  visit_key_times(v, key_times);
}

namespace {

/// One value per item, all equal.
void spread(Field& field, Index items) {
  const Index n = field.components;
  VecX values(n * field.steps * items);
  for (Index step = 0; step < field.steps; ++step)
    values.segment(step * items * n, items * n) = field.values.segment(step * n, n).replicate(items, 1);
  field.values = std::move(values);
  field.items = items;
}

}  // namespace

NodalForce::NodalForce(const Options& options, const BuildContext& context) : options_(options) {
  const BodyView& body = context.find_body("body", options.body);
  nodes_ = select_vertices(*body.mesh, options.nodes);
  if (nodes_.empty())
    throw context.input_error("nodes", "the selection matches no vertex of body " + body.name);
  check_entries(options.force, "force", options.key_times, static_cast<Index>(nodes_.size()),
                "a selected vertex", context);
  if (options.per_vertex && !options.force.drives.empty())
    throw context.input_error("per_vertex", "the force follows a signal, which is the same for all vertices");
  if (options.per_vertex && options.force.items == 1)
    spread(options_.force, static_cast<Index>(nodes_.size()));
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
