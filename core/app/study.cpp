#include "core/app/study.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <limits>

namespace resilin::app {
namespace {

template <class T>
const T& find(const NamedList<T>& list, const std::string& name) {
  return std::find_if(list.begin(), list.end(), [&](const auto& e) { return e.first == name; })->second;
}

}  // namespace

double cpu_seconds() {
  timespec t{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

std::string markdown(const std::vector<std::string>& headings,
                     const std::vector<std::vector<std::string>>& rows) {
  const std::vector<std::string> rule(headings.size(), "---");
  std::string text = fmt::format("| {} |\n|{}|\n", fmt::join(headings, " | "), fmt::join(rule, "|"));
  for (const auto& row : rows) text += fmt::format("| {} |\n", fmt::join(row, " | "));
  return text;
}

std::string one_line(const std::string& text) {
  std::string line = text;
  for (char& c : line)
    if (c == '\n' || c == '|') c = ' ';
  return line;
}

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

void StudyScene::visit(ParamVisitor& v) {
  v.path("file", file, {.doc = "scene or task", .required = true});
  v.assignments("set", set, {.doc = "what is changed in it: path: value"});
}
void StudyVariant::visit(ParamVisitor& v) {
  v.assignments("set", set, {.doc = "what this variant changes in each scene: path: value"});
}
void StudySweep::visit(ParamVisitor& v) {
  v.texts("paths", paths, {.doc = "options that all take the value of the row"});
  v.texts("values", values, {.doc = "one row each; none: the scenes as they are"});
}

void StudyOptions::visit(ParamVisitor& v) {
  v.text("title", title, {.doc = "heading of the table"});
  v.map("scenes", scenes, {.doc = "what is solved, by name", .required = true});
  v.map("variants", variants, {.doc = "how it is solved, by name", .required = true});
  v.section("sweep", sweep, {.doc = "an option that takes several values in each variant"});
  v.integers("threads", threads, {.doc = "numbers of threads", .min = 1, .max = 1024});
  v.integer("repeats", repeats, {.doc = "evaluations of each row; times are medians", .min = 1, .max = 1e6});
  v.flag("gradient", gradient, {.doc = "also the gradient, not only the loss"});
  v.flag("optimize", optimize,
         {.doc = "runs the optimizer of each case within its step_budget, instead of one evaluation"});
  v.text("reference", reference,
         {.doc = "name of the variant that errors are measured from; empty: no errors"});
  v.assignments("reference_set", reference_set,
                {.doc = "what the reference changes besides, such as tighter tolerances: path: value"});
  v.numbers(
      "equal_errors", equal_errors,
      {.doc = "relative errors at which the times of all variants are compared", .min = 0, .open = true});
  v.choice("times", times, {"both", "forward", "backward"},
           {.doc = "the passes whose times are compared at equal errors"});
  v.choice("layout", layout, {"rows", "losses"},
           {.doc = "losses: of each scene a table of losses alone, a row for each value of the sweep and a "
                   "column for each variant; the rest is in rows.csv"});
  v.integer(
      "random_adjoints", random_adjoints,
      {.doc =
           "adjoint systems with random right-hand sides, spread over the steps, that the backward solver of "
           "each row is tried with; then also the spectral radius that decides whether its fixed points "
           "converge. With the matrices of implicit Euler steps and nodes in contact held",
       .min = 0,
       .max = 1e6});
  v.check(times != "backward" || gradient, "times: backward needs gradient: true");
  v.check(!optimize || (reference.empty() && repeats == 1),
          "a study that optimises has neither a reference nor repeats");
  v.check(!optimize || layout == "rows", "layout: losses is of studies that do not optimise");
  v.check(!scenes.empty() && !variants.empty(), "a study needs scenes and variants");
  v.check(reference.empty() || std::any_of(variants.begin(), variants.end(),
                                           [&](const auto& e) { return e.first == reference; }),
          "reference must be the name of a variant");
  v.check(equal_errors.size() == 0 || !reference.empty(), "equal_errors need a reference");
}

std::string StudyCase::name() const {
  return fmt::format("{}, {}{}{}, {} thread{}", scene, variant, value.empty() ? "" : ", ", value, threads,
                     threads > 1 ? "s" : "");
}

Evaluation evaluate_once(Task& task, bool with_gradient) {
  Evaluation e;
  task.prepare();
  const auto start = std::chrono::steady_clock::now();
  const double begin = cpu_seconds();
  double forward_end = begin;
  // The wall between the passes: the last step that the forward pass reports.
  task.on_step = [&](Index step) {
    if (step == task.simulation().num_steps()) forward_end = cpu_seconds();
  };
  if (task.size() > 0) {
    e.gradient = VecX::Zero(with_gradient ? task.size() : 0);
    e.loss = with_gradient ? task.evaluate(task.start(), e.gradient) : task.value(task.start());
  } else {
    e.loss = with_gradient ? task.evaluate_table(e.gradient, &task.last_backward) : task.loss_of_table();
  }
  const double end = cpu_seconds();
  task.on_step = {};
  e.forward_seconds = forward_end - begin;
  e.backward_seconds = with_gradient ? end - forward_end : 0;
  e.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return e;
}

std::vector<StudyCase> cases_of(const StudyOptions& study) {
  std::vector<StudyCase> cases;
  const std::vector<std::string> values =
      study.sweep.values.empty() ? std::vector<std::string>{""} : study.sweep.values;
  for (const auto& scene : study.scenes)
    for (const Index threads : study.threads)
      for (const auto& variant : study.variants)
        for (const std::string& value : values) cases.push_back({scene.first, variant.first, value, threads});
  return cases;
}

std::vector<std::string> overrides_of(const StudyOptions& study, const StudyCase& c) {
  std::vector<std::string> overrides;
  const auto add = [&](const NamedList<std::string>& set) {
    for (const auto& [path, value] : set) overrides.push_back(path + "=" + value);
  };
  add(find(study.scenes, c.scene).set);
  add(find(study.variants, c.variant).set);
  if (!c.value.empty())
    for (const std::string& path : study.sweep.paths) overrides.push_back(path + "=" + c.value);
  return overrides;
}

double seconds_at_error(const std::vector<StudyRow>& rows, const std::string& times, double error,
                        bool& at_most) {
  at_most = false;
  std::vector<std::pair<double, double>> points;  // logarithms of error and time
  for (const StudyRow& r : rows)
    // An error of zero is one below what doubles tell apart.
    if (r.failure.empty() && r.missed == 0 && std::isfinite(r.error()))
      points.emplace_back(std::log(std::max(r.error(), 1e-16)), std::log(r.seconds(times)));
  if (points.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::sort(points.begin(), points.end());
  const double x = std::log(error);
  if (x > points.back().first) {
    at_most = true;
    return std::exp(points.back().second);
  }
  for (std::size_t i = 1; i < points.size(); ++i) {
    const auto [x0, y0] = points[i - 1];
    const auto [x1, y1] = points[i];
    if (x < x0 || x > x1) continue;
    return std::exp(x1 > x0 ? y0 + (y1 - y0) * (x - x0) / (x1 - x0) : y0);
  }
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace resilin::app
