// The free nodes of the contacts in touch, for compliances between them.
#pragma once

#include "plugins/contact_solvers/contact_set.hpp"

#include <span>
#include <utility>
#include <vector>

namespace resilin {

/// Numbers the nodes of contacts that no pin holds along any axis, each once. Nodes that a pin holds along
/// one axis only are left out: what compliances are used for need not be exact.
class FreeNodes {
 public:
  void find(const std::vector<ActiveContact>& active);
  const std::vector<Index>& list() const { return list_; }
  /// Places in list() of a contact's nodes, with their weights.
  std::span<const std::pair<Index, double>> of(Index contact) const {
    const auto k = static_cast<std::size_t>(contact);
    return {of_.data() + begin_[k], begin_[k + 1] - begin_[k]};
  }

 private:
  std::vector<Index> list_;  ///< ascending
  std::vector<std::pair<Index, double>> of_;
  std::vector<std::size_t> begin_;
};

}  // namespace resilin
