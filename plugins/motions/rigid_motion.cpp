#include "plugins/motions/rigid_motion.hpp"

namespace resilin {
namespace {

void visit_all(ParamVisitor& v, Vec3& velocity, ParamVisitor::Body rotation, ParamVisitor::Body translation) {
  v.vec3("velocity", velocity,
         {.doc = "constant velocity of the axis", .unit = "m/s", .differentiable = true});
  v.section("rotation", rotation, {.doc = "turn about the axis, which itself moves on"});
  v.section("translation", translation,
            {.doc = "translation through key frames, added to that of the velocity"});
}

BuildContext part_of(const BuildContext& context, const char* key) {
  BuildContext part = context;
  part.path += part.path.empty() ? key : std::string(".") + key;
  return part;
}

}  // namespace

void RigidMotion::Options::visit(ParamVisitor& v) {
  visit_all(
      v, velocity, [&](ParamVisitor& w) { rotation.visit(w); },
      [&](ParamVisitor& w) { translation.visit(w); });
}

RigidMotion::RigidMotion(const Options& options, const BuildContext& context)
    : velocity_(options.velocity),
      rotation_(options.rotation, part_of(context, "rotation")),
      translation_(options.translation, part_of(context, "translation")) {}

void RigidMotion::visit_parameters(ParamVisitor& v) {
  visit_all(
      v, velocity_, [&](ParamVisitor& w) { rotation_.visit_parameters(w); },
      [&](ParamVisitor& w) { translation_.visit_parameters(w); });
}

void RigidMotion::parameters_changed() {
  rotation_.parameters_changed();
  translation_.parameters_changed();
}

Vec3 RigidMotion::position(double t, const Vec3& x) const {
  return translation_.position(t, rotation_.position(t, x)) + t * velocity_;
}

Vec3 RigidMotion::velocity(double t, const Vec3& x) const {
  return translation_.velocity(t, x) + rotation_.velocity(t, x) + velocity_;
}

Index RigidMotion::num_parameters() const {
  return 3 + rotation_.num_parameters() + translation_.num_parameters();
}

void RigidMotion::add_param_vjp(double t, const Vec3& x, const Vec3& z, MutVec dtheta) const {
  const Index turns = rotation_.num_parameters(), shifts = translation_.num_parameters();
  dtheta.head<3>() += t * z;
  rotation_.add_param_vjp(t, x, z, dtheta.segment(3, turns));
  translation_.add_param_vjp(t, x, z, dtheta.segment(3 + turns, shifts));
}

void RigidMotion::add_velocity_param_vjp(double t, const Vec3& x, const Vec3& z, MutVec dtheta) const {
  const Index turns = rotation_.num_parameters(), shifts = translation_.num_parameters();
  dtheta.head<3>() += z;
  rotation_.add_velocity_param_vjp(t, x, z, dtheta.segment(3, turns));
  translation_.add_velocity_param_vjp(t, x, z, dtheta.segment(3 + turns, shifts));
}

Vec3 RigidMotion::pull_back(double t, const Vec3& x, const Vec3& z) const {
  return rotation_.pull_back(t, x, z);
}

Vec3 RigidMotion::pull_back_velocity(double t, const Vec3& x, const Vec3& z) const {
  return rotation_.pull_back_velocity(t, x, z);
}

}  // namespace resilin
