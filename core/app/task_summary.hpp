// What summaries tell about a task.
#pragma once

#include "core/optim/task.hpp"
#include "core/output/json.hpp"

#include <string>

namespace resilin::app {

/// "parameters": {path: value or list} for u.
void write_parameters(JsonWriter& out, const Task& task, ConstVec u);

}  // namespace resilin::app
