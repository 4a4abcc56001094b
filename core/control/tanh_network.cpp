#include "core/control/tanh_network.hpp"

#include <cmath>
#include <utility>

namespace resilin {
namespace {

using RowMajorMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Uniform in [-1, 1) by SplitMix64 [Steele 2014]: the same on every machine.
double next_symmetric(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9E3779B97F4A7C15ULL);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1.0p-52 - 1;
}

}  // namespace

TanhNetwork::TanhNetwork(std::vector<Index> widths, bool bounded)
    : widths_(std::move(widths)), bounded_(bounded) {}

Index TanhNetwork::num_weights() const {
  Index count = 0;
  for (std::size_t l = 1; l < widths_.size(); ++l) count += widths_[l] * (widths_[l - 1] + 1);
  return count;
}

VecX TanhNetwork::draw_weights(std::uint64_t seed, double last_gain) const {
  VecX w = VecX::Zero(num_weights());
  Index at = 0;
  for (std::size_t l = 1; l < widths_.size(); ++l) {
    const Index count = widths_[l] * widths_[l - 1];
    double size = std::sqrt(6 / static_cast<double>(widths_[l] + widths_[l - 1]));
    if (l + 1 == widths_.size()) size *= last_gain;
    for (double& value : w.segment(at, count)) value = size * next_symmetric(seed);
    at += count + widths_[l];
  }
  return w;
}

std::vector<VecX> TanhNetwork::layers(const VecX& weights, ConstVec s) const {
  std::vector<VecX> h(widths_.size() - 1);
  const double* at = weights.data();
  for (std::size_t l = 0; l < h.size(); ++l) {
    const Index in = widths_[l], out = widths_[l + 1];
    h[l] = Eigen::Map<const VecX>(at + out * in, out);
    const Eigen::Map<const RowMajorMatrix> w(at, out, in);
    if (l == 0)
      h[l] += w * s;
    else
      h[l] += w * h[l - 1];
    if (l + 1 < h.size() || bounded_)
      for (double& value : h[l]) value = std::tanh(value);
    at += out * (in + 1);
  }
  return h;
}

void TanhNetwork::add_vjp(const VecX& weights, const std::vector<VecX>& h, ConstVec s, ConstVec z, MutVec ds,
                          MutVec dweights) const {
  VecX back = z;
  Index end = dweights.size();
  for (std::size_t l = h.size(); l-- > 0;) {
    const Index in = widths_[l], out = widths_[l + 1];
    if (l + 1 < h.size() || bounded_) back.array() *= 1 - h[l].array().square();
    const Index at = end - out * (in + 1);
    const Eigen::Map<const RowMajorMatrix> w(weights.data() + at, out, in);
    Eigen::Map<RowMajorMatrix> dw(dweights.data() + at, out, in);
    if (l == 0)
      dw += back * s.transpose();
    else
      dw += back * h[l - 1].transpose();
    dweights.segment(end - out, out) += back;
    back = w.transpose() * back;
    end = at;
  }
  ds += back;
}

}  // namespace resilin
