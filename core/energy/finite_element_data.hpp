// Private to FiniteElementEnergy: its precomputed data, laid out for batches of eight elements.
#pragma once

#include "core/energy/finite_element_energy.hpp"
#include "core/energy/shape.hpp"

#include <memory>
#include <vector>

namespace resilin {

/// One of the fields() of a material, as the elements see it.
struct FieldUse {
  const Field* field = nullptr;
  Index offset = 0;        ///< in the energy's parameter vector
  Index component = 0;     ///< of its first component among those of the material's fields
  std::vector<int> entry;  ///< per element (padded) the item of the field, or -1; empty: one for all
  /// Where its gradients at the elements stand in the scratch, if several elements share an item; else -1.
  Index shared = -1;
  /// Number of the control that drives each value of the field, or -1; empty if none does.
  std::vector<int> control;
  /// Value of a component of one of the field's items in a step.
  double value(int item_of_field, const StepContext& c, Index of_component) const {
    if (c.controls != nullptr && !control.empty()) {
      const int driven = control[static_cast<std::size_t>(field->index(item_of_field, 0, of_component))];
      if (driven >= 0) return (*c.controls)[driven];
    }
    return field->at(item_of_field, c.step, of_component);
  }
  int item(int element) const { return entry.empty() ? 0 : entry[static_cast<std::size_t>(element)]; }
};

/// One material of the body and where it acts.
struct MaterialSlot {
  std::unique_ptr<Material> material;
  std::vector<FieldUse> fields;
  Index num_components = 0;  ///< of all fields together
  bool everywhere = true;
  std::vector<int> item;           ///< per element (padded): its number within the selection, or -1
  std::vector<char> group_active;  ///< per group of batches: does the material act there
};

struct FiniteElementData {
  /// Sample packs that are handled together: 8 for either element type, so that one virtual call serves 64
  /// samples.
  static constexpr int kGroupPacks = 8;

  ElementType type = ElementType::Tet4;
  int nodes = 4;          ///< per element
  int samples = 1;        ///< per element
  int group_batches = 8;  ///< batches per group: kGroupPacks / samples
  Index num_elements = 0;
  Index num_batches = 0;  ///< padded to whole groups
  Index num_groups = 0;
  Index num_pairs = 0;  ///< node pairs a <= b of an element
  bool needs_svd = false;
  std::vector<int> node;       ///< [batch][c][lane], global node numbers
  std::vector<Pack> gradient;  ///< [batch][sample][c][3]
  std::vector<Pack> volume;    ///< [batch][sample] without cross_measure; zero in padding lanes
  std::vector<MaterialSlot> materials;
  bool rest_is_parameter = false;           ///< the 3 num_body_nodes rest positions
  bool cross_measure_is_parameter = false;  ///< then it is the very first
  double cross_measure = 1;                 ///< factor of all volumes
  Index num_parameters = 0;
  Index num_shared = 0;  ///< components of all fields whose items are shared by several elements
  Index first_node = 0, num_body_nodes = 0;
  std::vector<Index> gather_start;  ///< per body node, into gather
  std::vector<Index> gather;        ///< (batch * nodes + c) * 3 * kLanes + lane: where its forces stand

  int lane_element(Index batch, int lane) const { return static_cast<int>(batch) * kLanes + lane; }
  const Pack* gradients(Index batch, int sample) const {
    return gradient.data() + ((batch * samples + sample) * nodes) * 3;
  }
};

/// Scratch of one energy in one simulation.
struct FiniteElementScratch {
  std::vector<Pack> force;        ///< [batch][c][3]
  std::vector<double> stiffness;  ///< [element][pair][9]: an element's blocks lie together for the gather
  std::vector<double> partial;    ///< per group: energy, or parameter sums
  std::vector<double> shared;     ///< [component][element]: gradients of fields whose items are shared
  // Gather lists for a BlockMatrix of this pattern: target slots and contributions.
  std::uint64_t pattern_id = 0;
  struct Target {
    Index upper, lower;            ///< slots of (i, j) and (j, i)
    Index begin, transposed, end;  ///< in `source`: blocks as they are, blocks to be transposed
  };
  std::vector<Target> target;
  bool sets_all = false;      ///< the targets are all blocks of the matrix
  std::vector<Index> source;  ///< offset of the block in `stiffness`
};

}  // namespace resilin
