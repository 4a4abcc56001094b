#include "plugins/controllers/mlp.hpp"

#include "plugins/controllers/weights.hpp"

#include <cstdint>

namespace resilin {

void Mlp::Options::visit(ParamVisitor& v) {
  v.integers("hidden", hidden, {.doc = "units of each hidden layer", .min = 1, .max = 1e6});
  v.flag("bounded", bounded, {.doc = "tanh at the outputs as well, so that lower and upper are bounds"});
  v.real("lower", lower, {.doc = "output where the last layer, with tanh if bounded, gives -1"});
  v.real("upper", upper, {.doc = "output where it gives 1"});
  v.integer("seed", seed, {.doc = "seed of the weights where none are given", .min = 0, .max = 1e15});
  v.real(
      "last_gain", last_gain,
      {.doc = "factor on the last layer's drawn weights: with a small one it begins near the middle of its "
              "range",
       .min = 0,
       .max = 1e6});
  v.field(
      "weights", weights,
      {.doc = "of one layer after the other: the matrix row by row (a row for each unit), then the biases; "
              "left out: drawn from the seed",
       .differentiable = true});
  visit_inputs(v, inputs);
}

Mlp::Mlp(const Options& options, const BuildContext& context) : options_(options) {
  if (!(options.lower < options.upper)) throw context.input_error("upper", "upper must be above lower");
}

void Mlp::attach(Index inputs, Index outputs) {
  require_inputs(options_.inputs, inputs);
  options_.inputs = inputs;
  std::vector<Index> widths{inputs};
  widths.insert(widths.end(), options_.hidden.begin(), options_.hidden.end());
  widths.push_back(outputs);
  network_ = TanhNetwork(widths, options_.bounded);
  Field& w = options_.weights;
  require_weights(w, network_.num_weights(), fmt::format("layers of {} units", fmt::join(widths, ", ")));
  w.items = network_.num_weights();
  if (w.size() == 0)
    w.values = network_.draw_weights(static_cast<std::uint64_t>(options_.seed), options_.last_gain);
}

void Mlp::evaluate(ConstVec s, MutVec y) const {
  y = 0.5 * (options_.upper - options_.lower) * network_.layers(options_.weights.values, s).back();
  y.array() += 0.5 * (options_.upper + options_.lower);
}

void Mlp::add_vjp(ConstVec s, ConstVec z, MutVec ds, MutVec dtheta) const {
  const VecX& w = options_.weights.values;
  network_.add_vjp(w, network_.layers(w, s), s, 0.5 * (options_.upper - options_.lower) * z, ds, dtheta);
}

}  // namespace resilin
