#include "plugins/energies/attachment.hpp"

#include "core/mesh/regions.hpp"

#include <fmt/format.h>

namespace resilin {

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
  visit_key_times(v, key_times);
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
  check_entries(options.offset, "offset", options.key_times, count, "a selected vertex", context);
  require_no_regions(options.stiffness, "stiffness", context);
  if (options.stiffness.items != 1 && options.stiffness.items != count)
    throw context.input_error("stiffness",
                              fmt::format("{} values given; one or {} (a selected vertex each) are expected",
                                          options.stiffness.items, count));
  if (options.stiffness.steps != 1)
    throw context.input_error("stiffness", "the stiffness of an attachment cannot change from step to step");
  for (Index& n : nodes_) n += body.first_node;
}

Vec3 Attachment::gap(Index i, const KeyBlend& b, ConstVec x) const {
  const Vec3 offset =
      (1 - b.weight) * options_.offset.vec3(i, b.from) + b.weight * options_.offset.vec3(i, b.to);
  return x.segment<3>(3 * nodes_[static_cast<std::size_t>(i)]) - base_.col(i) - offset;
}

double Attachment::value(const StepContext& c, ConstVec x, Workspace&) const {
  const KeyBlend b = blend_at(options_.key_times, c);
  double sum = 0;
  for (Index i = 0; i < base_.cols(); ++i)
    sum += 0.5 * options_.stiffness.at(i, 0) * gap(i, b, x).squaredNorm();
  return sum;
}

double Attachment::add_gradient(const StepContext& c, ConstVec x, MutVec g, Workspace& ws) const {
  const KeyBlend b = blend_at(options_.key_times, c);
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
  const KeyBlend b = blend_at(options_.key_times, c);
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
