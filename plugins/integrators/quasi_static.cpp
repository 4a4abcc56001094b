#include "plugins/integrators/quasi_static.hpp"

#include "core/solve/backward_difference.hpp"
#include "core/solve/curvature.hpp"

#include <algorithm>

namespace resilin {
namespace {

struct Scratch {
  VecX rest_velocity, load, rhs, z, minus_z, product, dv;
  std::vector<char> none;
};

/// l = s (M g + f(x_n, 0))
void external_load(const System& s, const StepContext& c, const State& before, double factor, Scratch& w) {
  w.rest_velocity.setZero(s.num_dofs());
  w.load.setZero(s.num_dofs());
  for (const auto& force : s.forces()) force->add_force(c, before.x, w.rest_velocity, w.load);
  for (Index i = 0; i < s.num_nodes(); ++i)
    w.load.segment<3>(3 * i) = factor * (w.load.segment<3>(3 * i) + s.mass()[i] * s.gravity());
}

}  // namespace

void QuasiStatic::Options::visit(ParamVisitor& v) {
  v.integer(
      "load_steps", load_steps,
      {.doc = "steps of the scene over which gravity and forces grow in proportion", .min = 1, .max = 1e9});
}

double QuasiStatic::load_factor(const StepContext& context) const {
  return std::min(1.0, static_cast<double>(context.step + 1) / static_cast<double>(options_.load_steps));
}

void QuasiStatic::step(const StepTools& tools, const StepContext& context, Tape& tape) const {
  const System& s = tools.system;
  auto& w = tools.workspace.slot<Scratch>(this);
  const State& before = tape.states.back();
  external_load(s, context, before, load_factor(context), w);
  State after;
  after.t = context.time;
  after.x = before.x;
  after.v = VecX::Zero(s.num_dofs());
  s.place_pins(context.time, after.x);
  const StepProblem problem(s, tools.linear, context, 0, before.x, before.x, tools.workspace, &w.load);
  StepRecord record;
  record.context = context;
  record.before = static_cast<Index>(tape.states.size()) - 1;
  record.after = record.before + 1;
  record.report = tools.forward.solve(problem, after.x);
  leave_saddles(tools.forward, problem, after.x, record.report);
  locate_residual(problem, after.x, {}, record.report);
  tape.states.push_back(std::move(after));
  tape.records.push_back(std::move(record));
}

SolveReport QuasiStatic::backward(const StepTools& tools, const Tape& tape, const StepRecord& record,
                                  std::vector<Adjoint>& adjoints, SystemCotangent& out) const {
  const System& s = tools.system;
  auto& w = tools.workspace.slot<Scratch>(this);
  const State &before = tape.states[static_cast<std::size_t>(record.before)],
              &after = tape.states[static_cast<std::size_t>(record.after)];
  const Adjoint& next = adjoints[static_cast<std::size_t>(record.after)];
  Adjoint& prev = adjoints[static_cast<std::size_t>(record.before)];
  prev.ensure(s.num_dofs());
  const StepContext context = record.step_context();
  const double factor = load_factor(context);
  external_load(s, context, before, factor, w);
  StepProblem problem(s, tools.linear, context, 0, before.x, before.x, tools.workspace, &w.load);
  w.rhs = next.x;
  for (Index i = 0; i < s.num_dofs(); ++i)
    if (problem.fixed()[static_cast<std::size_t>(i)]) w.rhs[i] = 0;
  w.z.setZero(s.num_dofs());
  problem.regularize(tools.adjoint.regularization == "spd", 0);
  SolveReport report = tools.backward.solve(problem, after.x, w.rhs, w.z);
  problem.regularize(false, 0);
  report.adjoint = norm(w.z);
  if (s.has_moving_pins()) {
    w.none.assign(static_cast<std::size_t>(s.num_dofs()), 0);
    w.product.resize(s.num_dofs());
    problem.hessian(after.x, false).multiply(w.z, w.product, w.none);
    w.product = next.x - w.product;
    s.add_pin_vjp(context.time, w.product, out.theta);
  }
  for (Index i = 0; i < s.num_nodes(); ++i) {
    out.mass[i] += factor * w.z.segment<3>(3 * i).dot(s.gravity());
    out.gravity += factor * s.mass()[i] * w.z.segment<3>(3 * i);
  }
  w.minus_z = -w.z;
  for (std::size_t k = 0; k < s.energies().size(); ++k) {
    const Energy& e = *s.energies()[k];
    e.add_param_vjp(problem.context(), after.x, w.minus_z,
                    out.theta.segment(s.energy_offset(k), e.num_parameters()), tools.workspace);
    if (e.depends_on_start()) e.add_start_vjp(problem.context(), after.x, w.minus_z, prev.x, tools.workspace);
  }
  w.z *= factor;
  w.dv.setZero(s.num_dofs());
  for (std::size_t k = 0; k < s.forces().size(); ++k) {
    const Force& force = *s.forces()[k];
    force.add_vjp(context, before.x, w.rest_velocity, w.z, prev.x, w.dv,
                  out.theta.segment(s.force_offset(k), force.num_parameters()));
  }
  return report;
}

}  // namespace resilin
