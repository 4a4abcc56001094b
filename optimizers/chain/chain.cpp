#include "optimizers/chain/chain.hpp"

#include "core/base/log.hpp"
#include "optimizers/shared_objective.hpp"

namespace resilin {

void Chain::Options::visit(ParamVisitor& v) {
  v.components(
      "optimizers", "optimizer", optimizers,
      {.doc = "optimizers in their order, each begins at the best point of those before", .required = true});
}

Chain::Chain(const Options& options, const BuildContext& context) {
  if (options.optimizers.empty())
    throw context.input_error("optimizers",
                              "a chain needs members: optimizers: [{type: cma_es}, {type: lbfgsb}]");
  for (const ComponentSpec& spec : options.optimizers)
    members_.push_back({spec.type, make_inner(spec, context)});
}

OptimizerReport Chain::minimize(Objective& f, ConstVec lower, ConstVec upper, MutVec u) const {
  SharedObjective shared(f);
  bool converged = false;
  Index iterations = 0;
  std::string notes;
  const auto note = [&](const Member& member, const std::string& text) {
    notes += (notes.empty() ? "" : "; then ") + member.type + ": " + text;
    log_debug(notes);
  };
  for (const Member& member : members_) {
    VecX at = shared.has_best() ? shared.best() : VecX(u);
    converged = false;
    try {
      const OptimizerReport r = member.optimizer->minimize(shared, lower, upper, at);
      converged = r.converged;
      iterations += r.iterations;
      note(member, r.note);
    } catch (const BudgetSpent& e) {
      if (!shared.has_best()) throw;
      note(member, e.what());
    } catch (const Error& e) {
      if (e.code() != Errc::Numerics || !shared.has_best()) throw;
      note(member, std::string("cannot begin there: ") + e.what());
      break;
    }
    if (shared.budget_is_spent()) break;
  }
  OptimizerReport report = shared.finish(u);
  report.converged = converged;
  report.iterations = iterations;
  report.note = notes;
  return report;
}

}  // namespace resilin
