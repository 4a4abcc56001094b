// Translation through given offsets at given times: p(t) = x + c(t).
#pragma once

#include "core/geometry/motion.hpp"
#include "plugins/motions/curve.hpp"

namespace resilin {

class KeyFrames final : public Motion {
 public:
  struct Options {
    VecX times = VecX::Zero(1);
    Field offsets{Vec3(0, 0, 0)};
    std::string file, interpolation = "linear";
    void visit(ParamVisitor& v);
  };
  KeyFrames(const Options& options, const BuildContext& context);

  void visit_parameters(ParamVisitor& v) override { options_.visit(v); }
  Vec3 position(double t, const Vec3& x) const override;
  Vec3 velocity(double t, const Vec3& x) const override;
  Index num_parameters() const override { return options_.offsets.size(); }
  void add_param_vjp(double t, const Vec3& x, const Vec3& z, MutVec dtheta) const override;
  void add_velocity_param_vjp(double t, const Vec3& x, const Vec3& z, MutVec dtheta) const override;
  Vec3 pull_back(double t, const Vec3& x, const Vec3& z) const override;
  Vec3 pull_back_velocity(double t, const Vec3& x, const Vec3& z) const override;

 private:
  Options options_;
  Curve curve_;
};

}  // namespace resilin
