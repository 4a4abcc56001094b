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
  v.choice("interpolation", interpolation, {"linear", "cubic"},
           {.doc = "between the key frames: straight lines, or a natural cubic spline"});
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
  check_keys(context, options_.times, options_.offsets, "offsets");
  curve_ = Curve(options_.times, options.interpolation == "cubic");
}

Vec3 KeyFrames::position(double t, const Vec3& x) const {
  const Eigen::Map<const Mat3X> offsets(options_.offsets.values.data(), 3, curve_.num_keys());
  return x + offsets * curve_.weights(t);
}

void KeyFrames::add_param_vjp(double t, const Vec3&, const Vec3& z, MutVec dtheta) const {
  Eigen::Map<Mat3X>(dtheta.data(), 3, curve_.num_keys()) += z * curve_.weights(t).transpose();
}

Vec3 KeyFrames::pull_back(double, const Vec3&, const Vec3& z) const {
  return z;
}

}  // namespace resilin
