#include "tasks/reach_target/reach_target.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace resilin {

void ReachTarget::Options::visit(ParamVisitor& v) {
  selection.visit(v);
  v.choice("of", of, {"points", "centroid", "center_of_mass"},
           {.doc = "what has to get there: each selected vertex, their mean, or their mean weighted by the "
                   "volume around each"});
  v.choice("quantity", quantity, {"position", "velocity"}, {.doc = "what is compared"});
  v.field("target", target,
          {.doc = "where to be (m) or how fast (m/s): one for all, one per selected vertex in the order of "
                  "their numbers, or {steps: [...]} with one entry per frame that counts",
           .required = true});
  v.choice("relative_to", relative_to, {"origin", "rest"},
           {.doc = "what targets of positions are added to: the origin, or where the points are in the rest "
                   "mesh"});
  v.choices("axes", axes, {"x", "y", "z"}, {.doc = "coordinates that are compared"});
  v.integers("frames", frames, {.doc = "frames that count (0 is the start); the last if empty"});
  v.integer("every", every,
            {.doc = "every n-th step counts, from the n-th on; takes the place of frames. 0: those of frames",
             .min = 0,
             .max = 1e9});
  v.flag("average", average,
         {.doc = "the mean of the squared distances over points and frames in place of half their sum"});
  v.check(every == 0 || frames.empty(), "every takes the place of frames: give one of them");
}

ReachTarget::ReachTarget(const Options& options, const BuildContext& context)
    : options_(options),
      mean_(options.selection.vertices(context), options.of, context),
      axes_(axes_mask(options.axes, context)),
      points_(options.of == "points"),
      velocity_(options.quantity == "velocity") {
  if (options.every > context.steps)
    throw context.input_error("every",
                              fmt::format("no step counts: the scene has only {} steps", context.steps));
  for (Index k = options.every; options.every > 0 && k <= context.steps; k += options.every)
    options_.frames.push_back(k);
  check_frames(options.frames, context);
  const auto count = static_cast<Index>(mean_.nodes.size());
  const Field& target = options.target;
  if (target.items != 1 && (!points_ || target.items != count))
    throw context.input_error("target",
                              fmt::format("{} targets given; expected {}", target.items,
                                          points_ ? fmt::format("one or {} (one per selected vertex)", count)
                                                  : std::string("one, for " + options.of)));
  const auto frames = static_cast<Index>(std::max<std::size_t>(options_.frames.size(), 1));
  if (target.steps != 1 && target.steps != frames)
    throw context.input_error(
        "target",
        fmt::format("{} entries in steps; expected {} (one per frame that counts)", target.steps, frames));
  if (options.average) factor_ = 1 / static_cast<double>(frames * (points_ ? count : 1));
  if (options.relative_to == "rest") find_rest(context);
}

void ReachTarget::find_rest(const BuildContext& context) {
  if (velocity_)
    throw context.input_error("relative_to",
                              "velocities are relative to nothing; expected relative_to: origin");
  VecX x = VecX::Zero(3 * context.num_nodes);
  for (const BodyView& body : *context.bodies)
    x.segment(3 * body.first_node, body.mesh->vertices.size()) = body.mesh->vertices.reshaped();
  if (!points_) {
    rest_ = mean_(x);
    return;
  }
  rest_.resize(3, static_cast<Index>(mean_.nodes.size()));
  for (std::size_t i = 0; i < mean_.nodes.size(); ++i)
    rest_.col(static_cast<Index>(i)) = x.segment<3>(3 * mean_.nodes[i]);
}

bool ReachTarget::counts(Index k, Index last) const {
  return options_.frames.empty() ? k == last : place_of(options_.frames, k) >= 0;
}

Vec3 ReachTarget::target(Index point, Index k) const {
  const Vec3 given = options_.target.vec3(point, std::max<Index>(0, place_of(options_.frames, k)));
  return rest_.size() > 0 ? given + rest_.col(point) : given;
}

double ReachTarget::frame_value(const State& s, Index k) const {
  const VecX& q = velocity_ ? s.v : s.x;
  if (!points_) return factor_ * axes_.cwiseProduct(mean_(q) - target(0, k)).squaredNorm();
  double sum = 0;
  for (std::size_t i = 0; i < mean_.nodes.size(); ++i) {
    const Vec3 gap = q.segment<3>(3 * mean_.nodes[i]) - target(static_cast<Index>(i), k);
    sum += factor_ * axes_.cwiseProduct(gap).squaredNorm();
  }
  return sum;
}

void ReachTarget::add_frame_gradient(const State& s, Index k, double weight, Adjoint& a) const {
  const VecX& q = velocity_ ? s.v : s.x;
  VecX& out = velocity_ ? a.v : a.x;
  const double scale = 2 * factor_ * weight;
  if (!points_) return mean_.add_vjp(scale * axes_.cwiseProduct(mean_(q) - target(0, k)), out);
  for (std::size_t i = 0; i < mean_.nodes.size(); ++i) {
    const Vec3 gap = q.segment<3>(3 * mean_.nodes[i]) - target(static_cast<Index>(i), k);
    out.segment<3>(3 * mean_.nodes[i]) += scale * axes_.cwiseProduct(gap);
  }
}

}  // namespace resilin
