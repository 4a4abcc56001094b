// Translation along one cubic Hermite segment:
//     p(t) = x + h10(s) m0 + h01(s) d + h11(s) m1,   s = (t - start)/duration in [0, 1],
// h10 = s^3 - 2 s^2 + s, h01 = 3 s^2 - 2 s^3, h11 = s^3 - s^2: from x to x + d, with the tangents m0 and m1 =
// dp/ds at its ends (the velocity there is m/duration). At rest before the segment and after it.
#pragma once

#include "core/geometry/motion.hpp"

namespace resilin {

class Hermite final : public Motion {
 public:
  struct Options {
    Vec3 displacement = Vec3::Zero(), start_tangent = Vec3::Zero(), end_tangent = Vec3::Zero();
    double start = 0, duration = 1;
    void visit(ParamVisitor& v);
  };
  Hermite(const Options& options, const BuildContext&) : options_(options) {}

  void visit_parameters(ParamVisitor& v) override { options_.visit(v); }
  Vec3 position(double t, const Vec3& x) const override;
  Vec3 velocity(double t, const Vec3& x) const override;
  Index num_parameters() const override { return 9; }  // d, m0, m1
  void add_param_vjp(double t, const Vec3& x, const Vec3& z, MutVec dtheta) const override;
  void add_velocity_param_vjp(double t, const Vec3& x, const Vec3& z, MutVec dtheta) const override;
  Vec3 pull_back(double, const Vec3&, const Vec3& z) const override { return z; }
  Vec3 pull_back_velocity(double, const Vec3&, const Vec3&) const override { return Vec3::Zero(); }

 private:
  /// Weights of d, m0 and m1 in the place, and in the velocity [1/s].
  Vec3 place_weights(double t) const;
  Vec3 rate_weights(double t) const;
  Options options_;
};

}  // namespace resilin
