#include "core/mesh/weld.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace resilin::mesh_detail {

std::vector<int> first_equal_columns(const Mat3X& x) {
  std::vector<int> order(static_cast<std::size_t>(x.cols())), first(order.size());
  std::iota(order.begin(), order.end(), 0);
  const auto key = [&](int v) { return std::make_tuple(x(0, v), x(1, v), x(2, v), v); };
  std::sort(order.begin(), order.end(), [&](int a, int b) { return key(a) < key(b); });
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool same = i > 0 && x.col(order[i]) == x.col(order[i - 1]);
    first[static_cast<std::size_t>(order[i])] =
        same ? first[static_cast<std::size_t>(order[i - 1])] : order[i];
  }
  return first;
}

}  // namespace resilin::mesh_detail
