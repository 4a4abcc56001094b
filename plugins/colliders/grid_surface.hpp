// A surface z = f(x, y) through heights on a grid, by cubic convolution (Catmull-Rom, Keys 1981) along both
// axes: it runs through the heights, its slope is continuous, and a height matters only within two cells.
// Bilinear patches would give normals that jump at each edge of a cell; splines with a continuous curvature
// would let each height matter everywhere. Beyond the grid it goes on straight, with the slope that it has at
// its border; the outermost cells take the heights next to the grid from a straight line through the two at
// the border, so that a plane is reproduced everywhere.
#pragma once

#include "core/base/types.hpp"

#include <array>

namespace resilin::colliders {

/// Columns along x, rows along y; the grid's middle is at x = y = 0.
struct GridShape {
  Index columns = 2, rows = 2;
  double spacing = 1;  ///< [m]
};

/// Weights of the heights along one axis at one place: value, first and second derivative [1, 1/m, 1/m^2].
struct AxisWeights {
  Index first = 0;  ///< weight k belongs to grid line first + k; those outside the grid are 0
  std::array<double, 4> value{}, slope{}, curvature{};
  Index piece = 0;  ///< 0 before the grid, 1 + cell within, 1 + cells beyond
};
AxisWeights axis_weights(double x, Index lines, double spacing);

/// f and its derivatives at one place.
struct GridPoint {
  AxisWeights x, y;
  double z = 0, zx = 0, zy = 0, zxx = 0, zxy = 0, zyy = 0;
};

/// Heights with x fastest.
GridPoint evaluate(const GridShape& shape, const VecX& heights, double x, double y);

/// action(i, w, wx, wy): height i counts with w in f, with wx and wy in its derivatives.
template <class Action>
void for_each_height(const GridShape& shape, const GridPoint& at, Action&& action) {
  for (std::size_t j = 0; j < 4; ++j) {
    const Index row = at.y.first + static_cast<Index>(j);
    if (row < 0 || row >= shape.rows) continue;
    for (std::size_t i = 0; i < 4; ++i) {
      const Index column = at.x.first + static_cast<Index>(i);
      if (column < 0 || column >= shape.columns) continue;
      action(row * shape.columns + column, at.x.value[i] * at.y.value[j], at.x.slope[i] * at.y.value[j],
             at.x.value[i] * at.y.slope[j]);
    }
  }
}

}  // namespace resilin::colliders
