// R(u) = w/2 (1/n) sum_i (u_i - u_ref)^2, u in the scale of the variable (its logarithm with scale: log).
#pragma once

#include "core/optim/regularizer.hpp"

namespace resilin {

class Tikhonov final : public Regularizer {
 public:
  struct Options {
    double weight = 1;
    VecX reference;
    void visit(ParamVisitor& v);
  };
  Tikhonov(const Options& options, const BuildContext&) : options_(options) {}

  void attach(const RegularizedVariable& variable) override;
  double value(ConstVec u) const override;
  void add_gradient(ConstVec u, MutVec gradient) const override;

 private:
  Options options_;
  VecX reference_;  ///< in the scale of u
};

}  // namespace resilin
