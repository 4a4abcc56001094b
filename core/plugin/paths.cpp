#include "core/plugin/paths.hpp"

#include "core/base/error.hpp"
#include "core/plugin/registry.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <sstream>

namespace resilin {
namespace {

namespace fs = std::filesystem;

fs::path core_library_folder() {
  Dl_info found = {};
  if (dladdr(reinterpret_cast<const void*>(&first_party_plugin_folder), &found) == 0 ||
      found.dli_fname == nullptr)
    throw Error(Errc::Internal, "the system does not say where libresilin_core lies");
  std::error_code failure;
  const fs::path library = fs::canonical(found.dli_fname, failure);
  if (failure)
    throw Error(Errc::Internal,
                fmt::format("{}: {}; expected libresilin_core", found.dli_fname, failure.message()));
  return library.parent_path();
}

}  // namespace

std::string first_party_plugin_folder() {
  return (core_library_folder() / "resilin" / "plugins").string();
}

std::string plugin_template_folder() {
  return (core_library_folder() / "resilin" / "template").string();
}

void load_plugin_path(Registry& registry, const std::string& list) {
  std::istringstream parts(list);
  for (std::string part; std::getline(parts, part, ':');) {
    if (part.empty()) continue;
    std::error_code failure;
    const fs::file_status status = fs::status(part, failure);
    if (!fs::exists(status))
      throw Error(
          Errc::Plugin,
          fmt::format("RESILIN_PLUGIN_PATH names '{}', which does not exist; expected folders or plugin "
                      "libraries, separated by colons",
                      part));
    if (fs::is_directory(status))
      registry.load_folder(part);
    else
      registry.load(part);
  }
}

void load_standard_plugins(Registry& registry) {
  registry.load_folder(first_party_plugin_folder());
  if (const char* list = std::getenv("RESILIN_PLUGIN_PATH")) load_plugin_path(registry, list);
}

}  // namespace resilin
