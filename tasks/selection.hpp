// What the losses of this folder select: vertices, their mean, axes and frames.
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

/// Weighted mean of selected vertices, sum_i w_i q_i with sum w_i = 1.
struct NodeMean {
  std::vector<Index> nodes;
  VecX weights;

  /// `of`: "centroid" for equal weights, "center_of_mass" for the measure (volume, area, length) of the rest
  /// mesh around each vertex.
  NodeMean(std::vector<Index> nodes, const std::string& of, const BuildContext& context);
  Vec3 operator()(const VecX& q) const;
  /// out += (d mean / d q)^T z
  void add_vjp(const Vec3& z, VecX& out) const;
};

/// Key `axes`: 1 for those that are named, 0 for the others. Throws Error(Input) if none is.
Vec3 axes_mask(const std::vector<std::string>& axes, const BuildContext& context);
/// Unit vector of key `key`; throws Error(Input) if it has no direction.
Vec3 unit_vector(const Vec3& v, const std::string& key, const BuildContext& context);

/// Throws Error(Input) at key `frames` unless they rise and lie in 0 .. steps of the scene.
void check_frames(const std::vector<Index>& frames, const BuildContext& context);
/// Place of k in rising `frames`, or -1.
Index place_of(const std::vector<Index>& frames, Index k);

/// Of each vertex of the system: its share of the measure (volume, area, length) of the elements around it,
/// an equal part from each.
VecX vertex_measures(const BuildContext& context);

}  // namespace resilin
