#include "plugins/energies/attachment.hpp"

#include "core/mesh/regions.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace resilin {
namespace {

void check_keys(const VecX& times, const Field& offset, const BuildContext& context) {
  if (times.size() == 0) {
    if (offset.steps != 1 && offset.steps != context.steps)
      throw context.input_error("offset",
                                fmt::format("offsets for {} steps given; the scene has {} steps (or give "
                                            "key_times)",
                                            offset.steps, context.steps));
    return;
  }
  if (offset.steps != times.size())
    throw context.input_error("key_times", fmt::format("{} times given; offset has {} entries under 'steps'",
                                                       times.size(), offset.steps));
  for (Index k = 1; k < times.size(); ++k)
    if (!(times[k] > times[k - 1]))
      throw context.input_error("key_times", fmt::format("time {} ({} s) is not after the one before ({} s)",
                                                         k + 1, times[k], times[k - 1]));
}

}  // namespace

void Attachment::Options::visit(ParamVisitor& v) {
  v.text("body", body, {.doc = "body that is attached; may be left out if there is only one"});
  v.section("nodes", nodes, {.doc = "vertices that are attached; all if empty"});
  v.field("stiffness", stiffness,
          {.doc = "stiffness k of each vertex's spring, one for all or one per vertex",
           .unit = "N/m",
           .min = 0,
           .max = 1e15,
           .differentiable = true});
  v.choice(
      "relative_to", relative_to, {"rest", "origin"},
      {.doc = "what offsets are added to: each vertex's place in the rest mesh, or the origin (so that they "
              "are places)"});
  v.field(
      "offset", offset,
      {.doc =
           "targets, one for all or one per vertex, constant or by 'steps': per time step, or per key frame "
           "if there are key_times",
       .unit = "m",
       .differentiable = true});
  v.numbers("key_times", key_times,
            {.doc = "times of the entries under 'steps' of offset; linear in between, constant outside",
             .unit = "s"});
}

Attachment::Attachment(const Options& options, const BuildContext& context) : options_(options) {
  const BodyView& body = context.find_body("body", options.body);
  nodes_ = select_vertices(*body.mesh, options.nodes);
  if (nodes_.empty())
    throw context.input_error("nodes", "the selection matches no vertex of body " + body.name);
  const auto count = static_cast<Index>(nodes_.size());
  base_ = Mat3X::Zero(3, count);
  if (options.relative_to == "rest")
    for (Index i = 0; i < count; ++i)
      base_.col(i) = body.mesh->vertices.col(nodes_[static_cast<std::size_t>(i)]);
  for (const auto& [key, field] : {std::pair{"stiffness", &options.stiffness}, {"offset", &options.offset}}) {
    require_no_regions(*field, key, context);
    if (field->items != 1 && field->items != count)
      throw context.input_error(
          key, fmt::format("{} values given; one or {} (a selected vertex each) are expected", field->items,
                           count));
  }
  if (options.stiffness.steps != 1)
    throw context.input_error("stiffness", "the stiffness of an attachment cannot change from step to step");
  check_keys(options.key_times, options.offset, context);
  for (Index& n : nodes_) n += body.first_node;
}

Attachment::Blend Attachment::blend(const StepContext& c) const {
  const VecX& times = options_.key_times;
  if (times.size() == 0) return {c.step, c.step, 0};
  const Index next = std::upper_bound(times.begin(), times.end(), c.time) - times.begin();
  if (next == 0) return {0, 0, 0};
  if (next == times.size()) return {next - 1, next - 1, 0};
  return {next - 1, next, (c.time - times[next - 1]) / (times[next] - times[next - 1])};
}

Vec3 Attachment::gap(Index i, const Blend& b, ConstVec x) const {
  const Vec3 offset =
      (1 - b.weight) * options_.offset.vec3(i, b.from) + b.weight * options_.offset.vec3(i, b.to);
  return x.segment<3>(3 * nodes_[static_cast<std::size_t>(i)]) - base_.col(i) - offset;
}

double Attachment::value(const StepContext& c, ConstVec x, Workspace&) const {
  const Blend b = blend(c);
  double sum = 0;
  for (Index i = 0; i < base_.cols(); ++i)
    sum += 0.5 * options_.stiffness.at(i, 0) * gap(i, b, x).squaredNorm();
  return sum;
}

double Attachment::add_gradient(const StepContext& c, ConstVec x, MutVec g, Workspace& ws) const {
  const Blend b = blend(c);
  for (Index i = 0; i < base_.cols(); ++i)
    g.segment<3>(3 * nodes_[static_cast<std::size_t>(i)]) += options_.stiffness.at(i, 0) * gap(i, b, x);
  return value(c, x, ws);
}

void Attachment::add_hessian(const StepContext&, ConstVec, BlockMatrix& h, bool, Workspace&) const {
  for (Index i = 0; i < base_.cols(); ++i) {
    const Index n = nodes_[static_cast<std::size_t>(i)];
    h.add_symmetric(n, n, options_.stiffness.at(i, 0) * Mat3::Identity());
  }
}

void Attachment::add_quadratic_form(Triplets& a) const {
  for (Index i = 0; i < base_.cols(); ++i) {
    const Index n = nodes_[static_cast<std::size_t>(i)];
    a.emplace_back(n, n, options_.stiffness.at(i, 0));
  }
}

void Attachment::add_param_vjp(const StepContext& c, ConstVec x, ConstVec z, MutVec out, Workspace&) const {
  const Blend b = blend(c);
  const Field& offset = options_.offset;
  auto targets = out.tail(offset.size());
  for (Index i = 0; i < base_.cols(); ++i) {
    const Vec3 zi = z.segment<3>(3 * nodes_[static_cast<std::size_t>(i)]);
    out[options_.stiffness.index(i, 0)] += gap(i, b, x).dot(zi);
    const double k = options_.stiffness.at(i, 0);
    targets.segment<3>(offset.index(i, b.from)) -= (1 - b.weight) * k * zi;
    targets.segment<3>(offset.index(i, b.to)) -= b.weight * k * zi;
  }
}

}  // namespace resilin
