#include "core/app/task_summary.hpp"

#include <fmt/format.h>

namespace resilin::app {

void write_parameters(JsonWriter& out, const Task& task, ConstVec u) {
  out.key("parameters").begin_object();
  for (const TaskVariable& v : task.variables()) {
    const VecX values = task.values(u, v);
    out.key(v.path);
    if (v.size == 1)
      out.value(values[0]);
    else
      out.value(ConstVec(values));
  }
  out.end_object();
}

void write_backward_choices(JsonWriter& out, const Task& task) {
  if (task.backward_choices.empty()) return;
  out.key("backward_choices").begin_object();
  for (const auto& [choice, gradients] : task.backward_choices) out.field(choice, gradients);
  out.end_object();
}

std::string backward_choices_text(const Task& task) {
  std::string text;
  for (const auto& [choice, gradients] : task.backward_choices)
    text += fmt::format("{}{} for {} gradient{}", text.empty() ? "" : ", ", choice, gradients,
                        gradients == 1 ? "" : "s");
  return text;
}

}  // namespace resilin::app
