// A scene with other parameter values.
#pragma once

#include "core/model/system.hpp"

#include <map>
#include <string>

namespace resilin::app {

/// Writes `values` (by path as in the ParameterTable) into the options. A field that has more numbers there
/// than in the file (a displacement of each vertex, zero if not given) gets one entry per item; a value of
/// one region ("...youngs_modulus[stem]") replaces that alone. Throws Error(Internal) if a path is not found
/// or a size does not fit.
void set_parameters(SceneOptions& scene, const std::map<std::string, VecX>& values);

/// Takes the preload out of `scene`: the shape and velocity that it gave become initial values, written
/// beside the scene in `folder`. A preload uses the parameters as the task's scene has them, so with others
/// in the file it would give another shape.
void replace_preload(SceneOptions& scene, const System& system, const std::string& folder);

}  // namespace resilin::app
