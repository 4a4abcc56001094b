#include "plugins/motions/key_frames.hpp"

#include "core/base/file.hpp"

#include <fmt/format.h>

namespace resilin {

void KeyFrames::Options::visit(ParamVisitor& v) {
  v.numbers("times", times, {.doc = "times of the key frames, rising", .unit = "s"});
  v.field("offsets", offsets,
          {.doc = "displacement at each of these times; the first should be zero at time zero",
           .unit = "m",
           .differentiable = true});
  v.path("file", file, {.doc = "CSV file with rows t, x, y, z; takes the place of times and offsets"});
  visit_interpolation(v, interpolation);
}

KeyFrames::KeyFrames(const Options& options, const BuildContext& context) : options_(options) {
  if (!options.file.empty()) {
    const MatX table = read_table(options.file);
    if (table.cols() != 4)
      throw context.input_error(
          "file", fmt::format("{} has {} columns; t, x, y, z are expected", options.file, table.cols()));
    options_.times = table.col(0);
    options_.offsets.items = table.rows();
    options_.offsets.values = table.rightCols(3).transpose().reshaped();
  }
  curve_ = make_curve(context, options_.times, options_.offsets, "offsets", options.interpolation);
}

Vec3 KeyFrames::position(double t, const Vec3& x) const {
  Vec3 p = x;
  curve_.for_each_weight(t, [&](Index k, double w) { p += w * options_.offsets.vec3(k, 0); });
  return p;
}

Vec3 KeyFrames::velocity(double t, const Vec3&) const {
  Vec3 v = Vec3::Zero();
  curve_.for_each_rate(t, [&](Index k, double w) { v += w * options_.offsets.vec3(k, 0); });
  return v;
}

void KeyFrames::add_param_vjp(double t, const Vec3&, const Vec3& z, MutVec dtheta) const {
  curve_.for_each_weight(t, [&](Index k, double w) { dtheta.segment<3>(3 * k) += w * z; });
}

void KeyFrames::add_velocity_param_vjp(double t, const Vec3&, const Vec3& z, MutVec dtheta) const {
  curve_.for_each_rate(t, [&](Index k, double w) { dtheta.segment<3>(3 * k) += w * z; });
}

Vec3 KeyFrames::pull_back(double, const Vec3&, const Vec3& z) const {
  return z;
}

Vec3 KeyFrames::pull_back_velocity(double, const Vec3&, const Vec3&) const {
  return Vec3::Zero();
}

}  // namespace resilin
