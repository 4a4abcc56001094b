#include "core/geometry/crossing.hpp"

#include "core/base/parallel.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace resilin {
namespace {

constexpr double kFlat = 1e-14;  // coefficients below this, relative to what they are made of, are rounding
constexpr double kEdge = 1e-9;   // slack of what lies within a triangle or a segment, of its size

/// det(a + t u, b + t v, c + t w) as a polynomial in t, and the size of what cancels in it.
struct Cubic {
  std::array<double, 4> c;
  double scale;
  double operator()(double t) const { return c[0] + t * (c[1] + t * (c[2] + t * c[3])); }
};

Cubic volume(const MovingPoints& m) {
  std::array<Vec3, 3> at, move;
  for (std::size_t k = 0; k < 3; ++k) {
    at[k] = m.start[k + 1] - m.start[0];
    move[k] = (m.end[k + 1] - m.end[0]) - at[k];
  }
  const auto det = [](const Vec3& a, const Vec3& b, const Vec3& c) { return a.dot(b.cross(c)); };
  double size = 0;
  for (std::size_t k = 0; k < 3; ++k) size = std::max({size, at[k].norm(), move[k].norm()});
  return {{det(at[0], at[1], at[2]),
           det(move[0], at[1], at[2]) + det(at[0], move[1], at[2]) + det(at[0], at[1], move[2]),
           det(at[0], move[1], move[2]) + det(move[0], at[1], move[2]) + det(move[0], move[1], at[2]),
           det(move[0], move[1], move[2])},
          size * size * size};
}

double bisect(const Cubic& f, double a, double b) {
  const bool rises = f(b) > 0;
  for (int k = 0; k < 60; ++k) {
    const double middle = 0.5 * (a + b);
    ((f(middle) > 0) == rises ? b : a) = middle;
  }
  return 0.5 * (a + b);
}

/// Roots in [0, 1], ascending.
std::vector<double> roots(const Cubic& f) {
  const double largest = std::max({std::abs(f.c[0]), std::abs(f.c[1]), std::abs(f.c[2]), std::abs(f.c[3])});
  if (!(largest > kFlat * f.scale)) return {};
  std::vector<double> ends{0};
  // Extrema: 3 c3 t^2 + 2 c2 t + c1 = 0.
  const double a = 3 * f.c[3], b = f.c[2], c = f.c[1], root2 = b * b - a * c;
  if (root2 > 0) {
    const double q = -(b + std::copysign(std::sqrt(root2), b));
    for (const double t : {q / a, c / q})
      if (t > 0 && t < 1) ends.push_back(t);
  }
  std::sort(ends.begin(), ends.end());
  ends.push_back(1);
  std::vector<double> found;
  for (std::size_t k = 0; k + 1 < ends.size(); ++k) {
    const double low = f(ends[k]), high = f(ends[k + 1]);
    if (low == 0) found.push_back(ends[k]);
    if ((low < 0 && high > 0) || (low > 0 && high < 0)) found.push_back(bisect(f, ends[k], ends[k + 1]));
  }
  if (f(1) == 0) found.push_back(1);
  return found;
}

double first_meeting(const MovingPoints& m, FunctionRef<bool(const std::array<Vec3, 4>&)> meets) {
  for (const double t : roots(volume(m))) {
    std::array<Vec3, 4> x;
    for (std::size_t k = 0; k < 4; ++k) x[k] = m.start[k] + t * (m.end[k] - m.start[k]);
    if (meets(x)) return t;
  }
  return -1;
}

}  // namespace

double point_meets_triangle(const MovingPoints& m) {
  return first_meeting(m, [](const std::array<Vec3, 4>& x) {
    const Vec3 n = (x[2] - x[1]).cross(x[3] - x[1]);
    const double area2 = n.squaredNorm();
    for (std::size_t k = 0; k < 3; ++k) {
      const Vec3 &from = x[1 + (k + 1) % 3], &to = x[1 + (k + 2) % 3];
      if (n.dot((to - from).cross(x[0] - from)) < -kEdge * area2) return false;
    }
    return area2 > 0;
  });
}

double segments_meet(const MovingPoints& m) {
  return first_meeting(m, [](const std::array<Vec3, 4>& x) {
    const Vec3 u = x[1] - x[0], v = x[3] - x[2], gap = x[2] - x[0], n = u.cross(v);
    const double n2 = n.squaredNorm();
    if (!(n2 > kFlat * u.squaredNorm() * v.squaredNorm())) return false;
    const double s = gap.cross(v).dot(n) / n2, t = gap.cross(u).dot(n) / n2;
    return s >= -kEdge && s <= 1 + kEdge && t >= -kEdge && t <= 1 + kEdge;
  });
}

bool segment_crosses_triangle(const Vec3& p, const Vec3& q, const Vec3& a, const Vec3& b, const Vec3& c) {
  const Vec3 n = (b - a).cross(c - a);
  const double above = n.dot(p - a), below = n.dot(q - a);
  const double flat = kFlat * n.norm() * (p.cwiseAbs() + q.cwiseAbs() + a.cwiseAbs()).maxCoeff();
  if (!(std::min(above, below) < -flat && std::max(above, below) > flat)) return false;
  // The same sense of turning about p q from corner to corner.
  const Vec3 along = q - p;
  const auto turn = [&](const Vec3& from, const Vec3& to) { return along.dot((from - p).cross(to - p)); };
  const double u = turn(a, b), v = turn(b, c), w = turn(c, a);
  return (u >= 0 && v >= 0 && w >= 0) || (u <= 0 && v <= 0 && w <= 0);
}

}  // namespace resilin
