#include "plugins/controllers/sensors.hpp"

#include <cmath>
#include <numbers>

namespace resilin {

void MotionOptions::visit(ParamVisitor& v) {
  v.text("body", body, {.doc = "body that is looked at; may be left out if there is only one"});
  v.section("nodes", nodes, {.doc = "vertices that are looked at; all if empty"});
  v.choice("quantity", quantity, {"position", "velocity"}, {.doc = "what is seen of them"});
  v.choices("axes", axes, {"x", "y", "z"}, {.doc = "coordinates that are seen"});
  v.check(!axes.empty(), "axes must name at least one of x, y, z");
  v.real("scale", scale, {.doc = "factor on what is seen, such as one over its usual size"});
}

MotionSensor::MotionSensor(const MotionOptions& options, const BuildContext& context)
    : scale_(options.scale), velocity_(options.quantity == "velocity") {
  const BodyView& body = context.find_body("body", options.body);
  nodes_ = select_vertices(*body.mesh, options.nodes);
  if (nodes_.empty())
    throw context.input_error("nodes", "the selection matches no vertex of body " + body.name);
  for (Index& n : nodes_) n += body.first_node;
  for (const std::string& axis : options.axes) axes_.push_back(axis[0] - 'x');
}

void CentroidMotion::read(const State& state, MutVec out) const {
  const VecX& q = quantity(state);
  Vec3 mean = Vec3::Zero();
  for (const Index n : nodes_) mean += q.segment<3>(3 * n);
  mean /= static_cast<double>(nodes_.size());
  for (std::size_t a = 0; a < axes_.size(); ++a) out[static_cast<Index>(a)] = scale_ * mean[axes_[a]];
}

void CentroidMotion::add_vjp(const State&, ConstVec z, MutVec dx, MutVec dv) const {
  Vec3 share = Vec3::Zero();
  for (std::size_t a = 0; a < axes_.size(); ++a) share[axes_[a]] += scale_ * z[static_cast<Index>(a)];
  share /= static_cast<double>(nodes_.size());
  for (const Index n : nodes_) quantity(dx, dv).segment<3>(3 * n) += share;
}

void VertexMotion::Options::visit(ParamVisitor& v) {
  motion.visit(v);
  v.flag("relative", relative,
         {.doc = "less the mean over all vertices of the body, so that it does not matter where that is"});
}

VertexMotion::VertexMotion(const Options& options, const BuildContext& context)
    : MotionSensor(options.motion, context), relative_(options.relative) {
  const BodyView& body = context.find_body("body", options.motion.body);
  first_node_ = body.first_node;
  num_nodes_ = body.mesh->num_vertices();
}

void VertexMotion::read(const State& state, MutVec out) const {
  const VecX& q = quantity(state);
  Vec3 mean = Vec3::Zero();
  if (relative_) {
    for (Index n = first_node_; n < first_node_ + num_nodes_; ++n) mean += q.segment<3>(3 * n);
    mean /= static_cast<double>(num_nodes_);
  }
  Index at = 0;
  for (const Index n : nodes_)
    for (const Index a : axes_) out[at++] = scale_ * (q[3 * n + a] - mean[a]);
}

void VertexMotion::add_vjp(const State&, ConstVec z, MutVec dx, MutVec dv) const {
  MutVec& dq = quantity(dx, dv);
  Vec3 sum = Vec3::Zero();
  Index at = 0;
  for (const Index n : nodes_)
    for (const Index a : axes_) {
      dq[3 * n + a] += scale_ * z[at];
      sum[a] += scale_ * z[at++];
    }
  if (!relative_) return;
  sum /= static_cast<double>(num_nodes_);
  for (Index n = first_node_; n < first_node_ + num_nodes_; ++n) dq.segment<3>(3 * n) -= sum;
}

void Clock::Options::visit(ParamVisitor& v) {
  v.real("period", period, {.doc = "period T", .unit = "s", .min = 0, .max = 1e9, .open = true});
  v.real("scale", scale, {.doc = "factor on both"});
}

void Clock::read(const State& state, MutVec out) const {
  const double angle = 2 * std::numbers::pi * state.t / options_.period;
  out[0] = options_.scale * std::sin(angle);
  out[1] = options_.scale * std::cos(angle);
}

}  // namespace resilin
