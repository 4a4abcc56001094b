#include "plugins/energies/hinge_bending.hpp"

#include "core/energy/jet.hpp"

#include <Eigen/Eigenvalues>
#include <fmt/format.h>

#include <cmath>

namespace resilin {
namespace {

using Vec12 = Eigen::Matrix<double, 12, 1>;
using Mat12 = Eigen::Matrix<double, 12, 12>;
using Mat9 = Eigen::Matrix<double, 9, 9>;

template <class T>
struct V3 {
  T x, y, z;
};
template <class T>
V3<T> cross(const V3<T>& a, const V3<T>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <class T>
T dot(const V3<T>& a, const V3<T>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class T>
V3<T> blend(const T& s, const V3<T>& a, const T& t, const V3<T>& b) {
  return {s * a.x + t * b.x, s * a.y + t * b.y, s * a.z + t * b.z};
}

/// A hinge from its first node: edge e, and a and b to the opposite nodes.
template <class T>
struct Wings {
  V3<T> e, a, b;
};

/// d theta/d(e, a, b) [Bridson 2003]: the opposite nodes turn about the edge by -l n/|n|^2, n = e x a and b x
/// e, and the edge's nodes take the opposite by the lever.
template <class T>
Wings<T> angle_gradient(const Wings<T>& w) {
  using std::sqrt;
  const V3<T> na = cross(w.e, w.a), nb = cross(w.b, w.e);
  const T l2 = dot(w.e, w.e), l = sqrt(l2);
  const T ga = -(l / dot(na, na)), gb = -(l / dot(nb, nb)), zero(0.0);
  const T at_a = -(dot(w.a, w.e) / l2) * ga, at_b = -(dot(w.b, w.e) / l2) * gb;
  return {blend(at_a, na, at_b, nb), blend(ga, na, zero, na), blend(gb, nb, zero, nb)};
}

V3<double> between(const double* x, int from, int to) {
  const double *p = x + 3 * Index{from}, *q = x + 3 * Index{to};
  return {q[0] - p[0], q[1] - p[1], q[2] - p[2]};
}
Wings<double> wings(const Hinge& h, const double* x) {
  return {between(x, h.node[0], h.node[1]), between(x, h.node[0], h.node[2]),
          between(x, h.node[0], h.node[3])};
}

double angle(const Wings<double>& w) {
  const V3<double> na = cross(w.e, w.a), nb = cross(w.b, w.e);
  return std::atan2(dot(w.e, cross(na, nb)) / std::sqrt(dot(w.e, w.e)), dot(na, nb));
}

/// By node: the first one takes the opposite of the others.
Vec12 at_nodes(const Wings<double>& g) {
  Vec12 r;
  r << Vec3::Zero(), g.e.x, g.e.y, g.e.z, g.a.x, g.a.y, g.a.z, g.b.x, g.b.y, g.b.z;
  r.head<3>() = -r.segment<3>(3) - r.segment<3>(6) - r.tail<3>();
  return r;
}

/// d2 theta/dx2.
Mat12 angle_hessian(const Wings<double>& w) {
  using T = Jet<double, 9>;
  const auto lift = [](const V3<double>& v, int first) {
    return V3<T>{T::variable(v.x, first), T::variable(v.y, first + 1), T::variable(v.z, first + 2)};
  };
  const Wings<T> g = angle_gradient(Wings<T>{lift(w.e, 0), lift(w.a, 3), lift(w.b, 6)});
  const T* rows[9] = {&g.e.x, &g.e.y, &g.e.z, &g.a.x, &g.a.y, &g.a.z, &g.b.x, &g.b.y, &g.b.z};
  Mat12 h;
  for (Index i = 0; i < 9; ++i)
    for (Index j = 0; j < 9; ++j) h(3 + i, 3 + j) = rows[i]->d[static_cast<std::size_t>(j)];
  h.block<3, 9>(0, 3) = -h.block<3, 9>(3, 3) - h.block<3, 9>(6, 3) - h.block<3, 9>(9, 3);
  h.leftCols<3>() = -h.block<12, 3>(0, 3) - h.block<12, 3>(0, 6) - h.block<12, 3>(0, 9);
  return h;
}

/// The nearest positive semidefinite matrix of one that translations do not see: in an orthonormal basis of
/// what is left, a third of the work.
Mat12 project_to_psd(const Mat12& h) {
  static const Eigen::Matrix<double, 12, 9> basis = [] {
    Eigen::Matrix<double, 4, 3> q;  // differences of a node and the mean of those before it
    q << 1, 1, 1, -1, 1, 1, 0, -2, 1, 0, 0, -3;
    q.colwise().normalize();
    Eigen::Matrix<double, 12, 9> b = Eigen::Matrix<double, 12, 9>::Zero();
    for (Index i = 0; i < 4; ++i)
      for (Index j = 0; j < 3; ++j) b.block<3, 3>(3 * i, 3 * j) = q(i, j) * Mat3::Identity();
    return b;
  }();
  const Mat9 a = basis.transpose() * h * basis;
  const Eigen::SelfAdjointEigenSolver<Mat9> eigen(a);
  if (eigen.eigenvalues()[0] >= 0) return h;
  const Mat9 p =
      eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0).asDiagonal() * eigen.eigenvectors().transpose();
  return basis * p * basis.transpose();
}

}  // namespace

void HingeBending::Options::visit(ParamVisitor& v) {
  BendingOptions::visit(v);
  v.field(
      "rest_angle", rest_angle,
      {.doc = "factor on the angles of the rest shape, one for all or one per edge that bends (in the order "
              "of its vertices); 0: flat",
       .min = -1e6,
       .max = 1e6,
       .differentiable = true});
}

HingeBending::HingeBending(const Options& options, const BuildContext& context)
    : BendingEnergy(options, context), options_(options) {
  check_per_hinge(options.rest_angle, "rest_angle", context);
  for (Index k = 0; k < size(); ++k) {
    const auto v = [&](std::size_t i) {
      const Vec3 d = hinge(k).rest[i] - hinge(k).rest[0];
      return V3<double>{d.x(), d.y(), d.z()};
    };
    angle_.push_back(angle({v(1), v(2), v(3)}));
  }
}

double HingeBending::value(const StepContext&, ConstVec x, Workspace&) const {
  double sum = 0;
  for (Index k = 0; k < size(); ++k) {
    const double excess = angle(wings(hinge(k), x.data())) - target(k);
    sum += 0.5 * angular_stiffness(k) * excess * excess;
  }
  return sum;
}

double HingeBending::add_gradient(const StepContext&, ConstVec x, MutVec g, Workspace&) const {
  double sum = 0;
  for (Index k = 0; k < size(); ++k) {
    const Wings<double> w = wings(hinge(k), x.data());
    const double c = angular_stiffness(k), excess = angle(w) - target(k);
    sum += 0.5 * c * excess * excess;
    const Vec12 slope = (c * excess) * at_nodes(angle_gradient(w));
    for (std::size_t i = 0; i < 4; ++i)
      g.segment<3>(3 * Index{hinge(k).node[i]}) += slope.segment<3>(3 * static_cast<Index>(i));
  }
  return sum;
}

void HingeBending::add_hessian(const StepContext&, ConstVec x, BlockMatrix& out, bool project_psd,
                               Workspace& ws) const {
  const Index* slot = slots(out, ws).data();
  for (Index k = 0; k < size(); ++k, slot += 16) {
    const Wings<double> w = wings(hinge(k), x.data());
    const double c = angular_stiffness(k), excess = angle(w) - target(k);
    const Vec12 g = at_nodes(angle_gradient(w));
    Mat12 h = c * (g * g.transpose() + excess * angle_hessian(w));
    if (project_psd) h = project_to_psd(h);
    for (Index i = 0; i < 4; ++i)
      for (Index j = 0; j < 4; ++j)
        Eigen::Map<Mat3>(out.block(slot[4 * i + j])) += h.block<3, 3>(3 * i, 3 * j);
  }
}

void HingeBending::add_param_vjp(const StepContext&, ConstVec x, ConstVec z, MutVec out, Workspace&) const {
  const Field& factor = options_.rest_angle;
  auto factors = out.tail(factor.size());
  for (Index k = 0; k < size(); ++k) {
    const Hinge& h = hinge(k);
    const Wings<double> w = wings(h, x.data());
    const Vec12 g = at_nodes(angle_gradient(w));
    double along = 0;
    for (std::size_t i = 0; i < 4; ++i)
      along += g.segment<3>(3 * static_cast<Index>(i)).dot(z.segment<3>(3 * Index{h.node[i]}));
    add_stiffness_vjp(k, h.length * h.length * (angle(w) - target(k)) * along, out);
    factors[factor.index(k, 0)] -= angular_stiffness(k) * angle_[static_cast<std::size_t>(k)] * along;
  }
}

std::string HingeBending::diagnose(const StepContext&, ConstVec x) const {
  for (Index k = 0; k < size(); ++k)
    for (const std::size_t side : {2, 3}) {
      const V3<double> e = between(x.data(), hinge(k).node[0], hinge(k).node[1]),
                       a = between(x.data(), hinge(k).node[0], hinge(k).node[side]), n = cross(e, a);
      if (dot(n, n) == 0)
        return fmt::format("the triangle of nodes {}, {} and {} has lost its area: it has no angle",
                           hinge(k).node[0], hinge(k).node[1], hinge(k).node[side]);
    }
  return {};
}

}  // namespace resilin
