// The nodal contact law of METHODS 5 in the contact frame (n, t1, t2), as a map of a trial impulse.
#pragma once

#include "core/base/types.hpp"

#include <cmath>

namespace resilin::test {

enum class ContactMode { Open, Stick, Slip };

/// r = respond(tau): what contact may give of the trial impulse tau [N s], with dr/dtau and dr/dmu.
struct Response {
  Vec3 r = Vec3::Zero();
  ContactMode mode = ContactMode::Open;
  Mat3 d_tau = Mat3::Zero();
  Vec3 d_mu = Vec3::Zero();
};

/// r_n = max(0, tau_n), r_t = tau_t clipped to length mu r_n; mu = infinity is sticking. Impulse r and
/// relative velocity u satisfy Signorini-Coulomb exactly if r = respond(r - rho (u + gap/h n)) for any rho >
/// 0.
inline Response respond(const Vec3& tau, double mu) {
  Response out;
  if (tau[0] <= 0) return out;
  const Eigen::Vector2d tangential = tau.tail<2>();
  const double length = tangential.norm();
  // Written so that mu = infinity sticks whatever tau_n is, without an infinite product.
  if (std::isinf(mu) || length <= mu * tau[0]) {
    out = {tau, ContactMode::Stick, Mat3::Identity(), Vec3::Zero()};
    return out;
  }
  const Eigen::Vector2d e = tangential / length;
  out.mode = ContactMode::Slip;
  out.r << tau[0], mu * tau[0] * e;
  out.d_tau(0, 0) = 1;
  out.d_tau.bottomLeftCorner<2, 1>() = mu * e;
  out.d_tau.bottomRightCorner<2, 2>() =
      mu * tau[0] / length * (Eigen::Matrix2d::Identity() - e * e.transpose());
  out.d_mu.tail<2>() = tau[0] * e;
  return out;
}

}  // namespace resilin::test
