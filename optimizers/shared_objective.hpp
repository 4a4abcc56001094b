// What optimizers that are made of others share.
#pragma once

#include "core/optim/optimizer.hpp"

#include <memory>
#include <string>

namespace resilin {

/// Passes everything on and keeps count of it, over all optimizers that ask. A loss or gradient that is not a
/// number counts as a failed evaluation, as everywhere.
class SharedObjective final : public Objective {
 public:
  explicit SharedObjective(Objective& f) : f_(f) {}
  Index size() const override { return f_.size(); }
  double evaluate(ConstVec u, MutVec gradient) override;
  double value(ConstVec u) override;
  double noise() const override { return f_.noise(); }
  EpisodicObjective* episodes() override { return f_.episodes(); }  // they are no evaluations

  Index evaluations() const { return evaluations_; }
  bool has_best() const { return best_.size() > 0; }
  const VecX& best() const { return best_; }  ///< the first of the best points
  double best_loss() const { return best_loss_; }
  bool budget_is_spent() const { return !spent_.empty(); }
  const std::string& spent_text() const { return spent_; }  ///< what BudgetSpent said

  /// Counts, best loss and point (to u) of all evaluations.
  OptimizerReport finish(MutVec u) const;

 private:
  template <class Ask>
  double count(ConstVec u, const Ask& ask);

  Objective& f_;
  Index evaluations_ = 0, failed_ = 0;
  VecX best_;
  double best_loss_ = 0;
  std::string spent_;
};

/// The optimizer that a spec asks for, as a part of the one that `context` describes.
std::unique_ptr<Optimizer> make_inner(const ComponentSpec& spec, const BuildContext& context);

}  // namespace resilin
