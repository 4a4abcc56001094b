#include "core/energy/material.hpp"

#include <Eigen/Eigenvalues>

namespace resilin {

Mat3 Material::quadratic_form(const double* params) const {
  Index count = 0;
  for (const Field* f : fields()) count += f->components;
  std::vector<Pack> packed(static_cast<std::size_t>(count));
  for (std::size_t k = 0; k < packed.size(); ++k) packed[k] = splat(params[k]);
  Mat3Pack f = zero_mat3();
  for (int i = 0; i < 3; ++i) f(i, i) = splat(1.0);
  Svd3Pack svd;
  batched_svd(&f, &svd, 1);
  TangentPack c{};
  add_tangent({1, &f, &svd, packed.data()}, &c);
  Eigen::Matrix<double, 9, 9> full;
  for (int a = 0; a < 9; ++a)
    for (int b = 0; b < 9; ++b) full(a, b) = c(a, b)[0];
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix<double, 9, 9>> eigen(full, Eigen::EigenvaluesOnly);
  return eigen.eigenvalues()[8] * Mat3::Identity();
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
  Pack d[3][9];
  for (int a = 0; a < 3; ++a)
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < 3; ++i) d[a][3 * j + i] = svd.u(i, a) * svd.v(j, a);
  // D = sum_b diag(a, b) d_b, so that the diagonal part is sum_a d_a (D_a)^T.
  constexpr int kSym[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
  Pack dd[3][9];
  for (int a = 0; a < 3; ++a)
    for (int k = 0; k < 9; ++k)
      dd[a][k] = t.diag[kSym[a][0]] * d[0][k] + t.diag[kSym[a][1]] * d[1][k] + t.diag[kSym[a][2]] * d[2][k];
  int n = 0;
  for (int a = 0; a < 9; ++a)
    for (int b = a; b < 9; ++b, ++n) c.c[n] += d[0][a] * dd[0][b] + d[1][a] * dd[1][b] + d[2][a] * dd[2][b];

  constexpr int kPair[3][2] = {{0, 1}, {0, 2}, {1, 2}};
  for (int k = 0; k < 3; ++k) {
    const int p = kPair[k][0], q = kPair[k][1];
    // flip f f^T + twist t t^T over g = u_p v_q^T and h = u_q v_p^T: same (g g^T + h h^T) + mix (g h^T + h
    // g^T)
    const Pack same = 0.5 * (t.flip[k] + t.twist[k]), mix = 0.5 * (t.flip[k] - t.twist[k]);
    Pack g[9], h[9], gg[9], hh[9];
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < 3; ++i) {
        g[3 * j + i] = svd.u(i, p) * svd.v(j, q);
        h[3 * j + i] = svd.u(i, q) * svd.v(j, p);
      }
    for (int i = 0; i < 9; ++i) {
      gg[i] = same * g[i] + mix * h[i];
      hh[i] = mix * g[i] + same * h[i];
    }
    n = 0;
    for (int a = 0; a < 9; ++a)
      for (int b = a; b < 9; ++b, ++n) c.c[n] += g[a] * gg[b] + h[a] * hh[b];
  }
}

}  // namespace resilin
