#include "core/model/scene.hpp"

#include <filesystem>

namespace resilin {
namespace {

/// A registry that lacks the types of libraries which could not be loaded.
class Incomplete final : public TypeCatalog {
 public:
  explicit Incomplete(const Registry& registry) : registry_(registry) {}
  std::unique_ptr<OptionsBase> make_options(const std::string& kind, const std::string& type) const override {
    return registry_.make_options(kind, type);
  }
  bool knows(const std::string& kind, const std::string& type) const override {
    return registry_.knows(kind, type);
  }
  std::vector<std::string> types(const std::string& kind) const override { return registry_.types(kind); }
  std::string default_type(const std::string& kind) const override { return registry_.default_type(kind); }
  std::string summary(const std::string& kind, const std::string& type) const override {
    return registry_.summary(kind, type);
  }
  bool is_complete() const override { return false; }

 private:
  const Registry& registry_;
};

/// Plugins have to be there before the types they bring can be read. Returns whether all could be loaded.
bool load_plugins(const TreeNode& root, Registry& registry, Diagnostics& diagnostics) {
  const TreeNode* list = root.find("plugins");
  if (list == nullptr) return true;
  bool all = true;
  for (const TreeNode& item : list->items) {
    if (item.kind != TreeNode::Kind::Scalar) continue;  // the reader says what is wrong with it
    std::filesystem::path file = item.scalar;
    if (file.is_relative() && !item.place.file.empty() && item.place.file.rfind("--set", 0) != 0)
      file = std::filesystem::path(item.place.file).parent_path() / file;
    all = diagnostics.attempt([&] {
      try {
        registry.load(file.string());
      } catch (const Error& e) {
        throw Error(e.code(), "plugins: " + std::string(e.what()), item.place);
      }
    }) && all;
  }
  return all;
}

/// Makes the folder of assets an absolute path; it has to be there.
void find_assets(const PlaceMap& places, std::string& assets, Diagnostics& diagnostics) {
  namespace fs = std::filesystem;
  if (assets.empty()) return;
  const auto it = places.find("assets");
  const Place place = it == places.end() ? Place{} : it->second;
  fs::path folder = assets;
  if (folder.is_relative() && !place.file.empty() && place.file.rfind("--set", 0) != 0)
    folder = fs::path(place.file).parent_path() / folder;
  std::error_code failed;
  if (!fs::is_directory(folder, failed))
    return diagnostics.error(place, "assets", "there is no folder '" + folder.string() + "'");
  assets = fs::absolute(folder).lexically_normal().string();
}

}  // namespace

SceneFile load_scene(const std::string& file, const std::vector<std::string>& overrides, Registry& registry) {
  TreeNode root = load_tree(file);
  for (const std::string& o : overrides) apply_override(root, o);
  Diagnostics diagnostics;
  const bool complete = load_plugins(root, registry, diagnostics);
  const Incomplete incomplete(registry);
  const TypeCatalog& catalog = complete ? static_cast<const TypeCatalog&>(registry) : incomplete;
  SceneFile scene;
  const auto visit = [&](ParamVisitor& v) { scene.options.visit(v); };
  read_options(root, visit, catalog, diagnostics, scene.places);
  find_assets(scene.places, scene.options.scene.assets, diagnostics);
  diagnostics.throw_if_any();
  scene.resolved = dump_yaml(visit);
  return scene;
}

}  // namespace resilin
