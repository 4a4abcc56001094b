#include "core/energy/shape.hpp"

#include "core/base/error.hpp"

#include <Eigen/Geometry>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace resilin {
namespace {

// Corners of the reference cube in VTK order.
constexpr double kCorner[8][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
                                  {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1}};

/// Value and gradient of shape function c of the trilinear hexahedron at xi.
double hex_shape(int c, const double* xi, Vec3& gradient) {
  const double a = 1 + kCorner[c][0] * xi[0], b = 1 + kCorner[c][1] * xi[1], d = 1 + kCorner[c][2] * xi[2];
  gradient = Vec3(kCorner[c][0] * b * d, a * kCorner[c][1] * d, a * b * kCorner[c][2]) / 8;
  return a * b * d / 8;
}

void require_positive(double det, Index element) {
  if (!(det > 0) || !std::isfinite(det) || !std::isfinite(1 / det))
    throw Error(
        Errc::Input,
        fmt::format("element {} is inverted or has no volume in its rest shape (Jacobian {})", element, det));
}

ElementQuadrature tet_quadrature(const Mesh& mesh, Index e) {
  ElementQuadrature q;
  Mat3 edges;
  for (int c = 0; c < 3; ++c)
    edges.col(c) = mesh.vertices.col(mesh.elements(c + 1, e)) - mesh.vertices.col(mesh.elements(0, e));
  const double det = edges.determinant();
  require_positive(det, e);
  q.volume[0] = det / 6;
  const Mat3 inverse = edges.inverse();  // rows are the gradients of N_1..N_3
  Vec3 first = Vec3::Zero();
  for (int c = 1; c < 4; ++c) {
    const Vec3 g = inverse.row(c - 1).transpose();
    for (int j = 0; j < 3; ++j) q.gradient[0][c][j] = g[j];
    first -= g;
  }
  for (int j = 0; j < 3; ++j) q.gradient[0][0][j] = first[j];
  for (int c = 0; c < 4; ++c) q.shape[0][c] = 0.25;
  return q;
}

ElementQuadrature hex_quadrature(const Mesh& mesh, Index e) {
  ElementQuadrature q;
  q.samples = q.nodes = 8;
  const double point = 1 / std::sqrt(3.0);
  for (int s = 0; s < 8; ++s) {
    const double xi[3] = {kCorner[s][0] * point, kCorner[s][1] * point, kCorner[s][2] * point};
    Vec3 local[8];
    Mat3 jacobian = Mat3::Zero();
    for (int c = 0; c < 8; ++c) {
      q.shape[s][c] = hex_shape(c, xi, local[c]);
      jacobian += mesh.vertices.col(mesh.elements(c, e)) * local[c].transpose();
    }
    const double det = jacobian.determinant();
    require_positive(det, e);
    q.volume[s] = det;
    const Mat3 inverse_t = jacobian.inverse().transpose();
    for (int c = 0; c < 8; ++c) {
      const Vec3 g = inverse_t * local[c];
      for (int j = 0; j < 3; ++j) q.gradient[s][c][j] = g[j];
    }
  }
  return q;
}

/// `rounding`: what is left of no area or length at all.
void require_measure(double measure, double rounding, Index element, const char* kind) {
  if (!(measure > rounding) || !std::isfinite(measure) || !std::isfinite(1 / measure))
    throw Error(Errc::Input,
                fmt::format("element {} has no {} in its rest shape ({})", element, kind, measure));
}

ElementQuadrature triangle_quadrature(const Mesh& mesh, Index e) {
  ElementQuadrature q;
  q.nodes = 3;
  const auto x = [&](Index c) -> Vec3 { return mesh.vertices.col(mesh.elements(c, e)); };
  const Vec3 area = (x(1) - x(0)).cross(x(2) - x(0));
  const double twice = area.norm();
  const double longest =
      std::max({(x(1) - x(0)).squaredNorm(), (x(2) - x(0)).squaredNorm(), (x(2) - x(1)).squaredNorm()});
  require_measure(twice, 1e-12 * longest, e, "area");
  q.volume[0] = twice / 2;
  const Vec3 normal = area / twice;
  for (Index c = 0; c < 3; ++c) {  // at right angles to the opposite edge, one over its height long
    const Vec3 g = normal.cross(x((c + 2) % 3) - x((c + 1) % 3)) / twice;
    for (int j = 0; j < 3; ++j) q.gradient[0][c][j] = g[j];
    q.shape[0][c] = 1 / 3.0;
  }
  return q;
}

ElementQuadrature segment_quadrature(const Mesh& mesh, Index e) {
  ElementQuadrature q;
  q.nodes = 2;
  const Vec3 start = mesh.vertices.col(mesh.elements(0, e)), end = mesh.vertices.col(mesh.elements(1, e));
  const Vec3 edge = end - start;
  const double length = edge.norm();
  require_measure(length, 1e-15 * (start.norm() + end.norm()), e, "length");
  q.volume[0] = length;
  for (int j = 0; j < 3; ++j) {
    q.gradient[0][1][j] = edge[j] / length / length;
    q.gradient[0][0][j] = -q.gradient[0][1][j];
  }
  q.shape[0][0] = q.shape[0][1] = 0.5;
  return q;
}

/// Calls visit(element, vertex, integral of the vertex's shape function over the element).
template <class Visit>
void for_each_lumped(const Mesh& mesh, const Visit& visit) {
  for (Index e = 0; e < mesh.num_elements(); ++e) {
    const ElementQuadrature q = element_quadrature(mesh, e);
    for (int c = 0; c < q.nodes; ++c) {
      double integral = 0;
      for (int s = 0; s < q.samples; ++s) integral += q.shape[s][c] * q.volume[s];
      visit(e, mesh.elements(c, e), integral);
    }
  }
}

}  // namespace

int num_samples(ElementType type) {
  return type == ElementType::Hex8 ? 8 : 1;
}

ElementQuadrature element_quadrature(const Mesh& mesh, Index element) {
  switch (mesh.type) {
    case ElementType::Segment2:
      return segment_quadrature(mesh, element);
    case ElementType::Tri3:
      return triangle_quadrature(mesh, element);
    case ElementType::Tet4:
      return tet_quadrature(mesh, element);
    case ElementType::Hex8:
      return hex_quadrature(mesh, element);
  }
  throw Error(Errc::Internal, "unknown element type");
}

VecX lumped_mass(const Mesh& mesh, const VecX& density) {
  VecX mass = VecX::Zero(mesh.num_vertices());
  for_each_lumped(mesh, [&](Index e, int vertex, double integral) {
    mass[vertex] += density[density.size() == 1 ? 0 : e] * integral;
  });
  return mass;
}

void add_lumped_mass_vjp(const Mesh& mesh, ConstVec w, MutVec out) {
  for_each_lumped(mesh, [&](Index e, int vertex, double integral) {
    out[out.size() == 1 ? 0 : e] += w[vertex] * integral;
  });
}

void add_lumped_mass_rest_vjp(const Mesh& mesh, const VecX& density, ConstVec w, MutVec out) {
  for (Index e = 0; e < mesh.num_elements(); ++e) {
    const ElementQuadrature q = element_quadrature(mesh, e);
    for (int s = 0; s < q.samples; ++s) {
      double weight = 0;  // of the sample's volume
      for (int c = 0; c < q.nodes; ++c) weight += q.shape[s][c] * w[mesh.elements(c, e)];
      weight *= density[density.size() == 1 ? 0 : e] * q.volume[s];
      for (int c = 0; c < q.nodes; ++c)
        for (int k = 0; k < 3; ++k) out[3 * mesh.elements(c, e) + k] += weight * q.gradient[s][c][k];
    }
  }
}

}  // namespace resilin
