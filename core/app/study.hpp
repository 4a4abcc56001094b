// Ablation studies: the same tasks solved in several ways, side by side.
#pragma once

#include "core/app/adjoint_trial.hpp"
#include "core/optim/task.hpp"
#include "core/params/visitor.hpp"
#include "core/plugin/registry.hpp"
#include "core/solve/line_search_count.hpp"

#include <string>
#include <vector>

namespace resilin::app {

struct StudyScene {
  std::string file;
  NamedList<std::string> set;
  void visit(ParamVisitor& v);
};
struct StudyVariant {
  NamedList<std::string> set;
  void visit(ParamVisitor& v);
};
struct StudySweep {
  std::vector<std::string> paths{"forward.relative_tolerance", "backward.relative_tolerance"};
  std::vector<std::string> values;
  void visit(ParamVisitor& v);
};

struct StudyOptions {
  std::string title;
  NamedList<StudyScene> scenes;
  NamedList<StudyVariant> variants;
  StudySweep sweep;
  std::vector<Index> threads{1};
  Index repeats = 1;
  bool gradient = true;
  bool optimize = false;
  std::string reference;
  NamedList<std::string> reference_set;
  VecX equal_errors;
  std::string times = "both", layout = "rows";
  Index random_adjoints = 0;
  void visit(ParamVisitor& v);
};

/// One combination of a study.
struct StudyCase {
  std::string scene, variant, value;  ///< value of the sweep; "" without one
  Index threads = 1;
  std::string name() const;  ///< "scene, variant, value, 2 threads": no other case of the study has it
};

/// What an optimisation had spent when an evaluation was done, and its best loss until then.
struct LearningPoint {
  Index steps;     ///< forward and backward
  double seconds;  ///< CPU time of the whole process
  double loss;
};

/// An optimisation from a task's start.
struct Training {
  std::vector<LearningPoint> curve;
  OptimizerReport report;
  Index evaluations = 0;
  StepCount steps;
  double seconds = 0, wall_seconds = 0;  ///< CPU time of the whole process
  double first_loss() const { return curve.front().loss; }
};

/// What one combination gave.
struct StudyRow {
  StudyCase of;
  Training training;                                    ///< in a study that optimises; then no more than this
  std::string failure;                                  ///< why it gave nothing; the rest is then NaN
  double loss = 0, loss_error = 0, gradient_error = 0;  ///< relative to the reference
  double gradient_size = 0;
  double forward_seconds = 0,
         backward_seconds = 0;  ///< CPU time of the whole process, median over the repeats
  double wall_seconds = 0;
  Index steps = 0, iterations = 0, linear_iterations = 0, evaluations = 0, adjoint_iterations = 0;
  Index missed = 0;  ///< solves that did not reach their tolerance
  double error() const { return gradient_error == gradient_error ? gradient_error : loss_error; }
  double seconds(const std::string& times = "both") const {
    return times == "forward"    ? forward_seconds
           : times == "backward" ? backward_seconds
                                 : forward_seconds + backward_seconds;
  }
  LineSearchCount searches;
  AdjointTrial adjoints;
};

/// Loss and gradient at a task's start, and what they cost, without what a task does once: the reference of
/// its losses.
struct Evaluation {
  double loss = 0;
  VecX gradient;  ///< by the task's variables, or by the whole parameter table if it has none
  double forward_seconds = 0, backward_seconds = 0, wall_seconds = 0;
};
Evaluation evaluate_once(Task& task, bool with_gradient);
double cpu_seconds();  ///< of the whole process

/// A Markdown table with one row for each list.
std::string markdown(const std::vector<std::string>& headings,
                     const std::vector<std::vector<std::string>>& rows);
std::string one_line(const std::string& text);  ///< as a cell of it
std::string quoted(const std::string& text);    ///< as a cell of a CSV table

/// All combinations, in the order of the file.
std::vector<StudyCase> cases_of(const StudyOptions& study);
/// "path=value" for each assignment of a case.
std::vector<std::string> overrides_of(const StudyOptions& study, const StudyCase& c);

/// CPU time of a scene's and variant's rows at a relative error, between the rows of the sweep by straight
/// lines of logarithms; NaN if no two of them enclose it. `at_most` is set if even the largest error is
/// below. `times`: both, or those of one pass.
double seconds_at_error(const std::vector<StudyRow>& rows, const std::string& times, double error,
                        bool& at_most);

}  // namespace resilin::app
