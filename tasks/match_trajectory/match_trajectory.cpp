#include "tasks/match_trajectory/match_trajectory.hpp"

#include "core/output/trajectory_file.hpp"

#include <fmt/format.h>

#include <cmath>

namespace resilin {

void MatchTrajectory::Options::visit(ParamVisitor& v) {
  v.path("file", file,
         {.doc = "trajectory.h5 to match; none: the trajectory of this scene with the parameters as they are "
                 "written"});
  v.text("body", body, {.doc = "body whose vertices count; all bodies if empty"});
  v.section("nodes", nodes, {.doc = "vertices of that body that count; all if empty"});
  v.integer("every", every, {.doc = "every n-th step counts", .min = 1, .max = 1e9});
  v.real("velocity_weight", velocity_weight, {.doc = "weight of the velocities", .unit = "s^2", .min = 0});
}

MatchTrajectory::MatchTrajectory(const Options& options, const BuildContext& context) : options_(options) {
  for (const BodyView& body : *context.bodies) {
    if (!options.body.empty() && context.find_body("body", options.body).name != body.name) continue;
    for (const Index n : select_vertices(*body.mesh, options.nodes)) nodes_.push_back(body.first_node + n);
  }
  if (nodes_.empty()) throw context.input_error("nodes", "the selection matches no vertex");
  if (options.every > context.steps)
    throw context.input_error("every",
                              fmt::format("no step counts: the scene has only {} steps", context.steps));
  if (options.file.empty()) return;
  const TrajectoryReader reader(options.file);
  if (reader.num_nodes() != context.num_nodes)
    throw context.input_error("file", fmt::format("the trajectory has {} vertices, the scene {}",
                                                  reader.num_nodes(), context.num_nodes));
  reference_.resize(static_cast<std::size_t>(context.steps + 1));
  for (Index f = 0; f < reader.num_frames(); ++f)
    if (reader.step(f) <= context.steps)
      reference_[static_cast<std::size_t>(reader.step(f))] = reader.state(f);
  for (Index k = 1; k <= context.steps; ++k) {
    const State& s = reference_[static_cast<std::size_t>(k)];
    const double time = static_cast<double>(k) * context.time_step;
    if (counts(k) && s.x.size() > 0 && std::abs(s.t - time) > 1e-9 * time)
      throw context.input_error(
          "file",
          fmt::format("step {} is at t = {} s in the trajectory, at {} s in the scene", k, s.t, time));
    if (counts(k) && reference_[static_cast<std::size_t>(k)].x.size() == 0)
      throw context.input_error(
          "file", fmt::format("the trajectory has no frame of step {}, which counts with every: "
                              "{}",
                              k, options.every));
  }
}

bool MatchTrajectory::counts(Index k) const {
  return k > 0 && k % options_.every == 0;
}

double MatchTrajectory::value(const Trajectory& t) const {
  double sum = 0;
  for (Index k = 1; k < t.num_frames(); ++k) {
    if (!counts(k)) continue;
    const State &s = t.frame(k), &r = reference_[static_cast<std::size_t>(k)];
    for (const Index n : nodes_) {
      sum += 0.5 * (s.x.segment<3>(3 * n) - r.x.segment<3>(3 * n)).squaredNorm();
      if (options_.velocity_weight > 0)
        sum += 0.5 * options_.velocity_weight * (s.v.segment<3>(3 * n) - r.v.segment<3>(3 * n)).squaredNorm();
    }
  }
  return sum;
}

void MatchTrajectory::add_gradient(const Trajectory& t, Index k, double weight, Adjoint& a) const {
  if (!counts(k)) return;
  const State &s = t.frame(k), &r = reference_[static_cast<std::size_t>(k)];
  for (const Index n : nodes_) {
    a.x.segment<3>(3 * n) += weight * (s.x.segment<3>(3 * n) - r.x.segment<3>(3 * n));
    if (options_.velocity_weight > 0)
      a.v.segment<3>(3 * n) +=
          weight * options_.velocity_weight * (s.v.segment<3>(3 * n) - r.v.segment<3>(3 * n));
  }
}

}  // namespace resilin
