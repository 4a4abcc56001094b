#include "core/energy/material_check.hpp"

#include <algorithm>
#include <cmath>
#include <random>

namespace resilin {
namespace {

/// Evaluates a material at single packs of deformations.
class Probe {
 public:
  explicit Probe(const Material& m) : m_(m) {
    for (const Field* f : m.fields())
      for (Index c = 0; c < f->components; ++c) params_.push_back(f->at(0, 0, c));
  }
  std::vector<double>& params() { return params_; }

  Pack energy(const Mat3Pack& f) {
    Pack psi = splat(0.0);
    m_.add_energy(batch(f), &psi);
    return psi;
  }
  Mat3Pack stress(const Mat3Pack& f) {
    Pack psi = splat(0.0);
    Mat3Pack p = zero_mat3();
    m_.add_stress(batch(f), &psi, &p);
    return p;
  }
  TangentPack tangent(const Mat3Pack& f) {
    TangentPack c;
    for (auto& e : c.c) e = splat(0.0);
    m_.add_tangent(batch(f), &c);
    return c;
  }
  std::vector<Pack> param_vjp(const Mat3Pack& f, const Mat3Pack& w) {
    std::vector<Pack> out(std::max<std::size_t>(1, params_.size()), splat(0.0));
    m_.add_param_vjp(batch(f), &w, out.data());
    return out;
  }

 private:
  SampleBatch batch(const Mat3Pack& f) {
    f_ = f;
    packed_.clear();
    for (const double p : params_) packed_.push_back(splat(p));
    if (m_.needs_svd()) batched_svd(&f_, &svd_, 1);
    return {1, &f_, m_.needs_svd() ? &svd_ : nullptr, packed_.data()};
  }

  const Material& m_;
  std::vector<double> params_;
  std::vector<Pack> packed_;
  Mat3Pack f_;
  Svd3Pack svd_;
};

Mat3Pack combine(const Mat3Pack& a, double s, const Mat3Pack& b) {
  Mat3Pack r;
  for (int k = 0; k < 9; ++k) r.m[k] = a.m[k] + s * b.m[k];
  return r;
}
double largest(const Pack& p) {
  double r = 0;
  for (int l = 0; l < kLanes; ++l) r = std::isnan(p[l]) ? p[l] : std::max(r, std::abs(p[l]));
  return r;
}
double largest(const Mat3Pack& p) {
  double r = 0;
  for (const Pack& e : p.m) r = std::isnan(largest(e)) ? largest(e) : std::max(r, largest(e));
  return r;
}

/// Random matrices; deformations are rotated stretches with positive determinant. On surfaces and curves all
/// of them map the normals of one rest element to zero.
class Deformations {
 public:
  explicit Deformations(int dimension) {
    if (dimension == 3) return;
    const Mat3 frame = rotation();
    tangents_ = frame.leftCols(dimension) * frame.leftCols(dimension).transpose();
  }
  Mat3 random() {
    Mat3 m;
    for (double& v : m.reshaped()) v = normal_(engine_);
    return m;
  }
  Mat3 rotation() {
    Eigen::Quaterniond q(normal_(engine_), normal_(engine_), normal_(engine_), normal_(engine_));
    return q.normalized().toRotationMatrix();
  }
  Mat3Pack deformation(double size) {
    Mat3Pack f;
    for (int l = 0; l < kLanes; ++l) {
      Mat3 m;
      do m = Mat3::Identity() + size * random();
      while (m.determinant() < 0.2);
      set_lane(f, l, rotation() * m * tangents_);
    }
    return f;
  }
  Mat3Pack direction() {
    Mat3Pack f;
    for (int l = 0; l < kLanes; ++l) set_lane(f, l, random() * tangents_);
    return f;
  }

 private:
  std::mt19937_64 engine_{7};
  std::normal_distribution<double> normal_;
  Mat3 tangents_ = Mat3::Identity();  ///< projection on the rest element
};

/// Central difference of fourth order of a function of s.
template <class F>
auto difference(const F& f, double s) {
  const auto a = f(s), b = f(-s), c = f(2 * s), d = f(-2 * s);
  return (8.0 * (a - b) - (c - d)) / (12.0 * s);
}

struct Worst {
  double stress = 0, tangent = 0, params = 0, objectivity = 0, majorant = 0;
  double stress_size = 0, tangent_size = 0, params_size = 0;
};

void raise(double& worst, double value) {
  worst = std::isnan(value) ? value : std::max(worst, value);
}

void check_at(const Material& m, Probe& probe, Deformations& random, double size, Worst& w) {
  const Mat3Pack f = random.deformation(size), d = random.direction();
  const Mat3Pack p = probe.stress(f);
  const double s = 1e-3;
  const Pack pd = dot(p, d), fd = difference([&](double t) { return probe.energy(combine(f, t, d)); }, s);
  raise(w.stress, largest(pd - fd) / std::max(largest(pd), 1e-300));
  raise(w.stress_size, largest(pd));

  const TangentPack c = probe.tangent(f);
  Mat3Pack cd = zero_mat3(), error;
  for (int a = 0; a < 9; ++a)
    for (int b = 0; b < 9; ++b) cd.m[a] += c(a, b) * d.m[b];
  for (int k = 0; k < 9; ++k)
    error.m[k] = cd.m[k] - difference([&](double t) { return probe.stress(combine(f, t, d)).m[k]; }, s);
  raise(w.tangent, largest(error) / std::max(largest(cd), 1e-300));
  raise(w.tangent_size, largest(cd));

  const std::vector<Pack> vjp = probe.param_vjp(f, d);
  for (std::size_t k = 0; k < probe.params().size(); ++k) {
    const double value = probe.params()[k], step = 1e-3 * std::max(std::abs(value), 1e-3);
    const Pack g = difference(
        [&](double t) {
          probe.params()[k] = value + t;
          const Pack r = dot(probe.stress(f), d);
          probe.params()[k] = value;
          return r;
        },
        step);
    raise(w.params,
          largest(vjp[k] - g) / std::max(largest(g), 1e-9 * largest(pd) / std::max(std::abs(value), 1e-3)));
    raise(w.params_size, largest(vjp[k]));
  }

  Mat3Pack turned;
  const Mat3 r = random.rotation();
  for (int l = 0; l < kLanes; ++l) set_lane(turned, l, r * lane(f, l));
  const Pack e = probe.energy(f);
  raise(w.objectivity, largest(probe.energy(turned) - e) / std::max(largest(e), 1e-300));

  if (!m.is_projective()) return;
  const Mat3 q = m.quadratic_form(probe.params().data());
  const Mat3Pack g = random.deformation(size);
  const Mat3Pack step = combine(g, -1.0, f);
  const Pack bound = e + dot(p, step), at = probe.energy(g);
  for (int l = 0; l < kLanes; ++l) {
    const Mat3 delta = lane(step, l);
    const double slack = at[l] - bound[l] - 0.5 * (delta * q * delta.transpose()).trace();
    raise(w.majorant, slack / std::max(largest(e), 1e-300));
  }
}

}  // namespace

std::vector<CheckResult> check_material(const Material& material) {
  Probe probe(material);
  Worst w;
  for (const int dimension : {3, 2, 1}) {
    if (!material.acts_on(dimension)) continue;
    Deformations random(dimension);
    for (const double size : {0.05, 0.1, 0.2})
      for (int repeat = 0; repeat < 4; ++repeat) check_at(material, probe, random, size, w);
  }
  const auto below = [](const char* name, double value, double limit) {
    return CheckResult{name, value, limit, value <= limit};
  };
  const auto above_zero = [](const char* name, double value) {
    return CheckResult{name, value, 0, value > 0};
  };
  std::vector<CheckResult> results = {
      above_zero("the stress is not identically zero", w.stress_size),
      below("stress against differences of the energy", w.stress, 1e-7),
      above_zero("the tangent is not identically zero", w.tangent_size),
      below("tangent against differences of the stress", w.tangent, 1e-7),
      material.is_objective() ? below("energy unchanged by a rotation", w.objectivity, 1e-11)
                              : above_zero("energy changed by a rotation, as declared", w.objectivity)};
  if (!probe.params().empty()) {
    results.push_back(above_zero("the parameter derivative is not identically zero", w.params_size));
    results.push_back(below("parameter derivative against differences", w.params, 1e-6));
  }
  if (material.is_projective())
    results.push_back(below("the quadratic form never underestimates the energy", w.majorant, 1e-10));
  return results;
}

}  // namespace resilin
