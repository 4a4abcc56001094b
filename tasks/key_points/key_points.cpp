#include "tasks/key_points/key_points.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace resilin {

void KeyPoints::Point::visit(ParamVisitor& v) {
  v.section("nodes", nodes, {.doc = "vertices of which the farthest counts; all if empty"});
  v.vec3("target", target, {.doc = "where they have to be", .unit = "m"});
  v.integer("frame", frame, {.doc = "at which frame (0 is the start); -1: the last", .min = -1, .max = 1e9});
}

void KeyPoints::Options::visit(ParamVisitor& v) {
  v.text("body", body, {.doc = "body whose vertices these are; may be left out if there is only one"});
  v.list("points", points, {.doc = "the key points", .required = true});
}

KeyPoints::KeyPoints(const Options& options, const BuildContext& context) {
  if (options.points.empty()) throw context.input_error("points", "at least one key point is needed");
  const BodyView& body = context.find_body("body", options.body);
  for (std::size_t k = 0; k < options.points.size(); ++k) {
    const Point& point = options.points[k];
    Set set{select_vertices(*body.mesh, point.nodes), point.target,
            point.frame < 0 ? context.steps : point.frame};
    if (set.nodes.empty())
      throw context.input_error(fmt::format("points[{}].nodes", k),
                                "the selection matches no vertex of body " + body.name);
    if (set.frame > context.steps)
      throw context.input_error(
          fmt::format("points[{}].frame", k),
          fmt::format("there is no frame {}: the scene has frames 0 to {}", set.frame, context.steps));
    for (Index& n : set.nodes) n += body.first_node;
    sets_.push_back(std::move(set));
  }
}

bool KeyPoints::counts(Index k, Index) const {
  return std::any_of(sets_.begin(), sets_.end(), [&](const Set& set) { return set.frame == k; });
}

Index KeyPoints::farthest(const Set& set, const State& s) {
  const auto distance = [&](Index n) { return (s.x.segment<3>(3 * n) - set.target).squaredNorm(); };
  return *std::max_element(set.nodes.begin(), set.nodes.end(),
                           [&](Index a, Index b) { return distance(a) < distance(b); });
}

double KeyPoints::frame_value(const State& s, Index k) const {
  double sum = 0;
  for (const Set& set : sets_)
    if (set.frame == k) sum += (s.x.segment<3>(3 * farthest(set, s)) - set.target).squaredNorm();
  return sum / static_cast<double>(sets_.size());
}

void KeyPoints::add_frame_gradient(const State& s, Index k, double weight, Adjoint& a) const {
  const double scale = 2 * weight / static_cast<double>(sets_.size());
  for (const Set& set : sets_) {
    if (set.frame != k) continue;
    const Index n = 3 * farthest(set, s);
    a.x.segment<3>(n) += scale * (s.x.segment<3>(n) - set.target);
  }
}

}  // namespace resilin
