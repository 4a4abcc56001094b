// Woven cloth: threads along d (warp) and e (weft), two unit tangents of the rest surface at right angles:
//     psi = k_d/2 (|F d| - 1)^2 + k_e/2 (|F e| - 1)^2 + k_g/2 (F d . F e)^2        [Baraff 1998]
// d is `direction`, projected on the tangents of each triangle and normalised, so that one vector serves a
// curved surface too; e = N x d. The energy of a triangle is thickness x area x psi: with the default
// thickness of 1 m the three are stiffnesses per area [N/m], else moduli [Pa]. No projection, because of the
// shear. Not a number where a thread has shrunk to a point or `direction` is a normal.
#pragma once

#include "core/energy/energy_density_material.hpp"

#include <algorithm>

namespace resilin {

class MembraneWoven final : public EnergyDensityMaterial<MembraneWoven, 6> {
 public:
  struct Options {
    Field warp{1e3}, weft{1e3}, shear{100.0};
    Field direction{Vec3(1, 0, 0)};
    Selector region;
    void visit(ParamVisitor& v);
  };
  MembraneWoven(const Options& options, const BuildContext& context);

  void visit_parameters(ParamVisitor& v) override { options_.visit(v); }
  std::vector<const Field*> fields() const override {
    return {&options_.warp, &options_.weft, &options_.shear, &options_.direction};
  }
  const Selector* elements() const override { return &options_.region; }
  bool acts_on(int dimension) const override { return dimension == 2; }
  /// No plane wave is stiffer.
  Mat3 quadratic_form(const double* params) const override {
    return (std::max(params[0], params[1]) + params[2]) * Mat3::Identity();
  }

  template <class T>
  static T psi(const Matrix3<T>& f, const std::array<T, 6>& p);

 private:
  Options options_;
};

/// a/b whose value is rounded once, so that a vector of any length is normalised to the same bits.
inline double quotient(double a, double b) {
  return a / b;
}
template <class T, int N>
Jet<T, N> quotient(const Jet<T, N>& a, const Jet<T, N>& b) {
  Jet<T, N> r = a / b;
  r.v = quotient(a.v, b.v);
  return r;
}

/// The normal N of the rest surface is that of cof F = J n N^T: the longest of its rows.
template <class T>
T MembraneWoven::psi(const Matrix3<T>& f, const std::array<T, 6>& p) {
  using std::sqrt;
  std::array<T, 3> n{};
  T longest(-1.0);
  for (int i = 0; i < 3; ++i) {
    const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
    std::array<T, 3> row;
    for (int j = 0; j < 3; ++j) {
      const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      row[static_cast<std::size_t>(j)] = f(i1, j1) * f(i2, j2) - f(i1, j2) * f(i2, j1);
    }
    const T square = row[0] * row[0] + row[1] * row[1] + row[2] * row[2];
    if (!(square > longest)) continue;
    longest = square;
    n = row;
  }
  // Of unit length first: its own is then no source of rounding in derivatives by it, which are zero.
  const T given = sqrt(p[3] * p[3] + p[4] * p[4] + p[5] * p[5]);
  std::array<T, 3> d{quotient(p[3], given), quotient(p[4], given), quotient(p[5], given)};
  const T along = (n[0] * d[0] + n[1] * d[1] + n[2] * d[2]) / longest;
  for (std::size_t k = 0; k < 3; ++k) d[k] = d[k] - along * n[k];
  const T length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]), size = sqrt(longest) * length;
  const std::array<T, 3> e{(n[1] * d[2] - n[2] * d[1]) / size, (n[2] * d[0] - n[0] * d[2]) / size,
                           (n[0] * d[1] - n[1] * d[0]) / size};
  std::array<T, 3> warp, weft;
  for (int i = 0; i < 3; ++i) {
    const auto k = static_cast<std::size_t>(i);
    warp[k] = (f(i, 0) * d[0] + f(i, 1) * d[1] + f(i, 2) * d[2]) / length;
    weft[k] = f(i, 0) * e[0] + f(i, 1) * e[1] + f(i, 2) * e[2];
  }
  const auto dot = [](const std::array<T, 3>& a, const std::array<T, 3>& b) -> T {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  };
  const T a = sqrt(dot(warp, warp)) - 1.0, b = sqrt(dot(weft, weft)) - 1.0, g = dot(warp, weft);
  return 0.5 * (p[0] * a * a + p[1] * b * b + p[2] * g * g);
}

}  // namespace resilin
