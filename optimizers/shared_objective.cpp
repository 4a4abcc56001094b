#include "optimizers/shared_objective.hpp"

#include <cmath>

namespace resilin {

template <class Ask>
double SharedObjective::count(ConstVec u, const Ask& ask) {
  double loss = 0;
  bool finite = false;
  try {
    finite = ask(loss);
  } catch (const BudgetSpent& e) {
    spent_ = e.what();
    throw;
  } catch (const Error& e) {
    if (e.code() != Errc::Numerics) throw;
    ++evaluations_, ++failed_;
    throw;
  }
  ++evaluations_;
  if (!finite)
    ++failed_;
  else if (!has_best() || loss < best_loss_)
    best_ = u, best_loss_ = loss;
  return loss;
}

double SharedObjective::evaluate(ConstVec u, MutVec gradient) {
  return count(u, [&](double& loss) {
    loss = f_.evaluate(u, gradient);
    return std::isfinite(loss) && gradient.allFinite();
  });
}

double SharedObjective::value(ConstVec u) {
  return count(u, [&](double& loss) { return std::isfinite(loss = f_.value(u)); });
}

OptimizerReport SharedObjective::finish(MutVec u) const {
  if (!has_best()) throw Error(Errc::Internal, "the optimizer made no evaluation");
  u = best_;
  OptimizerReport report;
  report.evaluations = evaluations_;
  report.failed_evaluations = failed_;
  report.loss = best_loss_;
  return report;
}

std::unique_ptr<Optimizer> make_inner(const ComponentSpec& spec, const BuildContext& context) {
  BuildContext child = context;
  child.path = spec.path;
  child.place = spec.place;
  return context.registry->make<Optimizer>(spec, child);
}

}  // namespace resilin
