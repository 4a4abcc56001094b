#include "plugins/integrators/implicit_euler.hpp"

namespace resilin {
namespace {

struct Scratch {
  VecX force, y, rhs, z, minus_z;
  Index z_before = -1;  ///< state before the step whose adjoint z holds; -1: none
};

/// Guess of the state after the step: the acceleration of the step before goes on. Without such a step, the
/// inertial prediction.
void guess(const Tape& tape, double h, const VecX& y, VecX& x) {
  const State& now = tape.states.back();
  const bool has_previous = !tape.records.empty() && tape.records.back().context.time_step == h &&
                            tape.records.back().after == static_cast<Index>(tape.states.size()) - 1;
  if (!has_previous) {
    x = y;
    return;
  }
  const State& last = tape.states[static_cast<std::size_t>(tape.records.back().before)];
  x = now.x + h * (2 * now.v - last.v);
}

/// y = x + h v + h^2 (g + M^-1 f(x, v)); `force` gets f.
void inertial_prediction(const System& s, const StepContext& c, const State& before, VecX& force, VecX& y) {
  force.setZero(s.num_dofs());
  for (const auto& f : s.forces()) f->add_force(c, before.x, before.v, force);
  const double h = c.time_step;
  y.resize(s.num_dofs());
  for (Index i = 0; i < s.num_nodes(); ++i)
    y.segment<3>(3 * i) = before.x.segment<3>(3 * i) + h * before.v.segment<3>(3 * i) +
                          h * h * (s.gravity() + force.segment<3>(3 * i) / s.mass()[i]);
}

}  // namespace

void ImplicitEuler::step(const StepTools& tools, const StepContext& context, Tape& tape) const {
  const System& s = tools.system;
  auto& scratch = tools.workspace.slot<Scratch>(this);
  const State& before = tape.states.back();
  const double h = context.time_step;
  inertial_prediction(s, context, before, scratch.force, scratch.y);
  State after;
  after.t = context.time;
  guess(tape, h, scratch.y, after.x);
  for (Index i = 0; i < s.num_dofs(); ++i)
    if (s.fixed()[static_cast<std::size_t>(i)]) after.x[i] = s.pin_targets()[i];
  const StepProblem problem(s, tools.linear, context, 1 / (h * h), scratch.y, before.x, tools.workspace);
  StepRecord record{
      context, static_cast<Index>(tape.states.size()) - 1, static_cast<Index>(tape.states.size()), {}};
  record.report = tools.forward.solve(problem, after.x);
  after.v = (after.x - before.x) / h;
  tape.states.push_back(std::move(after));
  tape.records.push_back(std::move(record));
}

SolveReport ImplicitEuler::backward(const StepTools& tools, const Tape& tape, const StepRecord& record,
                                    std::vector<Adjoint>& adjoints, SystemCotangent& out) const {
  const System& s = tools.system;
  auto& w = tools.workspace.slot<Scratch>(this);
  const State &before = tape.states[static_cast<std::size_t>(record.before)],
              &after = tape.states[static_cast<std::size_t>(record.after)];
  const Adjoint& next = adjoints[static_cast<std::size_t>(record.after)];
  Adjoint& prev = adjoints[static_cast<std::size_t>(record.before)];
  prev.ensure(s.num_dofs());
  const double h = record.context.time_step;

  inertial_prediction(s, record.context, before, w.force, w.y);
  const StepProblem problem(s, tools.linear, record.context, 1 / (h * h), w.y, before.x, tools.workspace);
  // All of dL/dx+: directly and through v+ = (x+ - x)/h. Pinned coordinates are constants.
  w.rhs = next.x + next.v / h;
  for (Index i = 0; i < s.num_dofs(); ++i)
    if (s.fixed()[static_cast<std::size_t>(i)]) w.rhs[i] = 0;
  // The adjoint changes little from step to step: the later step's solution is the guess. Not across two
  // passes.
  if (w.z_before != record.after || record.after == static_cast<Index>(tape.states.size()) - 1)
    w.z.setZero(s.num_dofs());
  w.z_before = record.before;
  const SolveReport report = tools.backward.solve(problem, after.x, w.rhs, w.z);

  // -z^T dR/d(x, v, parameters), R = M (x+ - x - h v)/h^2 - M g - f(x, v; theta) + grad E(x+; theta)
  prev.x -= next.v / h;
  for (Index i = 0; i < s.num_nodes(); ++i) {
    const double m = s.mass()[i];
    const Vec3 z = w.z.segment<3>(3 * i);
    prev.x.segment<3>(3 * i) += m / (h * h) * z;
    prev.v.segment<3>(3 * i) += m / h * z;
    const Vec3 acceleration =
        (after.x.segment<3>(3 * i) - before.x.segment<3>(3 * i)) / (h * h) - before.v.segment<3>(3 * i) / h;
    out.mass[i] -= z.dot(acceleration - s.gravity());
    out.gravity += m * z;
  }
  w.minus_z = -w.z;
  for (std::size_t k = 0; k < s.energies().size(); ++k) {
    const Energy& e = *s.energies()[k];
    e.add_param_vjp(record.context, after.x, w.minus_z,
                    out.theta.segment(s.energy_offset(k), e.num_parameters()), tools.workspace);
  }
  for (std::size_t k = 0; k < s.forces().size(); ++k) {
    const Force& f = *s.forces()[k];
    f.add_vjp(record.context, before.x, before.v, w.z, prev.x, prev.v,
              out.theta.segment(s.force_offset(k), f.num_parameters()));
  }
  return report;
}

}  // namespace resilin
