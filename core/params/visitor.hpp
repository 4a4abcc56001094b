// Parameters, said once. A component has a plain `Options` struct with in-class defaults and one
//     void visit(ParamVisitor& v);
// that names each field with its Spec. That one list feeds the YAML reader, `plugins show`, REFERENCE.md, the
// JSON Schema, the dump of the resolved scene and the table of differentiable parameters.
#pragma once

#include "core/base/error.hpp"
#include "core/base/parallel.hpp"
#include "core/base/types.hpp"
#include "core/params/field.hpp"

#include <initializer_list>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace resilin {

/// The facts of one parameter.
struct Spec {
  const char* doc;
  const char* unit = "";
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  bool open = false;            ///< the ends of the range are excluded
  bool differentiable = false;  ///< gradients with respect to it exist; it enters the ParameterTable
  bool required = false;        ///< must be given; otherwise the value before reading is the default
  const char* alias = "";       ///< another accepted name, such as E for youngs_modulus
};

class ParamVisitor;

/// The options of a component whose type was chosen by name; owned by ComponentSpec, made by a Registry.
class RESILIN_API OptionsBase {
 public:
  virtual ~OptionsBase();
  virtual void visit(ParamVisitor& v) = 0;
  virtual std::unique_ptr<OptionsBase> clone() const = 0;
};

/// `type: name` plus its options, as read; Registry::make turns it into a component.
struct RESILIN_API ComponentSpec {
  std::string type;                      ///< empty: not given, and the kind has no default
  std::unique_ptr<OptionsBase> options;  ///< null while type is empty
  std::string path;                      ///< where it stands in the scene: "bodies.beam.materials[0]"
  Place place;                           ///< where it stands in the file

  ComponentSpec() = default;
  ComponentSpec(const ComponentSpec& other);
  ComponentSpec& operator=(const ComponentSpec& other);
  ComponentSpec(ComponentSpec&&) = default;
  ComponentSpec& operator=(ComponentSpec&&) = default;
  ~ComponentSpec();
};

/// What a visitor may do with a list or a map of structs without knowing their type.
class RESILIN_API SequenceAccess {
 public:
  virtual ~SequenceAccess();
  virtual Index size() const = 0;
  virtual std::string key(Index i) const = 0;       ///< name of entry i of a map; empty in a list
  virtual void append(const std::string& key) = 0;  ///< adds a default-made entry
  virtual void clear() = 0;
  virtual void visit(Index i, ParamVisitor& v) = 0;       ///< visits the fields of entry i
  virtual void visit_default(ParamVisitor& v) const = 0;  ///< visits a default-made entry (for documentation)
};

/// A named list that keeps the order of the file.
template <class T>
using NamedList = std::vector<std::pair<std::string, T>>;

/// Called once per parameter, in the order in which `visit` names them. Implementations may read or write the
/// value; a reader leaves it untouched where the file says nothing.
class RESILIN_API ParamVisitor {
 public:
  ParamVisitor() = default;
  ParamVisitor(const ParamVisitor&) = delete;
  ParamVisitor& operator=(const ParamVisitor&) = delete;
  virtual ~ParamVisitor();

  using Body = FunctionRef<void(ParamVisitor&)>;

  virtual void real(const char* name, double& value, const Spec& spec) = 0;
  virtual void integer(const char* name, Index& value, const Spec& spec) = 0;
  virtual void flag(const char* name, bool& value, const Spec& spec) = 0;
  virtual void text(const char* name, std::string& value, const Spec& spec) = 0;
  /// A file to read. Relative paths are relative to the file that names them; it must exist. "" means none.
  virtual void path(const char* name, std::string& value, const Spec& spec) = 0;
  virtual void vec3(const char* name, Vec3& value, const Spec& spec) = 0;
  /// One of the given words.
  virtual void choice(const char* name, std::string& value, std::initializer_list<const char*> options,
                      const Spec& spec) = 0;
  virtual void numbers(const char* name, VecX& value, const Spec& spec) = 0;  ///< a real or a list of them
  virtual void integers(const char* name, std::vector<Index>& value,
                        const Spec& spec) = 0;  ///< list of integers
  virtual void texts(const char* name, std::vector<std::string>& value, const Spec& spec) = 0;
  /// One word or a list of words, each of them one of `options`.
  virtual void choices(const char* name, std::vector<std::string>& value,
                       std::initializer_list<const char*> options, const Spec& spec) = 0;
  /// Constant, per item and per step; `value.components` says whether an entry is a number or [x, y, z].
  virtual void field(const char* name, Field& value, const Spec& spec) = 0;
  /// A nested map of parameters.
  virtual void section(const char* name, Body body, const Spec& spec) = 0;
  /// A nested map that may be absent; `present` says so.
  virtual void optional_section(const char* name, bool& present, Body body, const Spec& spec) = 0;
  /// A component of the kind; if it is not given, the kind's default type (if any) is taken.
  virtual void component(const char* name, const char* kind, ComponentSpec& value, const Spec& spec) = 0;
  virtual void components(const char* name, const char* kind, std::vector<ComponentSpec>& value,
                          const Spec& spec) = 0;
  virtual void component_map(const char* name, const char* kind, NamedList<ComponentSpec>& value,
                             const Spec& spec) = 0;
  virtual void sequence(const char* name, SequenceAccess& value, const Spec& spec) = 0;  ///< list of maps
  virtual void named(const char* name, SequenceAccess& value, const Spec& spec) = 0;     ///< map of maps
  /// Free-form assignments "path: value" (used for overrides); kept as text.
  virtual void assignments(const char* name, NamedList<std::string>& value, const Spec& spec) = 0;
  /// A rule over several parameters of this map: if !ok, `message` is an error at the map's place.
  virtual void check(bool ok, const char* message) = 0;

  template <class T>
  void section(const char* name, T& options, const Spec& spec) {
    section(name, Body([&](ParamVisitor& v) { options.visit(v); }), spec);
  }
  template <class T>
  void optional_section(const char* name, bool& present, T& options, const Spec& spec) {
    optional_section(name, present, Body([&](ParamVisitor& v) { options.visit(v); }), spec);
  }
  template <class T>
  void list(const char* name, std::vector<T>& value, const Spec& spec);
  template <class T>
  void map(const char* name, NamedList<T>& value, const Spec& spec);
};

namespace detail {

template <class T>
class ListAccess final : public SequenceAccess {
 public:
  explicit ListAccess(std::vector<T>& list) : list_(list) {}
  Index size() const override { return static_cast<Index>(list_.size()); }
  std::string key(Index) const override { return {}; }
  void append(const std::string&) override { list_.emplace_back(); }
  void clear() override { list_.clear(); }
  void visit(Index i, ParamVisitor& v) override { list_[static_cast<std::size_t>(i)].visit(v); }
  void visit_default(ParamVisitor& v) const override {
    T entry{};
    entry.visit(v);
  }

 private:
  std::vector<T>& list_;
};

template <class T>
class NamedAccess final : public SequenceAccess {
 public:
  explicit NamedAccess(NamedList<T>& list) : list_(list) {}
  Index size() const override { return static_cast<Index>(list_.size()); }
  std::string key(Index i) const override { return list_[static_cast<std::size_t>(i)].first; }
  void append(const std::string& key) override { list_.emplace_back(key, T{}); }
  void clear() override { list_.clear(); }
  void visit(Index i, ParamVisitor& v) override { list_[static_cast<std::size_t>(i)].second.visit(v); }
  void visit_default(ParamVisitor& v) const override {
    T entry{};
    entry.visit(v);
  }

 private:
  NamedList<T>& list_;
};

}  // namespace detail

template <class T>
void ParamVisitor::list(const char* name, std::vector<T>& value, const Spec& spec) {
  detail::ListAccess<T> access(value);
  sequence(name, access, spec);
}
template <class T>
void ParamVisitor::map(const char* name, NamedList<T>& value, const Spec& spec) {
  detail::NamedAccess<T> access(value);
  named(name, access, spec);
}

/// What a reader needs to know of the registered types; implemented by Registry.
class RESILIN_API TypeCatalog {
 public:
  virtual ~TypeCatalog();
  virtual std::unique_ptr<OptionsBase> make_options(const std::string& kind,
                                                    const std::string& type) const = 0;
  virtual bool knows(const std::string& kind, const std::string& type) const = 0;
  virtual std::vector<std::string> types(const std::string& kind) const = 0;  ///< sorted
  virtual std::string default_type(const std::string& kind) const = 0;        ///< empty if there is none
  virtual std::string summary(const std::string& kind, const std::string& type) const = 0;
  /// False if something that brings types could not be loaded: a type that is not known may then exist.
  virtual bool is_complete() const { return true; }
};

}  // namespace resilin
