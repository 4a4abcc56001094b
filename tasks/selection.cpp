#include "tasks/selection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace resilin {

void NodeSelection::visit(ParamVisitor& v) {
  v.text("body", body, {.doc = "body whose vertices count; all bodies if empty"});
  v.section("nodes", nodes, {.doc = "vertices that count; all if empty"});
}

std::vector<Index> NodeSelection::vertices(const BuildContext& context) const {
  std::vector<Index> all;
  for (const BodyView& view : *context.bodies) {
    if (!body.empty() && context.find_body("body", body).name != view.name) continue;
    for (const Index n : select_vertices(*view.mesh, nodes)) all.push_back(view.first_node + n);
  }
  if (all.empty()) throw context.input_error("nodes", "the selection matches no vertex");
  return all;
}

NodeMean::NodeMean(std::vector<Index> selected, const std::string& of, const BuildContext& context)
    : nodes(std::move(selected)), weights(VecX::Ones(static_cast<Index>(nodes.size()))) {
  if (of == "center_of_mass") {
    const VecX measures = vertex_measures(context);
    for (std::size_t i = 0; i < nodes.size(); ++i) weights[static_cast<Index>(i)] = measures[nodes[i]];
  }
  weights /= weights.sum();
}

Vec3 NodeMean::operator()(const VecX& q) const {
  Vec3 sum = Vec3::Zero();
  for (std::size_t i = 0; i < nodes.size(); ++i)
    sum += weights[static_cast<Index>(i)] * q.segment<3>(3 * nodes[i]);
  return sum;
}

void NodeMean::add_vjp(const Vec3& z, VecX& out) const {
  for (std::size_t i = 0; i < nodes.size(); ++i)
    out.segment<3>(3 * nodes[i]) += weights[static_cast<Index>(i)] * z;
}

Vec3 axes_mask(const std::vector<std::string>& axes, const BuildContext& context) {
  if (axes.empty()) throw context.input_error("axes", "no axis is left to compare");
  Vec3 mask = Vec3::Zero();
  for (const std::string& axis : axes) mask[axis[0] - 'x'] = 1;
  return mask;
}

Vec3 unit_vector(const Vec3& v, const std::string& key, const BuildContext& context) {
  if (!(v.norm() > 0)) throw context.input_error(key, "expected a direction, got the zero vector");
  return v.normalized();
}

void check_frames(const std::vector<Index>& frames, const BuildContext& context) {
  for (std::size_t i = 0; i < frames.size(); ++i) {
    if (frames[i] < 0 || frames[i] > context.steps)
      throw context.input_error("frames", fmt::format("there is no frame {}: the scene has frames 0 to {}",
                                                      frames[i], context.steps));
    if (i > 0 && frames[i] <= frames[i - 1]) throw context.input_error("frames", "expected rising numbers");
  }
}

Index place_of(const std::vector<Index>& frames, Index k) {
  const auto found = std::lower_bound(frames.begin(), frames.end(), k);
  return found != frames.end() && *found == k ? found - frames.begin() : -1;
}

VecX vertex_measures(const BuildContext& context) {
  VecX sum = VecX::Zero(context.num_nodes);
  for (const BodyView& view : *context.bodies) {
    const Mesh& mesh = *view.mesh;
    const VecX measures = element_measures(mesh);
    for (Index e = 0; e < mesh.num_elements(); ++e)
      for (Index c = 0; c < mesh.elements.rows(); ++c)
        sum[view.first_node + mesh.elements(c, e)] += measures[e] / static_cast<double>(mesh.elements.rows());
  }
  return sum;
}

}  // namespace resilin
