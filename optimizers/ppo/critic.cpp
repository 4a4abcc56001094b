#include "optimizers/ppo/critic.hpp"

#include <cmath>

namespace resilin {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

}  // namespace

Critic::Critic(Index inputs, const std::vector<Index>& hidden, Random& random)
    : widths_{inputs},
      mean_(VecX::Zero(inputs)),
      square_(VecX::Zero(inputs)),
      deviation_(VecX::Ones(inputs)) {
  widths_.insert(widths_.end(), hidden.begin(), hidden.end());
  widths_.push_back(1);
  Index count = 0;
  for (std::size_t l = 1; l < widths_.size(); ++l) count += widths_[l] * (widths_[l - 1] + 1);
  weights_ = VecX::Zero(count);
  Index at = 0;
  for (std::size_t l = 1; l < widths_.size(); ++l) {
    const Index matrix = widths_[l] * widths_[l - 1];
    double size = std::sqrt(6 / static_cast<double>(widths_[l] + widths_[l - 1]));
    if (l + 1 == widths_.size()) size *= 0.01;
    for (double& w : weights_.segment(at, matrix)) w = size * (2 * random.uniform() - 1);
    at += matrix + widths_[l];
  }
}

void Critic::see(const MatX& inputs) {
  const auto added = static_cast<double>(inputs.cols()), all = count_ + added;
  const VecX mean = inputs.rowwise().mean(), distance = mean - mean_;
  // Sums about the common mean from those about two [Chan, Golub, LeVeque 1979].
  square_ += (inputs.colwise() - mean).rowwise().squaredNorm() + count_ * added / all * distance.cwiseAbs2();
  mean_ += added / all * distance;
  count_ = all;
  deviation_ = (square_ / all).cwiseSqrt();
  // A constant whose sums round has no scale of its own.
  for (Index i = 0; i < mean_.size(); ++i)
    if (deviation_[i] <= 1e-9 * std::abs(mean_[i])) deviation_[i] = 1;
}

void Critic::rescale(const VecX& targets) {
  const double center = targets.mean();
  const double spread = std::sqrt((targets.array() - center).square().mean());
  const double scale =
      spread > 1e-9 * std::abs(center) ? spread : scale_;  // else all are equal but for rounding
  const Index last = widths_[widths_.size() - 2] + 1;
  weights_.tail(last) *= scale_ / scale;
  weights_[weights_.size() - 1] += (center_ - center) / scale;
  center_ = center;
  scale_ = scale;
}

std::vector<MatX> Critic::layers(const MatX& inputs) const {
  std::vector<MatX> h = {deviation_.cwiseInverse().asDiagonal() * (inputs.colwise() - mean_)};
  const double* at = weights_.data();
  for (std::size_t l = 1; l < widths_.size(); ++l) {
    const Index in = widths_[l - 1], out = widths_[l];
    MatX next = Eigen::Map<const RowMajor>(at, out, in) * h.back();
    next.colwise() += Eigen::Map<const VecX>(at + out * in, out);
    if (l + 1 < widths_.size())
      for (double& value : next.reshaped()) value = std::tanh(value);
    h.push_back(std::move(next));
    at += out * (in + 1);
  }
  return h;
}

VecX Critic::values(const MatX& inputs) const {
  return (scale_ * layers(inputs).back().row(0).transpose()).array() + center_;
}

double Critic::error(const MatX& inputs, const VecX& targets, VecX& gradient) const {
  const std::vector<MatX> h = layers(inputs);
  const double share = 1 / static_cast<double>(inputs.cols());
  const VecX miss = h.back().row(0).transpose() - ((targets.array() - center_) / scale_).matrix();
  MatX back = share * miss.transpose();
  gradient.resize(weights_.size());
  Index end = weights_.size();
  for (std::size_t l = widths_.size() - 1; l > 0; --l) {
    const Index in = widths_[l - 1], out = widths_[l], at = end - out * (in + 1);
    Eigen::Map<RowMajor>(gradient.data() + at, out, in) = back * h[l - 1].transpose();
    gradient.segment(end - out, out) = back.rowwise().sum();
    if (l > 1) {
      back = Eigen::Map<const RowMajor>(weights_.data() + at, out, in).transpose() * back;
      back.array() *= 1 - h[l - 1].array().square();
    }
    end = at;
  }
  return 0.5 * share * miss.squaredNorm();
}

}  // namespace resilin
