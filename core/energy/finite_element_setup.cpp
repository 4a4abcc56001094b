// Construction of FiniteElementEnergy: quadrature, batches, selections, gather lists.
#include "core/energy/finite_element_group.hpp"
#include "core/mesh/regions.hpp"
#include "core/params/passive_visitor.hpp"
#include "core/params/tree.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace resilin {

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

namespace {

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

/// Numbers the elements that the material acts on; returns them.
std::vector<Index> select(FiniteElementData& d, const Mesh& mesh, const BuildContext& context,
                          MaterialSlot& m) {
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
  return chosen;
}

void check_field(const Field& field, Index items, const BuildContext& context, const std::string& name) {
  if (field.items != 1 && field.items != items)
    throw context.input_error(name, fmt::format("{} values given; one or {} (one for each element that the "
                                                "material acts on) are expected",
                                                field.items, items));
  if (field.steps != 1 && field.steps != context.steps)
    throw context.input_error(name, fmt::format("entries for {} steps given, but the scene has {} steps",
                                                field.steps, context.steps));
}

/// The key of a field by its address.
class FieldName final : public PassiveVisitor {
 public:
  explicit FieldName(const Field* wanted) : wanted_(wanted) {}
  void field(const char* name, Field& value, const Spec&) override {
    if (&value == wanted_) found = scope_ + name;
  }
  std::string found;

 private:
  void enter(const char* name) override { scope_ += std::string(name) + "."; }
  void leave() override { scope_.erase(scope_.find_last_of('.', scope_.size() - 2) + 1); }
  const Field* wanted_;
  std::string scope_;
};

std::string key_of(const Field& field, Material& material) {
  FieldName name(&field);
  material.visit_parameters(name);
  return name.found;
}

/// The region's item of each of the chosen elements, per element of the body (padded).
std::vector<int> spread_regions(const Field& field, const std::vector<Index>& chosen,
                                const BuildContext& context, MaterialSlot& m) {
  const std::vector<int> items = region_items(field, chosen, key_of(field, *m.material), context);
  std::vector<int> entry(m.item.size(), -1);
  for (std::size_t i = 0; i < chosen.size(); ++i) entry[static_cast<std::size_t>(chosen[i])] = items[i];
  return entry;
}

void add_fields(FiniteElementData& d, const BuildContext& context, const std::vector<Index>& chosen,
                MaterialSlot& m) {
  for (const Field* field : m.material->fields()) {
    const bool regional = !field->regions.empty();
    check_field(*field, regional ? field->items : static_cast<Index>(chosen.size()), context,
                key_of(*field, *m.material));
    FieldUse use{field, d.num_parameters, m.num_components, {}, -1, {}};
    if (regional) {
      use.entry = spread_regions(*field, chosen, context, m);
      use.shared = d.num_shared;
      d.num_shared += field->components;
    } else if (field->items != 1) {
      use.entry = m.item;
    }
    d.num_parameters += field->size();
    m.num_components += field->components;
    m.fields.push_back(std::move(use));
  }
  if (m.num_components > Material::kMaxComponents)
    throw context.input_error("",
                              fmt::format("a material may have at most {} pointwise parameters, this has {}",
                                          Material::kMaxComponents, m.num_components));
}

}  // namespace

FiniteElementEnergy::FiniteElementEnergy(const Mesh& mesh, Index first_node,
                                         std::vector<std::unique_ptr<Material>> materials,
                                         const std::vector<BuildContext>& contexts, const Shape& shape)
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
  d.rest_is_parameter = shape.rest_is_parameter;
  d.cross_measure_is_parameter = shape.cross_measure_is_parameter;
  d.cross_measure = shape.cross_measure;
  d.num_parameters =
      (shape.cross_measure_is_parameter ? 1 : 0) + (shape.rest_is_parameter ? 3 * d.num_body_nodes : 0);
  fill_batches(d, mesh);
  fill_gather(d);
  Diagnostics found;
  for (std::size_t i = 0; i < materials.size(); ++i)
    found.attempt([&] {
      MaterialSlot m;
      m.material = std::move(materials[i]);
      const std::vector<Index> chosen = select(d, mesh, contexts[i], m);
      add_fields(d, contexts[i], chosen, m);
      d.needs_svd = d.needs_svd || m.material->needs_svd();
      d.materials.push_back(std::move(m));
    });
  found.throw_if_any();
}

FiniteElementEnergy::~FiniteElementEnergy() = default;

bool FiniteElementEnergy::drive(Index parameter, Index control) {
  for (MaterialSlot& m : data_->materials) {
    const std::vector<const Field*> controllable = m.material->controllable();
    for (FieldUse& use : m.fields) {
      const Index local = parameter - use.offset;
      if (local < 0 || local >= use.field->size()) continue;
      if (use.field->steps != 1 ||
          std::find(controllable.begin(), controllable.end(), use.field) == controllable.end())
        return false;
      use.control.resize(static_cast<std::size_t>(use.field->size()), -1);
      use.control[static_cast<std::size_t>(local)] = static_cast<int>(control);
      return true;
    }
  }
  return false;
}

}  // namespace resilin
