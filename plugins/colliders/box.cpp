#include "plugins/colliders/box.hpp"

#include "plugins/colliders/product.hpp"

#include <fmt/format.h>

namespace resilin {
namespace {

colliders::Product<3> product(const BlockOptions& o, const Vec3& y) {
  const Vec3 half = 0.5 * o.size - Vec3::Constant(o.rounding);
  return colliders::Product<3>({colliders::interval(y[0], half[0], 0), colliders::interval(y[1], half[1], 1),
                                colliders::interval(y[2], half[2], 2)});
}

std::string rounding_mistake(const BlockOptions& o) {
  const double limit = 0.5 * o.size.minCoeff();
  if (o.rounding < limit) return {};
  return fmt::format("a radius of {} m is too large for the shortest edge; it must be below {} m", o.rounding,
                     limit);
}

}  // namespace

void BlockOptions::visit(ParamVisitor& v) {
  pose.visit(v, keys());
  v.vec3("size", size,
         {.doc = "lengths of the edges, the middle at the position; the rounding included",
          .unit = "m",
          .min = 0,
          .open = true,
          .differentiable = true});
  v.real("rounding", rounding, {.doc = "radius of the edges", .unit = "m", .min = 0, .differentiable = true});
}

Block::Block(const Options& options, const BuildContext& context)
    : ShapeCollider(options), path_(context.path) {
  const std::string mistake = rounding_mistake(options);
  if (!mistake.empty()) throw context.input_error("rounding", mistake);
  place(context);
}

void Block::sizes_changed() {
  const std::string mistake = rounding_mistake(options_);
  if (!mistake.empty()) throw Error(Errc::Input, "rounding: " + mistake, path_);
}

LocalPoint Block::local(const Vec3& y) const {
  LocalPoint at = product(options_, y).point;
  at.distance -= options_.rounding;
  return at;
}

void Block::add_size_vjp(const Vec3& y, const LocalPoint&, double zd, const Vec3& zn, MutVec dsizes) const {
  const auto p = product(options_, y);
  dsizes[3] -= zd;
  for (std::size_t i = 0; i < 3; ++i) {
    const double z = p.distance_cotangent(i, zd, zn);
    dsizes[static_cast<Index>(i)] -= 0.5 * z;
    dsizes[3] += z;
  }
}

}  // namespace resilin
