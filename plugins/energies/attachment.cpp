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
  v.optional_section(
      "recording", has_recording, recording,
      {.doc = "recorded places of the vertices, which offsets are added to; takes the place of "
              "relative_to"});
  v.component("motion", "motion", motion,
              {.doc = "how targets move beside: a path, a turn; default: not at all"});
  v.real("release", release,
         {.doc = "time after which nothing is attached any more; default: never", .unit = "s", .min = 0});
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
  if (options.has_recording) recording_.emplace(options.recording, body, nodes_, "recording", context);
  if (!options.motion.type.empty()) {
    BuildContext child = context;
    child.path = options.motion.path;
    child.place = options.motion.place;
    motion_ = context.registry->make<Motion>(options.motion, child);
  }
  for (Index& n : nodes_) n += body.first_node;
}

void Attachment::visit_parameters(ParamVisitor& v) {
  options_.visit(v);
  if (motion_)
    v.section("motion", ParamVisitor::Body([&](ParamVisitor& w) { motion_->visit_parameters(w); }),
              {.doc = "parameters of the motion"});
}

Attachment::Moment Attachment::moment(const StepContext& c) const {
  return {c.time, blend_at(options_.key_times, c), recording_ ? recording_->at(c.time) : KeyBlend{},
          c.controls};
}

bool Attachment::is_released(const StepContext& c) const {
  // Times of steps are sums of many terms: half a thousandth of a step is the same time.
  return c.time - 5e-4 * c.time_step > options_.release;
}

bool Attachment::drive(Index parameter, Index control) {
  const Index local = parameter - options_.stiffness.size();
  if (local < 0 || local >= options_.offset.size() || options_.offset.steps != 1) return false;
  control_.resize(static_cast<std::size_t>(options_.offset.size()), -1);
  control_[static_cast<std::size_t>(local)] = static_cast<int>(control);
  return true;
}

Vec3 Attachment::offset(Index i, const Moment& m) const {
  const KeyBlend& b = m.offsets;
  Vec3 value = (1 - b.weight) * options_.offset.vec3(i, b.from) + b.weight * options_.offset.vec3(i, b.to);
  if (control_.empty() || m.controls == nullptr) return value;
  const Index first = options_.offset.index(i, 0);
  for (Index k = 0; k < 3; ++k)
    if (const int driver = control_[static_cast<std::size_t>(first + k)]; driver >= 0)
      value[k] = (*m.controls)[driver];
  return value;
}

Vec3 Attachment::unmoved(Index i, const Moment& m) const {
  return offset(i, m) +
         (recording_ ? recording_->place(static_cast<std::size_t>(i), m.frames) : base_.col(i));
}

Vec3 Attachment::gap(Index i, const Moment& m, ConstVec x) const {
  const Vec3 place = unmoved(i, m);
  return x.segment<3>(3 * nodes_[static_cast<std::size_t>(i)]) -
         (motion_ ? motion_->position(m.time, place) : place);
}

double Attachment::value(const StepContext& c, ConstVec x, Workspace&) const {
  if (is_released(c)) return 0;
  const Moment m = moment(c);
  double sum = 0;
  for (Index i = 0; i < base_.cols(); ++i)
    sum += 0.5 * options_.stiffness.at(i, 0) * gap(i, m, x).squaredNorm();
  return sum;
}

double Attachment::add_gradient(const StepContext& c, ConstVec x, MutVec g, Workspace& ws) const {
  if (is_released(c)) return 0;
  const Moment m = moment(c);
  for (Index i = 0; i < base_.cols(); ++i)
    g.segment<3>(3 * nodes_[static_cast<std::size_t>(i)]) += options_.stiffness.at(i, 0) * gap(i, m, x);
  return value(c, x, ws);
}

void Attachment::add_hessian(const StepContext& c, ConstVec, BlockMatrix& h, bool, Workspace&) const {
  if (is_released(c)) return;
  for (Index i = 0; i < base_.cols(); ++i) {
    const Index n = nodes_[static_cast<std::size_t>(i)];
    h.add_symmetric(n, n, options_.stiffness.at(i, 0) * Mat3::Identity());
  }
}

/// Once released it is more than the energy has: a bound still.
void Attachment::add_quadratic_form(Triplets& a) const {
  for (Index i = 0; i < base_.cols(); ++i) {
    const Index n = nodes_[static_cast<std::size_t>(i)];
    a.emplace_back(n, n, options_.stiffness.at(i, 0));
  }
}

void Attachment::add_param_vjp(const StepContext& c, ConstVec x, ConstVec z, MutVec out, Workspace&) const {
  if (is_released(c)) return;
  const Moment m = moment(c);
  const Field& given = options_.offset;
  auto targets = out.segment(options_.stiffness.size(), given.size());
  for (Index i = 0; i < base_.cols(); ++i) {
    const Vec3 zi = z.segment<3>(3 * nodes_[static_cast<std::size_t>(i)]);
    out[options_.stiffness.index(i, 0)] += gap(i, m, x).dot(zi);
    Vec3 d_target = -options_.stiffness.at(i, 0) * zi;
    if (motion_) {
      const Vec3 place = unmoved(i, m);
      motion_->add_param_vjp(m.time, place, d_target, out.tail(motion_->num_parameters()));
      d_target = motion_->pull_back(m.time, place, d_target);
    }
    targets.segment<3>(given.index(i, m.offsets.from)) += (1 - m.offsets.weight) * d_target;
    targets.segment<3>(given.index(i, m.offsets.to)) += m.offsets.weight * d_target;
  }
}

}  // namespace resilin
