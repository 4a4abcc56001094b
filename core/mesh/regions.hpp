// Named parts of a body, and parameters that are given one value per part.
#pragma once

#include "core/mesh/selector.hpp"
#include "core/params/field.hpp"
#include "core/plugin/component.hpp"

#include <string>
#include <vector>

namespace resilin {

/// Elements of each region in increasing order.
using RegionElements = NamedList<std::vector<Index>>;

/// Elements whose centroids each selector takes in; regions may overlap. Throws Error(Input) at
/// "regions.NAME" for a selection that matches nothing and for a name that a parameter path cannot hold.
RESILIN_API RegionElements select_regions(const Mesh& mesh, const NamedList<Selector>& regions,
                                          const BuildContext& context);

/// For a field that is given per region: its item at each of `elements` (numbers in the mesh of the body),
/// from the regions of the body in `context`. Throws Error(Input) at `key` for a region that the body does
/// not declare, an element that lies in two of the field's regions or in none, and a value that no element
/// takes.
RESILIN_API std::vector<int> region_items(const Field& field, const std::vector<Index>& elements,
                                          const std::string& key, const BuildContext& context);

/// For parameters that do not belong to elements: throws Error(Input) at `key` if `field` is given per
/// region.
RESILIN_API void require_no_regions(const Field& field, const std::string& key, const BuildContext& context);

}  // namespace resilin
