#include "plugins/meshes/shirt.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace resilin::meshes {
namespace {

/// Coordinates of the lines of a grid through all `breaks`, about `cell` apart, at least `least` cells from
/// break to break.
std::vector<double> grid_lines(const std::vector<double>& breaks, double cell, Index least) {
  std::vector<double> lines{breaks.front()};
  for (std::size_t k = 1; k < breaks.size(); ++k) {
    const double length = breaks[k] - breaks[k - 1];
    const double wanted = std::round(length / cell);
    if (wanted > 1e5) throw Error(Errc::Input, fmt::format("cells of {} m are too small", cell));
    const Index n = std::max(static_cast<Index>(wanted), least);
    for (Index i = 1; i <= n; ++i)
      lines.push_back(breaks[k - 1] + length * (static_cast<double>(i) / static_cast<double>(n)));
    lines.back() = breaks[k];
  }
  return lines;
}

/// One panel as a grid of which some cells are missing.
class Panels {
 public:
  explicit Panels(const Shirt::Options& o) : o_(o) {
    const double body = 0.5 * o.width, neck = 0.5 * o.neck_width, all = body + o.sleeve_length;
    // Two cells across what is open, so that front and back have an edge each there.
    x_ = grid_lines({-all, -body, -neck, neck, body, all}, o.cell, 2);
    y_ = grid_lines({0, o.height - o.sleeve_width, o.height}, o.cell, 2);
  }

  Mesh make() const {
    Mesh mesh;
    mesh.type = ElementType::Tri3;
    const Index nx = static_cast<Index>(x_.size()), ny = static_cast<Index>(y_.size());
    if (static_cast<double>(nx) * static_cast<double>(ny) > std::numeric_limits<int>::max() / 8.0)
      throw Error(Errc::Input, fmt::format("cells of {} m are too small", o_.cell));
    std::vector<Vec3> places;
    std::array<std::vector<int>, 2> number;  // of each grid point, front and back
    for (auto& n : number) n.assign(static_cast<std::size_t>(nx * ny), -1);
    for (Index i = 0; i < nx; ++i)
      for (Index j = 0; j < ny; ++j) {
        if (!is_used(i, j)) continue;
        const double z = bulge(line(x_, i), line(y_, j));
        for (std::size_t side = 0; side < 2; ++side) {
          int& own = number[side][static_cast<std::size_t>(i * ny + j)];
          own = static_cast<int>(places.size());
          places.emplace_back(line(x_, i), line(y_, j), side == 0 ? z : -z);
          if (z == 0) {  // on a seam: the same for both
            number[1][static_cast<std::size_t>(i * ny + j)] = own;
            break;
          }
        }
      }
    mesh.vertices.resize(3, static_cast<Index>(places.size()));
    for (std::size_t v = 0; v < places.size(); ++v) mesh.vertices.col(static_cast<Index>(v)) = places[v];
    add_triangles(number, mesh);
    return mesh;
  }

 private:
  static double line(const std::vector<double>& lines, Index i) { return lines[static_cast<std::size_t>(i)]; }
  bool has_cell(Index i, Index j) const {
    if (i < 0 || j < 0 || i + 1 >= static_cast<Index>(x_.size()) || j + 1 >= static_cast<Index>(y_.size()))
      return false;
    const double x = 0.5 * (line(x_, i) + line(x_, i + 1)), y = 0.5 * (line(y_, j) + line(y_, j + 1));
    return std::abs(x) < 0.5 * o_.width || y > o_.height - o_.sleeve_width;
  }
  bool is_used(Index i, Index j) const {
    return has_cell(i, j) || has_cell(i - 1, j) || has_cell(i, j - 1) || has_cell(i - 1, j - 1);
  }
  /// Distance to the nearest seam, by the right half of the panel.
  double seam_distance(double x, double y) const {
    const double body = 0.5 * o_.width, armpit = o_.height - o_.sleeve_width, right = std::abs(x);
    const auto to_box = [&](double x0, double x1, double y0, double y1) {
      return std::hypot(std::max({x0 - right, 0.0, right - x1}), std::max({y0 - y, 0.0, y - y1}));
    };
    const double end = body + o_.sleeve_length;
    return std::min({to_box(body, body, 0, armpit), to_box(body, end, armpit, armpit),
                     to_box(0.5 * o_.neck_width, end, o_.height, o_.height)});
  }
  double bulge(double x, double y) const {
    const double s = std::min(seam_distance(x, y) / (0.5 * o_.sleeve_width), 1.0);
    return o_.depth * std::sqrt(s * (2 - s));
  }

  void add_triangles(const std::array<std::vector<int>, 2>& number, Mesh& mesh) const {
    const Index nx = static_cast<Index>(x_.size()), ny = static_cast<Index>(y_.size());
    std::vector<Eigen::Vector3i> triangles;
    for (std::size_t side = 0; side < 2; ++side)
      for (Index i = 0; i + 1 < nx; ++i)
        for (Index j = 0; j + 1 < ny; ++j) {
          if (!has_cell(i, j)) continue;
          const auto at = [&](Index p, Index q) {
            return number[side][static_cast<std::size_t>(p * ny + q)];
          };
          const int a = at(i, j), b = at(i + 1, j), c = at(i + 1, j + 1), d = at(i, j + 1);
          const bool rises = (i + j) % 2 == 0;
          triangles.emplace_back(a, b, rises ? c : d);
          triangles.emplace_back(rises ? a : b, c, d);
          if (side == 1)
            for (std::size_t t = triangles.size() - 2; t < triangles.size(); ++t)
              std::swap(triangles[t][1], triangles[t][2]);
        }
    mesh.elements.resize(3, static_cast<Index>(triangles.size()));
    for (std::size_t t = 0; t < triangles.size(); ++t)
      mesh.elements.col(static_cast<Index>(t)) = triangles[t];
  }

  const Shirt::Options& o_;
  std::vector<double> x_, y_;
};

}  // namespace

void Shirt::Options::visit(ParamVisitor& v) {
  v.real("width", width, {.doc = "from side to side", .unit = "m", .min = 0, .open = true});
  v.real("height", height, {.doc = "from hem to shoulder", .unit = "m", .min = 0, .open = true});
  v.real("sleeve_length", sleeve_length,
         {.doc = "from the side to the end of a sleeve", .unit = "m", .min = 0, .open = true});
  v.real("sleeve_width", sleeve_width,
         {.doc = "from the shoulder down to the armpit, less than the height",
          .unit = "m",
          .min = 0,
          .open = true});
  v.real("neck_width", neck_width,
         {.doc = "of the opening between the shoulders, less than the width",
          .unit = "m",
          .min = 0,
          .open = true});
  v.real("depth", depth,
         {.doc = "largest distance of each panel from the plane of the seams",
          .unit = "m",
          .min = 0,
          .open = true});
  v.real("cell", cell,
         {.doc = "edge length of the cells, about: each part has a whole number of them, at least two",
          .unit = "m",
          .min = 0,
          .open = true});
  v.check(neck_width < width, "neck_width must be less than width");
  v.check(sleeve_width < height, "sleeve_width must be less than height");
}

Shirt::Shirt(const Options& options, const BuildContext& context) : options_(options) {
  if (!(options.neck_width < options.width))
    throw context.input_error("neck_width", fmt::format("is {} m; expected less than the width, {} m",
                                                        options.neck_width, options.width));
  if (!(options.sleeve_width < options.height))
    throw context.input_error("sleeve_width", fmt::format("is {} m; expected less than the height, {} m",
                                                          options.sleeve_width, options.height));
}

Mesh Shirt::generate() const {
  return Panels(options_).make();
}

}  // namespace resilin::meshes
