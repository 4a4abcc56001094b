// A tree of boxes whose shape is made once and whose boxes follow what moves.
#pragma once

#include "core/base/parallel.hpp"
#include "core/geometry/box3.hpp"

#include <vector>

namespace resilin {

/// Halves items by their places along the longest side of these, those of different groups first, in
/// O(n log n); parts of a surface that lie together at rest stay together as it moves. Boxes are fitted in
/// O(n) whenever they are needed, and belong to the caller.
class BoxTree {
 public:
  BoxTree() = default;
  /// group: of each item, ascending.
  BoxTree(const std::vector<Vec3>& places, const std::vector<Index>& group);

  struct Boxes {
    std::vector<Box3> items, nodes;  ///< items in the tree's order
  };
  Index size() const { return static_cast<Index>(items_.size()); }
  /// box_of(item) holds the item; called from several threads.
  Boxes fit(FunctionRef<Box3(Index item)> box_of) const;
  /// action(item) for every item whose box meets `box`, touching included, in an order of the tree alone.
  template <class Action>
  void for_each_overlap(const Boxes& boxes, const Box3& box, Action&& action) const {
    for (std::size_t at = 0; at < nodes_.size();) {
      const Node& node = nodes_[at];
      if (!boxes.nodes[at].intersects(box)) {
        at = node.next;
        continue;
      }
      if (node.is_leaf)
        for (std::size_t i = node.begin; i < node.end; ++i)
          if (boxes.items[i].intersects(box)) action(items_[i]);
      ++at;
    }
  }

 private:
  struct Node {
    std::size_t begin = 0, end = 0;  ///< of its items
    std::size_t next = 0;            ///< the node behind all that are below it
    bool is_leaf = true;
  };
  void build(std::size_t begin, std::size_t end, const std::vector<Vec3>& places,
             const std::vector<Index>& group);

  std::vector<Node> nodes_;  ///< parents before children
  std::vector<Index> items_;
};

}  // namespace resilin
