#include "tasks/match_trajectory/match_trajectory.hpp"

#include "core/output/trajectory_file.hpp"

#include <fmt/format.h>

#include <cmath>

namespace resilin {

void MatchTrajectory::Options::visit(ParamVisitor& v) {
  v.path("file", file,
         {.doc = "trajectory.h5 to match; none: the trajectory of this scene with the parameters as they are "
                 "written"});
  selection.visit(v);
  v.integer("every", every, {.doc = "every n-th step counts", .min = 1, .max = 1e9});
  v.integers("frames", frames, {.doc = "only these frames count (0 is the start); takes the place of every"});
  v.real("velocity_weight", velocity_weight, {.doc = "weight of the velocities", .unit = "s^2", .min = 0});
}

MatchTrajectory::MatchTrajectory(const Options& options, const BuildContext& context)
    : options_(options), nodes_(options.selection.vertices(context)) {
  check_frames(options.frames, context);
  if (options.frames.empty() && options.every > context.steps)
    throw context.input_error("every",
                              fmt::format("no step counts: the scene has only {} steps", context.steps));
  if (!options.file.empty()) read_reference(context);
}

void MatchTrajectory::read_reference(const BuildContext& context) {
  const TrajectoryReader reader(options_.file);
  if (reader.num_nodes() != context.num_nodes)
    throw context.input_error("file", fmt::format("the trajectory has {} vertices, the scene {}",
                                                  reader.num_nodes(), context.num_nodes));
  reference_.resize(static_cast<std::size_t>(context.steps + 1));
  for (Index f = 0; f < reader.num_frames(); ++f)
    if (reader.step(f) <= context.steps)
      reference_[static_cast<std::size_t>(reader.step(f))] = reader.state(f);
  for (Index k = 0; k <= context.steps; ++k) {
    if (!counts(k, context.steps)) continue;
    const State& s = reference_[static_cast<std::size_t>(k)];
    const double time = static_cast<double>(k) * context.time_step;
    if (s.x.size() == 0)
      throw context.input_error("file",
                                fmt::format("the trajectory has no frame of step {}, which counts", k));
    if (std::abs(s.t - time) > 1e-9 * time)
      throw context.input_error(
          "file",
          fmt::format("step {} is at t = {} s in the trajectory, at {} s in the scene", k, s.t, time));
  }
}

bool MatchTrajectory::counts(Index k, Index) const {
  return options_.frames.empty() ? k > 0 && k % options_.every == 0 : place_of(options_.frames, k) >= 0;
}

double MatchTrajectory::frame_value(const State& s, Index k) const {
  const State& r = reference_[static_cast<std::size_t>(k)];
  double sum = 0;
  for (const Index n : nodes_) {
    sum += 0.5 * (s.x.segment<3>(3 * n) - r.x.segment<3>(3 * n)).squaredNorm();
    if (options_.velocity_weight > 0)
      sum += 0.5 * options_.velocity_weight * (s.v.segment<3>(3 * n) - r.v.segment<3>(3 * n)).squaredNorm();
  }
  return sum;
}

void MatchTrajectory::add_frame_gradient(const State& s, Index k, double weight, Adjoint& a) const {
  const State& r = reference_[static_cast<std::size_t>(k)];
  for (const Index n : nodes_) {
    a.x.segment<3>(3 * n) += weight * (s.x.segment<3>(3 * n) - r.x.segment<3>(3 * n));
    if (options_.velocity_weight > 0)
      a.v.segment<3>(3 * n) +=
          weight * options_.velocity_weight * (s.v.segment<3>(3 * n) - r.v.segment<3>(3 * n));
  }
}

}  // namespace resilin
