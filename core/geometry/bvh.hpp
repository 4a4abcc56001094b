// A tree of boxes over items: which item is nearest, which may touch a box, which may lie on a ray.
#pragma once

#include "core/base/parallel.hpp"
#include "core/geometry/box3.hpp"

#include <vector>

namespace resilin {

/// Halves the items by the middles of their boxes along the longest side until few are left; items of equal
/// middles keep their order. The same items give the same tree and the same answers. Queries allocate
/// nothing.
class RESILIN_API Bvh {
 public:
  Bvh() = default;
  /// boxes[i] holds item i; none of them empty, all finite. O(n log^2 n).
  explicit Bvh(std::vector<Box3> boxes);

  Index size() const { return static_cast<Index>(items_.size()); }
  /// The item with the smallest squared_distance(item) [m^2] to p; of equal ones that with the smallest
  /// number, as if all were looked at. squared_distance must be no less than that of the item's box. -1 if
  /// there are no items or p is not finite. O(log n) calls for a surface that p is not equally far from
  /// everywhere.
  Index closest(const Vec3& p, FunctionRef<double(Index)> squared_distance) const;
  /// action(item) for every item whose box meets `box`, touching included.
  void for_each_overlap(const Box3& box, FunctionRef<void(Index)> action) const;
  /// action(item) for every item whose box is no farther than `radius` [m] from p.
  void for_each_within(const Vec3& p, double radius, FunctionRef<void(Index)> action) const;
  /// action(item) for every item whose box the ray origin + s direction, s >= 0, meets.
  void for_each_on_ray(const Vec3& origin, const Vec3& direction, FunctionRef<void(Index)> action) const;

 private:
  struct Node {
    Box3 box;
    Index begin = 0, end = 0;  ///< items_ of a leaf
    Index right = 0;           ///< the left child is the next node; 0: a leaf
  };
  Index build(Index begin, Index end, const std::vector<Box3>& boxes);
  template <class Accept>
  void walk(Accept&& accept, FunctionRef<void(Index)> action) const;

  std::vector<Node> nodes_;  ///< parents before children
  std::vector<Index> items_;
  std::vector<Box3> boxes_;  ///< of items_, in their order
};

}  // namespace resilin
