#include "core/geometry/motion.hpp"

namespace resilin {

void Motion::add_param_vjp(double, const Vec3&, const Vec3&, MutVec) const {}

void Motion::add_velocity_param_vjp(double, const Vec3&, const Vec3&, MutVec) const {}

}  // namespace resilin
