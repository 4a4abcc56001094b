// What the losses of this folder select: vertices and frames.
#pragma once

#include "core/mesh/selector.hpp"
#include "core/optim/loss.hpp"

#include <string>
#include <vector>

namespace resilin {

/// Keys `body` and `nodes`.
struct NodeSelection {
  std::string body;
  Selector nodes;
  void visit(ParamVisitor& v);
  /// The vertices, numbered in the whole system; throws Error(Input) if there are none.
  std::vector<Index> vertices(const BuildContext& context) const;
};

/// Throws Error(Input) at key `frames` unless they rise and lie in 0 .. steps of the scene.
void check_frames(const std::vector<Index>& frames, const BuildContext& context);
/// Place of k in rising `frames`, or -1.
Index place_of(const std::vector<Index>& frames, Index k);

/// Of each vertex of the system: its share of the measure (volume, area, length) of the elements around it,
/// an equal part from each.
VecX vertex_measures(const BuildContext& context);

}  // namespace resilin
