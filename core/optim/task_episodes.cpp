#include "core/optim/task_episodes.hpp"

#include "core/base/parallel.hpp"
#include "core/optim/frame_loss.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace resilin {

EpisodicObjective::~EpisodicObjective() = default;

namespace {

using Learner = TaskEpisodes::Learner;

/// A law with noise on its outputs, which keeps what it saw and gave. It is asked once a step.
class DisturbedLaw final : public Controller {
 public:
  DisturbedLaw(const Controller& law, const Learner& place, const MatX& noise, Episode& episode)
      : law_(law), place_(place), noise_(noise), episode_(episode) {}
  void attach(Index, Index) override {}  // the law has been
  void evaluate(ConstVec s, MutVec y) const override {
    if (step_ >= noise_.cols()) throw Error(Errc::Internal, "a controller was asked twice in a step");
    law_.evaluate(s, y);
    y += noise_.col(step_).segment(place_.first_output, y.size());
    episode_.observations.col(step_).segment(place_.first_input, s.size()) = s;
    episode_.outputs.col(step_).segment(place_.first_output, y.size()) = y;
    ++step_;
  }
  void add_vjp(ConstVec, ConstVec, MutVec, MutVec) const override {
    throw Error(Errc::Internal, "an episode has no gradient");
  }

 private:
  const Controller& law_;
  const Learner& place_;
  const MatX& noise_;
  Episode& episode_;
  mutable Index step_ = 0;
};

/// Puts disturbed laws in the places of the learners' for as long as it lives.
class Disturbance {
 public:
  Disturbance(const std::vector<Learner>& learners, const MatX& noise, Episode& episode)
      : learners_(learners) {
    for (const Learner& l : learners) {
      laws_.push_back(std::move(l.loop->law));
      l.loop->law = std::make_unique<DisturbedLaw>(*laws_.back(), l, noise, episode);
    }
  }
  ~Disturbance() {
    for (std::size_t i = 0; i < laws_.size(); ++i) learners_[i].loop->law = std::move(laws_[i]);
  }
  Disturbance(const Disturbance&) = delete;
  Disturbance& operator=(const Disturbance&) = delete;

 private:
  const std::vector<Learner>& learners_;
  std::vector<std::unique_ptr<Controller>> laws_;
};

}  // namespace

TaskEpisodes::TaskEpisodes(Task& task) : task_(task) {
  const auto& loops = task.simulation_->system().control_loops();
  for (const TaskVariable& v : task.variables_) {
    for (const ParameterEntry& e : v.entries)
      if (std::none_of(loops.begin(), loops.end(), [&](const auto& l) { return is_weight_of(e, *l); }))
        throw Error(Errc::Input,
                    fmt::format("{}: {} is no weight of a controller: an optimizer that learns by trial "
                                "finds nothing else",
                                v.key, e.path),
                    v.where);
    if (v.regularizer != nullptr)
      throw Error(Errc::Input,
                  v.key + ": an optimizer that learns by trial sees losses of runs only, no regularizer",
                  v.where);
  }
  for (const auto& loop : loops) {
    const bool learns = std::any_of(task.variables_.begin(), task.variables_.end(), [&](const auto& v) {
      return std::any_of(v.entries.begin(), v.entries.end(),
                         [&](const ParameterEntry& e) { return is_weight_of(e, *loop); });
    });
    if (!learns) continue;
    learners_.push_back({loop.get(), num_inputs_, num_outputs_});
    num_inputs_ += loop->num_inputs;
    num_outputs_ += loop->num_outputs;
  }
}

bool TaskEpisodes::is_weight_of(const ParameterEntry& e, const ControlLoop& loop) const {
  return e.offset >= loop.parameter_offset &&
         e.offset + e.size <= loop.parameter_offset + loop.law->num_parameters();
}

void TaskEpisodes::assign(ConstVec u) {
  for (const TaskVariable& v : task_.variables_) {
    const VecX values = task_.values(u, v);
    for (const ParameterEntry& e : v.entries) Eigen::Map<VecX>(e.values, e.size) = values;
  }
  for (const Learner& l : learners_) l.loop->law->parameters_changed();
}

double TaskEpisodes::loss_so_far(const std::vector<std::unique_ptr<LossPass>>& passes) const {
  double sum = 0;
  for (std::size_t i = 0; i < passes.size(); ++i)
    if (dynamic_cast<const FrameLoss*>(task_.losses_[i].get()) != nullptr)
      sum += task_.weights_[i] * passes[i]->value();
  return sum;
}

Episode TaskEpisodes::run(ConstVec u, const MatX& noise) {
  const Index last = num_steps();
  if (noise.rows() != num_outputs_ || noise.cols() != last)
    throw Error(Errc::Internal, fmt::format("noise of {} x {} for {} outputs and {} steps", noise.rows(),
                                            noise.cols(), num_outputs_, last));
  task_.ensure_reference();
  task_.last_steps = {};
  task_.last_noise = {};
  assign(u);
  Episode e{MatX(num_inputs_, last), MatX(num_outputs_, last), VecX(last), 0};
  const auto passes = task_.begin_losses();
  const Disturbance disturbance(learners_, noise, e);
  double before = 0;
  task_.run([&](Index k, const State& s) {
    for (const auto& pass : passes) pass->observe(k, s);
    if (k == 0) return;
    const double now = k == last ? task_.total_loss(passes) : loss_so_far(passes);
    e.rewards[k - 1] = before - now;
    before = now;
  });
  e.loss = before;
  return e;
}

void TaskEpisodes::outputs(ConstVec u, const MatX& s, MatX& y) {
  assign(u);
  y.resize(num_outputs_, s.cols());
  parallel_for(s.cols(), 64, [&](Index begin, Index end) {
    for (Index j = begin; j < end; ++j)
      for (const Learner& l : learners_)
        l.loop->law->evaluate(s.col(j).segment(l.first_input, l.loop->num_inputs),
                              y.col(j).segment(l.first_output, l.loop->num_outputs));
  });
}

void TaskEpisodes::add_vjp(ConstVec u, const MatX& s, const MatX& z, MutVec du) {
  constexpr Index kGrain = 64;
  assign(u);
  for (const Learner& l : learners_) {
    const Index n = l.loop->law->num_parameters();
    MatX parts = MatX::Zero(n, (s.cols() + kGrain - 1) / kGrain);  // of each chunk, summed in their order
    parallel_for(s.cols(), kGrain, [&](Index begin, Index end) {
      VecX unused = VecX::Zero(l.loop->num_inputs);
      for (Index j = begin; j < end; ++j)
        l.loop->law->add_vjp(s.col(j).segment(l.first_input, l.loop->num_inputs),
                             z.col(j).segment(l.first_output, l.loop->num_outputs), unused,
                             parts.col(begin / kGrain));
    });
    for (Index c = 1; c < parts.cols(); ++c) parts.col(0) += parts.col(c);
    for (const TaskVariable& v : task_.variables_)
      for (const ParameterEntry& e : v.entries) {
        if (!is_weight_of(e, *l.loop)) continue;
        const VecX part = parts.col(0).segment(e.offset - l.loop->parameter_offset, e.size);
        du.segment(v.offset, v.size) += v.log_scale ? VecX(part.cwiseProduct(task_.values(u, v))) : part;
      }
  }
}

}  // namespace resilin
