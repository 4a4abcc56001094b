#include "core/solve/backward_difference.hpp"

#include "core/solve/curvature.hpp"

#include <array>

namespace resilin {
namespace {

struct Scratch {
  VecX x_ref, v_ref, x_force, v_force, force, dx_force, dv_force, y, load, rhs, z, minus_z, product, gradient,
      given;
  BlockMatrix hessian;
  std::vector<char> none;  ///< no coordinate is fixed
};

const State& earlier(const Tape& tape, const DifferenceFormula& f, Index j) {
  return tape.states[static_cast<std::size_t>(f.state[static_cast<std::size_t>(j)])];
}

bool has_stiffness_damping(const System& s) {
  for (const auto& body : s.bodies())
    if (body->options.damping.stiffness > 0) return true;
  return false;
}

/// True also for coefficients of zero: their derivatives are not.
bool has_damping(const System& s) {
  for (const auto& body : s.bodies())
    if (body->options.has_damping) return true;
  return false;
}

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

/// l: what stiffness damping takes from the earlier states, beta/h sum_j w_j grad E(x_j) for each body.
void damping_load(const StepTools& tools, const StepContext& c, const Tape& tape, const DifferenceFormula& f,
                  Scratch& w) {
  const System& s = tools.system;
  w.load.setZero(s.num_dofs());
  w.gradient.resize(s.num_dofs());
  for (Index j = 0; j < f.count; ++j) {
    w.gradient.setZero();
    for (std::size_t b = 0; b < s.bodies().size(); ++b)
      s.energies()[b]->add_gradient(c, earlier(tape, f, j).x, w.gradient, tools.workspace);
    for (const auto& body : s.bodies())
      w.load.segment(3 * body->first_node, 3 * body->mesh.num_vertices()) +=
          body->options.damping.stiffness / f.h * f.weight[static_cast<std::size_t>(j)] *
          w.gradient.segment(3 * body->first_node, 3 * body->mesh.num_vertices());
  }
}

/// Fills x_ref, v_ref, the force f and the target y of the step's problem.
void prepare(const StepTools& tools, const StepContext& c, const Tape& tape, const DifferenceFormula& f,
             Scratch& w) {
  const System& s = tools.system;
  const auto combine = [&](const std::array<double, 2>& weights, auto&& part, VecX& out) {
    out = weights[0] * part(earlier(tape, f, 0));
    if (f.count > 1) out += weights[1] * part(earlier(tape, f, 1));
  };
  const auto x = [](const State& state) -> const VecX& { return state.x; };
  const auto v = [](const State& state) -> const VecX& { return state.v; };
  combine(f.weight, x, w.x_ref);
  combine(f.weight, v, w.v_ref);
  combine(f.forecast, x, w.x_force);
  combine(f.forecast, v, w.v_force);
  w.force.setZero(s.num_dofs());
  for (const auto& force : s.forces()) force->add_force(c, w.x_force, w.v_force, w.force);
  w.y.resize(s.num_dofs());
  for (const auto& body : s.bodies()) {
    const double alpha_h = body->options.damping.mass * f.h;
    for (Index i = body->first_node; i < body->first_node + body->mesh.num_vertices(); ++i)
      // a (1 + alpha h) M (x - y) = a M (x - x_ref - h v_ref - h^2 (g + f/m)) + alpha/h M (x - x_ref)
      w.y.segment<3>(3 * i) =
          w.x_ref.segment<3>(3 * i) +
          f.h / (1 + alpha_h) *
              (w.v_ref.segment<3>(3 * i) + f.h * (s.gravity() + w.force.segment<3>(3 * i) / s.mass()[i]));
  }
  if (has_stiffness_damping(s)) damping_load(tools, c, tape, f, w);
}

StepProblem problem_of(const StepTools& tools, const StepContext& c, const Tape& tape,
                       const DifferenceFormula& f, const Scratch& w) {
  return {tools.system,
          tools.linear,
          c,
          1 / (f.h * f.h),
          w.y,
          earlier(tape, f, 0).x,
          tools.workspace,
          has_stiffness_damping(tools.system) ? &w.load : nullptr};
}

/// Adds -z^T d(mass terms of R)/d(mass, gravity, alpha) and pulls back to x_ref and v_ref.
void pull_inertia(const System& s, const DifferenceFormula& f, const State& after, const Scratch& w,
                  std::vector<Adjoint>& adjoints, SystemCotangent& out) {
  for (std::size_t b = 0; b < s.bodies().size(); ++b) {
    const Body& body = *s.bodies()[b];
    const double alpha = body.options.damping.mass, h = f.h;
    for (Index i = body.first_node; i < body.first_node + body.mesh.num_vertices(); ++i) {
      const double m = s.mass()[i];
      const Vec3 z = w.z.segment<3>(3 * i), v = after.v.segment<3>(3 * i);
      for (Index j = 0; j < f.count; ++j) {
        const auto k = static_cast<std::size_t>(j);
        Adjoint& prev = adjoints[static_cast<std::size_t>(f.state[k])];
        prev.x.segment<3>(3 * i) += f.weight[k] * m * (1 / (h * h) + alpha / h) * z;
        prev.v.segment<3>(3 * i) += f.weight[k] * m / h * z;
      }
      const Vec3 acceleration = (v - w.v_ref.segment<3>(3 * i)) / h;
      out.mass[i] -= z.dot(acceleration + alpha * v - s.gravity());
      out.gravity += m * z;
      if (body.options.has_damping) out.theta[s.damping_offset(b)] -= m * z.dot(v);
    }
  }
}

/// Stiffness damping's part of the same: through grad E at the earlier states and through beta.
void pull_damping(const StepTools& tools, const StepContext& c, const DifferenceFormula& f, const Tape& tape,
                  const State& after, Scratch& w, std::vector<Adjoint>& adjoints, SystemCotangent& out) {
  const System& s = tools.system;
  const auto add_to_beta = [&](const VecX& x, double factor) {
    w.gradient.setZero(s.num_dofs());
    for (std::size_t b = 0; b < s.bodies().size(); ++b) {
      const Index first = 3 * s.bodies()[b]->first_node, n = 3 * s.bodies()[b]->mesh.num_vertices();
      if (!s.bodies()[b]->options.has_damping) continue;
      s.energies()[b]->add_gradient(c, x, w.gradient, tools.workspace);
      out.theta[s.damping_offset(b) + 1] +=
          factor / f.h * w.z.segment(first, n).dot(w.gradient.segment(first, n));
    }
  };
  add_to_beta(after.x, -1);
  VecX& scaled = w.rhs;  // beta/h z, not needed any more as a right-hand side
  scaled = w.z;
  for (const auto& body : s.bodies())
    scaled.segment(3 * body->first_node, 3 * body->mesh.num_vertices()) *=
        body->options.damping.stiffness / f.h;
  if (w.hessian.empty()) {
    BlockPattern pattern(s.num_nodes());
    for (const auto& energy : s.energies()) energy->add_pattern(pattern);
    w.hessian.reset(std::move(pattern));
  }
  w.none.assign(static_cast<std::size_t>(s.num_dofs()), 0);
  w.product.resize(s.num_dofs());
  for (Index j = 0; j < f.count; ++j) {
    const auto k = static_cast<std::size_t>(j);
    const VecX& x = earlier(tape, f, j).x;
    add_to_beta(x, f.weight[k]);
    if (!has_stiffness_damping(s)) continue;
    w.hessian.set_zero();
    for (std::size_t b = 0; b < s.bodies().size(); ++b) {
      const Energy& e = *s.energies()[b];
      e.add_hessian(c, x, w.hessian, false, tools.workspace);
      w.minus_z = f.weight[k] * scaled;
      e.add_param_vjp(c, x, w.minus_z, out.theta.segment(s.energy_offset(b), e.num_parameters()),
                      tools.workspace);
    }
    w.hessian.multiply(scaled, w.product, w.none);
    adjoints[static_cast<std::size_t>(f.state[k])].x += f.weight[k] * w.product;
  }
}

/// -z^T dR/d(parameters of energies and forces, positions at the start of the step).
void pull_components(const StepTools& tools, const StepContext& c, const DifferenceFormula& f,
                     const State& after, Scratch& w, std::vector<Adjoint>& adjoints, SystemCotangent& out) {
  const System& s = tools.system;
  for (std::size_t k = 0; k < s.energies().size(); ++k) {
    const Energy& e = *s.energies()[k];
    const double beta = k < s.bodies().size() ? s.bodies()[k]->options.damping.stiffness : 0;
    w.minus_z = -(1 + beta / f.h) * w.z;
    e.add_param_vjp(c, after.x, w.minus_z, out.theta.segment(s.energy_offset(k), e.num_parameters()),
                    tools.workspace);
    if (e.depends_on_start())
      e.add_start_vjp(c, after.x, w.minus_z, adjoints[static_cast<std::size_t>(f.state[0])].x,
                      tools.workspace);
  }
  if (s.forces().empty()) return;
  w.dx_force.setZero(s.num_dofs());
  w.dv_force.setZero(s.num_dofs());
  for (std::size_t k = 0; k < s.forces().size(); ++k) {
    const Force& force = *s.forces()[k];
    force.add_vjp(c, w.x_force, w.v_force, w.z, w.dx_force, w.dv_force,
                  out.theta.segment(s.force_offset(k), force.num_parameters()));
  }
  for (Index j = 0; j < f.count; ++j) {
    const auto i = static_cast<std::size_t>(j);
    Adjoint& prev = adjoints[static_cast<std::size_t>(f.state[i])];
    prev.x += f.forecast[i] * w.dx_force;
    prev.v += f.forecast[i] * w.dv_force;
  }
}

/// Solves for z, the adjoint of R; with contact also for that of its law, which is pulled back at once.
SolveReport solve_adjoint(const StepTools& tools, const StepRecord& record, StepProblem& problem,
                          const State& after, Scratch& w, std::vector<Adjoint>& adjoints,
                          SystemCotangent& out) {
  SolveReport report;
  const auto clear_fixed = [&](VecX& v) {  // a guess may come from a step that held other coordinates
    for (Index i = 0; i < v.size(); ++i)
      if (problem.fixed()[static_cast<std::size_t>(i)]) v[i] = 0;
  };
  clear_fixed(w.rhs);
  clear_fixed(w.z);
  w.given.setZero(w.rhs.size());
  if (record.contacts.empty()) {
    report = tools.backward.solve(problem, after.x, w.rhs, w.z);
  } else {
    const auto before = static_cast<std::size_t>(record.before);
    report = tools.contact->adjoint(
        {tools.system, tools.forward, tools.backward, problem, problem.previous()}, after.x, record.contacts,
        w.rhs, w.z, {adjoints[before].x, w.given, out.theta});
  }
  report.adjoint = norm(w.z);
  return report;
}

}  // namespace

void locate_residual(const StepProblem& problem, ConstVec x, const std::vector<NodeContact>& contacts,
                     SolveReport& report) {
  if (report.converged || !x.allFinite()) return;
  VecX r(problem.size());
  problem.residual(x, r);
  if (!r.allFinite()) return;
  for (const NodeContact& c : contacts)
    c.for_each_impulse([&](Index node, const Vec3& impulse) {
      for (Index i = 3 * node; i < 3 * node + 3; ++i)
        if (!problem.fixed()[static_cast<std::size_t>(i)])
          r[i] -= impulse[i - 3 * node] / problem.context().time_step;
    });
  const double worst = as_columns(r).colwise().norm().maxCoeff(&report.worst_node);
  report.worst_force = worst;
}

void difference_step(const StepTools& tools, const StepContext& context, const DifferenceFormula& formula,
                     Tape& tape) {
  auto& w = tools.workspace.slot<Scratch>(&tools.system);
  prepare(tools, context, tape, formula, w);
  State after;
  after.t = context.time;
  guess(tape, context.time_step, w.y, after.x);
  tools.system.place_pins(context.time, after.x);
  StepProblem problem = problem_of(tools, context, tape, formula, w);
  StepRecord record;
  record.context = context;
  record.before = static_cast<Index>(tape.states.size()) - 1;
  record.after = record.before + 1;
  record.earlier = formula.count > 1 ? formula.state[1] : -1;
  if (tools.contact != nullptr) {
    // The contacts of the step before, if the tape knows them, are the first guess.
    if (!tape.records.empty() && tape.records.back().after == record.before)
      record.contacts = tape.records.back().contacts;
    record.report =
        tools.contact->solve({tools.system, tools.forward, tools.backward, problem, tape.states.back().x},
                             after.x, record.contacts);
  } else {
    record.report = tools.forward.solve(problem, after.x);
    leave_saddles(tools.forward, problem, after.x, record.report);
  }
  locate_residual(problem, after.x, record.contacts, record.report);
  after.v = (after.x - w.x_ref) / formula.h;
  tape.states.push_back(std::move(after));
  tape.records.push_back(std::move(record));
}

SolveReport difference_backward(const StepTools& tools, const Tape& tape, const StepRecord& record,
                                const DifferenceFormula& f, std::vector<Adjoint>& adjoints,
                                SystemCotangent& out) {
  const System& s = tools.system;
  auto& w = tools.workspace.slot<Scratch>(&s);
  const State& after = tape.states[static_cast<std::size_t>(record.after)];
  const Adjoint& next = adjoints[static_cast<std::size_t>(record.after)];
  for (Index j = 0; j < f.count; ++j)
    adjoints[static_cast<std::size_t>(f.state[static_cast<std::size_t>(j)])].ensure(s.num_dofs());

  const StepContext context = record.step_context();
  prepare(tools, context, tape, f, w);
  StepProblem problem = problem_of(tools, context, tape, f, w);
  // All of dL/dx+: directly and through v+ = (x+ - x_ref)/h.
  w.rhs = next.x + next.v / f.h;
  // The adjoint changes little from step to step: the later step's solution is the guess.
  if (tools.begins_backward || w.z.size() != s.num_dofs()) w.z.setZero(s.num_dofs());
  problem.regularize(tools.adjoint.regularization == "spd",
                     tools.adjoint.regularization == "shifted" ? tools.adjoint.shift : 0);
  SolveReport report = solve_adjoint(tools, record, problem, after, w, adjoints, out);
  problem.regularize(false, 0);
  if (s.has_moving_pins()) {  // dL/d(pinned x+) = b - (dR/d pinned)^T z
    w.none.assign(static_cast<std::size_t>(s.num_dofs()), 0);
    w.product.resize(s.num_dofs());
    problem.hessian(after.x, false).multiply(w.z, w.product, w.none);
    w.product = next.x + next.v / f.h - w.product + w.given;
    s.add_pin_vjp(context.time, w.product, out.theta);
  }
  for (Index j = 0; j < f.count; ++j) {
    const auto k = static_cast<std::size_t>(j);
    adjoints[static_cast<std::size_t>(f.state[k])].x -= f.weight[k] / f.h * next.v;
  }
  pull_inertia(s, f, after, w, adjoints, out);
  pull_components(tools, problem.context(), f, after, w, adjoints, out);
  if (has_damping(s)) pull_damping(tools, context, f, tape, after, w, adjoints, out);
  return report;
}

}  // namespace resilin
