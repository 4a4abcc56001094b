#include "plugins/contact_solvers/fixed_point_contact.hpp"

#include "core/base/interrupt.hpp"
#include "plugins/contact_solvers/contact_sweep.hpp"

#include <fmt/format.h>

#include <map>
#include <utility>

namespace resilin {
namespace {

constexpr Index kSweeps =
    50;  // of Gauss-Seidel in one iteration, which goes on from where the last one ended

}  // namespace

void FixedPointContact::Options::visit(ParamVisitor& v) {
  tolerance.visit(v);
  v.integer("max_iterations", max_iterations, {.doc = "iterations of a step", .min = 1, .max = 1e9});
  gmres.visit(v);
}

void require_surface_law(const System& system, const BuildContext& context) {
  std::map<std::pair<Index, Index>, Index> law_of;
  for (std::size_t m = 0; m < system.contacts().size(); ++m) {
    const ContactLaw& law = *system.contacts()[m];
    const Index number = system.contact_number(m);
    if (law.keeps_place())
      throw context.input_error(
          "", fmt::format("contacts[{}] keeps places off the surface: only active_set does that", number));
    for (const Index i : law.nodes())
      for (const Index k : law.colliders())
        if (const auto [it, is_new] = law_of.emplace(std::pair(i, k), number); !is_new)
          throw context.input_error(
              "",
              fmt::format("{} may touch collider {} by contacts[{}] and by contacts[{}]; one law for each "
                          "node and collider is needed",
                          system.describe_node(i, system.initial_state().x),
                          system.collider_names()[static_cast<std::size_t>(k)], it->second, number));
  }
}

void FixedPointContact::check(const System& system, const BuildContext& context) const {
  require_surface_law(system, context);
}

SolveReport FixedPointContact::solve(const ContactProblem& p, MutVec x,
                                     std::vector<NodeContact>& contacts) const {
  ContactEvaluator evaluator(p, options_.tolerance);
  ContactSweep sweep(p);
  ContactIterate now;
  evaluator.start(x, contacts, now);
  while (now.is_admissible && !evaluator.is_final(now) &&
         evaluator.report.iterations < options_.max_iterations) {
    if (interrupted()) throw Interrupted();
    ++evaluator.report.iterations;
    if (splits_)
      sweep.split(now);
    else
      sweep.gauss_seidel(now, kSweeps);
    sweep.move(now);
    evaluator.evaluate(now);
  }
  return evaluator.finish(now, x, contacts);
}

}  // namespace resilin
