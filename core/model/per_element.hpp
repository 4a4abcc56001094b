// Fields that are given once and vary from element to element all the same, as a task may ask for.
#pragma once

#include "core/params/visitor.hpp"
#include "core/plugin/component.hpp"

#include <string>
#include <vector>

namespace resilin {

/// Gives each differentiable field that `visit` names and whose path `prefix`.name matches one of `patterns`
/// (matches_path) one entry for each of `elements` items, all equal to its single one; a list of entries
/// stays as it is. Adds the paths of all these fields to `spread` and returns how many there are. Throws
/// Error(Input) at the field for one that is given per region.
Index spread_over_elements(const std::string& prefix, ParamVisitor::Body visit,
                           const std::vector<std::string>& patterns, Index elements,
                           const BuildContext& context, std::vector<std::string>& spread);

}  // namespace resilin
