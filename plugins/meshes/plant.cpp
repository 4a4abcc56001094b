#include "plugins/meshes/plant.hpp"

#include "core/mesh/generators.hpp"
#include "plugins/meshes/distance.hpp"
#include "plugins/meshes/element_choice.hpp"
#include "plugins/meshes/one_piece.hpp"

#include <Eigen/Geometry>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

namespace resilin::meshes {
namespace {

// Lengths in metres, drawn for the default height. Branches are thicker than sqrt(3) cells of the default
// size, which keeps them in one piece however they lie in the grid.
constexpr double kDrawnHeight = 0.884;
constexpr double kStemTop = 0.80;
constexpr double kStemRadius = 0.0145;
constexpr double kBranchRadius = 0.0130;
constexpr double kLeafThickness = 0.0165;  ///< half of it
constexpr int kPiecesPerBranch = 12;

/// A branch leaves the stem at `height`, rises and then bends down to its tip, where a leaf goes on.
struct Branch {
  double height;                   ///< of its foot on the stem [m]
  double direction;                ///< about z, from x [degrees]
  double reach;                    ///< of the tip from the stem [m]
  double rise;                     ///< of the tip above the foot [m]
  double leaf_length, leaf_width;  ///< half axes [m]
};
constexpr std::array<Branch, 8> kBranches{{{0.20, 8, 0.318, 0.12, 0.108, 0.064},
                                           {0.26, 180, 0.318, 0.14, 0.106, 0.064},
                                           {0.34, 66, 0.209, 0.13, 0.080, 0.057},
                                           {0.42, 246, 0.209, 0.14, 0.080, 0.057},
                                           {0.48, 150, 0.24, 0.12, 0.088, 0.057},
                                           {0.55, 325, 0.25, 0.12, 0.088, 0.057},
                                           {0.62, 100, 0.165, 0.10, 0.075, 0.045},
                                           {0.66, 215, 0.19, 0.09, 0.080, 0.045}}};

/// The foot: a pot that widens from the ground up.
double foot_distance(const Vec3& p) {
  constexpr double height = 0.066, lower_radius = 0.064, upper_radius = 0.084;  // [m]
  const double radius = lower_radius + (upper_radius - lower_radius) * std::clamp(p.z() / height, 0.0, 1.0);
  return std::max({p.head<2>().norm() - radius, p.z() - height, -p.z()});
}

/// A leaf from `root` on along `along`, its width horizontal.
EllipsoidShape leaf(const Vec3& root, const Vec3& along, double length, double width) {
  EllipsoidShape e;
  const Vec3 a = along.normalized();
  const Vec3 side = std::abs(a.z()) < 0.99 ? Vec3(Vec3::UnitZ().cross(a).normalized()) : Vec3(Vec3::UnitY());
  e.axes << a, side, a.cross(side);
  e.radii = {length, width, kLeafThickness};
  e.center = root + 0.85 * length * a;  // overlaps the tip of the branch
  return e;
}

class Shape {
 public:
  Shape() {
    capsules_.push_back({Vec3::Zero(), {0, 0, kStemTop}, kStemRadius});
    for (const Branch& b : kBranches) add(b);
    leaves_.push_back(leaf({0, 0, 0.73}, {0.25, 0, 1}, 0.085, 0.045));
  }

  /// Signed distance [m] to the union (exact sign), in the drawn size.
  double operator()(const Vec3& p) const {
    double d = foot_distance(p);
    for (const CapsuleShape& c : capsules_) d = std::min(d, distance(c, p));
    for (const EllipsoidShape& e : leaves_) d = std::min(d, distance(e, p));
    return d;
  }

 private:
  void add(const Branch& b) {
    const double angle = b.direction * std::numbers::pi / 180;
    const Vec3 out(std::cos(angle), std::sin(angle), 0);
    const Vec3 start(0, 0, b.height);
    const Vec3 bend = start + 0.55 * b.reach * out + Vec3(0, 0, 1.35 * b.rise);
    const Vec3 tip = start + b.reach * out + Vec3(0, 0, b.rise);
    const auto curve = [&](double t) -> Vec3 {
      return (1 - t) * (1 - t) * start + 2 * t * (1 - t) * bend + t * t * tip;
    };
    for (int i = 0; i < kPiecesPerBranch; ++i)
      capsules_.push_back(
          {curve(double(i) / kPiecesPerBranch), curve(double(i + 1) / kPiecesPerBranch), kBranchRadius});
    leaves_.push_back(leaf(tip, tip - bend, b.leaf_length, b.leaf_width));
  }

  std::vector<CapsuleShape> capsules_;
  std::vector<EllipsoidShape> leaves_;
};

}  // namespace

void Plant::Options::visit(ParamVisitor& v) {
  v.real("height", height,
         {.doc = "height above the ground; everything else scales with it",
          .unit = "m",
          .min = 0,
          .open = true});
  v.real("cell", cell,
         {.doc = "edge of a cell; refused where thin parts would fall apart (above about 1/60 of the height)",
          .unit = "m",
          .min = 0,
          .open = true});
  visit_element(v, element);
}

Mesh Plant::generate() const {
  const Shape shape;
  const double scale = options_.height / kDrawnHeight;
  const Vec3 half(0.5 * scale, 0.31 * scale, 0);
  Mesh mesh = make_voxels(
      -half, half + Vec3(0, 0, options_.height), options_.cell,
      [&](const Vec3& p) { return scale * shape(p / scale); }, element_type(options_.element));
  require_one_piece(mesh, options_.cell, fmt::format("a plant {} m high", options_.height));
  return mesh;
}

}  // namespace resilin::meshes
