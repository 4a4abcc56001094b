#include "plugins/controllers/mlp.hpp"

#include "plugins/controllers/weights.hpp"

#include <cmath>
#include <cstdint>

namespace resilin {
namespace {

/// Uniform in [-1, 1) by SplitMix64 [Steele 2014]: the same on every machine.
double next_symmetric(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9E3779B97F4A7C15ULL);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1.0p-52 - 1;
}

}  // namespace

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
  widths_.assign(1, inputs);
  widths_.insert(widths_.end(), options_.hidden.begin(), options_.hidden.end());
  widths_.push_back(outputs);
  Index count = 0;
  for (std::size_t l = 1; l < widths_.size(); ++l) count += widths_[l] * (widths_[l - 1] + 1);
  Field& w = options_.weights;
  require_weights(w, count, fmt::format("layers of {} units", fmt::join(widths_, ", ")));
  w.items = count;
  if (w.size() == 0) draw_weights();
}

void Mlp::draw_weights() {
  VecX& w = options_.weights.values;
  w = VecX::Zero(options_.weights.items);
  auto state = static_cast<std::uint64_t>(options_.seed);
  Index at = 0;
  for (std::size_t l = 1; l < widths_.size(); ++l) {
    const Index count = widths_[l] * widths_[l - 1];
    double size = std::sqrt(6 / static_cast<double>(widths_[l] + widths_[l - 1]));
    if (l + 1 == widths_.size()) size *= options_.last_gain;
    for (double& value : w.segment(at, count)) value = size * next_symmetric(state);
    at += count + widths_[l];
  }
}

std::vector<VecX> Mlp::layers(ConstVec s) const {
  std::vector<VecX> h(widths_.size() - 1);
  const double* at = options_.weights.values.data();
  for (std::size_t l = 0; l < h.size(); ++l) {
    const Index in = widths_[l], out = widths_[l + 1];
    h[l] = Eigen::Map<const VecX>(at + out * in, out);
    const Eigen::Map<const RowMajor> w(at, out, in);
    if (l == 0)
      h[l] += w * s;
    else
      h[l] += w * h[l - 1];
    if (l + 1 < h.size() || options_.bounded)
      for (double& value : h[l]) value = std::tanh(value);
    at += out * (in + 1);
  }
  return h;
}

void Mlp::evaluate(ConstVec s, MutVec y) const {
  y = 0.5 * (options_.upper - options_.lower) * layers(s).back();
  y.array() += 0.5 * (options_.upper + options_.lower);
}

void Mlp::add_vjp(ConstVec s, ConstVec z, MutVec ds, MutVec dtheta) const {
  const std::vector<VecX> h = layers(s);
  VecX back = 0.5 * (options_.upper - options_.lower) * z;
  Index end = dtheta.size();
  for (std::size_t l = h.size(); l-- > 0;) {
    const Index in = widths_[l], out = widths_[l + 1];
    if (l + 1 < h.size() || options_.bounded) back.array() *= 1 - h[l].array().square();
    const Index at = end - out * (in + 1);
    const Eigen::Map<const RowMajor> w(options_.weights.values.data() + at, out, in);
    Eigen::Map<RowMajor> dw(dtheta.data() + at, out, in);
    if (l == 0)
      dw += back * s.transpose();
    else
      dw += back * h[l - 1].transpose();
    dtheta.segment(end - out, out) += back;
    back = w.transpose() * back;
    end = at;
  }
  ds += back;
}

}  // namespace resilin
