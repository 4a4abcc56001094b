#include "core/plugin/component.hpp"

#include "core/params/tree.hpp"

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

}  // namespace resilin
