// One material at single deformations, and deformations to look at.
#pragma once

#include "core/energy/material.hpp"
#include "tests/support/components.hpp"

namespace resilin::test {

/// A material at single deformations.
class Point {
 public:
  explicit Point(const std::string& type, std::map<std::string, double> values = {})
      : body_(make_box({1, 1, 1}, {1, 1, 1}, ElementType::Hex8)),
        material_(make_component<Material>(type, body_.context(), values)) {
    for (const Field* f : material_->fields())
      for (Index c = 0; c < f->components; ++c) params_.push_back(splat(f->at(0, 0, c)));
  }
  double energy(const Mat3& f) {
    Pack psi = splat(0.0);
    material_->add_energy(batch(f), &psi);
    return psi[3];
  }
  Mat3 stress(const Mat3& f) {
    Pack psi = splat(0.0);
    Mat3Pack p = zero_mat3();
    material_->add_stress(batch(f), &psi, &p);
    return lane(p, 3);
  }
  MatX tangent(const Mat3& f) {
    TangentPack c;
    for (Pack& e : c.c) e = splat(0.0);
    material_->add_tangent(batch(f), &c);
    MatX m(9, 9);
    for (int a = 0; a < 9; ++a)
      for (int b = 0; b < 9; ++b) m(a, b) = c(a, b)[3];
    return m;
  }
  /// Largest relative gap between the tangent and differences of the stress in each entry of F.
  double tangent_gap(const Mat3& f) {
    const MatX c = tangent(f);
    double worst = 0;
    for (int k = 0; k < 9; ++k) {
      const auto at = [&](double s) -> VecX {
        Mat3 g = f;
        g.data()[k] += s;
        return stress(g).reshaped();
      };
      double best = std::numeric_limits<double>::infinity();
      for (const double s : {1e-2, 2e-3, 4e-4, 8e-5}) {
        const VecX d = (8 * (at(s) - at(-s)) - (at(2 * s) - at(-2 * s))) / (12 * s);
        const double gap = (d - c.col(k)).norm() / c.norm();
        if (gap < best) best = gap;
      }
      worst = std::max(worst, best);
    }
    return worst;
  }
  /// w : dP/d(parameter k)
  VecX param_vjp(const Mat3& f, const Mat3& w) {
    std::vector<Pack> out(params_.size(), splat(0.0));
    Mat3Pack packed;
    for (int l = 0; l < kLanes; ++l) set_lane(packed, l, w);
    material_->add_param_vjp(batch(f), &packed, out.data());
    VecX r(static_cast<Index>(out.size()));
    for (Index k = 0; k < r.size(); ++k) r[k] = out[static_cast<std::size_t>(k)][3];
    return r;
  }
  Pack& param(Index k) { return params_[static_cast<std::size_t>(k)]; }
  const Material& material() const { return *material_; }
  Mat3 quadratic_form() const {
    std::vector<double> p;
    for (const Pack& v : params_) p.push_back(v[0]);
    return material_->quadratic_form(p.data());
  }

 private:
  SampleBatch batch(const Mat3& f) {
    for (int l = 0; l < kLanes; ++l) set_lane(f_, l, f);
    batched_svd(&f_, &svd_, 1);
    return {1, &f_, &svd_, params_.data()};
  }
  SampleBody body_;
  std::unique_ptr<Material> material_;
  std::vector<Pack> params_;
  Mat3Pack f_;
  Svd3Pack svd_;
};

struct Deformation {
  std::string name;
  Mat3 f;
};
inline void PrintTo(const Deformation& d, std::ostream* out) {
  *out << d.name;
}
/// Deformations with determinant 0.05 to 20, and inverted ones.
inline std::vector<Deformation> far_from_rest() {
  const Mat3 a = Eigen::AngleAxisd(0.7, Vec3(1, 2, -1).normalized()).toRotationMatrix();
  const Mat3 b = Eigen::AngleAxisd(-1.9, Vec3(0, 1, 3).normalized()).toRotationMatrix();
  const auto stretch = [&](double x, double y, double z) -> Mat3 {
    return a * Vec3(x, y, z).asDiagonal() * b;
  };
  Mat3 shear = Mat3::Identity();
  shear(0, 1) = 3;
  const double c = std::cbrt(0.05), d = std::cbrt(20.0);
  return {{"flattened_to_0_05", stretch(1, 1, 0.05)},
          {"thinned_to_0_05", stretch(1, std::sqrt(0.05), std::sqrt(0.05) * 0.999)},
          {"squeezed_to_0_05", stretch(c, c, c)},
          {"pulled_to_20", stretch(20, 1, 1)},
          {"widened_to_20", stretch(std::sqrt(20.0), std::sqrt(20.0), 1)},
          {"blown_up_to_20", stretch(d, d, d)},
          {"sheared", a * shear},
          {"pulled_and_squeezed", stretch(5, 0.3, 0.1)},
          {"inverted_slightly", stretch(1.1, 0.9, -0.1)},
          {"inverted", stretch(1.2, 0.9, -0.5)},
          {"equal_values", 1.3 * a},
          {"two_equal_values", stretch(1.3, 1.3, 0.8)},
          {"nearly_equal_values", stretch(1.3, 1.3 + 1e-9, 1.3 - 1e-9)},
          {"identity_times_1_3", 1.3 * Mat3::Identity()}};
}

}  // namespace resilin::test
