#include "tasks/linear_functional/linear_functional.hpp"

#include "core/mesh/regions.hpp"

#include <fmt/format.h>

namespace resilin {
namespace {

/// The weight of every vertex of the system.
VecX expand(const Field& field, const char* key, const NodeMean& mean, bool points,
            const BuildContext& context) {
  require_no_regions(field, key, context);
  const auto count = static_cast<Index>(mean.nodes.size());
  if (field.steps != 1 || (field.items != 1 && (!points || field.items != count)))
    throw context.input_error(key, fmt::format("{} entries given; {} expected", field.items * field.steps,
                                               points ? fmt::format("one or {} (a vertex each) are", count)
                                                      : std::string("one is")));
  VecX v = VecX::Zero(3 * context.num_nodes);
  for (Index i = 0; i < count; ++i)
    v.segment<3>(3 * mean.nodes[static_cast<std::size_t>(i)]) =
        (points ? 1 : mean.weights[i]) * field.vec3(i, 0);
  return v;
}

}  // namespace

void LinearFunctional::Options::visit(ParamVisitor& v) {
  selection.visit(v);
  v.choice("of", of, {"points", "centroid", "center_of_mass"},
           {.doc = "what the weights are of: each selected vertex, their mean, or their mean weighted by the "
                   "volume around each"});
  v.field("positions", positions,
          {.doc = "weights a of the positions, one for all or one per selected vertex", .unit = "1/m"});
  v.field("velocities", velocities, {.doc = "weights b of the velocities", .unit = "s/m"});
  v.integers("frames", frames, {.doc = "frames that count (0 is the start); the last if empty"});
}

LinearFunctional::LinearFunctional(const Options& options, const BuildContext& context)
    : frames_(options.frames) {
  check_frames(frames_, context);
  const NodeMean mean(options.selection.vertices(context), options.of, context);
  a_ = expand(options.positions, "positions", mean, options.of == "points", context);
  b_ = expand(options.velocities, "velocities", mean, options.of == "points", context);
}

bool LinearFunctional::counts(Index k, Index last) const {
  return frames_.empty() ? k == last : place_of(frames_, k) >= 0;
}

double LinearFunctional::frame_value(const State& s, Index) const {
  return a_.dot(s.x) + b_.dot(s.v);
}

void LinearFunctional::add_frame_gradient(const State&, Index, double weight, Adjoint& a) const {
  a.x += weight * a_;
  a.v += weight * b_;
}

}  // namespace resilin
