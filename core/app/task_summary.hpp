// What summaries tell about a task.
#pragma once

#include "core/optim/task.hpp"
#include "core/output/json.hpp"

#include <string>

namespace resilin::app {

/// "parameters": {path: value or list} for u.
void write_parameters(JsonWriter& out, const Task& task, ConstVec u);

/// "backward_choices": {what the backward solver chose: for how many gradients}, if it chooses.
void write_backward_choices(JsonWriter& out, const Task& task);
/// What it chose and for how many gradients, as a phrase; "" if it does not choose.
std::string backward_choices_text(const Task& task);

}  // namespace resilin::app
