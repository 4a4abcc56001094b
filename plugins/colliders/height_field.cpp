#include "plugins/colliders/height_field.hpp"

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "plugins/forces/expression.hpp"

#include <Eigen/Eigenvalues>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace resilin {

void HeightFieldOptions::visit(ParamVisitor& v) {
  pose.visit(v, keys());
  v.integer("columns", columns, {.doc = "grid lines along x", .min = 2, .max = 10000});
  v.integer("rows", rows, {.doc = "grid lines along y", .min = 2, .max = 10000});
  v.real("spacing", spacing,
         {.doc = "between grid lines; the middle of the grid is at the position",
          .unit = "m",
          .min = 0,
          .open = true});
  v.real("scale", scale, {.doc = "factor on all heights", .differentiable = true});
  v.field(
      "heights", heights,
      {.doc = "at the nodes of the grid, x fastest, both from their lowest values; one for all is a plane",
       .unit = "m",
       .differentiable = true});
  v.path(
      "file", file,
      {.doc =
           "CSV table of the heights, a row for each y and a column for each x, rising; takes the place of "
           "columns, rows and heights"});
  v.text("formula", formula,
         {.doc = "height as a formula of x and y, sampled at the nodes; takes the place of heights"});
}

HeightField::HeightField(const Options& options, const BuildContext& context) : ShapeCollider(options) {
  if (!options.file.empty() && !options.formula.empty())
    throw context.input_error("formula", "either a file or a formula gives the heights, not both");
  if (!options.file.empty()) take_file(context);
  shape_ = {options_.columns, options_.rows, options_.spacing};
  if (!options.formula.empty()) take_formula(context);
  const Index nodes = options_.columns * options_.rows;
  if (options_.heights.steps != 1)
    throw context.input_error("heights", "heights cannot change with the steps");
  if (options_.heights.items != 1 && options_.heights.items != nodes)
    throw context.input_error("heights",
                              fmt::format("{} heights given for a grid of {} columns and {} rows",
                                          options_.heights.items, options_.columns, options_.rows));
  place(context);
  sizes_changed();
}

void HeightField::take_file(const BuildContext& context) {
  const MatX table = read_table(options_.file);
  if (table.rows() < 2 || table.cols() < 2)
    throw context.input_error(
        "file", fmt::format("{} has {} rows and {} columns; at least 2 of both are expected", options_.file,
                            table.rows(), table.cols()));
  options_.rows = table.rows();
  options_.columns = table.cols();
  options_.heights.items = table.size();
  options_.heights.values = table.transpose().reshaped();
}

void HeightField::take_formula(const BuildContext& context) {
  const Index nodes = shape_.columns * shape_.rows;
  options_.heights.items = nodes;
  options_.heights.values.resize(nodes);
  try {
    const Expression formula(options_.formula, {"x", "y"});
    VecX work(formula.size());
    for (Index i = 0; i < nodes; ++i) {
      const double input[2] = {
          (static_cast<double>(i % shape_.columns) - 0.5 * static_cast<double>(shape_.columns - 1)) *
              shape_.spacing,
          (static_cast<double>(i / shape_.columns) - 0.5 * static_cast<double>(shape_.rows - 1)) *
              shape_.spacing};
      const double z = formula.evaluate(input, work.data());
      if (!std::isfinite(z))
        throw Error(Errc::Input, fmt::format("is {} at x = {}, y = {}", z, input[0], input[1]));
      options_.heights.values[i] = z;
    }
  } catch (const Error& e) {
    throw context.input_error("formula", e.message());
  }
}

void HeightField::sizes_changed() {
  const Index nodes = shape_.columns * shape_.rows;
  heights_.resize(nodes);
  for (Index i = 0; i < nodes; ++i) heights_[i] = options_.scale * options_.heights.at(i, 0);
  triangulate();
  gap_ = largest_gap();
}

void HeightField::triangulate() {
  // Half a cell apart.
  const Index across = 2 * shape_.columns - 1, along = 2 * shape_.rows - 1;
  Mat3X vertices(3, across * along);
  for (Index i = 0; i < vertices.cols(); ++i) {
    const double x =
        0.5 * shape_.spacing * (static_cast<double>(i % across) - 0.5 * static_cast<double>(across - 1));
    const double y =
        0.5 * shape_.spacing * (static_cast<double>(i / across) - 0.5 * static_cast<double>(along - 1));
    vertices.col(i) << x, y, colliders::evaluate(shape_, heights_, x, y).z;
  }
  std::vector<TriangleSet::Triangle> triangles;
  triangles.reserve(static_cast<std::size_t>(2 * (across - 1) * (along - 1)));
  for (Index j = 0; j + 1 < along; ++j)
    for (Index i = 0; i + 1 < across; ++i) {
      const int a = static_cast<int>(j * across + i), b = a + 1, c = a + static_cast<int>(across), d = c + 1;
      triangles.push_back({a, b, d});
      triangles.push_back({a, d, c});
    }
  triangles_ = TriangleSet(std::move(vertices), std::move(triangles));
}

HeightField::Foot HeightField::foot_at(const Vec3& y, const Place& at) const {
  Foot f;
  f.at = at;
  f.surface = colliders::evaluate(shape_, heights_, at.x(), at.y());
  const colliders::GridPoint& s = f.surface;
  const Vec3 gap(at.x() - y.x(), at.y() - y.y(), s.z - y.z());
  f.value = 0.5 * gap.squaredNorm();
  f.gradient << gap.x() + gap.z() * s.zx, gap.y() + gap.z() * s.zy;
  f.hessian << 1 + s.zx * s.zx + gap.z() * s.zxx, s.zx * s.zy + gap.z() * s.zxy, 0,
      1 + s.zy * s.zy + gap.z() * s.zyy;
  f.hessian(1, 0) = f.hessian(0, 1);
  return f;
}

HeightField::Foot HeightField::descend(const Vec3& y, const Place& start) const {
  Foot now = foot_at(y, start);
  for (int iteration = 0; iteration < 100; ++iteration) {
    const colliders::GridPoint& s = now.surface;
    const double steep = std::sqrt(1 + s.zx * s.zx + s.zy * s.zy);
    const double rounding = 4e-16 * steep * (y.norm() + now.at.norm() + std::abs(s.z));
    if (now.gradient.norm() <= rounding) return now;
    // Newton with the absolute values of the curvatures: downhill where the squared distance is not convex
    // too.
    Eigen::SelfAdjointEigenSolver<Eigen::Matrix2d> modes;
    modes.computeDirect(now.hessian);
    Place curvature = modes.eigenvalues().cwiseAbs();
    curvature = curvature.cwiseMax(1e-6 * curvature.maxCoeff());
    const Place step =
        -modes.eigenvectors() * (modes.eigenvectors().transpose() * now.gradient).cwiseQuotient(curvature);
    const double slope = now.gradient.dot(step);
    double length = 1;
    Foot next = foot_at(y, now.at + step);
    // Close to the minimum rounding hides the decrease.
    const double noise = 8e-16 * (now.value + 0.5 * y.squaredNorm());
    while (!(next.value <= now.value + 1e-4 * length * slope + noise) && length > 1e-10) {
      length *= 0.5;
      next = foot_at(y, now.at + length * step);
    }
    // Where only rounding is left the gradient no longer falls.
    if (length * step.norm() <= 1e-8 * shape_.spacing && !(next.gradient.norm() < now.gradient.norm()))
      return now;
    now = next;
  }
  throw Error(Errc::Numerics,
              fmt::format("found no closest point of a height field from [{}, {}, {}] of its frame", y.x(),
                          y.y(), y.z()));
}

// A linear interpolant in a triangle whose corners are no farther than r from a point is off by r^2/2 times
// the second derivative at most; here r^2 is half the square of its legs, which are half a cell. Within a
// cell the second derivatives are cubic, so that 16 samples and a tenth more bound them.
double HeightField::largest_gap() const {
  double bend = 0;
  const auto place = [&](Index cell, double part, Index lines) {
    return (static_cast<double>(cell) + part - 0.5 * static_cast<double>(lines - 1)) * shape_.spacing;
  };
  for (Index j = 0; j + 1 < shape_.rows; ++j)
    for (Index i = 0; i + 1 < shape_.columns; ++i)
      for (const double v : {0.001, 0.33, 0.67, 0.999})
        for (const double u : {0.001, 0.33, 0.67, 0.999}) {
          const colliders::GridPoint s =
              colliders::evaluate(shape_, heights_, place(i, u, shape_.columns), place(j, v, shape_.rows));
          bend = std::max(bend, std::max(std::abs(s.zxx), std::abs(s.zyy)) + std::abs(s.zxy));
        }
  const double leg = 0.5 * shape_.spacing;
  return 1.1 * bend * leg * leg / 4;
}

HeightField::Foot HeightField::closest(const Vec3& y) const {
  Foot best = descend(y, y.head<2>());
  const double radius = std::sqrt(triangles_.closest(y).point.squared_distance) + 2 * gap_;
  Index last = -1;
  triangles_.tree().for_each_within(y, radius, [&](Index t) {
    const TrianglePoint start = triangles_.closest_on(t, y);
    const Index square = t / 2;
    if (square == last || start.squared_distance > radius * radius * (1 + 1e-12)) return;
    last = square;
    const Foot foot = descend(y, start.point.head<2>());
    if (foot.value < best.value) best = foot;
  });
  return best;
}

LocalPoint HeightField::local(const Vec3& y) const {
  const Foot f = closest(y);
  const colliders::GridPoint& s = f.surface;
  const double steep = std::sqrt(1 + s.zx * s.zx + s.zy * s.zy);
  LocalPoint at;
  at.normal = Vec3(-s.zx, -s.zy, 1) / steep;
  at.distance = at.normal.dot(y - Vec3(f.at.x(), f.at.y(), s.z));
  at.feature = s.y.piece * (shape_.columns + 1) + s.x.piece;
  at.regular = f.hessian(0, 0) > 0 && f.hessian.determinant() > 0;
  if (!at.regular) return at;
  // d n/d(u, v), and d(u, v)/d y from the gradient of the squared distance staying zero.
  Eigen::Matrix<double, 3, 2> tangents, bend;
  tangents << 1, 0, 0, 1, s.zx, s.zy;
  bend << -s.zxx, -s.zxy, -s.zxy, -s.zyy, 0, 0;
  bend = (bend - at.normal * (at.normal.transpose() * bend)).eval() / steep;
  at.hessian = bend * f.hessian.inverse() * tangents.transpose();
  at.hessian = (0.5 * (at.hessian + at.hessian.transpose())).eval();
  return at;
}

// A change g(u, v) of the height moves the surface by n_z g along its normal: dd = -n_z g at the closest
// point s(y), and dn is the gradient of that: -g H e_z - n_z (ds/dy)^T (g_u, g_v, 0).
void HeightField::add_size_vjp(const Vec3& y, const LocalPoint& at, double zd, const Vec3& zn,
                               MutVec dsizes) const {
  const Vec3 foot = y - at.distance * at.normal;
  const colliders::GridPoint s = colliders::evaluate(shape_, heights_, foot.x(), foot.y());
  const Vec3 slide = zn - at.normal * at.normal.dot(zn) - at.distance * (at.hessian * zn);
  const double nz = at.normal.z(), value = -nz * zd - at.hessian.row(2).dot(zn);
  const bool one = options_.heights.items == 1;
  colliders::for_each_height(shape_, s, [&](Index i, double w, double wx, double wy) {
    const double z = value * w - nz * (slide.x() * wx + slide.y() * wy);
    dsizes[0] += z * options_.heights.at(i, 0);
    dsizes[one ? 1 : 1 + i] += z * options_.scale;
  });
}

}  // namespace resilin
