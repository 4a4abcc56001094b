#include "core/energy/jet.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace resilin {
namespace {

using J = Jet<double, 2>;
using JJ = Jet<J, 2>;

/// An expression that uses every operation.
template <class T>
T expression(const T& x, const T& y) {
  T r = x * y + 2.0 * x - y / 3.0 + (x - 1.5) / y;
  r += sqrt(x) * log(y);
  r -= exp(-x) + pow(y, 2.5);
  r *= 1.0 + sin(x) * cos(y);
  return r + 3.0 / x - (2.0 - y) + (y + 4.0) * 0.5;
}
double plain(double x, double y) {
  double r = x * y + 2.0 * x - y / 3.0 + (x - 1.5) / y;
  r += std::sqrt(x) * std::log(y);
  r -= std::exp(-x) + std::pow(y, 2.5);
  r *= 1.0 + std::sin(x) * std::cos(y);
  return r + 3.0 / x - (2.0 - y) + (y + 4.0) * 0.5;
}

TEST(Jet, ValuesAndFirstDerivativesAgreeWithDifferences) {
  const double x = 1.3, y = 0.7, h = 1e-4;
  const J r = expression(J::variable(x, 0), J::variable(y, 1));
  EXPECT_NEAR(r.v, plain(x, y), 1e-14);
  const auto d = [&](double dx, double dy) {
    const auto f = [&](double s) { return plain(x + s * dx, y + s * dy); };
    return (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h);
  };
  EXPECT_NEAR(r.d[0], d(1, 0), 1e-10);
  EXPECT_NEAR(r.d[1], d(0, 1), 1e-10);
}

TEST(Jet, SecondDerivativesAreSymmetricAndAgreeWithDifferencesOfTheFirst) {
  const double x = 1.3, y = 0.7, h = 1e-4;
  const auto twice = [](double a, int i) { return JJ::variable(J::variable(a, i), i); };
  const JJ r = expression(twice(x, 0), twice(y, 1));
  EXPECT_NEAR(r.v.v, plain(x, y), 1e-14);
  EXPECT_NEAR(r.d[0].d[1], r.d[1].d[0], 1e-13);
  for (int j = 0; j < 2; ++j) {
    const auto first = [&](double s) {
      const J e = expression(J::variable(x + (j == 0 ? s : 0), 0), J::variable(y + (j == 1 ? s : 0), 1));
      return e.d;
    };
    for (std::size_t i = 0; i < 2; ++i) {
      const double d = (8 * (first(h)[i] - first(-h)[i]) - (first(2 * h)[i] - first(-2 * h)[i])) / (12 * h);
      EXPECT_NEAR(r.d[i].d[static_cast<std::size_t>(j)], d, 1e-9);
    }
  }
}

TEST(Jet, ConstantsHaveNoDerivativeAndComparisonsLookAtValues) {
  const J c = 3.0, x = J::variable(2.0, 1);
  EXPECT_EQ(c.d[0], 0);
  EXPECT_EQ(c.d[1], 0);
  EXPECT_EQ(x.d[0], 0);
  EXPECT_EQ(x.d[1], 1);
  EXPECT_TRUE(x < c);
  EXPECT_TRUE(c > x);
  EXPECT_FALSE(c < x);
}

TEST(Jet, PowersOfNegativeNumbersWithWholeExponents) {
  const J r = pow(J::variable(-2.0, 0), 3);
  EXPECT_EQ(r.v, -8);
  EXPECT_EQ(r.d[0], 12);
}

}  // namespace
}  // namespace resilin
