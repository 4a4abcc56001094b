// Turning and moving on: p(t) = p_r(t) + u t + c(t), where p_r is a rotation about a fixed axis and c a
// translation through key frames. A rolling ball, a conveyed and turning tool.
#pragma once

#include "plugins/motions/key_frames.hpp"
#include "plugins/motions/rotation.hpp"

namespace resilin {

class RigidMotion final : public Motion {
 public:
  struct Options {
    Vec3 velocity = Vec3::Zero();
    Rotation::Options rotation;
    KeyFrames::Options translation;
    void visit(ParamVisitor& v);
  };
  RigidMotion(const Options& options, const BuildContext& context);

  void visit_parameters(ParamVisitor& v) override;
  void parameters_changed() override;
  Vec3 position(double t, const Vec3& x) const override;
  Vec3 velocity(double t, const Vec3& x) const override;
  Index num_parameters() const override;
  void add_param_vjp(double t, const Vec3& x, const Vec3& z, MutVec dtheta) const override;
  void add_velocity_param_vjp(double t, const Vec3& x, const Vec3& z, MutVec dtheta) const override;
  Vec3 pull_back(double t, const Vec3& x, const Vec3& z) const override;
  Vec3 pull_back_velocity(double t, const Vec3& x, const Vec3& z) const override;

 private:
  Vec3 velocity_;
  Rotation rotation_;
  KeyFrames translation_;
};

}  // namespace resilin
