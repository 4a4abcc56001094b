// Every registered material inside the finite element energy, for all element types that it acts on.
#include "tests/support/components.hpp"

#include <Eigen/Eigenvalues>

namespace resilin::test {
namespace {

struct ElementCase {
  std::string material;
  ElementType element;
};

std::vector<ElementCase> all_cases() {
  std::vector<ElementCase> cases;
  for (const std::string& material : registry().types("material"))
    for (const ElementType element :
         {ElementType::Segment2, ElementType::Tri3, ElementType::Tet4, ElementType::Hex8})
      if (acts_on(material, dimension_of(element))) cases.push_back({material, element});
  return cases;
}
std::string case_name(const ElementCase& c) {
  return c.material + "_" + name_of(c.element);
}
void PrintTo(const ElementCase& c, std::ostream* out) {
  *out << case_name(c);
}

/// A body of one material, its parameters in a table as a System would hold them.
struct MaterialBody {
  MaterialBody(const ElementCase& c, const Cells& cells, bool per_element)
      : body(distorted_mesh(cells, c.element)) {
    auto options = filled_options("material", c.material);
    TangentDirections tangents(body.mesh);
    options->visit(tangents);
    if (per_element) {
      const Index items = body.mesh.num_elements();
      PerElement spread(items);
      options->visit(spread);
    }
    ComponentSpec spec;
    spec.type = c.material;
    spec.options = std::move(options);
    std::vector<std::unique_ptr<Material>> materials;
    materials.push_back(registry().make<Material>(spec, body.context()));
    energy = std::make_unique<FiniteElementEnergy>(body.mesh, 0, std::move(materials),
                                                   std::vector<BuildContext>{body.context()});
    table.add("material", [&](ParamVisitor& v) { energy->material(0).visit_parameters(v); });
  }
  /// One value per element, each a little different.
  struct PerElement final : PassiveVisitor {
    explicit PerElement(Index n) : items(n) {}
    void field(const char*, Field& f, const Spec& spec) override {
      if (!spec.differentiable || f.size() != f.components) return;
      const VecX value = f.values;
      f.items = items;
      f.values = value.replicate(items, 1);
      for (Index e = 0; e < f.size(); ++e) f.values[e] *= 1 + 0.05 * std::sin(static_cast<double>(e));
    }
    Index items;
  };

  void set(const VecX& theta) {
    table.assign(theta);
    energy->material(0).parameters_changed();
  }
  double value(const VecX& x) { return energy->value(context, x, ws); }
  VecX gradient(const VecX& x) {
    VecX g = VecX::Zero(x.size());
    energy->add_gradient(context, x, g, ws);
    return g;
  }
  BlockMatrix hessian(const VecX& x, bool project) {
    BlockPattern pattern(body.mesh.num_vertices());
    energy->add_pattern(pattern);
    BlockMatrix h;
    h.reset(std::move(pattern));
    energy->add_hessian(context, x, h, project, ws);
    return h;
  }
  VecX param_vjp(const VecX& x, const VecX& z) {
    VecX out = VecX::Zero(energy->num_parameters());
    energy->add_param_vjp(context, x, z, out, ws);
    return out;
  }

  /// (d grad E / dX)^T z
  VecX rest_vjp(const VecX& x, const VecX& z) {
    VecX out = VecX::Zero(x.size());
    energy->add_rest_vjp(context, x, z, out, ws);
    return out;
  }
  /// The rest shape becomes the body's mesh with its vertices moved.
  void move_rest(const VecX& by) {
    Mesh moved = body.mesh;
    moved.vertices += by.reshaped(3, moved.num_vertices());
    energy->set_rest_shape(moved);
  }

  SampleBody body;
  std::unique_ptr<FiniteElementEnergy> energy;
  ParameterTable table;
  Workspace ws;
  StepContext context{0.01, 0.01, 0};
};

MatX dense(const BlockMatrix& h) {
  MatX m = MatX::Zero(3 * h.num_nodes(), 3 * h.num_nodes());
  for (Index i = 0; i < h.num_nodes(); ++i)
    for (Index k = h.row_begin(i); k < h.row_end(i); ++k)
      m.block<3, 3>(3 * i, 3 * static_cast<Index>(h.column(k))) = Eigen::Map<const Mat3>(h.block(k));
  return m;
}

class EveryMaterialInElements : public ::testing::TestWithParam<ElementCase> {
 protected:
  EveryMaterialInElements() : m_(GetParam(), {2, 2, 1}, false), x_(deformed(m_.body.mesh)) {}
  MaterialBody m_;
  VecX x_;
};

TEST_P(EveryMaterialInElements, GradientAgreesWithDifferencesOfTheEnergy) {
  const VecX g = m_.gradient(x_);
  ASSERT_GT(g.norm(), 0);
  ASSERT_TRUE(g.allFinite());
  const auto gap = [&](const VecX& d) {
    return difference_gap([&](double s) { return m_.value(x_ + s * d); }, g.dot(d), 1e-3,
                          1e-3 * g.norm() * d.norm());
  };
  EXPECT_LT(gap(g / g.norm()), 1e-9) << "along the gradient";
  for (unsigned seed = 1; seed <= 3; ++seed)
    EXPECT_LT(gap(random_vector(x_.size(), seed).normalized()), 1e-8) << "random direction " << seed;
  for (Index i = 0; i < x_.size(); i += 5)
    EXPECT_LT(gap(VecX::Unit(x_.size(), i)), 1e-7) << "coordinate " << i;
}

TEST_P(EveryMaterialInElements, ValueAndGradientReturnTheSameEnergy) {
  VecX g = VecX::Zero(x_.size());
  const double e = m_.energy->add_gradient(m_.context, x_, g, m_.ws);
  EXPECT_GT(e, 0);
  EXPECT_NEAR(e, m_.value(x_), 1e-13 * e);
}

TEST_P(EveryMaterialInElements, HessianAgreesWithDifferencesOfTheGradientAndIsSymmetric) {
  const BlockMatrix h = m_.hessian(x_, false);
  const MatX d = dense(h);
  EXPECT_LT((d - d.transpose()).cwiseAbs().maxCoeff(), 1e-13 * d.cwiseAbs().maxCoeff());
  const std::vector<char> free(static_cast<std::size_t>(x_.size()), 0);
  std::vector<VecX> directions{m_.gradient(x_).normalized(), VecX::Unit(x_.size(), 7)};
  for (unsigned seed = 1; seed <= 2; ++seed)
    directions.push_back(random_vector(x_.size(), seed).normalized());
  for (const VecX& p : directions) {
    VecX hp(x_.size());
    h.multiply(p, hp, free);
    ASSERT_GT(hp.norm(), 0);
    EXPECT_LT((hp - d * p).norm(), 1e-13 * hp.norm());
    EXPECT_LT(difference_gap([&](double s) -> VecX { return m_.gradient(x_ + s * p); }, hp, 1e-3), 1e-8);
  }
}

TEST_P(EveryMaterialInElements, EnergyDoesNotChangeUnderRigidMotionsAndForcesTurnAlong) {
  const Index n = m_.body.mesh.num_vertices();
  const double e = m_.value(x_);
  const VecX g = m_.gradient(x_), moved = x_ + Vec3(0.3, -0.2, 0.4).replicate(n, 1);
  EXPECT_NEAR(m_.value(moved), e, 1e-12 * e);
  if (!m_.energy->material(0).is_objective()) return;
  const Mat3 turn = Eigen::AngleAxisd(2.2, Vec3(3, 1, -1).normalized()).toRotationMatrix();
  const VecX turned = (turn * as_columns(x_)).reshaped();
  EXPECT_NEAR(m_.value(turned), e, 1e-12 * e);
  EXPECT_LT((as_columns(m_.gradient(turned)) - turn * as_columns(g)).norm(), 1e-12 * g.norm());
}

TEST_P(EveryMaterialInElements, TotalForceAndTorqueVanish) {
  const VecX g = m_.gradient(x_);
  Vec3 force = Vec3::Zero(), torque = Vec3::Zero();
  double size = 0, arm = 0;
  for (Index i = 0; i < g.size(); i += 3) {
    const Vec3 f = g.segment<3>(i), r = x_.segment<3>(i);
    force += f;
    torque += r.cross(f);
    size += f.norm();
    arm += r.norm() * f.norm();
  }
  EXPECT_LT(force.norm(), 1e-13 * size);
  if (m_.energy->material(0).is_objective()) {
    EXPECT_LT(torque.norm(), 1e-13 * arm);
  }
}

TEST_P(EveryMaterialInElements, ParameterDerivativeAgreesWithDifferences) {
  for (const bool per_element : {false, true}) {
    MaterialBody m(GetParam(), {2, 2, 1}, per_element);
    ASSERT_EQ(m.energy->num_parameters(), m.table.size());
    ASSERT_GT(m.table.size(), 0);
    const VecX theta = m.table.values(), z = random_vector(x_.size(), 5), vjp = m.param_vjp(x_, z);
    ASSERT_GT(vjp.norm(), 0);
    for (const ParameterEntry& e : m.table.entries())
      for (Index k = 0; k < e.size; k += 7) {
        const Index i = e.offset + k;
        // A zero among entries that may have either sign (a direction) is moved by a part of one.
        const double size = theta[i] == 0 && e.min < 0 ? 1 : std::abs(theta[i]);
        const double room = std::min(size, e.max - theta[i]);
        const double gap = difference_gap(
            [&](double s) {
              m.set(theta + s * VecX::Unit(theta.size(), i));
              return z.dot(m.gradient(x_));
            },
            vjp[i], 0.02 * room, 1e-3 * vjp.segment(e.offset, e.size).norm());
        EXPECT_LT(gap, 1e-7) << e.path << " entry " << k;
      }
    m.set(theta);
  }
}

TEST_P(EveryMaterialInElements, RestShapeDerivativeAgreesWithDifferences) {
  const VecX z = random_vector(x_.size(), 5), vjp = m_.rest_vjp(x_, z);
  ASSERT_GT(vjp.norm(), 0);
  const auto gap = [&](const VecX& d) {
    return difference_gap(
        [&](double s) {
          m_.move_rest(s * d);
          return z.dot(m_.gradient(x_));
        },
        vjp.dot(d), 1e-3, 1e-3 * vjp.norm() * d.norm());
  };
  EXPECT_LT(gap(vjp.normalized()), 1e-9) << "along the gradient";
  for (unsigned seed = 1; seed <= 2; ++seed)
    EXPECT_LT(gap(random_vector(x_.size(), seed).normalized()), 1e-8) << "random direction " << seed;
  for (Index i = 0; i < x_.size(); i += 5)
    EXPECT_LT(gap(VecX::Unit(x_.size(), i)), 1e-7) << "coordinate " << i;
}

TEST_P(EveryMaterialInElements, ForcesIgnoreWhereTheRestShapeIsAndScaleWithTheWholeBody) {
  const Index n = m_.body.mesh.num_vertices();
  const VecX z = random_vector(x_.size(), 5), g = m_.gradient(x_), vjp = m_.rest_vjp(x_, z);
  Vec3 sum = Vec3::Zero();
  for (Index i = 0; i < vjp.size(); i += 3) sum += vjp.segment<3>(i);
  EXPECT_LT(sum.norm(), 1e-12 * vjp.lpNorm<1>());
  // g(s x; s X) = s^2 g(x; X) of volumes, so z^T H x + X . (dg/dX)^T z = 2 z . g; s^1 of surfaces, s^0 of
  // curves.
  const std::vector<char> free(static_cast<std::size_t>(x_.size()), 0);
  VecX hx(x_.size());
  m_.hessian(x_, false).multiply(x_, hx, free);
  const double stretched = z.dot(hx), rested = vjp.dot(VecX(m_.body.mesh.vertices.reshaped()));
  const int power = dimension_of(GetParam().element) - 1;
  EXPECT_NEAR(stretched + rested, power * z.dot(g), 1e-12 * (std::abs(stretched) + std::abs(rested)));
  m_.move_rest(Vec3(0.3, -0.2, 0.4).replicate(n, 1));
  EXPECT_LT((m_.gradient(x_) - g).norm(), 1e-12 * g.norm());
}

TEST_P(EveryMaterialInElements, AnInvertedRestShapeIsRefusedByElementAndChangesNothing) {
  const VecX g = m_.gradient(x_);
  VecX flat = VecX::Zero(x_.size());  // the elements' last node goes through the opposite side of element 0
  const Mesh& mesh = m_.body.mesh;
  const auto last = static_cast<Index>(mesh.elements(mesh.elements.rows() - 1, 0));
  const double far = is_volume(mesh.type) ? 3 : 1;  // or onto its first node
  flat.segment<3>(3 * last) = far * (mesh.vertices.col(mesh.elements(0, 0)) - mesh.vertices.col(last));
  try {
    m_.move_rest(flat);
    FAIL() << "no error";
  } catch (const Error& e) {
    const char* what = is_volume(mesh.type)             ? "element 0 is inverted"
                       : mesh.type == ElementType::Tri3 ? "element 0 has no area"
                                                        : "element 0 has no length";
    EXPECT_NE(e.message().find(what), std::string::npos) << e.message();
  }
  EXPECT_EQ(m_.gradient(x_), g);
}

TEST_P(EveryMaterialInElements, QuadraticFormIsSymmetricAndPositiveSemidefinite) {
  Triplets triplets;
  m_.energy->add_quadratic_form(triplets);
  const Index n = m_.body.mesh.num_vertices();
  SpMat sparse(n, n);
  sparse.setFromTriplets(triplets.begin(), triplets.end());
  const MatX a = sparse;
  const double size = a.cwiseAbs().maxCoeff();
  ASSERT_GT(size, 0);
  EXPECT_LT((a - a.transpose()).cwiseAbs().maxCoeff(), 1e-14 * size);
  EXPECT_LT((a * VecX::Ones(n)).cwiseAbs().maxCoeff(), 1e-12 * size) << "a translation costs energy";
  EXPECT_GT(Eigen::SelfAdjointEigenSolver<MatX>(a).eigenvalues()[0], -1e-12 * size);
}

TEST_P(EveryMaterialInElements, ProjectedHessianIsPositiveSemidefinite) {
  // Compressed along z: buckling directions have negative curvature.
  VecX x = x_;
  for (Index i = 2; i < x.size(); i += 3) x[i] *= 0.6;
  const MatX exact = dense(m_.hessian(x, false)), projected = dense(m_.hessian(x, true));
  const double size = exact.cwiseAbs().maxCoeff();
  EXPECT_GT(Eigen::SelfAdjointEigenSolver<MatX>(projected).eigenvalues()[0], -1e-10 * size);
  // Projection only ever adds curvature.
  EXPECT_GT(Eigen::SelfAdjointEigenSolver<MatX>(projected - exact).eigenvalues()[0], -1e-10 * size);
}

TEST_P(EveryMaterialInElements, ProjectionKeepsAHessianThatIsDefiniteAlready) {
  const VecX rest = m_.body.mesh.vertices.reshaped();
  const MatX exact = dense(m_.hessian(rest, false)), projected = dense(m_.hessian(rest, true));
  EXPECT_LT((exact - projected).cwiseAbs().maxCoeff(), 1e-12 * exact.cwiseAbs().maxCoeff());
}

TEST_P(EveryMaterialInElements, NotANumberInAPositionGivesNotANumber) {
  VecX x = x_;
  x[4] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(std::isnan(m_.value(x)));
  EXPECT_NE(m_.energy->diagnose(m_.context, x).find("element"), std::string::npos);
  EXPECT_EQ(m_.energy->diagnose(m_.context, x_), "");
}

TEST_P(EveryMaterialInElements, GivesTheSameBitsForAnyNumberOfThreads) {
  const ElementType type = GetParam().element;
  MaterialBody m(GetParam(),
                 type == ElementType::Hex8   ? Cells{7, 6, 6}
                 : type == ElementType::Tri3 ? Cells{12, 12, 1}
                                             : Cells{5, 5, 5},
                 true);
  const VecX x = deformed(m.body.mesh, 0.5), z = random_vector(x.size(), 3);
  double value[3];
  VecX gradient[3], vjp[3];
  BlockMatrix hessian[3];
  const int threads[3] = {1, 2, 3};
  for (int i = 0; i < 3; ++i) {
    set_num_threads(threads[i]);
    value[i] = m.value(x);
    gradient[i] = m.gradient(x);
    vjp[i] = m.param_vjp(x, z);
    hessian[i] = m.hessian(x, i == 2);
  }
  set_num_threads(1);
  const BlockMatrix projected = m.hessian(x, true);
  ASSERT_TRUE(std::isfinite(value[0]));
  for (int i = 1; i < 3; ++i) {
    EXPECT_EQ(value[i], value[0]);
    EXPECT_TRUE(gradient[i] == gradient[0]);
    EXPECT_TRUE(vjp[i] == vjp[0]);
    const BlockMatrix& expected = i == 2 ? projected : hessian[0];
    for (Index k = 0; k < expected.num_blocks(); ++k)
      for (int e = 0; e < 9; ++e) ASSERT_EQ(hessian[i].block(k)[e], expected.block(k)[e]);
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryMaterialInElements, ::testing::ValuesIn(all_cases()),
                         [](const auto& p) { return case_name(p.param); });

}  // namespace
}  // namespace resilin::test
