#include "core/contact/contact_model.hpp"

namespace resilin {

std::vector<Index> contact_nodes(const BuildContext& context, const std::string& body,
                                 const Selector& nodes) {
  const BodyView& view = context.find_body("body", body);
  Selector chosen = nodes;
  if (!nodes.has_box && !nodes.has_plane && !nodes.has_sphere && nodes.indices.empty()) chosen.surface = true;
  std::vector<Index> result;
  try {
    result = select_vertices(*view.mesh, chosen);
  } catch (const Error& e) {
    throw context.input_error("nodes", e.message());
  }
  if (result.empty())
    throw context.input_error("nodes", "the selection matches no vertex of body " + view.name);
  for (Index& i : result) i += view.first_node;
  return result;
}

}  // namespace resilin
