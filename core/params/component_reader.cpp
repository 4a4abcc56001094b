// The part of MapReader that deals with components.
#include "core/params/map_reader.hpp"

#include <fmt/format.h>

namespace resilin::detail {

void MapReader::component(const char* name, const char* kind, ComponentSpec& value, const Spec& spec) {
  const auto* e = take(name, spec);
  if (e != nullptr) {
    read_component(e->value, place_of(*e), path_to(name), kind, value);
  } else if (!spec.required && find(name) == nullptr) {
    default_component(path_to(name), kind, value);
  }
}

void MapReader::components(const char* name, const char* kind, std::vector<ComponentSpec>& value,
                           const Spec& spec) {
  const auto* e = take_list(name, spec, "a list of components");
  if (e == nullptr) return;
  value = std::vector<ComponentSpec>(e->value.items.size());
  for (std::size_t i = 0; i < value.size(); ++i) {
    const TreeNode& item = e->value.items[i];
    read_component(item, item.place, indexed(path_to(name), i), kind, value[i]);
  }
}

void MapReader::component_map(const char* name, const char* kind, NamedList<ComponentSpec>& value,
                              const Spec& spec) {
  const auto* e = take_names(name, spec);
  if (e == nullptr) return;
  value.clear();
  for (const TreeNode::Entry& entry : e->value.entries) {
    value.emplace_back(entry.key, ComponentSpec{});
    read_component(entry.value, place_of(entry), join_path(path_to(name), entry.key), kind,
                   value.back().second);
  }
}

/// Finds out which type a component has; messages if that cannot be told.
bool MapReader::component_type(const TreeNode& node, const Place& place, const std::string& path,
                               const char* kind, std::string& type) {
  const TreeNode* named = node.kind == TreeNode::Kind::Map ? node.find("type") : &node;
  if (named == nullptr) {
    type = context_.catalog.default_type(kind);
    if (!type.empty()) return true;
    context_.diagnostics.error(
        place, path,
        fmt::format("missing 'type', the type of the {}{}", kind, suggest({}, context_.catalog.types(kind))));
    return false;
  }
  if (named->kind != TreeNode::Kind::Scalar) {
    return values_.expected(*named, path,
                            fmt::format("a {}: the name of a type, or a map with 'type'", kind));
  }
  type = named->scalar;
  if (context_.catalog.knows(kind, type)) return true;
  // The library that could not be loaded is the mistake then, not the types that it would have brought.
  if (!context_.catalog.is_complete()) return false;
  return values_.fail(
      *named, path,
      fmt::format("unknown {} {}{}", kind, in_quotes(type), suggest(type, context_.catalog.types(kind))));
}

void MapReader::read_component(const TreeNode& node, const Place& place, const std::string& path,
                               const char* kind, ComponentSpec& value) {
  context_.places[path] = place;
  std::string type;
  if (!component_type(node, place, path, kind, type)) return;
  if (const TreeNode* named = node.find("type")) context_.places[join_path(path, "type")] = named->place;
  // Below what the file says, defaults may again contain what stands further up.
  std::vector<std::pair<std::string, std::string>> outer;
  std::swap(outer, context_.defaults);
  fill(value, kind, type, node, place, path);
  std::swap(outer, context_.defaults);
}

/// The kind's default, for a component that the file does not name; one set beforehand stays.
void MapReader::default_component(const std::string& path, const char* kind, ComponentSpec& value) {
  if (!value.type.empty()) {
    value.path = path;
    value.place = place_;
    return;
  }
  const std::string type = context_.catalog.default_type(kind);
  if (type.empty()) return;
  const std::pair<std::string, std::string> entry(kind, type);
  const auto& chain = context_.defaults;
  if (std::find(chain.begin(), chain.end(), entry) != chain.end()) {
    context_.diagnostics.error(place_, path,
                               fmt::format("the default {} '{}' contains itself; name a type", kind, type));
    return;
  }
  context_.defaults.push_back(entry);
  fill(value, kind, type, {}, place_, path);
  context_.defaults.pop_back();
}

void MapReader::fill(ComponentSpec& value, const char* kind, const std::string& type, const TreeNode& node,
                     const Place& place, const std::string& path) {
  value = {};
  value.type = type;
  value.path = path;
  value.place = place;
  value.options = context_.catalog.make_options(kind, type);
  // A component given by its name alone is a scalar and has no entries.
  read_map(node, place, path, [&](ParamVisitor& v) { value.options->visit(v); }, {"type"});
}

}  // namespace resilin::detail
