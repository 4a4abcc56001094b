#include "tasks/linear_functional/linear_functional.hpp"

#include "core/mesh/regions.hpp"

#include <fmt/format.h>

namespace resilin {
namespace {

VecX expand(const Field& field, const char* key, const BuildContext& context) {
  require_no_regions(field, key, context);
  if (field.steps != 1 || (field.items != 1 && field.items != context.num_nodes))
    throw context.input_error(key, fmt::format("{} entries given; one or {} (a vertex each) are expected",
                                               field.items * field.steps, context.num_nodes));
  VecX v(3 * context.num_nodes);
  for (Index i = 0; i < context.num_nodes; ++i) v.segment<3>(3 * i) = field.vec3(i, 0);
  return v;
}

}  // namespace

void LinearFunctional::Options::visit(ParamVisitor& v) {
  v.field("positions", positions,
          {.doc = "weights a of the final positions, one for all or one per vertex", .unit = "1/m"});
  v.field("velocities", velocities, {.doc = "weights b of the final velocities", .unit = "s/m"});
}

LinearFunctional::LinearFunctional(const Options& options, const BuildContext& context)
    : a_(expand(options.positions, "positions", context)),
      b_(expand(options.velocities, "velocities", context)) {}

double LinearFunctional::frame_value(const State& s, Index) const {
  return a_.dot(s.x) + b_.dot(s.v);
}

void LinearFunctional::add_frame_gradient(const State&, Index, double weight, Adjoint& a) const {
  a.x += weight * a_;
  a.v += weight * b_;
}

}  // namespace resilin
