#include "core/app/training.hpp"

#include "core/app/study_tables.hpp"
#include "core/optim/step_budget.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <type_traits>

namespace resilin::app {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// A task whose steps and times are counted.
class Counted final : public Objective, private EpisodicObjective {
 public:
  Counted(Task& task, Index budget, Training& result) : task_(task), budget_(budget), result_(result) {}
  Index size() const override { return task_.size(); }
  double evaluate(ConstVec u, MutVec gradient) override {
    return remember(count(2, "evaluation", [&] { return task_.evaluate(u, gradient); }));
  }
  double value(ConstVec u) override {
    return remember(count(1, "evaluation", [&] { return task_.value(u); }));
  }
  double noise() const override { return task_.noise(); }
  EpisodicObjective* episodes() override {
    of_task_ = task_.episodes();
    return of_task_ == nullptr ? nullptr : this;
  }

 private:
  Index num_steps() const override { return of_task_->num_steps(); }
  Index num_inputs() const override { return of_task_->num_inputs(); }
  Index num_outputs() const override { return of_task_->num_outputs(); }
  Episode run(ConstVec u, const MatX& noise) override {
    return count(1, "episode", [&] { return of_task_->run(u, noise); });
  }
  void outputs(ConstVec u, const MatX& s, MatX& y) override { of_task_->outputs(u, s, y); }
  void add_vjp(ConstVec u, const MatX& s, const MatX& z, MutVec du) override {
    of_task_->add_vjp(u, s, z, du);
  }

  template <class Ask>
  std::invoke_result_t<Ask> count(Index passes, const char* what, const Ask& ask) {
    budget_.require(passes * task_.simulation().num_steps(), what);
    try {
      auto answer = ask();
      spend();
      return answer;
    } catch (const Error&) {  // its steps were made all the same
      spend();
      throw;
    }
  }
  void spend() {
    budget_.add(task_.last_steps);
    result_.steps = budget_.used();
  }
  double remember(double loss) {
    ++result_.evaluations;
    const double best = result_.curve.empty() ? loss : std::min(loss, result_.curve.back().loss);
    result_.curve.push_back({result_.steps.total(), cpu_seconds() - begin_, best});
    return loss;
  }

  Task& task_;
  StepBudget budget_;
  Training& result_;
  EpisodicObjective* of_task_ = nullptr;
  double begin_ = cpu_seconds();
};

std::vector<std::string> name_cells(const StudyRow& r) {
  return {r.of.scene, r.of.variant, r.of.value, fmt::format("{}", r.of.threads)};
}

std::vector<std::string> row_cells(const StudyRow& r) {
  const Training& t = r.training;
  std::vector<std::string> row = name_cells(r);
  if (!r.failure.empty()) {
    row.push_back("failed: " + one_line(r.failure));
    row.resize(12);
    return row;
  }
  row.insert(row.end(), {number(t.first_loss(), "{:.6g}"), number(t.report.loss, "{:.6g}"),
                         fmt::format("{}", t.evaluations), fmt::format("{}", t.steps.forward),
                         fmt::format("{}", t.steps.backward), number(t.seconds, "{:.3g}"),
                         number(t.wall_seconds, "{:.3g}"), one_line(t.report.note)});
  return row;
}

/// The rows of a scene that have a result.
std::vector<const StudyRow*> rows_of(const std::string& scene, const std::vector<StudyRow>& rows) {
  std::vector<const StudyRow*> own;
  for (const StudyRow& r : rows)
    if (r.of.scene == scene && r.failure.empty()) own.push_back(&r);
  return own;
}

std::string after_steps_table(const std::vector<const StudyRow*>& rows) {
  Index most = 0;
  for (const StudyRow* r : rows) most = std::max(most, r->training.steps.total());
  std::vector<std::string> headings = {"scene", "variant", "value", "threads"};
  std::vector<Index> columns;
  for (Index part = 256; part >= 1; part /= 4)
    if (most / part > 0) {
      columns.push_back(most / part);
      headings.push_back(fmt::format("{} steps", most / part));
    }
  std::vector<std::vector<std::string>> table;
  for (const StudyRow* r : rows) {
    table.push_back(name_cells(*r));
    for (const Index steps : columns)
      table.back().push_back(number(loss_after_steps(r->training, steps), "{:.6g}"));
  }
  return "\nThe least loss after so many steps, forward and backward together (`-`: none evaluated "
         "yet):\n\n" +
         markdown(headings, table);
}

std::string equal_loss_table(const std::vector<const StudyRow*>& rows) {
  double first = -std::numeric_limits<double>::infinity(), last = first;
  for (const StudyRow* r : rows) {
    first = std::max(first, r->training.first_loss());
    last = std::max(last, r->training.report.loss);
  }
  std::vector<std::string> headings = {"scene", "variant", "value", "threads"};
  std::vector<std::vector<std::string>> table;
  for (const StudyRow* r : rows) table.push_back(name_cells(*r));
  for (const double part : {0.25, 0.5, 1.0}) {
    const double loss = part == 1 ? last : first + part * (last - first);
    headings.push_back(fmt::format("steps to {:.4g}", loss));
    headings.push_back(fmt::format("CPU s to {:.4g}", loss));
    Spent least{std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
    for (const StudyRow* r : rows) {
      const Spent s = spent_at_loss(r->training, loss);
      least = {std::min(least.steps, s.steps), std::min(least.seconds, s.seconds)};
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const Spent s = spent_at_loss(rows[i]->training, loss);
      table[i].push_back(fmt::format("{} ({:.3g}x)", s.steps, s.steps / least.steps));
      table[i].push_back(fmt::format("{:.3g} ({:.3g}x)", s.seconds, s.seconds / least.seconds));
    }
  }
  return "\nWhat it took to get a quarter and half of the way to, and to, the loss that every variant "
         "reaches "
         "(times the least):\n\n" +
         markdown(headings, table);
}

/// Least, mean and median of those that there are.
std::string spread_of(std::vector<double> values) {
  std::erase_if(values, [](double v) { return !std::isfinite(v); });
  if (values.empty()) return "-";
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  double sum = 0;
  for (const double v : values) sum += v;
  return fmt::format("{:.4g} / {:.4g} / {:.4g}", values.front(), sum / static_cast<double>(n),
                     n % 2 == 1 ? values[n / 2] : 0.5 * (values[n / 2 - 1] + values[n / 2]));
}

/// For each value of the sweep, the steps of the variant that ended first.
std::map<std::string, Index> first_ends(const std::vector<const StudyRow*>& rows) {
  std::map<std::string, Index> ends;
  for (const StudyRow* r : rows) {
    const Index steps = r->training.steps.total();
    const auto [at, added] = ends.emplace(r->of.value, steps);
    if (!added) at->second = std::min(at->second, steps);
  }
  return ends;
}

/// What the variants come to over the values of the sweep, such as seeds.
std::string over_values_table(const StudyOptions& options, const std::vector<const StudyRow*>& rows) {
  const auto ends = first_ends(rows);
  std::vector<std::vector<std::string>> table;
  for (const auto& variant : options.variants) {
    std::vector<double> first, last, equal, steps;
    for (const StudyRow* r : rows) {
      if (r->of.variant != variant.first) continue;
      const Training& t = r->training;
      first.push_back(t.first_loss());
      last.push_back(t.report.loss);
      equal.push_back(loss_after_steps(t, ends.at(r->of.value)));
      steps.push_back(static_cast<double>(t.steps.total()));
    }
    if (first.empty()) continue;
    table.push_back({rows.front()->of.scene, variant.first, fmt::format("{}", first.size()), spread_of(first),
                     spread_of(last), spread_of(equal), spread_of(steps)});
  }
  return "\nOver the values: least / mean / median; `equal steps` is the loss after as many steps as the "
         "variant "
         "that "
         "ended first at that value had spent:\n\n" +
         markdown({"scene", "variant", "ended", "first loss", "loss", "loss at equal steps", "steps"}, table);
}

}  // namespace

Training train(Task& task, const Optimizer& optimizer, Index budget) {
  Training t;
  task.prepare();
  const auto start = std::chrono::steady_clock::now();
  const double begin = cpu_seconds();
  Counted objective(task, budget, t);
  VecX u = task.start();
  try {
    t.report = optimizer.minimize(objective, task.lower(), task.upper(), u);
  } catch (const BudgetSpent& e) {  // of an optimizer that has no report of its own about that
    if (t.curve.empty())
      throw Error(Errc::Input, std::string("step_budget: too small for one evaluation: ") + e.what());
    t.report.loss = t.curve.back().loss;
    t.report.note = e.what();
  }
  t.seconds = cpu_seconds() - begin;
  t.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return t;
}

Spent spent_at_loss(const Training& t, double loss) {
  for (const LearningPoint& p : t.curve)
    if (p.loss <= loss) return {static_cast<double>(p.steps), p.seconds};
  return {kNaN, kNaN};
}

double loss_after_steps(const Training& t, Index steps) {
  double loss = kNaN;
  for (const LearningPoint& p : t.curve)
    if (p.steps <= steps) loss = p.loss;
  return loss;
}

std::string training_tables(const StudyOptions& options, const std::vector<StudyRow>& rows) {
  std::vector<std::vector<std::string>> table;
  for (const StudyRow& r : rows) table.push_back(row_cells(r));
  std::string text = markdown({"scene", "variant", "value", "threads", "first loss", "loss", "evaluations",
                               "forward steps", "backward steps", "CPU s", "wall s", "end"},
                              table);
  for (const auto& scene : options.scenes)
    if (const auto own = rows_of(scene.first, rows); !own.empty())
      text += (options.sweep.values.size() > 1 ? over_values_table(options, own) : "") +
              after_steps_table(own) + equal_loss_table(own);
  return text;
}

std::string training_csv(const std::vector<StudyRow>& rows) {
  std::string text = "scene,variant,value,threads,steps,cpu_s,best_loss\n";
  for (const StudyRow& r : rows)
    for (const LearningPoint& p : r.training.curve)
      text += fmt::format("{},{},{},{},{},{},{}\n", quoted(r.of.scene), quoted(r.of.variant),
                          quoted(r.of.value), r.of.threads, p.steps, p.seconds, p.loss);
  return text;
}

}  // namespace resilin::app
