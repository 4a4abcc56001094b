// Construction of FiniteElementEnergy: quadrature, batches, selections, gather lists.
#include "core/energy/finite_element_group.hpp"
#include "core/params/passive_visitor.hpp"
#include "core/params/tree.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace resilin {
namespace {

void fill_batches(FiniteElementData& d, const Mesh& mesh) {
  d.node.assign(static_cast<std::size_t>(d.num_batches * d.nodes * kLanes), 0);
  d.gradient.assign(static_cast<std::size_t>(d.num_batches * d.samples * d.nodes * 3), splat(0.0));
  d.volume.assign(static_cast<std::size_t>(d.num_batches * d.samples), splat(0.0));
  for (Index padded = 0; padded < d.num_batches * kLanes; ++padded) {
    // Padding lanes repeat the last element with no volume, so that they compute something harmless.
    const Index e = std::min(padded, d.num_elements - 1), batch = padded / kLanes;
    const auto lane = static_cast<int>(padded % kLanes);
    const ElementQuadrature q = element_quadrature(mesh, e);
    for (int c = 0; c < d.nodes; ++c)
      d.node[static_cast<std::size_t>((batch * d.nodes + c) * kLanes + lane)] =
          static_cast<int>(d.first_node) + mesh.elements(c, e);
    for (int s = 0; s < d.samples; ++s) {
      const Index at = batch * d.samples + s;
      d.volume[static_cast<std::size_t>(at)][lane] = padded < d.num_elements ? q.volume[s] : 0.0;
      for (int c = 0; c < d.nodes; ++c)
        for (int j = 0; j < 3; ++j)
          d.gradient[static_cast<std::size_t>((at * d.nodes + c) * 3 + j)][lane] = q.gradient[s][c][j];
    }
  }
}

/// For each body node the places of its forces in the scratch, in the order of elements.
void fill_gather(FiniteElementData& d) {
  std::vector<std::vector<Index>> lists(static_cast<std::size_t>(d.num_body_nodes));
  for (Index e = 0; e < d.num_elements; ++e)
    for (int c = 0; c < d.nodes; ++c) {
      const Index at = (e / kLanes) * d.nodes + c, lane = e % kLanes;
      const Index n = d.node[static_cast<std::size_t>(at * kLanes + lane)] - d.first_node;
      lists[static_cast<std::size_t>(n)].push_back(at * 3 * kLanes + lane);
    }
  d.gather_start.assign(1, 0);
  for (const auto& list : lists) {
    d.gather.insert(d.gather.end(), list.begin(), list.end());
    d.gather_start.push_back(static_cast<Index>(d.gather.size()));
  }
}

/// Numbers the elements that the material acts on; returns how many there are.
Index select(FiniteElementData& d, const Mesh& mesh, const BuildContext& context, MaterialSlot& m) {
  const Index padded = d.num_batches * kLanes;
  m.item.assign(static_cast<std::size_t>(padded), -1);
  m.group_active.assign(static_cast<std::size_t>(d.num_groups), 0);
  std::vector<Index> chosen;
  const Selector* selector = m.material->elements();
  if (selector != nullptr) {
    try {
      chosen = select_elements(mesh, *selector);
    } catch (const Error& e) {
      throw context.input_error("elements", e.message());
    }
    if (chosen.empty()) throw context.input_error("elements", "the selection matches no element of the body");
  } else {
    for (Index e = 0; e < d.num_elements; ++e) chosen.push_back(e);
  }
  m.everywhere = static_cast<Index>(chosen.size()) == d.num_elements;
  const Index lanes_per_group = d.group_batches * kLanes;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    m.item[static_cast<std::size_t>(chosen[i])] = static_cast<int>(i);
    m.group_active[static_cast<std::size_t>(chosen[i] / lanes_per_group)] = 1;
  }
  return static_cast<Index>(chosen.size());
}

/// Finds the names of a material's fields, for messages.
class FieldNames final : public PassiveVisitor {
 public:
  std::string name_of(const Field* field) const {
    for (const auto& [known, name] : names_)
      if (known == field) return name;
    return "a parameter";
  }
  void field(const char* name, Field& value, const Spec&) override { names_.emplace_back(&value, name); }

 private:
  std::vector<std::pair<const Field*, std::string>> names_;
};

void check_field(const Field& field, Index items, const BuildContext& context, const std::string& name) {
  if (field.items != 1 && field.items != items)
    throw context.input_error(name, fmt::format("{} values given; one or {} (one for each element that the "
                                                "material acts on) are expected",
                                                field.items, items));
  if (field.steps != 1 && field.steps != context.steps)
    throw context.input_error(name, fmt::format("entries for {} steps given, but the scene has {} steps",
                                                field.steps, context.steps));
}

void add_material(FiniteElementData& d, const Mesh& mesh, const BuildContext& context,
                  std::unique_ptr<Material> material) {
  MaterialSlot m;
  m.material = std::move(material);
  m.fields = m.material->fields();
  if (static_cast<Index>(m.fields.size()) > kMaxFields)
    throw context.input_error("",
                              fmt::format("a material may have at most {} pointwise parameters", kMaxFields));
  const Index items = select(d, mesh, context, m);
  FieldNames names;
  m.material->visit_parameters(names);
  for (const Field* field : m.fields) {
    check_field(*field, items, context, names.name_of(field));
    m.offset.push_back(d.num_parameters);
    d.num_parameters += field->size();
  }
  d.needs_svd = d.needs_svd || m.material->needs_svd();
  d.materials.push_back(std::move(m));
}

}  // namespace

FiniteElementEnergy::FiniteElementEnergy(const Mesh& mesh, Index first_node,
                                         std::vector<std::unique_ptr<Material>> materials,
                                         const std::vector<BuildContext>& contexts)
    : data_(std::make_unique<FiniteElementData>()) {
  FiniteElementData& d = *data_;
  d.type = mesh.type;
  d.nodes = static_cast<int>(nodes_per_element(mesh.type));
  d.samples = num_samples(mesh.type);
  d.group_batches = kG / d.samples;
  d.num_elements = mesh.num_elements();
  d.num_groups = (d.num_elements + d.group_batches * kLanes - 1) / (d.group_batches * kLanes);
  d.num_batches = d.num_groups * d.group_batches;
  d.num_pairs = d.nodes * (d.nodes + 1) / 2;
  d.first_node = first_node;
  d.num_body_nodes = mesh.num_vertices();
  fill_batches(d, mesh);
  fill_gather(d);
  Diagnostics found;
  for (std::size_t i = 0; i < materials.size(); ++i)
    found.attempt([&] { add_material(d, mesh, contexts[i], std::move(materials[i])); });
  found.throw_if_any();
}

FiniteElementEnergy::~FiniteElementEnergy() = default;

}  // namespace resilin
