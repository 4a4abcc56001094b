#include "tasks/match_trajectory/match_trajectory.hpp"

#include "core/output/trajectory_file.hpp"

#include <fmt/format.h>

#include <cmath>

namespace resilin {

void MatchTrajectory::Options::visit(ParamVisitor& v) {
  v.path("file", file,
         {.doc = "trajectory.h5 to match; none: the trajectory of this scene with the parameters as they are "
                 "written"});
  v.optional_section("recording", has_recording, recording,
                     {.doc = "recorded places of the vertices of one body, in place of a trajectory"});
  selection.visit(v);
  v.integer("every", every, {.doc = "every n-th step counts", .min = 1, .max = 1e9});
  v.integers("frames", frames, {.doc = "only these frames count (0 is the start); takes the place of every"});
  v.real("velocity_weight", velocity_weight, {.doc = "weight of the velocities", .unit = "s^2", .min = 0});
  v.flag("average", average,
         {.doc = "the mean of the squared distances over vertices and frames in place of half their sum"});
  v.check(!has_recording || file.empty(), "a recording takes the place of file: give one of them");
  v.check(!has_recording || velocity_weight == 0, "a recording has no velocities: leave out velocity_weight");
}

MatchTrajectory::MatchTrajectory(const Options& options, const BuildContext& context)
    : options_(options), nodes_(options.selection.vertices(context)) {
  check_frames(options.frames, context);
  if (options.frames.empty() && options.every > context.steps)
    throw context.input_error("every",
                              fmt::format("no step counts: the scene has only {} steps", context.steps));
  if (options.average) {
    const auto frames =
        options.frames.empty() ? context.steps / options.every : static_cast<Index>(options.frames.size());
    factor_ = 1 / static_cast<double>(frames * static_cast<Index>(nodes_.size()));
  }
  if (!options.file.empty()) read_reference(context);
  if (options.has_recording) read_recording(context);
}

void MatchTrajectory::read_recording(const BuildContext& context) {
  const BodyView& body = context.find_body("body", options_.selection.body);
  const PointRecording recording(options_.recording, body,
                                 select_vertices(*body.mesh, options_.selection.nodes), "recording", context);
  reference_.resize(static_cast<std::size_t>(context.steps + 1));
  for (Index k = 0; k <= context.steps; ++k) {
    if (!counts(k, context.steps)) continue;
    State& s = reference_[static_cast<std::size_t>(k)];
    s.t = static_cast<double>(k) * context.time_step;
    s.x.resize(3 * static_cast<Index>(nodes_.size()));
    const KeyBlend b = recording.at(s.t);
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      s.x.segment<3>(3 * static_cast<Index>(i)) = recording.place(i, b);
  }
}

void MatchTrajectory::read_reference(const BuildContext& context) {
  const TrajectoryReader reader(options_.file);
  if (reader.num_nodes() != context.num_nodes)
    throw context.input_error("file", fmt::format("the trajectory has {} vertices, the scene {}",
                                                  reader.num_nodes(), context.num_nodes));
  reference_.resize(static_cast<std::size_t>(context.steps + 1));
  for (Index f = 0; f < reader.num_frames(); ++f)
    if (reader.step(f) <= context.steps) observe_reference(reader.step(f), context.steps, reader.state(f));
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

/// Keeps what will be compared and no more: a long trajectory need not fit into the memory.
void MatchTrajectory::observe_reference(Index k, Index last, const State& s) {
  reference_.resize(static_cast<std::size_t>(last + 1));
  if (!counts(k, last)) return;
  State& kept = reference_[static_cast<std::size_t>(k)];
  kept.t = s.t;
  kept.x.resize(3 * static_cast<Index>(nodes_.size()));
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    kept.x.segment<3>(3 * static_cast<Index>(i)) = s.x.segment<3>(3 * nodes_[i]);
  if (options_.velocity_weight == 0) return;
  kept.v.resize(kept.x.size());
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    kept.v.segment<3>(3 * static_cast<Index>(i)) = s.v.segment<3>(3 * nodes_[i]);
}

bool MatchTrajectory::counts(Index k, Index) const {
  return options_.frames.empty() ? k > 0 && k % options_.every == 0 : place_of(options_.frames, k) >= 0;
}

double MatchTrajectory::frame_value(const State& s, Index k) const {
  const State& r = reference_[static_cast<std::size_t>(k)];
  double sum = 0;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const Index n = 3 * nodes_[i], at = 3 * static_cast<Index>(i);
    sum += factor_ * (s.x.segment<3>(n) - r.x.segment<3>(at)).squaredNorm();
    if (options_.velocity_weight > 0)
      sum += factor_ * options_.velocity_weight * (s.v.segment<3>(n) - r.v.segment<3>(at)).squaredNorm();
  }
  return sum;
}

void MatchTrajectory::add_frame_gradient(const State& s, Index k, double weight, Adjoint& a) const {
  const State& r = reference_[static_cast<std::size_t>(k)];
  const double scale = 2 * factor_ * weight;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const Index n = 3 * nodes_[i], at = 3 * static_cast<Index>(i);
    a.x.segment<3>(n) += scale * (s.x.segment<3>(n) - r.x.segment<3>(at));
    if (options_.velocity_weight > 0)
      a.v.segment<3>(n) += scale * options_.velocity_weight * (s.v.segment<3>(n) - r.v.segment<3>(at));
  }
}

}  // namespace resilin
