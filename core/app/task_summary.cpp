#include "core/app/task_summary.hpp"

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

}  // namespace resilin::app
