#include "plugins/meshes/loft.hpp"

#include "core/base/error.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numbers>

namespace resilin::meshes {

Mat3X ring(const Vec3& center, double radius, const Vec3& u, const Vec3& w, Index n) {
  Mat3X x(3, n);
  for (Index i = 0; i < n; ++i) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(n);
    x.col(i) = center + radius * (std::cos(angle) * u + std::sin(angle) * w);
  }
  return x;
}

Mesh loft(const std::vector<Mat3X>& rings, const Vec3* pole) {
  const Index n = rings.front().cols(), count = static_cast<Index>(rings.size());
  if (static_cast<double>(n) * static_cast<double>(count) > std::numeric_limits<int>::max() / 8.0)
    throw Error(Errc::Input, fmt::format("{} rings of {} vertices are too many", count, n));
  Mesh mesh;
  mesh.type = ElementType::Tri3;
  mesh.vertices.resize(3, n * count + (pole != nullptr ? 1 : 0));
  for (Index j = 0; j < count; ++j) mesh.vertices.middleCols(j * n, n) = rings[static_cast<std::size_t>(j)];
  mesh.elements.resize(3, 2 * n * (count - 1) + (pole != nullptr ? n : 0));
  Index t = 0;
  const auto number = [&](Index j, Index i) { return static_cast<int>(j * n + i % n); };
  for (Index j = 0; j + 1 < count; ++j)
    for (Index i = 0; i < n; ++i) {
      const int a = number(j, i), b = number(j, i + 1), c = number(j + 1, i + 1), d = number(j + 1, i);
      const bool rises = (i + j) % 2 == 0;
      mesh.elements.col(t++) << a, b, rises ? c : d;
      mesh.elements.col(t++) << (rises ? a : b), c, d;
    }
  if (pole == nullptr) return mesh;
  mesh.vertices.col(n * count) = *pole;
  for (Index i = 0; i < n; ++i)
    mesh.elements.col(t++) << number(count - 1, i), number(count - 1, i + 1), static_cast<int>(n * count);
  return mesh;
}

}  // namespace resilin::meshes
