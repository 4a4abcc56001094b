#include "plugins/colliders/grid_surface.hpp"

#include <algorithm>
#include <cmath>

namespace resilin::colliders {
namespace {

/// Cubic convolution at place f of [0, 1] between the second and the third of four lines, one apart.
AxisWeights cubic(double f) {
  AxisWeights w;
  w.value = {f * (-0.5 + f * (1 - 0.5 * f)), 1 + f * f * (-2.5 + 1.5 * f), f * (0.5 + f * (2 - 1.5 * f)),
             f * f * (-0.5 + 0.5 * f)};
  w.slope = {-0.5 + f * (2 - 1.5 * f), f * (-5 + 4.5 * f), 0.5 + f * (4 - 4.5 * f), f * (-1 + 1.5 * f)};
  w.curvature = {2 - 3 * f, -5 + 9 * f, 4 - 9 * f, -1 + 3 * f};
  return w;
}

/// A line next to the grid is worth twice the one at the border less the one after that.
void fold(std::array<double, 4>& w, std::size_t outside, std::size_t border, std::size_t next) {
  w[border] += 2 * w[outside];
  w[next] -= w[outside];
  w[outside] = 0;
}

}  // namespace

AxisWeights axis_weights(double x, Index lines, double spacing) {
  const double u = x / spacing + 0.5 * static_cast<double>(lines - 1), last = static_cast<double>(lines - 1);
  const double held = std::clamp(u, 0.0, last);
  const Index cell = std::clamp(static_cast<Index>(held), Index{0}, lines - 2);
  AxisWeights w = cubic(held - static_cast<double>(cell));
  w.first = cell - 1;
  w.piece = u < 0 ? 0 : u > last ? lines : 1 + cell;
  for (auto* of : {&w.value, &w.slope, &w.curvature}) {
    if (cell == 0) fold(*of, 0, 1, 2);
    if (cell == lines - 2) fold(*of, 3, 2, 1);
  }
  for (std::size_t k = 0; k < 4; ++k) {
    w.value[k] += (u - held) * w.slope[k];
    w.slope[k] /= spacing;
    w.curvature[k] = u == held ? w.curvature[k] / (spacing * spacing) : 0;
  }
  return w;
}

GridPoint evaluate(const GridShape& shape, const VecX& heights, double x, double y) {
  GridPoint at;
  at.x = axis_weights(x, shape.columns, shape.spacing);
  at.y = axis_weights(y, shape.rows, shape.spacing);
  for (std::size_t j = 0; j < 4; ++j) {
    const Index row = at.y.first + static_cast<Index>(j);
    if (row < 0 || row >= shape.rows) continue;
    double value = 0, slope = 0, curvature = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      const Index column = at.x.first + static_cast<Index>(i);
      if (column < 0 || column >= shape.columns) continue;
      const double h = heights[row * shape.columns + column];
      value += at.x.value[i] * h;
      slope += at.x.slope[i] * h;
      curvature += at.x.curvature[i] * h;
    }
    at.z += at.y.value[j] * value;
    at.zx += at.y.value[j] * slope;
    at.zy += at.y.slope[j] * value;
    at.zxx += at.y.value[j] * curvature;
    at.zxy += at.y.slope[j] * slope;
    at.zyy += at.y.curvature[j] * value;
  }
  return at;
}

}  // namespace resilin::colliders
