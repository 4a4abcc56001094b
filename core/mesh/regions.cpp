#include "core/mesh/regions.hpp"

#include "core/base/error.hpp"
#include "core/params/tree.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace resilin {
namespace {

bool is_plain_name(const std::string& name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

/// The item of each element of the mesh: -1 where no region of the field is.
class ItemMap {
 public:
  ItemMap(const Field& field, const std::string& key, const BuildContext& context)
      : field_(field), key_(key), context_(context) {
    for (std::size_t i = 0; i < field.regions.size(); ++i)
      if (field.regions[i] != Field::kRestOfBody)
        add(static_cast<int>(i));
      else
        rest_ = static_cast<int>(i);
  }
  int operator()(Index element) const {
    const auto e = static_cast<std::size_t>(element);
    return e < item_.size() && item_[e] >= 0 ? item_[e] : rest_;
  }

 private:
  const std::string& name(int item) const { return field_.regions[static_cast<std::size_t>(item)]; }
  const std::vector<Index>& elements_of(const std::string& region) const {
    std::vector<std::string> known;
    for (const auto& [declared, elements] : *context_.regions) {
      if (declared == region) return elements;
      known.push_back(declared);
    }
    throw context_.input_error(key_,
                               fmt::format("the body has no region '{}'{}", region, suggest(region, known)));
  }
  void add(int item) {
    for (const Index e : elements_of(name(item))) {
      const auto at = static_cast<std::size_t>(e);
      if (at >= item_.size()) item_.resize(at + 1, -1);
      if (item_[at] >= 0)
        throw context_.input_error(key_, fmt::format("element {} lies in both regions '{}' and '{}': name "
                                                     "regions that do not overlap",
                                                     e, name(item_[at]), name(item)));
      item_[at] = item;
    }
  }

  const Field& field_;
  const std::string& key_;
  const BuildContext& context_;
  std::vector<int> item_;
  int rest_ = -1;
};

}  // namespace

RegionElements select_regions(const Mesh& mesh, const NamedList<Selector>& regions,
                              const BuildContext& context) {
  RegionElements result;
  for (const auto& [name, selector] : regions) {
    const std::string key = "regions." + name;
    if (name == Field::kRestOfBody)
      throw context.input_error(
          key, fmt::format("'{}' means the elements in no region: choose another name", Field::kRestOfBody));
    if (!is_plain_name(name))
      throw context.input_error(key, "the name of a region may have letters, digits, '_' and '-' only");
    std::vector<Index> elements;
    try {
      elements = select_elements(mesh, selector);
    } catch (const Error& e) {
      throw context.input_error(key, e.message());
    }
    if (elements.empty()) throw context.input_error(key, "the selection matches no element of the body");
    result.emplace_back(name, std::move(elements));
  }
  return result;
}

std::vector<int> region_items(const Field& field, const std::vector<Index>& elements, const std::string& key,
                              const BuildContext& context) {
  if (context.regions == nullptr || context.regions->empty())
    throw context.input_error(key, "is given per region, but the body declares no regions");
  const ItemMap map(field, key, context);
  std::vector<int> items;
  std::vector<char> taken(field.regions.size(), 0);
  Index missing = 0, first = -1;
  for (const Index e : elements) {
    items.push_back(map(e));
    if (items.back() >= 0) {
      taken[static_cast<std::size_t>(items.back())] = 1;
    } else if (missing++ == 0) {
      first = e;
    }
  }
  if (missing > 0)
    throw context.input_error(key,
                              fmt::format("{} of {} elements (the first is {}) lie in none of the regions "
                                          "{}: give 'default' as well",
                                          missing, elements.size(), first, fmt::join(field.regions, ", ")));
  for (std::size_t i = 0; i < taken.size(); ++i)
    if (taken[i] == 0)
      throw context.input_error(key, fmt::format("no element takes the value of '{}'", field.regions[i]));
  return items;
}

void require_no_regions(const Field& field, const std::string& key, const BuildContext& context) {
  if (!field.regions.empty())
    throw context.input_error(key, "cannot be given per region: regions consist of elements");
}

}  // namespace resilin
