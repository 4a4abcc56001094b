// A scene with other parameter values.
#pragma once

#include "core/model/scene_options.hpp"

#include <map>
#include <string>

namespace resilin::app {

/// Writes `values` (by path as in the ParameterTable) into the options. A field that has more numbers there
/// than in the file (a displacement of each vertex, zero if not given) gets one entry per item; a value of
/// one region ("...youngs_modulus[stem]") replaces that alone. Throws Error(Internal) if a path is not found
/// or a size does not fit.
void set_parameters(SceneOptions& scene, const std::map<std::string, VecX>& values);

}  // namespace resilin::app
