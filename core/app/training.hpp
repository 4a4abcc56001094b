// The part of a study that optimises: what each variant has learned by the time it has spent so much.
#pragma once

#include "core/app/study.hpp"

#include <string>
#include <vector>

namespace resilin::app {

/// Runs the optimizer from the task's start, within `budget` steps (0: no limit).
Training train(Task& task, const Optimizer& optimizer, Index budget);

/// What of a training was spent first: steps and CPU seconds when a point of this loss or less was known; NaN
/// if there was none.
struct Spent {
  double steps, seconds;
};
Spent spent_at_loss(const Training& t, double loss);
/// Least loss after that many steps; NaN before the first evaluation.
double loss_after_steps(const Training& t, Index steps);

/// Of each row first and last loss, steps and times; the losses after equal numbers of steps; steps and times
/// to equal losses.
std::string training_tables(const StudyOptions& options, const std::vector<StudyRow>& rows);
/// One line for each evaluation of each row.
std::string training_csv(const std::vector<StudyRow>& rows);

}  // namespace resilin::app
