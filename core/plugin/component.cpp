#include "core/plugin/component.hpp"

#include "core/params/tree.hpp"

#include <algorithm>

namespace resilin {

Component::~Component() = default;

Error BuildContext::input_error(const std::string& key, const std::string& message) const {
  std::string full = path;
  if (!key.empty() && !full.empty() && key.front() != '[') full += '.';
  full += key;
  Place where = place;
  if (places != nullptr) {
    const auto found = places->find(full);
    if (found != places->end()) where = found->second;
  }
  return Error(Errc::Input, full.empty() ? message : full + ": " + message, where);
}

const BodyView& BuildContext::find_body(const std::string& key, const std::string& name) const {
  if (bodies == nullptr || bodies->empty()) throw input_error(key, "there is no body to act on");
  if (name.empty() && bodies->size() == 1) return bodies->front();
  std::vector<std::string> known;
  for (const BodyView& b : *bodies) {
    if (b.name == name) return b;
    known.push_back(b.name);
  }
  if (name.empty()) throw input_error(key, "the scene has several bodies: name one" + suggest("", known));
  throw input_error(key, "no body '" + name + "'" + suggest(name, known));
}

std::vector<Index> BuildContext::find_colliders(const std::string& key,
                                                const std::vector<std::string>& names) const {
  if (colliders == nullptr || colliders->empty())
    throw input_error(key, "the scene has no colliders to touch: declare some under colliders");
  std::vector<Index> found;
  for (const std::string& name : names) {
    const auto it = std::find(colliders->begin(), colliders->end(), name);
    if (it == colliders->end())
      throw input_error(key, "no collider '" + name + "'" + suggest(name, *colliders));
    found.push_back(it - colliders->begin());
  }
  if (names.empty())
    for (std::size_t k = 0; k < colliders->size(); ++k) found.push_back(static_cast<Index>(k));
  std::sort(found.begin(), found.end());
  if (const auto twice = std::adjacent_find(found.begin(), found.end()); twice != found.end())
    throw input_error(key,
                      "collider '" + (*colliders)[static_cast<std::size_t>(*twice)] + "' is named twice");
  return found;
}

}  // namespace resilin
