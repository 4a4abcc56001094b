// One optimisation from one start, and what is told about it.
#pragma once

#include "core/app/recorded_run.hpp"
#include "core/app/verdict.hpp"

#include <memory>
#include <string>
#include <vector>

namespace resilin::app {

/// A variable at the end: what was found against what the scene file says.
struct Found {
  const TaskVariable* variable;
  VecX values;
  VecX errors;  ///< |found - truth| over the largest |truth|; absolute where the truth is zero
  Index worst = 0;
  bool relative = true;
};
std::vector<Found> compare(const Task& task, ConstVec u);

/// Where an optimisation starts: the n-th random start of a seed, n from 1.
struct Start {
  Index seed = 0, number = 1;
  std::string name;    ///< "seed 3, start 2", as far as there are several of them
  std::string suffix;  ///< the same at the end of its files' stems: "_seed_3_start_2"
};
/// All that the task asks for: `starts` of each of its seeds.
std::vector<Start> all_starts(const TaskOptions& options);

/// The optimisation from one start.
struct Optimization {
  enum class End { Finished, Failed, Interrupted };

  Start start;
  std::unique_ptr<Task> task;
  End end = End::Finished;
  std::string message;  ///< why it failed
  OptimizerReport report;
  Verdict verdict;
  Index evaluations = 0, failed_evaluations = 0;
  StepCount steps;                       ///< that the evaluations have cost
  double first_loss = 0, best_loss = 0;  ///< if there were evaluations
  VecX best;
  std::vector<double> losses;
  std::string journal, checkpoint;  ///< files
};

/// Runs the optimizer, on recorded evaluations first if `resume`. Writes the journal, checkpoint and loss
/// curve. A simulation that fails at the start ends it (End::Failed), as does Ctrl-C. Throws Error(Input) if
/// the step budget is too small for one evaluation.
Optimization optimize_from(const Job& job, std::unique_ptr<Task> task, const Optimizer& optimizer,
                           const Start& start, bool resume);

/// The best of several that finished, by loss; null if none did.
const Optimization* best_of(const std::vector<Optimization>& all);

/// "forward + backward"
std::string steps_text(const StepCount& steps);
/// Table of the variables: start, found, truth.
std::string found_text(const Optimization& o);
/// Table over the starts: start, found, loss and end of each.
std::string starts_text(const std::vector<Optimization>& all, const Optimization* best);
/// Members of summary.json for the one that counts, and "starts" if there are several.
void write_result(JsonWriter& out, const Optimization& o);
void write_starts(JsonWriter& out, const std::vector<Optimization>& all);

}  // namespace resilin::app
