#include "core/geometry/bvh.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

namespace resilin {
namespace {

constexpr Index kLeaf = 4;
/// Halving leaves no more levels than an index has bits; each keeps at most one node waiting.
constexpr std::size_t kLevels = 64;

bool meets_ray(const Box3& box, const Vec3& origin, const Vec3& direction) {
  double enter = 0, leave = std::numeric_limits<double>::infinity();
  for (Index k = 0; k < 3; ++k) {
    if (direction[k] == 0) {
      if (origin[k] < box.min()[k] || origin[k] > box.max()[k]) return false;
      continue;
    }
    const double a = (box.min()[k] - origin[k]) / direction[k], b = (box.max()[k] - origin[k]) / direction[k];
    enter = std::max(enter, std::min(a, b));
    leave = std::min(leave, std::max(a, b));
  }
  // A hair's breadth: a ray along the side of a box must not slip through by rounding.
  return enter <= leave + 1e-12 * std::abs(leave);
}

}  // namespace

Bvh::Bvh(std::vector<Box3> boxes) : items_(boxes.size()) {
  std::iota(items_.begin(), items_.end(), Index{0});
  if (items_.empty()) return;
  nodes_.reserve(boxes.size());
  build(0, size(), boxes);
  boxes_.reserve(boxes.size());
  for (const Index i : items_) boxes_.push_back(boxes[static_cast<std::size_t>(i)]);
}

Index Bvh::build(Index begin, Index end, const std::vector<Box3>& boxes) {
  const auto at = static_cast<Index>(nodes_.size());
  nodes_.emplace_back();
  Box3 all, middles;
  const auto middle = [&](Index i) -> Vec3 { return boxes[static_cast<std::size_t>(i)].center(); };
  for (Index i = begin; i < end; ++i) {
    const Index item = items_[static_cast<std::size_t>(i)];
    all.extend(boxes[static_cast<std::size_t>(item)]);
    middles.extend(middle(item));
  }
  Index right = 0;
  if (end - begin > kLeaf) {
    Index axis = 0;
    middles.sizes().maxCoeff(&axis);
    std::sort(items_.begin() + begin, items_.begin() + end, [&](Index a, Index b) {
      const double ma = middle(a)[axis], mb = middle(b)[axis];
      return ma != mb ? ma < mb : a < b;
    });
    const Index half = begin + (end - begin) / 2;
    build(begin, half, boxes);
    right = build(half, end, boxes);
  }
  nodes_[static_cast<std::size_t>(at)] = {all, begin, end, right};
  return at;
}

Index Bvh::closest(const Vec3& p, FunctionRef<double(Index)> squared_distance) const {
  Index best = -1;
  double least = std::numeric_limits<double>::infinity();
  if (nodes_.empty() || !p.allFinite()) return best;
  // An item that is exactly as far must be seen although its box may seem farther by rounding.
  const auto too_far = [&](double box) { return box > least * (1 + 1e-12); };
  struct Waiting {
    Index node;
    double distance;
  };
  std::array<Waiting, kLevels> stack;
  std::size_t waiting = 0;
  stack[waiting++] = {0, nodes_[0].box.squaredExteriorDistance(p)};
  while (waiting > 0) {
    const Waiting now = stack[--waiting];
    if (too_far(now.distance)) continue;
    const Node& node = nodes_[static_cast<std::size_t>(now.node)];
    if (node.right != 0) {
      const Waiting left{now.node + 1,
                         nodes_[static_cast<std::size_t>(now.node + 1)].box.squaredExteriorDistance(p)};
      const Waiting right{node.right,
                          nodes_[static_cast<std::size_t>(node.right)].box.squaredExteriorDistance(p)};
      const bool left_first = left.distance <= right.distance;
      stack[waiting++] = left_first ? right : left;
      stack[waiting++] = left_first ? left : right;
      continue;
    }
    for (Index i = node.begin; i < node.end; ++i) {
      if (too_far(boxes_[static_cast<std::size_t>(i)].squaredExteriorDistance(p))) continue;
      const Index item = items_[static_cast<std::size_t>(i)];
      const double d = squared_distance(item);
      if (d < least || (d == least && item < best)) {
        least = d;
        best = item;
      }
    }
  }
  return best;
}

template <class Accept>
void Bvh::walk(Accept&& accept, FunctionRef<void(Index)> action) const {
  if (nodes_.empty()) return;
  std::array<Index, kLevels> stack;
  std::size_t waiting = 0;
  stack[waiting++] = 0;
  while (waiting > 0) {
    const Index at = stack[--waiting];
    const Node& node = nodes_[static_cast<std::size_t>(at)];
    if (!accept(node.box)) continue;
    if (node.right != 0) {
      stack[waiting++] = node.right;
      stack[waiting++] = at + 1;
      continue;
    }
    for (Index i = node.begin; i < node.end; ++i)
      if (accept(boxes_[static_cast<std::size_t>(i)])) action(items_[static_cast<std::size_t>(i)]);
  }
}

void Bvh::for_each_overlap(const Box3& box, FunctionRef<void(Index)> action) const {
  walk([&](const Box3& b) { return b.intersects(box); }, action);
}

void Bvh::for_each_within(const Vec3& p, double radius, FunctionRef<void(Index)> action) const {
  walk([&](const Box3& b) { return b.squaredExteriorDistance(p) <= radius * radius; }, action);
}

void Bvh::for_each_on_ray(const Vec3& origin, const Vec3& direction, FunctionRef<void(Index)> action) const {
  walk([&](const Box3& b) { return meets_ray(b, origin, direction); }, action);
}

}  // namespace resilin
