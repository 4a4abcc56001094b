// Scene files: from text to options.
#pragma once

#include "core/model/scene_options.hpp"
#include "core/params/io.hpp"
#include "core/plugin/registry.hpp"

#include <string>
#include <vector>

namespace resilin {

/// A scene or task file as read; its options are complete and valid in themselves.
struct SceneFile {
  TaskOptions options;
  PlaceMap places;
  std::string resolved;  ///< the same as YAML with every default written out
};

/// Reads a file with its `extends`, applies the overrides ("path.to.key=value") in order, loads the plugins
/// that it lists into the registry, reads all options. Throws Error(Input) that lists every mistake with its
/// place.
RESILIN_API SceneFile load_scene(const std::string& file, const std::vector<std::string>& overrides,
                                 Registry& registry);

}  // namespace resilin
