// Materials of whom only the energy density is written: everything else by automatic differentiation.
#pragma once

#include "core/energy/jet.hpp"
#include "core/energy/material.hpp"

#include <array>

namespace resilin {

/// A 3 x 3 matrix of numbers or duals; entry (i, j) is F_ij.
template <class T>
struct Matrix3 {
  std::array<T, 9> m{};
  T& operator()(int i, int j) { return m[static_cast<std::size_t>(3 * j + i)]; }
  const T& operator()(int i, int j) const { return m[static_cast<std::size_t>(3 * j + i)]; }

  T determinant() const {
    const auto& f = *this;
    return f(0, 0) * (f(1, 1) * f(2, 2) - f(1, 2) * f(2, 1)) -
           f(0, 1) * (f(1, 0) * f(2, 2) - f(1, 2) * f(2, 0)) +
           f(0, 2) * (f(1, 0) * f(2, 1) - f(1, 1) * f(2, 0));
  }
  /// Sum of the squares: the first invariant tr(F^T F).
  T squaredNorm() const {  // named as in Eigen
    T r = m[0] * m[0];
    for (std::size_t k = 1; k < 9; ++k) r = r + m[k] * m[k];
    return r;
  }
};

/// Derived supplies, besides Options, fields() and visit_parameters():
///     template <class T> static T psi(const Matrix3<T>& f, const std::array<T, N>& p);  // [J/m^3]
/// with p the N pointwise parameters in the order of fields(). P, dP/dF and dP/dp come by dual numbers, lane
/// by lane: exact, but some twenty times slower than a closed form, which may override any of them.
template <class Derived, int N>
class EnergyDensityMaterial : public Material {
 public:
  void add_energy(const SampleBatch& b, Pack* psi) const override {
    for_each_lane(b, [&](Index p, int l) {
      psi[p][l] += Derived::psi(deformation<double>(b, p, l), parameters<double>(b, p, l));
    });
  }
  void add_stress(const SampleBatch& b, Pack* psi, Mat3Pack* stress) const override {
    using T = Jet<double, 9>;
    for_each_lane(b, [&](Index p, int l) {
      Matrix3<T> f;
      for (int k = 0; k < 9; ++k) f.m[static_cast<std::size_t>(k)] = T::variable(b.f[p].m[k][l], k);
      const T e = Derived::psi(f, parameters<T>(b, p, l));
      psi[p][l] += e.v;
      for (int k = 0; k < 9; ++k) stress[p].m[k][l] += e.d[static_cast<std::size_t>(k)];
    });
  }
  void add_tangent(const SampleBatch& b, TangentPack* c) const override {
    using Inner = Jet<double, 9>;
    using T = Jet<Inner, 9>;
    for_each_lane(b, [&](Index p, int l) {
      Matrix3<T> f;
      for (int k = 0; k < 9; ++k)
        f.m[static_cast<std::size_t>(k)] = T::variable(Inner::variable(b.f[p].m[k][l], k), k);
      const T e = Derived::psi(f, parameters<T>(b, p, l));
      for (int i = 0; i < 9; ++i)
        for (int j = i; j < 9; ++j)
          c[p](i, j)[l] += e.d[static_cast<std::size_t>(i)].d[static_cast<std::size_t>(j)];
    });
  }
  void add_param_vjp(const SampleBatch& b, const Mat3Pack* w, Pack* out) const override {
    // The inner dual differentiates along W, the outer one in the parameters.
    using Inner = Jet<double, 1>;
    using T = Jet<Inner, N>;
    for_each_lane(b, [&](Index p, int l) {
      Matrix3<T> f;
      for (int k = 0; k < 9; ++k) {
        auto& entry = f.m[static_cast<std::size_t>(k)];
        entry.v.v = b.f[p].m[k][l];
        entry.v.d[0] = w[p].m[k][l];
      }
      std::array<T, N> q;
      for (int k = 0; k < N; ++k) q[static_cast<std::size_t>(k)] = T::variable(Inner(b.param(k, p)[l]), k);
      const T e = Derived::psi(f, q);
      for (int k = 0; k < N; ++k) out[k * b.packs + p][l] += e.d[static_cast<std::size_t>(k)].d[0];
    });
  }

 private:
  template <class Visit>
  static void for_each_lane(const SampleBatch& b, const Visit& visit) {
    for (Index p = 0; p < b.packs; ++p)
      for (int l = 0; l < kLanes; ++l) visit(p, l);
  }
  template <class T>
  static Matrix3<T> deformation(const SampleBatch& b, Index p, int l) {
    Matrix3<T> f;
    for (int k = 0; k < 9; ++k) f.m[static_cast<std::size_t>(k)] = T(b.f[p].m[k][l]);
    return f;
  }
  template <class T>
  static std::array<T, N> parameters(const SampleBatch& b, Index p, int l) {
    std::array<T, N> q;
    for (int k = 0; k < N; ++k) q[static_cast<std::size_t>(k)] = T(b.param(k, p)[l]);
    return q;
  }
};

}  // namespace resilin
