// Reads one map of a tree into the struct behind a visit; internal to core/params.
#pragma once

#include "core/params/io.hpp"
#include "core/params/text.hpp"
#include "core/params/value_reader.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace resilin::detail {

/// What the readers of all maps of one file share.
struct ReadContext {
  const TypeCatalog& catalog;
  Diagnostics& diagnostics;
  PlaceMap& places;
  /// Kind and type of the default components that are being made, to see one that would contain itself.
  std::vector<std::pair<std::string, std::string>> defaults = {};
};

/// A scalar is pointed at itself, a map or a list at its key: their own place is that of their first entry.
inline const Place& place_of(const TreeNode::Entry& entry) {
  return entry.value.kind == TreeNode::Kind::Scalar ? entry.value.place : entry.place;
}

inline bool is_map(const TreeNode& node) {
  return node.kind == TreeNode::Kind::Map || node.kind == TreeNode::Kind::Null;
}
inline bool is_list(const TreeNode& node) {
  return node.kind == TreeNode::Kind::Sequence || node.kind == TreeNode::Kind::Null;
}

/// Reads one map. An absent map is read as an empty one, so that what it requires is asked for.
class MapReader final : public ParamVisitor {
 public:
  MapReader(ReadContext& context, const TreeNode& map, const Place& place, const std::string& path,
            std::vector<std::string> ignore = {})
      : context_(context),
        values_(context.diagnostics),
        map_(map),
        place_(place),
        path_(path),
        ignore_(std::move(ignore)),
        errors_before_(context.diagnostics.count()) {}

  /// To be called after the visit: what no parameter claimed, and the rules over several parameters.
  void finish();

  void real(const char* name, double& value, const Spec& spec) override {
    if (const auto* e = take(name, spec)) values_.real(e->value, path_to(name), spec, value);
  }
  void integer(const char* name, Index& value, const Spec& spec) override {
    if (const auto* e = take(name, spec)) values_.integer(e->value, path_to(name), spec, value);
  }
  void flag(const char* name, bool& value, const Spec& spec) override {
    if (const auto* e = take(name, spec)) values_.flag(e->value, path_to(name), value);
  }
  void text(const char* name, std::string& value, const Spec& spec) override {
    if (const auto* e = take(name, spec)) values_.text(e->value, path_to(name), value);
  }
  void path(const char* name, std::string& value, const Spec& spec) override {
    if (const auto* e = take(name, spec)) values_.file(e->value, path_to(name), value);
  }
  void vec3(const char* name, Vec3& value, const Spec& spec) override {
    VecX read;
    const auto* e = take(name, spec);
    if (e != nullptr && values_.reals(e->value, path_to(name), spec, 3, read)) value = read;
  }
  void choice(const char* name, std::string& value, std::initializer_list<const char*> options,
              const Spec& spec) override;
  void numbers(const char* name, VecX& value, const Spec& spec) override;
  void integers(const char* name, std::vector<Index>& value, const Spec& spec) override;
  void texts(const char* name, std::vector<std::string>& value, const Spec& spec) override;
  void choices(const char* name, std::vector<std::string>& value, std::initializer_list<const char*> options,
               const Spec& spec) override;
  void field(const char* name, Field& value, const Spec& spec) override {
    if (const auto* e = take(name, spec)) values_.field(e->value, path_to(name), spec, value);
  }

  void section(const char* name, Body body, const Spec& spec) override;
  void optional_section(const char* name, bool& present, Body body, const Spec& spec) override;

  void component(const char* name, const char* kind, ComponentSpec& value, const Spec& spec) override;
  void components(const char* name, const char* kind, std::vector<ComponentSpec>& value,
                  const Spec& spec) override;
  void component_map(const char* name, const char* kind, NamedList<ComponentSpec>& value,
                     const Spec& spec) override;
  void sequence(const char* name, SequenceAccess& value, const Spec& spec) override;
  void named(const char* name, SequenceAccess& value, const Spec& spec) override;
  void assignments(const char* name, NamedList<std::string>& value, const Spec& spec) override;

  void check(bool ok, const char* message) override {
    if (!ok) broken_rules_.emplace_back(message);
  }

 private:
  std::string path_to(const std::string& name) const { return join_path(path_, name); }

  const TreeNode::Entry* find(const std::string& key) const {
    const auto found = std::find_if(map_.entries.begin(), map_.entries.end(),
                                    [&](const TreeNode::Entry& e) { return e.key == key; });
    return found == map_.entries.end() ? nullptr : &*found;
  }

  const TreeNode::Entry* take(const char* name, const Spec& spec);
  const TreeNode::Entry* take_list(const char* name, const Spec& spec, const char* what);
  const TreeNode::Entry* take_names(const char* name, const Spec& spec);
  bool check_map(const TreeNode& node, const std::string& path) const {
    return is_map(node) || values_.expected(node, path, "a map of parameters");
  }
  void read_map(const TreeNode& node, const Place& place, const std::string& path, Body body,
                std::vector<std::string> ignore = {}) {
    MapReader reader(context_, node, place, path, std::move(ignore));
    body(reader);
    reader.finish();
  }
  void explain_new_entry(const TreeNode::Entry& entry, const TreeNode& map, const std::string& path);
  template <class T, class Read>
  void read_list(const char* name, std::vector<T>& value, const Spec& spec, const char* what, Read read);
  void read_component(const TreeNode& node, const Place& place, const std::string& path, const char* kind,
                      ComponentSpec& value);
  bool component_type(const TreeNode& node, const Place& place, const std::string& path, const char* kind,
                      std::string& type);
  void default_component(const std::string& path, const char* kind, ComponentSpec& value);
  void fill(ComponentSpec& value, const char* kind, const std::string& type, const TreeNode& node,
            const Place& place, const std::string& path);

  ReadContext& context_;
  ValueReader values_;
  const TreeNode& map_;
  Place place_;
  std::string path_;
  std::vector<std::string> ignore_;
  std::size_t errors_before_;
  std::vector<std::string> known_;
  std::vector<std::string> broken_rules_;
};

}  // namespace resilin::detail
