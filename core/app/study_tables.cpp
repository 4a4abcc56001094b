#include "core/app/study_tables.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace resilin::app {

std::string number(double value, const char* format) {
  return std::isfinite(value) ? fmt::format(fmt::runtime(format), value) : "-";
}

std::string equal_error_tables(const StudyOptions& options, const std::vector<StudyRow>& rows) {
  std::string text;
  for (const double error : options.equal_errors) {
    std::vector<std::vector<std::string>> table;
    for (const auto& scene : options.scenes)
      for (const Index threads : options.threads) {
        std::vector<std::string> line = {scene.first, fmt::format("{}", threads)};
        std::vector<std::pair<double, bool>> times;
        double best = std::numeric_limits<double>::infinity();
        for (const auto& variant : options.variants) {
          std::vector<StudyRow> own;
          for (const StudyRow& r : rows)
            if (r.of.scene == scene.first && r.of.variant == variant.first && r.of.threads == threads)
              own.push_back(r);
          bool at_most = false;
          const double t = seconds_at_error(own, options.times, error, at_most);
          times.emplace_back(t, at_most);
          if (t < best) best = t;
        }
        for (const auto& [t, at_most] : times)
          line.push_back(
              std::isfinite(t) ? fmt::format("{}{:.3g} ({:.3g}x)", at_most ? "<= " : "", t, t / best) : "-");
        table.push_back(std::move(line));
      }
    std::vector<std::string> headings = {"scene", "threads"};
    for (const auto& variant : options.variants) headings.push_back(variant.first);
    text += fmt::format(
        "\nCPU seconds, {}, at a relative error of {:g}, between the rows above by straight lines of "
        "logarithms (times the fastest; `<=`: the loosest row is better than that):\n\n{}",
        options.times == "both" ? "forward and backward" : options.times, error, markdown(headings, table));
  }
  return text;
}

std::string adjoint_table(const StudyOptions& options, const std::vector<StudyRow>& rows) {
  if (options.random_adjoints == 0) return {};
  std::vector<std::vector<std::string>> table;
  for (const StudyRow& r : rows) {
    if (!r.failure.empty()) continue;
    const AdjointTrial& t = r.adjoints;
    const Index least = t.iterations.empty() ? 0 : t.iterations.front();
    const Index most = t.iterations.empty() ? 0 : t.iterations.back();
    table.push_back({r.of.scene, r.of.variant, r.of.value, fmt::format("{}", r.steps),
                     fmt::format("{:.4f} to {:.4f}", t.least_radius, t.largest_radius),
                     fmt::format("{} of {}", t.converged, t.right_hand_sides),
                     fmt::format("{} / {} / {}", least, t.median(), most)});
  }
  return "\nSpectral radius of A^-1 dA over the steps, and adjoint systems with random right-hand sides "
         "spread over "
         "them, from zero (iterations: least / median / most):\n\n" +
         markdown({"scene", "variant", "value", "steps", "spectral radius", "converged", "iterations"},
                  table);
}

std::string loss_tables(const StudyOptions& options, const std::vector<StudyRow>& rows) {
  std::vector<std::string> headings = {"value"};
  for (const auto& variant : options.variants) headings.push_back(variant.first);
  std::string text;
  for (const auto& scene : options.scenes)
    for (const Index threads : options.threads) {
      std::vector<std::vector<std::string>> table;
      for (const StudyRow& r : rows) {
        if (r.of.scene != scene.first || r.of.threads != threads) continue;
        auto line =
            std::find_if(table.begin(), table.end(), [&](const auto& l) { return l.front() == r.of.value; });
        if (line == table.end()) {
          table.emplace_back(headings.size());
          line = table.end() - 1;
          line->front() = r.of.value;
        }
        const auto column = std::find(headings.begin() + 1, headings.end(), r.of.variant) - headings.begin();
        (*line)[static_cast<std::size_t>(column)] =
            r.failure.empty() ? number(r.loss, "{:.6g}") : "failed: " + one_line(r.failure);
      }
      text += fmt::format("{}{}{}:\n\n{}", text.empty() ? "" : "\n", scene.first,
                          options.threads.size() > 1 ? fmt::format(", {} threads", threads) : "",
                          markdown(headings, table));
    }
  return text;
}

}  // namespace resilin::app
