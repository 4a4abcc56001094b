// A multilayer perceptron: h_0 = s, h_l = tanh(W_l h_l-1 + b_l) in the hidden layers, z = W_L h_L-1 + b_L,
//     y = (upper + lower)/2 + (upper - lower)/2 r,   r = tanh z with `bounded`, else z.
// `weights` are those of one layer after the other: W_l row by row (a row for each unit), then b_l; together
// sum_l n_l (n_l-1 + 1) numbers, n_0 the inputs, n_L the outputs. Left out, they are drawn from the seed
// (TanhNetwork).
#pragma once

#include "core/control/controller.hpp"
#include "core/control/tanh_network.hpp"

#include <vector>

namespace resilin {

class Mlp final : public Controller {
 public:
  struct Options {
    std::vector<Index> hidden{64, 64};
    bool bounded = true;
    double lower = -1, upper = 1;
    Index seed = 0;
    double last_gain = 1;
    Field weights;
    Index inputs = 0;
    void visit(ParamVisitor& v);
  };
  Mlp(const Options& options, const BuildContext& context);

  void visit_parameters(ParamVisitor& v) override { options_.visit(v); }
  void attach(Index inputs, Index outputs) override;
  void evaluate(ConstVec s, MutVec y) const override;
  Index num_parameters() const override { return options_.weights.size(); }
  void add_vjp(ConstVec s, ConstVec z, MutVec ds, MutVec dtheta) const override;

 private:
  Options options_;
  TanhNetwork network_;
};

}  // namespace resilin
