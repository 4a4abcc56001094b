// Rotation about a fixed axis: p(t) = c + R(axis, angle(t)) (x - c), angle(t) = rate t + curve(t).
#pragma once

#include "core/geometry/motion.hpp"
#include "plugins/motions/curve.hpp"

namespace resilin {

class Rotation final : public Motion {
 public:
  struct Options {
    Vec3 axis = Vec3::UnitZ(), point = Vec3::Zero();
    double rate = 0;
    VecX times = VecX::Zero(1);
    Field angles{0.0};
    std::string interpolation = "linear";
    void visit(ParamVisitor& v);
  };
  Rotation(const Options& options, const BuildContext& context);

  void visit_parameters(ParamVisitor& v) override { options_.visit(v); }
  Vec3 position(double t, const Vec3& x) const override;
  Vec3 velocity(double t, const Vec3& x) const override;
  Index num_parameters() const override { return 4 + options_.angles.size(); }  // point, rate, angles
  void add_param_vjp(double t, const Vec3& x, const Vec3& z, MutVec dtheta) const override;
  void add_velocity_param_vjp(double t, const Vec3& x, const Vec3& z, MutVec dtheta) const override;
  Vec3 pull_back(double t, const Vec3& x, const Vec3& z) const override;
  Vec3 pull_back_velocity(double t, const Vec3& x, const Vec3& z) const override;

 private:
  Mat3 turn(double t) const;
  double angular_velocity(double t) const;  ///< [rad/s]

  Options options_;
  Vec3 axis_;
  Curve curve_;
};

}  // namespace resilin
