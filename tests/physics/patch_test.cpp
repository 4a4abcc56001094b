// Patch test: boundary nodes of an irregular mesh held at an affine image of their places. The affine field
// solves the problem exactly, for any element that reproduces constant gradients.
#include "tests/physics/statics.hpp"

#include <numeric>

namespace resilin::test {
namespace {

using Patch = SceneTest;

Mat3 affine() {
  Mat3 a;
  a << 1.10, 0.05, -0.02, 0.03, 0.93, 0.04, -0.06, 0.02, 1.04;
  return a;
}

/// Stable neo-Hookean energy density and first Piola-Kirchhoff stress, from its published formula.
double density(const Mat3& f, double mu, double lambda) {
  const double j = f.determinant();
  return 0.5 * mu * (f.squaredNorm() - 3) - mu * (j - 1) + 0.5 * (lambda + mu) * (j - 1) * (j - 1);
}
Mat3 stress(const Mat3& f, double mu, double lambda) {
  const double j = f.determinant();
  const Mat3 cofactor = j * f.inverse().transpose();
  return mu * f + ((lambda + mu) * (j - 1) - mu) * cofactor;
}

Mesh irregular_box(ElementType type) {
  const Vec3 size(0.3, 0.2, 0.25);
  Mesh mesh = make_box(size, {3, 3, 3}, type);
  for (Index i = 0; i < mesh.num_vertices(); ++i) {
    Vec3 x = mesh.vertices.col(i);
    if ((x.array() < 1e-9).any() || ((size - x).array() < 1e-9).any()) continue;
    // Up to a fifth of a cell: clearly irregular, no element near inversion.
    for (int k = 0; k < 3; ++k)
      x[k] += 0.2 * size[k] / 3 * std::sin(12.9898 * static_cast<double>(3 * i + k));
    mesh.vertices.col(i) = x;
  }
  return mesh;
}

void check_patch(const Mesh& mesh, Simulation& sim) {
  const double e = 1e5, nu = 0.4, mu = e / (2 * (1 + nu)), lambda = e * nu / ((1 + nu) * (1 - 2 * nu));
  const System& s = sim.system();
  const Index free_dofs = std::count(s.fixed().begin(), s.fixed().end(), 0);
  ASSERT_EQ(free_dofs, 3 * 8);  // the inner nodes of 3 x 3 x 3 cells
  const Mat3X exact = affine() * mesh.vertices;
  const VecX start = s.initial_state().x;
  EXPECT_GT((as_columns(start) - exact).norm(), 1e-3);  // the inner nodes do not begin there
  const VecX x = settle(sim, 1e-3, 3);
  // Solved to 1e-10 N with stiffnesses of 1e4 N/m: 1e-14 m, far below.
  EXPECT_LT((as_columns(x) - exact).cwiseAbs().maxCoeff(), 1e-8 * 0.3);

  const double volume = 0.3 * 0.2 * 0.25;
  State state{x, VecX::Zero(x.size()), 0};
  EXPECT_NEAR(sim.elastic_energy(state, 1), density(affine(), mu, lambda) * volume,
              1e-10 * density(affine(), mu, lambda) * volume);
  // Mean stress by the virial sum_i f_i X_i^T = V P; with equal F everywhere also the stress in every
  // element.
  VecX force = VecX::Zero(x.size());
  s.energies()[0]->add_gradient({0, 1, 0}, x, force, sim.workspace());
  const Mat3 mean = as_columns(force) * mesh.vertices.transpose() / volume, p = stress(affine(), mu, lambda);
  EXPECT_LT((mean - p).norm(), 1e-9 * p.norm());
}

TEST_F(Patch, AffineFieldIsReproduced) {
  for (const ElementType type : {ElementType::Hex8, ElementType::Tet4}) {
    SCOPED_TRACE(name_of(type));
    const Mesh mesh = irregular_box(type);
    files_.write("mesh.vtk", vtk_text(mesh));
    Mat3X start = affine() * mesh.vertices;
    const Mat3X inside = mesh.vertices;
    for (Index i = 0; i < mesh.num_vertices(); ++i) {
      const Vec3 r = inside.col(i).cwiseQuotient(Vec3(0.3, 0.2, 0.25));
      if (r.minCoeff() > 1e-9 && r.maxCoeff() < 1 - 1e-9)
        start.col(i) +=
            0.01 * Vec3(std::sin(static_cast<double>(i)), std::cos(2.0 * static_cast<double>(i)), 0.5);
    }
    files_.write("start.csv", csv_text(start));
    for (const char* forward : {"newton", "pd_newton_krylov", "pd"}) {
      SCOPED_TRACE(forward);
      const auto sim = simulation(fmt::format(R"(
time: {{step: 1, steps: 1}}
gravity: [0, 0, 0]
bodies:
  patch:
    mesh: {{file: mesh.vtk}}
    materials: {}
    pins: [{{nodes: {{surface: true}}, hold: initial}}]
    initial: {{positions: start.csv}}
forward: {{type: {}, relative_tolerance: 0, absolute_tolerance: 1e-10, max_iterations: 20000}}
)",
                                              solid("stable_neo_hookean", 1e5, 0.4), forward));
      check_patch(mesh, *sim);
    }
  }
}

}  // namespace
}  // namespace resilin::test
