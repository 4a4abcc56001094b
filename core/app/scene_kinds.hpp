// The kinds of components that a scene may name.
#pragma once

#include "core/params/visitor.hpp"

#include <string>
#include <vector>

namespace resilin::app {

/// Sorted; not those that only components contain.
std::vector<std::string> scene_kinds(ParamVisitor::Body visit);

}  // namespace resilin::app
