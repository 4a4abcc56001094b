// The reference manual of scene files.
#pragma once

#include "core/plugin/registry.hpp"

#include <string>

namespace resilin::app {

/// Markdown: the keys of scenes and tasks, then every type by kind.
std::string reference_manual(const Registry& registry);

/// Markdown: summary and parameters of one type under the heading `heading`.
std::string describe_type(const Registry::Entry& entry, const std::string& heading);

}  // namespace resilin::app
