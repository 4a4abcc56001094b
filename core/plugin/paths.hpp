// Where plugins lie: beside the running core library, and where RESILIN_PLUGIN_PATH says.
#pragma once

#include "core/base/types.hpp"

#include <string>

namespace resilin {

class Registry;

/// <folder of the running libresilin_core.so>/resilin/plugins; the same in the build tree and installed under
/// any prefix. Not checked to exist. Throws Error(Internal) if the system cannot say where the library lies.
RESILIN_API std::string first_party_plugin_folder();

/// <folder of the running libresilin_core.so>/resilin/template: what write_plugin_project() fills in.
RESILIN_API std::string plugin_template_folder();

/// Loads each folder or file of a colon-separated list in its order; empty parts are passed over. Throws
/// Error(Plugin) naming a part that does not exist.
RESILIN_API void load_plugin_path(Registry& registry, const std::string& list);

/// The first-party folder, then what the environment variable RESILIN_PLUGIN_PATH lists. Throws
/// Error(Plugin).
RESILIN_API void load_standard_plugins(Registry& registry);

}  // namespace resilin
