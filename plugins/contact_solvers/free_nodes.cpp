#include "plugins/contact_solvers/free_nodes.hpp"

#include <algorithm>

namespace resilin {

void FreeNodes::find(const std::vector<ActiveContact>& active) {
  list_.clear();
  of_.clear();
  begin_.assign(1, 0);
  const auto visit = [&](auto&& f) {
    for (const ActiveContact& a : active) {
      for (std::size_t k = 0; k < 4 && a.nodes.node[k] >= 0; ++k)
        if (a.nodes.is_free(k)) f(a.nodes.node[k], a.nodes.weight[k]);
      begin_.push_back(of_.size());
    }
  };
  visit([&](Index node, double) { list_.push_back(node); });
  std::sort(list_.begin(), list_.end());
  list_.erase(std::unique(list_.begin(), list_.end()), list_.end());
  begin_.assign(1, 0);
  visit([&](Index node, double weight) {
    of_.emplace_back(std::lower_bound(list_.begin(), list_.end(), node) - list_.begin(), weight);
  });
}

}  // namespace resilin
