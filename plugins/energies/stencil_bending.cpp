#include "plugins/energies/stencil_bending.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace resilin {

double StencilBending::value(const StepContext&, ConstVec x, Workspace&) const {
  double sum = 0;
  for (Index k = 0; k < size(); ++k) {
    const double stretch = hinge(k).sum(x.data()).norm() - target(k);
    sum += 0.5 * weight(k) * stretch * stretch;
  }
  return sum;
}

double StencilBending::add_gradient(const StepContext&, ConstVec x, MutVec g, Workspace&) const {
  double sum = 0;
  for (Index k = 0; k < size(); ++k) {
    const Hinge& h = hinge(k);
    const Vec3 s = h.sum(x.data());
    const double n = target(k), c = weight(k);
    double pull = c;
    if (n == 0) {
      sum += 0.5 * c * s.squaredNorm();
    } else {
      const double length = s.norm();
      pull *= 1 - n / length;
      sum += 0.5 * c * (length - n) * (length - n);
    }
    for (std::size_t i = 0; i < 4; ++i) g.segment<3>(3 * Index{h.node[i]}) += (pull * h.w[i]) * s;
  }
  return sum;
}

void StencilBending::add_hessian(const StepContext&, ConstVec x, BlockMatrix& out, bool project_psd,
                                 Workspace& ws) const {
  const Index* slot = slots(out, ws).data();
  for (Index k = 0; k < size(); ++k, slot += 16) {
    const Hinge& h = hinge(k);
    const double n = target(k), c = weight(k);
    Mat3 block = c * Mat3::Identity();
    if (n > 0) {
      const Vec3 s = h.sum(x.data());
      const double length = s.norm();
      // Across a sum that is too short the stiffness is negative.
      double across = 1 - n / length;
      if (project_psd) across = std::max(0.0, across);
      block = c * (across * Mat3::Identity() + (1 - across) / (length * length) * s * s.transpose());
    }
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t j = 0; j < 4; ++j)
        Eigen::Map<Mat3>(out.block(slot[4 * i + j])) += (h.w[i] * h.w[j]) * block;
  }
}

void QuadraticBending::add_param_vjp(const StepContext&, ConstVec x, ConstVec z, MutVec out,
                                     Workspace&) const {
  for (Index k = 0; k < size(); ++k)
    add_stiffness_vjp(k, hinge(k).sum(x.data()).dot(hinge(k).sum(z.data())), out);
}

void CurvatureBending::Options::visit(ParamVisitor& v) {
  BendingOptions::visit(v);
  v.field("rest_curvature", rest_curvature,
          {.doc = "factor on the curvature of the rest shape, one for all or one per edge that bends (in the "
                  "order of its vertices); 0: flat",
           .min = 0,
           .max = 1e6,
           .differentiable = true});
  v.real(
      "flat_below", flat_below,
      {.doc = "edges at which the rest shape is bent by less count as flat: their cotangent sum per length",
       .min = 0,
       .max = 1});
}

CurvatureBending::CurvatureBending(const Options& options, const BuildContext& context)
    : StencilBending(options, context), options_(options) {
  check_per_hinge(options.rest_curvature, "rest_curvature", context);
  for (Index k = 0; k < size(); ++k) {
    const Hinge& h = hinge(k);
    Vec3 s = Vec3::Zero();
    for (std::size_t i = 0; i < 4; ++i) s += h.w[i] * h.rest[i];
    norm_.push_back(s.norm() > options.flat_below * h.length ? s.norm() : 0.0);
  }
}

void CurvatureBending::add_param_vjp(const StepContext&, ConstVec x, ConstVec z, MutVec out,
                                     Workspace&) const {
  const Field& factor = options_.rest_curvature;
  auto factors = out.tail(factor.size());
  for (Index k = 0; k < size(); ++k) {
    const Vec3 s = hinge(k).sum(x.data()), zs = hinge(k).sum(z.data());
    const double n = target(k), length = s.norm(), unit = norm_[static_cast<std::size_t>(k)];
    add_stiffness_vjp(k, n == 0 ? s.dot(zs) : (1 - n / length) * s.dot(zs), out);
    if (unit > 0) factors[factor.index(k, 0)] -= weight(k) * unit * s.dot(zs) / length;
  }
}

std::string CurvatureBending::diagnose(const StepContext&, ConstVec x) const {
  for (Index k = 0; k < size(); ++k)
    if (target(k) > 0 && hinge(k).sum(x.data()).norm() == 0)
      return fmt::format("the edge between nodes {} and {} has become flat: its bending has no direction",
                         hinge(k).node[0], hinge(k).node[1]);
  return {};
}

}  // namespace resilin
