#include "core/params/map_reader.hpp"
#include "core/params/yaml.hpp"

#include <fmt/format.h>

#include <unordered_set>

namespace resilin {
namespace detail {
namespace {

std::vector<std::string> words_of(std::initializer_list<const char*> options) {
  return {options.begin(), options.end()};
}

/// Names of entries become parts of paths, so they must not hold what separates those.
bool is_addressable(const std::string& name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || static_cast<unsigned char>(c) >= 0x80;
  });
}

}  // namespace

void MapReader::finish() {
  std::unordered_set<std::string> claimed(known_.begin(), known_.end());
  claimed.insert(ignore_.begin(), ignore_.end());
  for (const TreeNode::Entry& entry : map_.entries) {
    if (claimed.count(entry.key) != 0) continue;
    const std::string where = path_.empty() ? "" : " in " + path_;
    // Comparing words takes time, which a file of nothing but mistakes is not worth.
    const std::string hint = context_.diagnostics.count() < 1000 ? suggest(entry.key, known_) : "";
    context_.diagnostics.error(entry.place, {}, "unknown key " + in_quotes(entry.key) + where + hint);
  }
  // A rule over values that are themselves wrong would only repeat the mistake in other words.
  if (context_.diagnostics.count() != errors_before_) return;
  for (const std::string& message : broken_rules_) context_.diagnostics.error(place_, path_, message);
}

/// The entry of a parameter under its name or alias; null, after a message if that is a mistake, without one.
const TreeNode::Entry* MapReader::take(const char* name, const Spec& spec) {
  known_.emplace_back(name);
  const TreeNode::Entry* entry = find(name);
  if (*spec.alias != '\0') {
    known_.emplace_back(spec.alias);
    const TreeNode::Entry* other = find(spec.alias);
    if (entry != nullptr && other != nullptr) {
      context_.diagnostics.error(
          other->place, path_,
          fmt::format("'{}' and '{}' are two names of the same parameter; give only one", name, spec.alias));
      return nullptr;
    }
    if (entry == nullptr) entry = other;
  }
  if (entry != nullptr) {
    context_.places[path_to(name)] = place_of(*entry);
  } else if (spec.required) {
    const std::string unit = *spec.unit == '\0' ? "" : fmt::format(", {}", spec.unit);
    context_.diagnostics.error(place_, path_,
                               fmt::format("missing required key '{}' ({}{})", name, spec.doc, unit));
  }
  return entry;
}

const TreeNode::Entry* MapReader::take_list(const char* name, const Spec& spec, const char* what) {
  const auto* e = take(name, spec);
  if (e == nullptr) return nullptr;
  if (!is_list(e->value)) {
    values_.expected(e->value, path_to(name), what);
    return nullptr;
  }
  for (std::size_t i = 0; i < e->value.items.size(); ++i) {
    context_.places[indexed(path_to(name), i)] = e->value.items[i].place;
  }
  return e;
}

const TreeNode::Entry* MapReader::take_names(const char* name, const Spec& spec) {
  const auto* e = take(name, spec);
  if (e == nullptr) return nullptr;
  if (!is_map(e->value)) {
    values_.expected(e->value, path_to(name), "a map from names to entries");
    return nullptr;
  }
  for (const TreeNode::Entry& entry : e->value.entries) {
    context_.places[join_path(path_to(name), entry.key)] = place_of(entry);
    if (is_addressable(entry.key)) continue;
    context_.diagnostics.error(
        entry.place, path_to(name),
        "name " + in_quotes(entry.key) + " must consist of letters, digits, '_' and '-'");
  }
  return e;
}

template <class T, class Read>
void MapReader::read_list(const char* name, std::vector<T>& value, const Spec& spec, const char* what,
                          Read read) {
  const auto* e = take_list(name, spec, what);
  if (e == nullptr) return;
  std::vector<T> list(e->value.items.size());
  bool ok = true;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!read(e->value.items[i], indexed(path_to(name), i), list[i])) ok = false;
  }
  if (ok) value = std::move(list);
}

void MapReader::choice(const char* name, std::string& value, std::initializer_list<const char*> options,
                       const Spec& spec) {
  if (const auto* e = take(name, spec)) values_.word(e->value, path_to(name), words_of(options), value);
}

void MapReader::numbers(const char* name, VecX& value, const Spec& spec) {
  const auto* e = take(name, spec);
  if (e == nullptr) return;
  if (e->value.kind == TreeNode::Kind::Null) {
    value.resize(0);
  } else if (double one = 0; e->value.kind == TreeNode::Kind::Scalar) {
    if (values_.real(e->value, path_to(name), spec, one)) value = VecX::Constant(1, one);
  } else {
    values_.reals(e->value, path_to(name), spec, -1, value);
  }
}

void MapReader::integers(const char* name, std::vector<Index>& value, const Spec& spec) {
  read_list<Index>(
      name, value, spec, "a list of integers",
      [&](const TreeNode& n, const std::string& p, Index& v) { return values_.integer(n, p, spec, v); });
}

void MapReader::texts(const char* name, std::vector<std::string>& value, const Spec& spec) {
  read_list<std::string>(
      name, value, spec, "a list of texts",
      [&](const TreeNode& n, const std::string& p, std::string& v) { return values_.text(n, p, v); });
}

void MapReader::choices(const char* name, std::vector<std::string>& value,
                        std::initializer_list<const char*> options, const Spec& spec) {
  const std::vector<std::string> words = words_of(options);
  const auto* scalar = find(name) != nullptr ? find(name) : find(spec.alias);
  if (scalar != nullptr && scalar->value.kind == TreeNode::Kind::Scalar) {
    std::string word;
    const auto* e = take(name, spec);
    if (e != nullptr && values_.word(e->value, path_to(name), words, word)) value = {word};
    return;
  }
  read_list<std::string>(
      name, value, spec, ("one or a list of " + join(words)).c_str(),
      [&](const TreeNode& n, const std::string& p, std::string& v) { return values_.word(n, p, words, v); });
}

void MapReader::section(const char* name, Body body, const Spec& spec) {
  const auto* e = take(name, spec);
  if (e == nullptr && !spec.required && find(name) == nullptr) {
    read_map({}, place_, path_to(name), body);
  } else if (e != nullptr && check_map(e->value, path_to(name))) {
    read_map(e->value, place_of(*e), path_to(name), body);
  }
}

void MapReader::optional_section(const char* name, bool& present, Body body, const Spec& spec) {
  const auto* e = take(name, spec);
  if (e == nullptr || !check_map(e->value, path_to(name))) return;
  present = true;
  read_map(e->value, place_of(*e), path_to(name), body);
}

void MapReader::sequence(const char* name, SequenceAccess& value, const Spec& spec) {
  const auto* e = take_list(name, spec, "a list of maps");
  if (e == nullptr) return;
  value.clear();
  for (const TreeNode& item : e->value.items) {
    const Index i = value.size();
    value.append({});
    const std::string path = indexed(path_to(name), static_cast<std::size_t>(i));
    if (!check_map(item, path)) continue;
    read_map(item, item.place, path, [&](ParamVisitor& v) { value.visit(i, v); });
  }
}

void MapReader::named(const char* name, SequenceAccess& value, const Spec& spec) {
  const auto* e = take_names(name, spec);
  if (e == nullptr) return;
  value.clear();
  for (const TreeNode::Entry& entry : e->value.entries) {
    const Index i = value.size();
    value.append(entry.key);
    const std::string path = join_path(path_to(name), entry.key);
    if (!check_map(entry.value, path)) continue;
    const std::size_t before = context_.diagnostics.count();
    read_map(entry.value, place_of(entry), path, [&](ParamVisitor& v) { value.visit(i, v); });
    if (context_.diagnostics.count() != before) explain_new_entry(entry, e->value, path);
  }
}

/// An entry that only an override names, and that is incomplete, is most likely a mistyped name.
void MapReader::explain_new_entry(const TreeNode::Entry& entry, const TreeNode& map,
                                  const std::string& path) {
  if (entry.place.file.rfind("--set", 0) != 0) return;
  std::vector<std::string> others;
  for (const TreeNode::Entry& other : map.entries)
    if (other.place.file.rfind("--set", 0) != 0) others.push_back(other.key);
  if (!others.empty())
    context_.diagnostics.error(
        entry.place, path,
        "the file has no such entry, so this makes a new one" + suggest(entry.key, others));
}

void MapReader::assignments(const char* name, NamedList<std::string>& value, const Spec& spec) {
  const auto* e = take(name, spec);
  if (e == nullptr) return;
  if (!is_map(e->value)) {
    values_.expected(e->value, path_to(name), "a map from paths of parameters to values");
    return;
  }
  value.clear();
  for (const TreeNode::Entry& entry : e->value.entries) {
    context_.places[join_path(path_to(name), entry.key)] = place_of(entry);
    value.emplace_back(entry.key, flow_text(entry.value));
  }
}

}  // namespace detail

void read_options(const TreeNode& node, ParamVisitor::Body visit, const TypeCatalog& catalog,
                  Diagnostics& diagnostics, PlaceMap& places, const std::string& path,
                  const std::vector<std::string>& ignore) {
  places[path] = node.place;
  if (!detail::is_map(node)) {
    detail::ValueReader(diagnostics).expected(node, path, "a map of parameters");
    return;
  }
  detail::ReadContext context{catalog, diagnostics, places};
  detail::MapReader reader(context, node, node.place, path, ignore);
  visit(reader);
  reader.finish();
}

}  // namespace resilin
