// The registry of pluggable types by (kind, name), and the loader of plugin libraries.
#pragma once

#include "core/plugin/component.hpp"

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace resilin {

/// Maps an interface to the word that names its kind in scenes, messages and `plugins list`; each interface
/// header specialises it with RESILIN_KIND(Material, "material").
template <class Interface>
struct Kind;
#define RESILIN_KIND(interface, word)          \
  template <>                                  \
  struct Kind<interface> {                     \
    static constexpr const char* kName = word; \
  }

/// Not a singleton: the program makes one and passes it on.
class RESILIN_API Registry final : public TypeCatalog {
 public:
  struct Entry {
    std::string kind, type, summary;
    std::string library;  ///< "name version (file)" of the plugin that brought it
    bool is_default = false;
    std::unique_ptr<OptionsBase> (*make_options)();
    std::unique_ptr<Component> (*make)(const OptionsBase&, const BuildContext&);
  };
  struct Library {
    std::string name, version, file;
  };

  Registry();
  ~Registry() override;

  /// Registers T, which has a nested `Options` and a constructor T(const Options&, const BuildContext&), as a
  /// `Interface` under `type`. `is_default`: taken where a scene names none. A name taken twice is an
  /// Error(Plugin) that names both libraries.
  template <class Interface, class T>
  void add(const char* type, const char* summary, bool is_default = false);

  /// Opens a plugin library: compares its ABI tag as plain data (naming each part that differs), calls its
  /// registration, never unloads. Loading the same file again does nothing. If registration throws, nothing
  /// of the library stays registered. Throws Error(Plugin).
  void load(const std::string& file);
  /// Loads every *.so of a folder in the order of their names.
  void load_folder(const std::string& folder);

  /// Makes what `spec` asks for; errors without a place get that of the spec.
  template <class Interface>
  std::unique_ptr<Interface> make(const ComponentSpec& spec, const BuildContext& context) const {
    return std::unique_ptr<Interface>(
        static_cast<Interface*>(create(Kind<Interface>::kName, spec, context).release()));
  }

  const Entry* find(const std::string& kind, const std::string& type) const;
  std::vector<const Entry*> entries() const;  ///< sorted by kind, then type
  const std::vector<Library>& libraries() const { return libraries_; }

  std::unique_ptr<OptionsBase> make_options(const std::string& kind, const std::string& type) const override;
  bool knows(const std::string& kind, const std::string& type) const override;
  std::vector<std::string> types(const std::string& kind) const override;
  std::string default_type(const std::string& kind) const override;
  std::string summary(const std::string& kind, const std::string& type) const override;

 private:
  void insert(Entry entry);
  std::unique_ptr<Component> create(const char* kind, const ComponentSpec& spec, const BuildContext& c) const;

  std::map<std::pair<std::string, std::string>, Entry> entries_;
  std::vector<Library> libraries_;
  std::string current_library_ = "core";
};

namespace detail {
template <class O>
class OptionsOf final : public OptionsBase {
 public:
  O value;
  void visit(ParamVisitor& v) override { value.visit(v); }
  std::unique_ptr<OptionsBase> clone() const override { return std::make_unique<OptionsOf>(*this); }
};
}  // namespace detail

template <class Interface, class T>
void Registry::add(const char* type, const char* summary, bool is_default) {
  using Holder = detail::OptionsOf<typename T::Options>;
  insert({Kind<Interface>::kName, type, summary, current_library_, is_default,
          []() -> std::unique_ptr<OptionsBase> { return std::make_unique<Holder>(); },
          [](const OptionsBase& o, const BuildContext& c) -> std::unique_ptr<Component> {
            // Upcast to the interface first: make() comes back from Component by static_cast.
            std::unique_ptr<Interface> made = std::make_unique<T>(static_cast<const Holder&>(o).value, c);
            return made;
          }});
}

}  // namespace resilin
