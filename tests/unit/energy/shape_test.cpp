#include "core/energy/shape.hpp"

#include "core/base/error.hpp"
#include "core/mesh/generators.hpp"
#include "tests/support/components.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace resilin {
namespace {

Mesh bent_box(ElementType type) {
  if (!is_volume(type)) return test::distorted_mesh({3, 2, 1}, type);
  Mesh mesh = make_box({0.4, 0.3, 0.2}, {3, 2, 2}, type, {0.1, -0.2, 0.3});
  for (Index i = 0; i < mesh.num_vertices(); ++i)
    mesh.vertices.col(i) +=
        0.01 * Vec3(std::sin(3.0 * double(i)), std::cos(5.0 * double(i)), std::sin(7.0 * double(i)));
  return mesh;
}

class Shape : public ::testing::TestWithParam<ElementType> {
 protected:
  Mesh mesh_ = bent_box(GetParam());
};

TEST_P(Shape, FunctionsSumToOneAndTheirGradientsToZero) {
  for (Index e = 0; e < mesh_.num_elements(); ++e) {
    const ElementQuadrature q = element_quadrature(mesh_, e);
    ASSERT_EQ(q.samples, num_samples(mesh_.type));
    ASSERT_EQ(q.nodes, nodes_per_element(mesh_.type));
    for (int s = 0; s < q.samples; ++s) {
      double sum = 0;
      Vec3 gradient = Vec3::Zero();
      for (int c = 0; c < q.nodes; ++c) {
        sum += q.shape[s][c];
        gradient += Vec3(q.gradient[s][c][0], q.gradient[s][c][1], q.gradient[s][c][2]);
      }
      EXPECT_NEAR(sum, 1, 1e-15);
      EXPECT_LT(gradient.norm(), 1e-12);
      EXPECT_GT(q.volume[s], 0);
    }
  }
}

/// I on volumes, else the projection on the tangents.
TEST_P(Shape, GradientsGiveTheProjectionOnTheElement) {
  const int dimension = dimension_of(mesh_.type);
  for (Index e = 0; e < mesh_.num_elements(); ++e) {
    const ElementQuadrature q = element_quadrature(mesh_, e);
    Mat3 p = Mat3::Zero();
    for (int c = 0; c < q.nodes; ++c)
      p += mesh_.vertices.col(mesh_.elements(c, e)) * Eigen::Map<const Vec3>(q.gradient[0][c]).transpose();
    EXPECT_LT((p - p.transpose()).norm(), 1e-12);
    EXPECT_LT((p * p - p).norm(), 1e-12);
    EXPECT_NEAR(p.trace(), dimension, 1e-12);
    for (int c = 1; c < q.nodes; ++c) {
      const Vec3 edge = mesh_.vertices.col(mesh_.elements(c, e)) - mesh_.vertices.col(mesh_.elements(0, e));
      EXPECT_LT((p * edge - edge).norm(), 1e-12 * edge.norm());
    }
  }
}

TEST_P(Shape, GradientsReproduceAnyAffineMap) {
  Mat3 f;
  f << 1.2, 0.3, -0.1, 0.2, 0.9, 0.4, -0.3, 0.1, 1.1;
  for (Index e = 0; e < mesh_.num_elements(); ++e) {
    const ElementQuadrature q = element_quadrature(mesh_, e);
    for (int s = 0; s < q.samples; ++s) {
      Mat3 got = Mat3::Zero(), tangents = Mat3::Zero();
      for (int c = 0; c < q.nodes; ++c)
        tangents +=
            mesh_.vertices.col(mesh_.elements(c, e)) * Eigen::Map<const Vec3>(q.gradient[s][c]).transpose();
      for (int c = 0; c < q.nodes; ++c)
        got += (f * mesh_.vertices.col(mesh_.elements(c, e)) + Vec3(1, 2, 3)) *
               Eigen::Map<const Vec3>(q.gradient[s][c]).transpose();
      EXPECT_LT((got - f * tangents).norm(), 1e-12);
    }
  }
}

TEST_P(Shape, VolumesAndMassesAddUp) {
  const VecX measures = element_measures(mesh_);
  for (Index e = 0; e < mesh_.num_elements(); ++e) {
    const ElementQuadrature q = element_quadrature(mesh_, e);
    double volume = 0;
    for (int s = 0; s < q.samples; ++s) volume += q.volume[s];
    EXPECT_NEAR(volume, measures[e], 1e-14 * measures[e]);
  }
  const VecX uniform = lumped_mass(mesh_, VecX::Constant(1, 1200));
  EXPECT_NEAR(uniform.sum(), 1200 * measures.sum(), 1e-10);
  EXPECT_GT(uniform.minCoeff(), 0);
  VecX density(mesh_.num_elements());
  for (Index e = 0; e < density.size(); ++e) density[e] = 1000 + 10 * double(e);
  EXPECT_NEAR(lumped_mass(mesh_, density).sum(), density.dot(measures), 1e-10);
}

TEST_P(Shape, MassDerivativeIsTheTransposeOfTheMass) {
  VecX w(mesh_.num_vertices());
  for (Index i = 0; i < w.size(); ++i) w[i] = std::sin(double(i) + 0.5);
  VecX per_element = VecX::Constant(mesh_.num_elements(), 2.0), single = VecX::Constant(1, 3.0);
  add_lumped_mass_vjp(mesh_, w, per_element);
  add_lumped_mass_vjp(mesh_, w, single);
  for (Index e = 0; e < mesh_.num_elements(); e += 5)
    EXPECT_NEAR(per_element[e] - 2, w.dot(lumped_mass(mesh_, VecX::Unit(mesh_.num_elements(), e))), 1e-14);
  EXPECT_NEAR(single[0] - 3, w.dot(lumped_mass(mesh_, VecX::Ones(1))), 1e-14);
}

TEST_P(Shape, MassDerivativeByTheVerticesAgreesWithDifferences) {
  const Index n = mesh_.num_vertices();
  VecX w(n), density(mesh_.num_elements()), direction(3 * n);
  for (Index i = 0; i < n; ++i) w[i] = std::sin(double(i) + 0.5);
  for (Index e = 0; e < density.size(); ++e) density[e] = 1000 + 10 * double(e);
  for (Index i = 0; i < 3 * n; ++i) direction[i] = std::cos(0.7 * double(i));
  for (const VecX& rho : {density, VecX(VecX::Constant(1, 1200))}) {
    VecX out = VecX::Constant(3 * n, 2.0);
    add_lumped_mass_rest_vjp(mesh_, rho, w, out);
    const auto weighted = [&](double s) {
      Mesh moved = mesh_;
      moved.vertices += s * direction.reshaped(3, n);
      return w.dot(lumped_mass(moved, rho));
    };
    // The mass of a volume is cubic in the step: central differences of two steps give its derivative but for
    // rounding. Of surfaces and curves it is not; a small step makes up for that.
    const double h = is_volume(mesh_.type) ? 1e-3 : 3e-5;
    const double d = (8 * (weighted(h) - weighted(-h)) - (weighted(2 * h) - weighted(-2 * h))) / (12 * h);
    const double exact = (out.array() - 2).matrix().dot(direction);
    EXPECT_NEAR(d, exact, 1e-10 * std::abs(exact));
    // x -> s x multiplies every mass by s^3 (s^2, s).
    const double dilation = (out.array() - 2).matrix().dot(VecX(mesh_.vertices.reshaped()));
    EXPECT_NEAR(dilation, dimension_of(mesh_.type) * weighted(0), 1e-11 * lumped_mass(mesh_, rho).sum());
  }
}

INSTANTIATE_TEST_SUITE_P(Elements, Shape,
                         ::testing::Values(ElementType::Segment2, ElementType::Tri3, ElementType::Tet4,
                                           ElementType::Hex8),
                         [](const auto& p) { return std::string(name_of(p.param)); });

TEST(ShapeByHand, UnitCubeAndUnitTetrahedronByHand) {
  const Mesh cube = make_box({1, 1, 1}, {1, 1, 1}, ElementType::Hex8);
  const ElementQuadrature q = element_quadrature(cube, 0);
  for (int s = 0; s < 8; ++s) EXPECT_NEAR(q.volume[s], 0.125, 1e-15);
  EXPECT_LT((lumped_mass(cube, VecX::Constant(1, 8.0)) - VecX::Ones(8)).norm(), 1e-14);
  Mesh tet;
  tet.type = ElementType::Tet4;
  tet.vertices.resize(3, 4);
  tet.vertices << 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1;
  tet.elements.resize(4, 1);
  tet.elements << 0, 1, 2, 3;
  EXPECT_NEAR(element_quadrature(tet, 0).volume[0], 1.0 / 6, 1e-16);
  EXPECT_LT((lumped_mass(tet, VecX::Constant(1, 24.0)) - VecX::Ones(4)).norm(), 1e-14);
}

TEST(ShapeByHand, NamesAnElementThatIsInvertedOrFlat) {
  for (const ElementType type : {ElementType::Tet4, ElementType::Hex8}) {
    Mesh mesh = make_box({1, 1, 1}, {2, 1, 1}, type);
    const Index last = mesh.num_elements() - 1;
    const Index half = nodes_per_element(type) / 2;  // mirrored: the top ring below, or two nodes exchanged
    for (Index c = 0; c < (type == ElementType::Hex8 ? half : 1); ++c)
      std::swap(mesh.elements(c, last), mesh.elements(c + half, last));
    Mesh flat = make_box({1, 1, 1}, {2, 1, 1}, type);
    flat.vertices.row(2).setZero();
    for (const auto& [bad, element] : {std::pair<const Mesh&, Index>{mesh, last}, {flat, 0}}) {
      try {
        (void)element_quadrature(bad, element);
        ADD_FAILURE() << "no error for " << name_of(type);
      } catch (const Error& e) {
        EXPECT_EQ(e.code(), Errc::Input);
        EXPECT_NE(std::string(e.what()).find("element " + std::to_string(element)), std::string::npos)
            << e.what();
      }
    }
  }
}

TEST(ShapeByHand, TriangleAndSegmentByHand) {
  Mesh mesh;
  mesh.type = ElementType::Tri3;
  mesh.vertices.resize(3, 3);
  mesh.vertices << 1, 1, 1, 0, 3, 0, 0, 0, 4;  // in the plane x = 1
  mesh.elements.resize(3, 1);
  mesh.elements << 0, 1, 2;
  const ElementQuadrature q = element_quadrature(mesh, 0);
  EXPECT_EQ(q.volume[0], 6);
  EXPECT_LT((Eigen::Map<const Vec3>(q.gradient[0][1]) - Vec3(0, 1 / 3.0, 0)).norm(), 1e-16);
  EXPECT_LT((Eigen::Map<const Vec3>(q.gradient[0][2]) - Vec3(0, 0, 0.25)).norm(), 1e-16);
  EXPECT_LT((lumped_mass(mesh, VecX::Ones(1)) - VecX::Constant(3, 2)).norm(), 1e-15);
  mesh.type = ElementType::Segment2;
  mesh.elements.resize(2, 1);
  mesh.elements << 0, 2;
  const ElementQuadrature s = element_quadrature(mesh, 0);
  EXPECT_EQ(s.volume[0], 4);
  EXPECT_LT((Eigen::Map<const Vec3>(s.gradient[0][1]) - Vec3(0, 0, 0.25)).norm(), 1e-16);
  EXPECT_EQ(lumped_mass(mesh, VecX::Ones(1)), Vec3(2, 0, 2));
  mesh.vertices.col(2) = mesh.vertices.col(0);
  EXPECT_THROW((void)element_quadrature(mesh, 0), Error);
}

}  // namespace
}  // namespace resilin
