#include "core/app/journaled_objective.hpp"

#include "core/app/task_summary.hpp"
#include "core/base/file.hpp"
#include "core/base/interrupt.hpp"
#include "core/base/log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace resilin::app {
namespace {

/// The parameters as a user would type them, as far as they fit a message.
std::string parameters_text(const Task& task, ConstVec u) {
  constexpr std::size_t kMost = 5;
  std::string text;
  for (std::size_t i = 0; i < task.variables().size(); ++i) {
    if (i == kMost) return text + ", ...";
    const TaskVariable& v = task.variables()[i];
    const VecX values = task.values(u, v);
    text += (i == 0 ? "" : ", ") + v.path + " = ";
    text += v.size == 1
                ? fmt::format("{:.6g}", values[0])
                : fmt::format("{} values in [{:.6g}, {:.6g}]", v.size, values.minCoeff(), values.maxCoeff());
  }
  return text;
}

}  // namespace

void JudgedPoint::set(Index number, ConstVec at, ConstVec slope, double value, double uncertainty) {
  *this = {number, at, slope, value, uncertainty, 0, 0};
}

void JudgedPoint::judge(ConstVec trial, double trial_noise) {
  const double promised = -gradient.dot(trial - u), uncertainty = noise + trial_noise;
  ++trials;
  if (promised > 0)
    worst_promise = std::max(
        worst_promise, uncertainty > 0 ? promised / uncertainty : std::numeric_limits<double>::infinity());
}

JournaledObjective::JournaledObjective(const Job& job, Task& task, EvaluationJournal& journal,
                                       std::string suffix)
    : job_(job), task_(task), journal_(journal), suffix_(std::move(suffix)) {}

double JournaledObjective::evaluate(ConstVec u, MutVec gradient) {
  if (interrupted()) throw Interrupted();
  const auto number = static_cast<Index>(losses_.size()) + 1;
  if (const auto* known = journal_.next(u)) {
    if (std::isnan(known->loss)) {
      remember_failure(u);
      throw Error(Errc::Numerics, fmt::format("evaluation {} ({}): failed when it was recorded", number,
                                              parameters_text(task_, u)));
    }
    gradient = known->gradient;
    noise_ = known->noise;
    remember(u, known->loss, gradient);
    return known->loss;
  }
  const double loss = simulate(u, gradient);
  noise_ = task_.noise();
  journal_.append({u, loss, gradient, static_cast<std::uint64_t>(number), noise_});
  remember(u, loss, gradient);
  write_checkpoint(u);
  // On a terminal the line is redrawn within an evaluation, elsewhere one line is written for each.
  progress_->update(static_cast<Index>(losses_.size()), loss_text());
  return loss;
}

double JournaledObjective::simulate(ConstVec u, MutVec gradient) {
  const auto known = static_cast<Index>(losses_.size());
  if (!progress_) {
    if (journal_.num_replayed() > 0) log_info(fmt::format("went over {} recorded evaluations", known));
    progress_.emplace("evaluations", 0, !job_.context().quiet, known);
  }
  if (progress_on_terminal()) {
    const Index steps = task_.simulation().num_steps();
    task_.on_step = [this, known, steps, losses = loss_text()](Index step) {
      const std::string text = step < steps ? fmt::format("step {}/{}", step, steps) : "adjoint";
      progress_->update(known, losses.empty() ? text : text + "  " + losses);
    };
  }
  try {
    const double loss = task_.evaluate(u, gradient);
    if (std::isfinite(loss) && gradient.allFinite()) return loss;
    throw Error(Errc::Numerics, "the loss or its gradient is not a number");
  } catch (const Error& e) {
    if (e.code() != Errc::Numerics) throw;
    // Recorded, so that a resumed job does not simulate it again; but not at the start, where it ends the
    // job.
    if (known > 0) {
      journal_.append({u, std::numeric_limits<double>::quiet_NaN(), VecX::Zero(u.size()),
                       static_cast<std::uint64_t>(known + 1), 0});
      remember_failure(u);
    }
    throw Error(e.code(),
                fmt::format("evaluation {} ({}): {}", known + 1, parameters_text(task_, u), e.message()));
  }
}

std::string JournaledObjective::loss_text() const {
  if (losses_.empty()) return {};
  const std::string last = std::isnan(losses_.back()) ? "none" : fmt::format("{:.6g}", losses_.back());
  return fmt::format("loss {}  best {:.6g}", last, best_.loss);
}

void JournaledObjective::remember(ConstVec u, double loss, ConstVec gradient) {
  losses_.push_back(loss);
  gradient_norms_.push_back(gradient.norm());
  const auto number = static_cast<Index>(losses_.size());
  if (number == 1)
    first_.set(number, u, gradient, loss, noise_);
  else
    first_.judge(u, noise_);
  if (best_.evaluation == 0 || loss < best_.loss)
    best_.set(number, u, gradient, loss, noise_);
  else
    best_.judge(u, noise_);
}

void JournaledObjective::remember_failure(ConstVec u) {
  losses_.push_back(std::numeric_limits<double>::quiet_NaN());
  gradient_norms_.push_back(losses_.back());
  ++num_failed_;
  first_.judge(u, 0);
  best_.judge(u, 0);
}

void JournaledObjective::write_checkpoint(ConstVec u) const {
  JsonWriter out;
  out.begin_object().field("evaluations", static_cast<Index>(losses_.size())).field("loss", losses_.back());
  write_parameters(out, task_, u);
  out.key("best").begin_object().field("evaluation", best_.evaluation).field("loss", best_.loss);
  write_parameters(out, task_, best_.u);
  out.end_object().end_object();
  write_file(checkpoint(), out.text() + "\n");
}

}  // namespace resilin::app
