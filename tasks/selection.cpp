#include "tasks/selection.hpp"

#include <fmt/format.h>

#include <algorithm>

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
