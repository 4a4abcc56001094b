#include "core/energy/material.hpp"

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <limits>

namespace resilin {

namespace {

using Tangent = Eigen::Matrix<double, 9, 9>;

/// The dimension of rest: the largest that the material acts on.
int rest_dimension(const Material& material) {
  int dimension = 3;
  while (dimension > 1 && !material.acts_on(dimension)) --dimension;
  return dimension;
}

/// dP/dF at rest, F = I (or diag(1, 1, 0), diag(1, 0, 0)), of a material with these parameters.
Tangent rest_tangent(const Material& material, const double* params) {
  Index count = 0;
  for (const Field* field : material.fields()) count += field->components;
  std::vector<Pack> packed(static_cast<std::size_t>(count));
  for (std::size_t k = 0; k < packed.size(); ++k) packed[k] = splat(params[k]);
  Mat3Pack f = zero_mat3();
  for (int i = 0; i < rest_dimension(material); ++i) f(i, i) = splat(1.0);
  Svd3Pack svd;
  batched_svd(&f, &svd, 1);
  TangentPack c{};
  material.add_tangent({1, &f, &svd, packed.data()}, &c);
  Tangent full;
  for (int a = 0; a < 9; ++a)
    for (int b = 0; b < 9; ++b) full(a, b) = c(a, b)[0];
  return full;
}

/// c_iklj = mu (d_ik d_lj + d_ij d_kl) + lambda d_il d_kj with the entries of c that show mu and lambda?
bool is_isotropic(const Tangent& c) {
  const double mu = c(1, 1), lambda = c(0, 4);
  double gap = 0;
  for (int a = 0; a < 9; ++a)
    for (int b = 0; b < 9; ++b) {
      const int i = a % 3, j = a / 3, k = b % 3, l = b / 3;
      const double entry = mu * ((i == k && j == l) + (i == l && j == k)) + lambda * (i == j && k == l);
      gap = std::max(gap, std::abs(c(a, b) - entry));
    }
  return gap <= 1e-9 * c.cwiseAbs().maxCoeff();
}

/// Largest (u n^T) : c : (u n^T) over unit vectors, n with its first `dimension` coordinates only, by turns
/// in u and n from several directions: each turn is an eigenvalue problem and can only raise it.
double stiffest_wave(const Tangent& c, int dimension) {
  if (dimension == 3 && is_isotropic(c)) return std::max(c(0, 0), c(1, 1));
  double largest = -std::numeric_limits<double>::infinity();
  for (const Vec3& start : {Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1), Vec3(1, 1, 1), Vec3(1, 1, -1),
                            Vec3(1, -1, 1), Vec3(-1, 1, 1)}) {
    Vec3 u, n = start;
    n.tail(3 - dimension).setZero();
    if (n.isZero(0)) continue;
    n.normalize();
    double value = -std::numeric_limits<double>::infinity(), before = value;
    do {
      before = value;
      for (const bool find_u : {true, false}) {
        Mat3 q = Mat3::Zero();
        for (int a = 0; a < 9; ++a)
          for (int b = 0; b < 9; ++b)
            if (find_u)
              q(a % 3, b % 3) += c(a, b) * n[a / 3] * n[b / 3];
            else if (a / 3 < dimension && b / 3 < dimension)
              q(a / 3, b / 3) += c(a, b) * u[a % 3] * u[b % 3];
        const double below = -q.norm() - 1;  // all other eigenvalues, so that n stays a tangent
        for (int k = dimension; k < 3 && !find_u; ++k) q(k, k) = below;
        const Eigen::SelfAdjointEigenSolver<Mat3> eigen(q);
        value = eigen.eigenvalues()[2];
        (find_u ? u : n) = eigen.eigenvectors().col(2);
      }
    } while (value > before + 1e-10 * std::abs(value));
    largest = std::max(largest, value);
  }
  return largest;
}

}  // namespace

Mat3 Material::quadratic_form(const double* params) const {
  return stiffest_wave(rest_tangent(*this, params), rest_dimension(*this)) * Mat3::Identity();
}

void ElasticModuli::visit(ParamVisitor& v) {
  v.field("youngs_modulus", youngs_modulus,
          {.doc = "Young's modulus",
           .unit = "Pa",
           .min = 0,
           .max = 1e15,
           .open = true,
           .differentiable = true,
           .alias = "E"});
  v.field(
      "poissons_ratio", poissons_ratio,
      {.doc = "Poisson's ratio", .min = -1, .max = 0.5, .open = true, .differentiable = true, .alias = "nu"});
}

void ElasticModuli::require_constant(const BuildContext& context) const {
  for (const auto& [key, field] :
       {std::pair{"youngs_modulus", &youngs_modulus}, {"poissons_ratio", &poissons_ratio}})
    if (field->steps != 1)
      throw context.input_error(key, "the moduli of this material cannot change from step to step");
}

void add_isotropic_tangent(const Svd3Pack& svd, const IsotropicTangent& t, TangentPack& c) {
  // A sum of nine dyads left[m] right[m]^T of matrices u_a v_b^T.
  Pack left[9][9], right[9][9];
  const auto dyad = [&](int a, int b, Pack* d) {
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < 3; ++i) d[3 * j + i] = svd.u(i, a) * svd.v(j, b);
  };
  for (int a = 0; a < 3; ++a) dyad(a, a, left[a]);
  constexpr int kSym[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
  for (int a = 0; a < 3; ++a)
    for (int e = 0; e < 9; ++e)
      right[a][e] =
          t.diag[kSym[a][0]] * left[0][e] + t.diag[kSym[a][1]] * left[1][e] + t.diag[kSym[a][2]] * left[2][e];
  constexpr int kPair[3][2] = {{0, 1}, {0, 2}, {1, 2}};
  for (int k = 0; k < 3; ++k) {
    // flip f f^T + twist t t^T over g = u_p v_q^T and h = u_q v_p^T: same (g g^T + h h^T) + mix (g h^T + h
    // g^T)
    const Pack same = 0.5 * (t.flip[k] + t.twist[k]), mix = 0.5 * (t.flip[k] - t.twist[k]);
    Pack *g = left[3 + 2 * k], *h = left[4 + 2 * k];
    dyad(kPair[k][0], kPair[k][1], g);
    dyad(kPair[k][1], kPair[k][0], h);
    for (int e = 0; e < 9; ++e) {
      right[3 + 2 * k][e] = same * g[e] + mix * h[e];
      right[4 + 2 * k][e] = mix * g[e] + same * h[e];
    }
  }
  int n = 0;
  for (int a = 0; a < 9; ++a)
    for (int b = a; b < 9; ++b, ++n) {
      Pack sum = c.c[n];
#pragma GCC unroll 9
      for (int m = 0; m < 9; ++m) sum += left[m][a] * right[m][b];
      c.c[n] = sum;
    }
}

}  // namespace resilin
