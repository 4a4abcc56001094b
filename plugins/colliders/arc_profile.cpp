#include "plugins/colliders/arc_profile.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

namespace resilin::colliders {
namespace {

constexpr double kTurn = 2 * std::numbers::pi;

}  // namespace

Eigen::Vector2d Arc::direction(double angle) {
  return {std::sin(angle), -std::cos(angle)};
}

std::string Arc::mistake() const {
  if (end > start && end - start <= kTurn) return {};
  return fmt::format("the arc must end between its start at {} rad and a full turn further, not at {} rad",
                     start, end);
}

ArcPoint seen_from(const Arc& arc, const Eigen::Vector2d& q) {
  ArcPoint at;
  const double middle = 0.5 * (arc.start + arc.end), half = 0.5 * (arc.end - arc.start);
  const double from_middle = std::remainder(std::atan2(q.x(), -q.y()) - middle, kTurn);
  const double r = q.norm();
  if (std::abs(from_middle) <= half) {
    const double side = r < arc.radius ? -1 : 1;
    const Eigen::Vector2d outward = r > 0 ? Eigen::Vector2d(q / r) : Arc::direction(middle);
    const Eigen::Vector2d along(-outward.y(), outward.x());
    at.distance = std::abs(r - arc.radius);
    at.gradient = side * outward;
    at.hessian = r > 0 ? Eigen::Matrix2d(side / r * along * along.transpose()) : Eigen::Matrix2d::Zero();
    at.feature = side < 0 ? kInner : kOuter;
    at.regular = r > 0 && r != arc.radius;
    return at;
  }
  at.feature = from_middle < 0 ? kStart : kEnd;
  const Eigen::Vector2d arm = q - arc.radius * Arc::direction(from_middle < 0 ? arc.start : arc.end);
  at.distance = arm.norm();
  at.regular = at.distance > 0;
  if (!at.regular) {
    at.gradient = Arc::direction(middle);
    at.hessian.setZero();
    return at;
  }
  at.gradient = arm / at.distance;
  at.hessian = (Eigen::Matrix2d::Identity() - at.gradient * at.gradient.transpose()) / at.distance;
  return at;
}

Vec3 arc_vjp(const Arc& arc, const ArcPoint& at, double zd, const Eigen::Vector2d& zn) {
  if (at.feature == kInner) return {zd, 0, 0};
  if (at.feature == kOuter) return {-zd, 0, 0};
  // An end that moves is as q that moves the other way.
  const bool first = at.feature == kStart;
  const Eigen::Vector2d z = -(zd * at.gradient + at.hessian * zn);
  const Eigen::Vector2d out = Arc::direction(first ? arc.start : arc.end);
  const double turn = arc.radius * z.dot(Eigen::Vector2d(-out.y(), out.x()));
  return {z.dot(out), first ? turn : 0, first ? 0 : turn};
}

}  // namespace resilin::colliders
