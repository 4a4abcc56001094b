#include "core/optim/task.hpp"

#include "core/base/interrupt.hpp"
#include "core/base/random.hpp"
#include "core/optim/task_episodes.hpp"
#include "core/params/tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace resilin {
namespace {

/// The generator of a random start begins at the seed itself for the first, for the later ones at numbers
/// that the seed gives.
Random generator_of(Index seed, Index start) {
  auto state = static_cast<std::uint64_t>(seed);
  Random source(state);
  for (Index i = 1; i < start; ++i) state = source.next();
  return Random(state);
}

/// The scene of a task, which may want values per element that the scene gives once.
SceneOptions scene_of(const TaskOptions& options) {
  SceneOptions scene = options.scene;
  for (const TaskParameter& p : options.parameters)
    if (p.per == "element") scene.per_element.push_back(p.path);
  return scene;
}

bool inside(const ParameterEntry& e, double v) {
  if (std::isinf(v)) return std::isinf(v > 0 ? e.max : e.min);
  return e.open ? v > e.min && v < e.max : v >= e.min && v <= e.max;
}

std::string range_of(const ParameterEntry& e) {
  return fmt::format("{}{}, {}{}", e.open ? "(" : "[", e.min, e.max, e.open ? ")" : "]");
}

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

/// How far the rounding of a state moves the loss whose derivative by it is `seed`, see LossNoise.
double rounding_effect(const State& s, const Adjoint& seed, double time_step) {
  return kEpsilon * s.x.lpNorm<Eigen::Infinity>() * (seed.x.lpNorm<1>() + 2 / time_step * seed.v.lpNorm<1>());
}

/// The regularizer of a variable, if it has one.
std::unique_ptr<Regularizer> make_regularizer(const TaskParameter& p, const TaskVariable& v,
                                              const BuildContext& context) {
  if (p.regularizer.options == nullptr) return nullptr;
  BuildContext child = context;
  child.path = p.regularizer.path;
  child.place = p.regularizer.place;
  for (const BodyView& body : *context.bodies)
    if (v.entries.front().path.rfind("bodies." + body.name + ".", 0) == 0) {
      child.mesh = body.mesh;
      child.first_node = body.first_node;
    }
  auto made = context.registry->make<Regularizer>(p.regularizer, child);
  try {
    made->attach({v.size, v.log_scale, v.log_scale ? VecX(v.start.array().log()) : v.start});
  } catch (const Error& e) {
    throw child.input_error("", e.message());
  }
  return made;
}

/// One bound for each entry of a variable.
VecX bounds_of(const char* key, const VecX& given, double none, const TaskVariable& v,
               const BuildContext& context) {
  if (given.size() == 0) return VecX::Constant(v.size, none);
  if (given.size() == 1) return VecX::Constant(v.size, given[0]);
  if (given.size() == v.size) return given;
  throw context.input_error(key, fmt::format("{} numbers given; the parameter has {}", given.size(), v.size));
}

/// First guess of a variable as the task asks for it.
VecX start_values(const TaskParameter& p, const TaskVariable& v, const BuildContext& context,
                  Random& random) {
  if (p.start.size() == 1) return VecX::Constant(v.size, p.start[0]);
  if (p.start.size() == v.size) return p.start;
  if (p.start.size() == 0 && p.from == "scene") return v.truth;
  if (p.start.size() != 0)
    throw context.input_error("start",
                              fmt::format("{} numbers given; the parameter has {}", p.start.size(), v.size));
  if (!v.lower.allFinite() || !v.upper.allFinite())
    throw context.input_error("",
                              p.path + ": a random start needs a lower and an upper bound; or give start");
  VecX start(v.size);
  for (Index i = 0; i < v.size; ++i) {
    const double r = random.uniform();
    const double lower = v.lower[i], upper = v.upper[i];
    start[i] = v.log_scale ? std::exp(std::log(lower) + r * (std::log(upper) - std::log(lower)))
                           : lower + r * (upper - lower);
  }
  return start;
}

/// All that a path matches has to be able to take the same values, within the bounds.
void check_matches(const TaskParameter& p, const TaskVariable& v, const System& system,
                   const BuildContext& context) {
  const ParameterEntry& first = v.entries.front();
  for (const ParameterEntry& e : v.entries)
    if (const std::string driver = system.driver_of(e); !driver.empty())
      throw context.input_error("path",
                                e.path + " is driven by " + driver + ": its written value is not used");
  for (const ParameterEntry& e : v.entries)
    if (p.per == "element" && !system.is_per_element(e.path))
      throw context.input_error("per",
                                e.path + " is no value of elements: fields of materials and densities are");
  for (const ParameterEntry& e : v.entries) {
    if (e.size != first.size)
      throw context.input_error("path", fmt::format("{} has {} numbers but {} has {}: they cannot stay equal",
                                                    e.path, e.size, first.path, first.size));
    if (Eigen::Map<const VecX>(e.values, e.size) != v.truth)
      throw context.input_error(
          "path", fmt::format("{} and {} differ in the scene: they cannot stay equal", e.path, first.path));
    for (const VecX* bounds : {&v.lower, &v.upper})
      for (const double bound : *bounds) {
        if (inside(e, bound)) continue;
        if (std::isinf(bound))
          throw context.input_error(
              "", fmt::format("{} needs a lower and an upper bound inside its range {} {}", e.path,
                              range_of(e), e.unit));
        throw context.input_error(bounds == &v.lower ? "lower" : "upper",
                                  fmt::format("{} is outside the range {} {} of {}: give a bound inside",
                                              bound, range_of(e), e.unit, e.path));
      }
  }
}

}  // namespace

Objective::~Objective() = default;
BudgetSpent::~BudgetSpent() = default;
Task::~Task() = default;

Task::Task(const TaskOptions& options, const Registry& registry, const PlaceMap& places, Index start) {
  Diagnostics found;
  simulation_ = std::make_unique<Simulation>(scene_of(options), registry, places, found);
  // Without all components there are no parameters, and losses may refer to what is missing.
  if (!simulation_->system().is_complete()) found.throw_if_any();
  BuildContext c;
  c.registry = &registry;
  c.places = &places;
  c.steps = options.scene.time.steps;
  c.time_step = options.scene.time.step;
  c.num_nodes = simulation_->system().num_nodes();
  c.bodies = &simulation_->system().body_views();
  add_losses(options, c, found);
  Random random = generator_of(options.seed, start);
  for (std::size_t i = 0; i < options.parameters.size(); ++i) {
    c.path = fmt::format("parameters[{}]", i);
    if (const auto it = places.find(c.path); it != places.end()) c.place = it->second;
    found.attempt([&] { add_variable(options.parameters[i], c, random); });
  }
  found.throw_if_any();
  lower_.resize(size_), upper_.resize(size_), start_.resize(size_);
  for (const TaskVariable& v : variables_) {
    lower_.segment(v.offset, v.size) = v.log_scale ? VecX(v.lower.array().log()) : v.lower;
    upper_.segment(v.offset, v.size) = v.log_scale ? VecX(v.upper.array().log()) : v.upper;
    start_.segment(v.offset, v.size) = v.log_scale ? VecX(v.start.array().log()) : v.start;
  }
  written_ = simulation_->system().parameters().values();
}

void Task::add_losses(const TaskOptions& options, BuildContext c, Diagnostics& found) {
  c.path = "losses";
  if (options.losses.empty())
    found.attempt([&] {
      throw c.input_error("", "a task needs at least one loss: losses: [{loss: {type: ...}}]" +
                                  suggest("", c.registry->types("loss")));
    });
  for (const WeightedLoss& weighted : options.losses) {
    c.path = weighted.loss.path;
    c.place = weighted.loss.place;
    found.attempt([&] {
      losses_.push_back(c.registry->make<Loss>(weighted.loss, c));
      weights_.push_back(weighted.weight);
      offsets_.push_back(simulation_->system().add_parameters(weighted.loss.path, *losses_.back(),
                                                              losses_.back()->num_parameters()));
      reference_pending_ = reference_pending_ || losses_.back()->needs_reference();
    });
  }
}

void Task::ensure_reference() {
  if (!reference_pending_) return;
  const VecX now = simulation_->system().parameters().values();
  simulation_->system().set_parameters(written_);
  run([&](Index k, const State& s) {
    for (const auto& loss : losses_)
      if (loss->needs_reference()) loss->observe_reference(k, simulation_->num_steps(), s);
  });
  simulation_->system().set_parameters(now);
  reference_pending_ = false;
}

void Task::add_variable(const TaskParameter& p, const BuildContext& context, Random& random) {
  TaskVariable v;
  v.path = p.path;
  v.key = context.path;
  v.where = context.input_error("path", "").where();
  v.log_scale = p.scale == "log";
  try {
    for (const ParameterEntry* e : simulation_->system().parameters().find(p.path)) v.entries.push_back(*e);
  } catch (const Error& e) {
    throw context.input_error("path", e.message());
  }
  const ParameterEntry& first = v.entries.front();
  v.unit = first.unit;
  v.size = first.size;
  v.truth = Eigen::Map<const VecX>(first.values, first.size);
  constexpr double kNone = std::numeric_limits<double>::infinity();
  v.lower = bounds_of("lower", p.lower, -kNone, v, context);
  v.upper = bounds_of("upper", p.upper, kNone, v, context);
  check_matches(p, v, simulation_->system(), context);
  v.start = start_values(p, v, context, random);
  for (Index i = 0; i < v.size; ++i)
    if (!(v.start[i] >= v.lower[i] && v.start[i] <= v.upper[i]))
      throw context.input_error(
          "start", fmt::format("{} is outside the bounds [{}, {}]", v.start[i], v.lower[i], v.upper[i]));
  for (const TaskVariable& other : variables_)
    for (const ParameterEntry& a : other.entries)
      for (const ParameterEntry& b : v.entries)
        if (a.offset < b.offset + b.size && b.offset < a.offset + a.size)
          throw context.input_error("path", a.path + " is already a parameter of this task");
  v.regularizer = make_regularizer(p, v, context);
  v.offset = size_;
  size_ += v.size;
  variables_.push_back(std::move(v));
}

EpisodicObjective* Task::episodes() {
  if (simulation_->system().control_loops().empty()) return nullptr;
  if (episodes_ == nullptr) episodes_ = std::make_unique<TaskEpisodes>(*this);
  return episodes_.get();
}

VecX Task::values(ConstVec u, const TaskVariable& v) const {
  const VecX part = u.segment(v.offset, v.size);
  // exp(log(bound)) may miss the bound by a rounding; the bound itself is meant.
  return v.log_scale ? VecX(part.array().exp().max(v.lower.array()).min(v.upper.array())) : part;
}

void Task::apply(ConstVec u) {
  VecX theta = simulation_->system().parameters().values();
  for (const TaskVariable& v : variables_)
    for (const ParameterEntry& e : v.entries) theta.segment(e.offset, e.size) = values(u, v);
  simulation_->system().set_parameters(theta);
}

/// Forward only, keeping nothing but what `see` does.
void Task::run(const std::function<void(Index, const State&)>& see, ContactHistory* contacts) {
  Tape tape;
  last_rollout = simulation_->run(tape, false, observer([&](Index step, const State& s) {
                                    if (contacts != nullptr && step > 0)
                                      contacts->push_back(tape.records.back().contacts);
                                    see(step, s);
                                  }));
  if (last_rollout.interrupted || interrupted()) throw Interrupted();
}

StepObserver Task::observer(const std::function<void(Index, const State&)>& see) {
  return [this, see](Index step, const State& s, const SolveReport&) {
    last_steps.forward = std::min(step + 1, simulation_->num_steps());  // the next one is about to begin
    see(step, s);
    if (on_step) on_step(step);
    return !interrupted();
  };
}

std::vector<std::unique_ptr<LossPass>> Task::begin_losses() const {
  std::vector<std::unique_ptr<LossPass>> passes;
  for (const auto& loss : losses_) passes.push_back(loss->begin(simulation_->num_steps()));
  return passes;
}

double Task::total_loss(const std::vector<std::unique_ptr<LossPass>>& passes, double* sizes) const {
  double sum = 0;
  for (std::size_t i = 0; i < passes.size(); ++i) {
    const double part = weights_[i] * passes[i]->value();
    sum += part;
    if (sizes != nullptr) *sizes += std::abs(part);
  }
  return sum;
}

double Task::regularization(ConstVec u, MutVec* gradient) const {
  double sum = 0;
  for (const TaskVariable& v : variables_) {
    if (v.regularizer == nullptr) continue;
    sum += v.regularizer->value(u.segment(v.offset, v.size));
    if (gradient != nullptr)
      v.regularizer->add_gradient(u.segment(v.offset, v.size), gradient->segment(v.offset, v.size));
  }
  return sum;
}

double Task::loss_of_table(ContactHistory* contacts) {
  ensure_reference();
  const auto passes = begin_losses();
  last_steps = {};
  last_noise = {};
  run(
      [&](Index k, const State& s) {
        for (const auto& pass : passes) pass->observe(k, s);
      },
      contacts);
  double sizes = 0;
  const double loss = total_loss(passes, &sizes);
  last_noise.rounding = kEpsilon * sizes;
  return loss;
}

double Task::value(ConstVec u) {
  last_steps = {};
  apply(u);
  const double loss = loss_of_table(), regularizers = regularization(u, nullptr);
  last_noise.rounding += kEpsilon * std::abs(regularizers);
  return loss + regularizers;
}

double Task::evaluate_table(VecX& dtheta, BackwardReport* report) {
  ensure_reference();
  const auto passes = begin_losses();
  last_noise = {};
  last_steps = {};
  Adjoint seed;
  BackwardReport backward;
  VecX of_losses = VecX::Zero(simulation_->system().parameters().size());
  dtheta = simulation_->run_with_gradient(
      observer([&](Index k, const State& s) {
        for (const auto& pass : passes) pass->observe(k, s);
      }),
      [&](Index frame, const State& s, Adjoint& a) {
        if (interrupted()) throw Interrupted();
        seed.x.setZero(a.x.size()), seed.v.setZero(a.v.size());
        last_steps.backward = std::min(simulation_->num_steps() - frame + 1, simulation_->num_steps());
        for (std::size_t i = 0; i < passes.size(); ++i) {
          passes[i]->add_gradient(frame, s, weights_[i], seed);
          if (const Index count = losses_[i]->num_parameters(); count > 0)
            passes[i]->add_parameter_gradient(frame, s, weights_[i], of_losses.segment(offsets_[i], count));
        }
        last_noise.rounding += rounding_effect(s, seed, simulation_->time_step());
        a.x += seed.x, a.v += seed.v;
      },
      last_rollout, &backward);
  if (last_rollout.interrupted || interrupted()) throw Interrupted();
  dtheta += of_losses;
  double sizes = 0;
  const double loss = total_loss(passes, &sizes);
  last_noise.rounding += kEpsilon * sizes;
  last_noise.solver = backward.solver_error;
  if (!backward.choice.empty()) ++backward_choices[backward.choice];
  if (report != nullptr) *report = backward;
  return loss;
}

double Task::evaluate(ConstVec u, MutVec gradient) {
  last_steps = {};
  apply(u);
  VecX dtheta;
  double loss = evaluate_table(dtheta, &last_backward);
  for (const TaskVariable& v : variables_) {
    VecX sum = VecX::Zero(v.size);
    for (const ParameterEntry& e : v.entries) sum += dtheta.segment(e.offset, e.size);
    if (v.log_scale) sum = sum.cwiseProduct(values(u, v));
    gradient.segment(v.offset, v.size) = sum;
  }
  const double regularizers = regularization(u, &gradient);
  last_noise.rounding += kEpsilon * std::abs(regularizers);
  loss += regularizers;
  return loss;
}

}  // namespace resilin
