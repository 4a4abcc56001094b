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

void JudgedPoint::set(Index number, ConstVec at, const VecX& slope, double value, double uncertainty) {
  *this = {number, at, slope, value, uncertainty, 0, 0};
}

void JudgedPoint::judge(ConstVec trial, double trial_noise) {
  ++trials;
  if (!has_gradient()) return;
  const double promised = -gradient.dot(trial - u), uncertainty = noise + trial_noise;
  if (promised > 0)
    worst_promise = std::max(
        worst_promise, uncertainty > 0 ? promised / uncertainty : std::numeric_limits<double>::infinity());
}

JournaledObjective::JournaledObjective(const Job& job, Task& task, EvaluationJournal& journal,
                                       RecordFile::Open mode, std::string suffix, Index budget)
    : job_(job), task_(task), journal_(journal), suffix_(std::move(suffix)), mode_(mode), budget_(budget) {}

EpisodicObjective* JournaledObjective::episodes() {
  if (episodes_ != nullptr) return episodes_.get();
  EpisodicObjective* of_task = task_.episodes();
  if (of_task == nullptr) return nullptr;
  std::function<void(const std::string&)> show;
  if (progress_on_terminal())
    show = [this](const std::string& text) {
      begin_progress();
      progress_->update(static_cast<Index>(losses_.size()), text + "  " + loss_text());
    };
  episodes_ = std::make_unique<JournaledEpisodes>(task_, *of_task, episode_file(), job_.hash(), mode_,
                                                  budget_, std::move(show));
  return episodes_.get();
}

double JournaledObjective::answer(ConstVec u, MutVec* gradient) {
  if (interrupted()) throw Interrupted();
  budget_.require((gradient != nullptr ? 2 : 1) * task_.simulation().num_steps(), "evaluation");
  const auto number = static_cast<Index>(losses_.size()) + 1;
  if (const auto* known = journal_.next(u, gradient != nullptr)) {
    add_steps({static_cast<Index>(known->forward_steps), static_cast<Index>(known->backward_steps)});
    if (std::isnan(known->loss)) {
      remember_failure(u);
      throw Error(Errc::Numerics, fmt::format("evaluation {} ({}): failed when it was recorded", number,
                                              parameters_text(task_, u)));
    }
    if (gradient != nullptr) *gradient = known->gradient;
    noise_ = known->noise;
    remember(u, known->loss, gradient != nullptr ? known->gradient : VecX());
    return known->loss;
  }
  const double loss = simulate(u, gradient);
  noise_ = task_.noise();
  journal_.append(record(u, loss, gradient, noise_));
  add_steps(task_.last_steps);
  remember(u, loss, gradient != nullptr ? VecX(*gradient) : VecX());
  write_checkpoint(u);
  // On a terminal the line is redrawn within an evaluation, elsewhere one line is written for each.
  progress_->update(static_cast<Index>(losses_.size()), loss_text());
  return loss;
}

void JournaledObjective::begin_progress() {
  if (progress_) return;
  const auto known = static_cast<Index>(losses_.size());
  if (journal_.num_replayed() > 0) log_info(fmt::format("went over {} recorded evaluations", known));
  progress_.emplace("evaluations", 0, !job_.context().quiet, known);
}

double JournaledObjective::simulate(ConstVec u, MutVec* gradient) {
  const auto known = static_cast<Index>(losses_.size());
  begin_progress();
  if (progress_on_terminal()) {
    const Index steps = task_.simulation().num_steps();
    const bool goes_back = gradient != nullptr;
    task_.on_step = [this, known, steps, goes_back, losses = loss_text()](Index step) {
      const std::string text =
          step < steps || !goes_back ? fmt::format("step {}/{}", step, steps) : "adjoint";
      progress_->update(known, losses.empty() ? text : text + "  " + losses);
    };
  }
  try {
    return assess(u, gradient);
  } catch (const Error& e) {
    if (e.code() != Errc::Numerics) throw;
    // Recorded, so that a resumed job does not simulate it again; but not at the start, where it ends the
    // job.
    if (known > 0) {
      if (gradient != nullptr) gradient->setZero();
      journal_.append(record(u, std::numeric_limits<double>::quiet_NaN(), gradient, 0));
      add_steps(task_.last_steps);
      remember_failure(u);
    }
    throw Error(e.code(),
                fmt::format("evaluation {} ({}): {}", known + 1, parameters_text(task_, u), e.message()));
  }
}

double JournaledObjective::assess(ConstVec u, MutVec* gradient) {
  const double loss = gradient != nullptr ? task_.evaluate(u, *gradient) : task_.value(u);
  if (std::isfinite(loss) && (gradient == nullptr || gradient->allFinite())) return loss;
  throw Error(Errc::Numerics,
              fmt::format("the loss{} is not a number", gradient == nullptr ? "" : " or its gradient"));
}

EvaluationJournal::Record JournaledObjective::record(ConstVec u, double loss, const MutVec* gradient,
                                                     double noise) const {
  return {u,
          loss,
          gradient != nullptr ? VecX(*gradient) : VecX(VecX::Zero(u.size())),
          static_cast<std::uint64_t>(losses_.size() + 1),
          noise,
          static_cast<std::uint64_t>(task_.last_steps.forward),
          static_cast<std::uint64_t>(task_.last_steps.backward),
          gradient != nullptr ? 1U : 0U};
}

void JournaledObjective::add_steps(StepCount more) {
  budget_.add(more);
  steps_.push_back(budget_.used());
}

std::string JournaledObjective::loss_text() const {
  if (losses_.empty()) return {};
  const std::string last = std::isnan(losses_.back()) ? "none" : fmt::format("{:.6g}", losses_.back());
  return fmt::format("loss {}  best {:.6g}", last, best_.loss);
}

void JournaledObjective::remember(ConstVec u, double loss, const VecX& gradient) {
  losses_.push_back(loss);
  gradient_norms_.push_back(gradient.size() > 0 ? gradient.norm() : std::numeric_limits<double>::quiet_NaN());
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
