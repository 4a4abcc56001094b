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

/// The optimisation from the start of one seed. `suffix` distinguishes its files where there are several.
struct Optimization {
  enum class End { Finished, Failed, Interrupted };

  Index seed = 0;
  std::string suffix;
  std::unique_ptr<Task> task;
  End end = End::Finished;
  std::string message;  ///< why it failed
  OptimizerReport report;
  Verdict verdict;
  Index evaluations = 0;
  double first_loss = 0, best_loss = 0;  ///< if there were evaluations
  VecX best;
  std::vector<double> losses;
  std::string journal, checkpoint;  ///< files
};

/// Runs the optimizer, on recorded evaluations first if `resume`. Writes the journal, checkpoint and loss
/// curve. A simulation that fails ends it (End::Failed), as does Ctrl-C.
Optimization optimize_from(const Job& job, std::unique_ptr<Task> task, const Optimizer& optimizer, Index seed,
                           const std::string& suffix, bool resume);

/// The best of several that finished, by loss; null if none did.
const Optimization* best_of(const std::vector<Optimization>& all);

/// Table of the variables: start, found, truth.
std::string found_text(const Optimization& o);
/// Table over the seeds: start, found, loss and end of each.
std::string seeds_text(const std::vector<Optimization>& all, const Optimization* best);
/// Members of summary.json for the one that counts, and "seeds" if there are several.
void write_result(JsonWriter& out, const Optimization& o);
void write_seeds(JsonWriter& out, const std::vector<Optimization>& all);

}  // namespace resilin::app
