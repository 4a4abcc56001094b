#include "contacts/self_contact/box_tree.hpp"

#include <algorithm>
#include <numeric>

namespace resilin {
namespace {

constexpr std::size_t kLeaf = 4;
constexpr Index kGrain = 1024;

}  // namespace

BoxTree::BoxTree(const std::vector<Vec3>& places, const std::vector<Index>& group) : items_(places.size()) {
  std::iota(items_.begin(), items_.end(), Index{0});
  if (!items_.empty()) build(0, items_.size(), places, group);
}

void BoxTree::build(std::size_t begin, std::size_t end, const std::vector<Vec3>& places,
                    const std::vector<Index>& group) {
  const std::size_t at = nodes_.size();
  nodes_.push_back({begin, end, 0, true});
  const auto place = [&](Index i) -> const Vec3& { return places[static_cast<std::size_t>(i)]; };
  const auto group_of = [&](std::size_t i) { return group[static_cast<std::size_t>(items_[i])]; };
  const bool mixed = group_of(begin) != group_of(end - 1);
  if (mixed || end - begin > kLeaf) {
    nodes_[at].is_leaf = false;
    std::size_t half = begin + (end - begin) / 2;
    if (mixed) {  // items are still in their order: the border between groups that is nearest to the middle
      std::size_t up = half, down = half;
      while (up < end && group_of(up) == group_of(up - 1)) ++up;
      while (down > begin && group_of(down) == group_of(down - 1 + (down == begin))) --down;
      half = down == begin || (up < end && up - half < half - down) ? up : down;
    } else {
      Box3 all;
      for (std::size_t i = begin; i < end; ++i) all.extend(place(items_[i]));
      Index axis = 0;
      all.sizes().maxCoeff(&axis);
      const auto from = items_.begin();
      std::nth_element(from + static_cast<std::ptrdiff_t>(begin), from + static_cast<std::ptrdiff_t>(half),
                       from + static_cast<std::ptrdiff_t>(end), [&](Index a, Index b) {
                         const double pa = place(a)[axis], pb = place(b)[axis];
                         return pa != pb ? pa < pb : a < b;
                       });
    }
    build(begin, half, places, group);
    build(half, end, places, group);
  }
  nodes_[at].next = nodes_.size();
}

BoxTree::Boxes BoxTree::fit(FunctionRef<Box3(Index)> box_of) const {
  Boxes boxes;
  boxes.items.resize(items_.size());
  boxes.nodes.resize(nodes_.size());
  parallel_for(size(), kGrain, [&](Index begin, Index end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
      boxes.items[i] = box_of(items_[i]);
  });
  for (std::size_t at = nodes_.size(); at-- > 0;) {
    const Node& node = nodes_[at];
    Box3& box = boxes.nodes[at];
    if (node.is_leaf)
      for (std::size_t i = node.begin; i < node.end; ++i) box.extend(boxes.items[i]);
    else
      box = boxes.nodes[at + 1].merged(boxes.nodes[nodes_[at + 1].next]);
  }
  return boxes;
}

}  // namespace resilin
