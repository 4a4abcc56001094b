#include "contacts/self_contact/closest_pair.hpp"

#include <Eigen/Cholesky>
#include <fmt/format.h>

#include <limits>

namespace resilin {
namespace {

using Corners = Eigen::Matrix<double, 3, 4>;
using Weights = Eigen::Vector4d;
/// d w/d beta, one column a free weight.
using Directions = Eigen::Matrix<double, 4, Eigen::Dynamic, Eigen::ColMajor, 4, 2>;
using Free = Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, 2, 1>;
using Square = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, 2, 2>;
using Tangents = Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::ColMajor, 3, 2>;

/// Weights are fixed + directions * beta.
struct Frame {
  Weights fixed = Weights::Zero();
  Directions directions{4, 0};
};

Frame frame_of(FeaturePair form) {
  Frame f;
  switch (form) {
    case FeaturePair::VertexVertex:
      f.fixed << 1, -1, 0, 0;
      break;
    case FeaturePair::VertexEdge:
      f.fixed << 1, -1, 0, 0;
      f.directions.resize(4, 1);
      f.directions << 0, 1, -1, 0;
      break;
    case FeaturePair::VertexFace:
      f.fixed << 1, -1, 0, 0;
      f.directions.resize(4, 2);
      f.directions << 0, 0, 1, 1, -1, 0, 0, -1;
      break;
    case FeaturePair::EdgeEdge:
      f.fixed << 1, 0, -1, 0;
      f.directions.resize(4, 2);
      f.directions << -1, 0, 1, 0, 0, 1, 0, -1;
      break;
  }
  return f;
}

Corners corners_of(const std::array<Index, 4>& nodes, const VecX& x) {
  Corners c = Corners::Zero();
  for (std::size_t k = 0; k < 4 && nodes[k] >= 0; ++k)
    c.col(static_cast<Index>(k)) = x.segment<3>(3 * nodes[k]);
  return c;
}

}  // namespace

ContactPair closest_pair(FeaturePair form, const std::array<Index, 4>& nodes, const VecX& x,
                         double distance) {
  const Frame frame = frame_of(form);
  const Corners c = corners_of(nodes, x);
  const Vec3 fixed = c * frame.fixed;
  Weights w = frame.fixed;
  if (frame.directions.cols() > 0) {
    const Tangents g = c * frame.directions;
    const Free beta = Square(g.transpose() * g).ldlt().solve(Free(-g.transpose() * fixed));
    w += frame.directions * beta;
  }
  const Vec3 y = c * w;
  const double d = y.norm(), rounding = 64 * std::numeric_limits<double>::epsilon() * c.cwiseAbs().maxCoeff();
  if (!(d > rounding))
    throw Error(
        Errc::Numerics,
        fmt::format("nodes {}, {} and what they belong to lie on each other: contact has no direction",
                    nodes[0], nodes[form == FeaturePair::EdgeEdge ? 2 : 1]));
  ContactPair pair;
  pair.nodes = nodes;
  for (std::size_t k = 0; k < 4; ++k) pair.weights[k] = w[static_cast<Index>(k)];
  pair.form = static_cast<int>(form);
  pair.normal = y / d;
  pair.gap = d - distance;
  return pair;
}

void add_closest_pair_vjp(const ContactPair& pair, const ContactPairCotangent& z, const VecX& x, MutVec dx) {
  const Frame frame = frame_of(static_cast<FeaturePair>(pair.form));
  const Corners c = corners_of(pair.nodes, x);
  const Weights w = Weights::Map(pair.weights.data()), dw = Weights::Map(z.weights.data());
  const Vec3 y = c * w, &n = pair.normal;
  // Of y: through its length and its direction.
  Vec3 dy = z.gap * n + (z.normal - n * n.dot(z.normal)) / y.norm();
  Corners dc = Corners::Zero();
  if (frame.directions.cols() > 0) {
    const Tangents g = c * frame.directions;
    const Free dbeta = frame.directions.transpose() * dw + g.transpose() * dy;
    const Free lambda = Square(g.transpose() * g).ldlt().solve(dbeta);
    dy -= g * lambda;
    dc -= y * (frame.directions * lambda).transpose();
  }
  dc += dy * w.transpose();
  for (std::size_t k = 0; k < 4 && pair.nodes[k] >= 0; ++k)
    dx.segment<3>(3 * pair.nodes[k]) += dc.col(static_cast<Index>(k));
}

}  // namespace resilin
