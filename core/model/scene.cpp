#include "core/model/scene.hpp"

#include <filesystem>

namespace resilin {
namespace {

/// Plugins have to be there before the types they bring can be read.
void load_plugins(const TreeNode& root, Registry& registry) {
  const TreeNode* list = root.find("plugins");
  if (list == nullptr) return;
  for (const TreeNode& item : list->items) {
    if (item.kind != TreeNode::Kind::Scalar) continue;  // the reader says what is wrong with it
    std::filesystem::path file = item.scalar;
    if (file.is_relative() && !item.place.file.empty() && item.place.file.rfind("--set", 0) != 0)
      file = std::filesystem::path(item.place.file).parent_path() / file;
    try {
      registry.load(file.string());
    } catch (const Error& e) {
      throw Error(e.code(), "plugins: " + std::string(e.what()), to_string(item.place));
    }
  }
}

}  // namespace

SceneFile load_scene(const std::string& file, const std::vector<std::string>& overrides, Registry& registry) {
  TreeNode root = load_tree(file);
  for (const std::string& o : overrides) apply_override(root, o);
  load_plugins(root, registry);
  SceneFile scene;
  Diagnostics diagnostics;
  const auto visit = [&](ParamVisitor& v) { scene.options.visit(v); };
  read_options(root, visit, registry, diagnostics, scene.places);
  diagnostics.throw_if_any();
  scene.resolved = dump_yaml(visit);
  return scene;
}

}  // namespace resilin
