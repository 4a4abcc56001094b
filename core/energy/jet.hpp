// Forward-mode automatic differentiation: dual numbers with N derivatives.
#pragma once

#include <array>
#include <cmath>

namespace resilin {

/// value + sum_i d[i] eps_i with eps_i eps_j = 0. Nest for second derivatives: Jet<Jet<double, N>, M>.
template <class T, int N>
struct Jet {
  T v{};
  std::array<T, N> d{};

  Jet() = default;
  Jet(double a) : v(a) {}  // NOLINT(google-explicit-constructor): constants mix with duals
  /// Variable number i.
  static Jet variable(const T& value, int i) {
    Jet r;
    r.v = value;
    r.d[static_cast<std::size_t>(i)] = T(1.0);
    return r;
  }
};

/// Applies the chain rule for a function with value f and derivative df at a.v.
template <class T, int N>
Jet<T, N> chain(const Jet<T, N>& a, const T& f, const T& df) {
  Jet<T, N> r;
  r.v = f;
  for (std::size_t i = 0; i < N; ++i) r.d[i] = df * a.d[i];
  return r;
}

template <class T, int N>
Jet<T, N> operator+(const Jet<T, N>& a, const Jet<T, N>& b) {
  Jet<T, N> r;
  r.v = a.v + b.v;
  for (std::size_t i = 0; i < N; ++i) r.d[i] = a.d[i] + b.d[i];
  return r;
}
template <class T, int N>
Jet<T, N> operator-(const Jet<T, N>& a, const Jet<T, N>& b) {
  Jet<T, N> r;
  r.v = a.v - b.v;
  for (std::size_t i = 0; i < N; ++i) r.d[i] = a.d[i] - b.d[i];
  return r;
}
template <class T, int N>
Jet<T, N> operator*(const Jet<T, N>& a, const Jet<T, N>& b) {
  Jet<T, N> r;
  r.v = a.v * b.v;
  for (std::size_t i = 0; i < N; ++i) r.d[i] = a.d[i] * b.v + a.v * b.d[i];
  return r;
}
template <class T, int N>
Jet<T, N> operator/(const Jet<T, N>& a, const Jet<T, N>& b) {
  Jet<T, N> r;
  const T inverse = T(1.0) / b.v;
  r.v = a.v * inverse;
  for (std::size_t i = 0; i < N; ++i) r.d[i] = (a.d[i] - r.v * b.d[i]) * inverse;
  return r;
}
template <class T, int N>
Jet<T, N> operator-(const Jet<T, N>& a) {
  return Jet<T, N>(0.0) - a;
}
// Arithmetic with plain numbers.
template <class T, int N>
Jet<T, N> operator+(const Jet<T, N>& a, double b) {
  return a + Jet<T, N>(b);
}
template <class T, int N>
Jet<T, N> operator+(double a, const Jet<T, N>& b) {
  return Jet<T, N>(a) + b;
}
template <class T, int N>
Jet<T, N> operator-(const Jet<T, N>& a, double b) {
  return a - Jet<T, N>(b);
}
template <class T, int N>
Jet<T, N> operator-(double a, const Jet<T, N>& b) {
  return Jet<T, N>(a) - b;
}
template <class T, int N>
Jet<T, N> operator*(const Jet<T, N>& a, double b) {
  return a * Jet<T, N>(b);
}
template <class T, int N>
Jet<T, N> operator*(double a, const Jet<T, N>& b) {
  return Jet<T, N>(a) * b;
}
template <class T, int N>
Jet<T, N> operator/(const Jet<T, N>& a, double b) {
  return a / Jet<T, N>(b);
}
template <class T, int N>
Jet<T, N> operator/(double a, const Jet<T, N>& b) {
  return Jet<T, N>(a) / b;
}
template <class A, class T, int N>
Jet<T, N>& operator+=(Jet<T, N>& a, const A& b) {
  return a = a + b;
}
template <class A, class T, int N>
Jet<T, N>& operator-=(Jet<T, N>& a, const A& b) {
  return a = a - b;
}
template <class A, class T, int N>
Jet<T, N>& operator*=(Jet<T, N>& a, const A& b) {
  return a = a * b;
}
/// Comparisons look at the value alone.
template <class T, int N>
bool operator<(const Jet<T, N>& a, const Jet<T, N>& b) {
  return a.v < b.v;
}
template <class T, int N>
bool operator>(const Jet<T, N>& a, const Jet<T, N>& b) {
  return b.v < a.v;
}

template <class T, int N>
Jet<T, N> sqrt(const Jet<T, N>& a) {
  using std::sqrt;
  const T r = sqrt(a.v);
  return chain(a, r, T(0.5) / r);
}
template <class T, int N>
Jet<T, N> log(const Jet<T, N>& a) {
  using std::log;
  return chain(a, T(log(a.v)), T(1.0) / a.v);
}
template <class T, int N>
Jet<T, N> exp(const Jet<T, N>& a) {
  using std::exp;
  const T r = exp(a.v);
  return chain(a, r, r);
}
/// a^p for a constant exponent.
template <class T, int N>
Jet<T, N> pow(const Jet<T, N>& a, double p) {
  using std::pow;
  return chain(a, T(pow(a.v, p)), T(p) * pow(a.v, p - 1));
}
template <class T, int N>
Jet<T, N> sin(const Jet<T, N>& a) {
  using std::cos;
  using std::sin;
  return chain(a, T(sin(a.v)), T(cos(a.v)));
}
template <class T, int N>
Jet<T, N> cos(const Jet<T, N>& a) {
  using std::cos;
  using std::sin;
  return chain(a, T(cos(a.v)), T(0.0) - sin(a.v));
}

}  // namespace resilin
