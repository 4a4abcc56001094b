// Starting a plugin: a folder of its own that builds with plain CMake.
#pragma once

#include "core/base/types.hpp"

#include <string>

namespace resilin {

/// Writes the project of a new plugin with one type `name` of `kind` into the new folder `folder`: NAME.cpp
/// from KIND.cpp.in of `template_folder`, and CMakeLists.txt, scene.yaml and README.md, each with @NAME@ and
/// @CLASS@ (the name in CamelCase) filled in. Throws Error(Input) if `kind` has no template, if `name` is not
/// in lower_snake_case or is a word that CMake or YAML keep for themselves, or if `folder` exists; Error(Io)
/// if something cannot be read or written, and then leaves no folder behind.
RESILIN_API void write_plugin_project(const std::string& kind, const std::string& name,
                                      const std::string& folder, const std::string& template_folder);

}  // namespace resilin
