// Iterations of the solvers do not allocate: a solve with many iterations asks for memory as often as one
// with few.
//
// All of malloc's family is replaced by wrappers that count while a test wants it: that catches operator new,
// Eigen (malloc and posix_memalign) and CHOLMOD in all libraries of the process. Left out are the solvers
// that factorise in every iteration (newton, direct): CHOLMOD's numeric factorisation takes work space of its
// own.
#include "core/base/parallel.hpp"
#include "tests/physics/statics.hpp"
#include "tests/support/colliders.hpp"

#include <atomic>
#include <cstddef>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__GLIBC__)
#define RESILIN_COUNTS_ALLOCATIONS 0
#else
#define RESILIN_COUNTS_ALLOCATIONS 1
#endif

namespace resilin::test {
namespace {

std::atomic<bool> g_counting{false};
std::atomic<long> g_allocations{0};

void count() {
  if (g_counting.load(std::memory_order_relaxed)) g_allocations.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace
}  // namespace resilin::test

#if RESILIN_COUNTS_ALLOCATIONS
// The C library's own entry points, which it exports for such wrappers.
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

void* malloc(std::size_t size) noexcept {
  resilin::test::count();
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) noexcept {
  resilin::test::count();
  return __libc_calloc(count, size);
}
void* realloc(void* p, std::size_t size) noexcept {
  resilin::test::count();
  return __libc_realloc(p, size);
}
void* memalign(std::size_t alignment, std::size_t size) noexcept {
  resilin::test::count();
  return __libc_memalign(alignment, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  resilin::test::count();
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** p, std::size_t alignment, std::size_t size) noexcept {
  resilin::test::count();
  *p = __libc_memalign(alignment, size);
  return *p == nullptr ? 12 /* ENOMEM */ : 0;
}
}
#endif

namespace resilin::test {
namespace {

template <class Body>
long allocations_in(const Body& body) {
  g_allocations = 0;
  g_counting = true;
  body();
  g_counting = false;
  return g_allocations;
}

class Allocation : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (!RESILIN_COUNTS_ALLOCATIONS) GTEST_SKIP() << "malloc belongs to a sanitizer or another C library";
  }

  static std::unique_ptr<Simulation> beam(const std::string& materials,
                                          const std::vector<std::string>& overrides) {
    return make_simulation(fmt::format(R"(
time: {{step: 0.01, steps: 2}}
on_failure: warn
bodies:
  beam:
    mesh: {{generator: {{type: box, size: [0.32, 0.08, 0.08], cells: [8, 2, 2]}}}}
    materials: {}
    pins: [{{nodes: {{box: {{min: [0, 0, 0], max: [0, 0.08, 0.08]}}}}}}]
    initial: {{twist: {{axis: [1, 0, 0], point: [0, 0.04, 0.04], rate: 2}}}}
)",
                                       solid(materials, 1e5, 0.4)),
                           overrides);
  }

  struct Count {
    Index iterations = 0, linear_iterations = 0;
    long allocations = 0;
  };
  /// One solve of the first step after a warm-up of the same.
  static Count forward(const std::string& type, const std::string& materials, const std::string& tolerance) {
    const auto sim = beam(materials, {"forward.type=" + type, "forward.relative_tolerance=" + tolerance,
                                      "forward.absolute_tolerance=0", "forward.max_iterations=20000"});
    const State start = sim->system().initial_state();
    const StepTools tools = sim->tools();
    const double h = sim->time_step();
    VecX y = start.x;
    for (Index i = 0; i < sim->system().num_nodes(); ++i)
      y.segment<3>(3 * i) += h * h * sim->system().gravity();
    const StepProblem problem(sim->system(), tools.linear, {h, h, 0}, 1 / (h * h), y, start.x,
                              tools.workspace);
    VecX x = start.x;
    const SolveReport warm = tools.forward.solve(problem, x);
    EXPECT_TRUE(warm.converged) << warm.note;
    x = start.x;
    Count c;
    c.allocations = allocations_in([&] {
      const SolveReport r = tools.forward.solve(problem, x);
      c.iterations = r.iterations;
      c.linear_iterations = r.linear_iterations;
    });
    return c;
  }

  static Count backward(const std::string& type, const std::string& materials, const std::string& tolerance,
                        const std::vector<std::string>& more = {}) {
    std::vector<std::string> overrides{"backward.type=" + type, "backward.relative_tolerance=" + tolerance};
    overrides.insert(overrides.end(), more.begin(), more.end());
    const auto sim = beam(materials, overrides);
    const State start = sim->system().initial_state();
    const StepTools tools = sim->tools();
    const double h = sim->time_step();
    const StepProblem problem(sim->system(), tools.linear, {h, h, 0}, 1 / (h * h), start.x, start.x,
                              tools.workspace);
    VecX b(start.x.size()), z(start.x.size());
    for (Index i = 0; i < b.size(); ++i)
      b[i] = sim->system().fixed()[static_cast<std::size_t>(i)] ? 0 : std::sin(static_cast<double>(i));
    z.setZero();  // no guess
    EXPECT_TRUE(tools.backward.solve(problem, start.x, b, z).converged);
    z.setZero();
    Count c;
    c.allocations = allocations_in([&] {
      const SolveReport r = tools.backward.solve(problem, start.x, b, z);
      c.linear_iterations = r.linear_iterations;
    });
    return c;
  }
};

TEST_P(Allocation, CounterSeesEveryKindOfAllocation) {
  EXPECT_EQ(allocations_in([] { delete new volatile int(1); }), 1);
  EXPECT_EQ(allocations_in([] {
              VecX v(100);  // Eigen, aligned to 64 bytes
              v.setZero();
              const volatile double keep = v[3];
              static_cast<void>(keep);
            }),
            1);
  // In the core library: a new workspace slot.
  Workspace ws;
  EXPECT_GE(allocations_in([&] { ws.slot<VecX>(&ws).resize(10); }), 2);
}

TEST_P(Allocation, ForwardIterationsDoNotAllocate) {
  for (const char* type : {"pd_newton_krylov", "newton_pcg", "pd", "pd_lbfgs", "pd_anderson"}) {
    const Count few = forward(type, GetParam(), "1e-2"), many = forward(type, GetParam(), "1e-9");
    EXPECT_GT(few.iterations, 0) << type;
    EXPECT_GT(many.iterations, few.iterations) << type;
    EXPECT_GE(many.linear_iterations, few.linear_iterations + 4) << type;
    EXPECT_EQ(many.allocations, few.allocations) << type;
    EXPECT_EQ(few.allocations, 0) << type;  // nor does a whole solve, once it is warm
  }
}

TEST_P(Allocation, BackwardIterationsDoNotAllocate) {
  struct Solver {
    std::string type;
    std::vector<std::string> more;
  };
  std::vector<Solver> solvers{
      {"pd_krylov", {"backward.method=cg"}}, {"pd_krylov", {"backward.method=minres"}}, {"pd_lbfgs", {}}};
  if (GetParam() == "corotated_volume") solvers.push_back({"pd_fixed_point", {}});
  for (const Solver& s : solvers) {
    const Count few = backward(s.type, GetParam(), "1e-2", s.more),
                many = backward(s.type, GetParam(), "1e-10", s.more);
    EXPECT_GT(few.linear_iterations, 0) << s.type;
    EXPECT_GE(many.linear_iterations, few.linear_iterations + 4) << s.type;
    EXPECT_EQ(many.allocations, few.allocations) << s.type;
    EXPECT_EQ(few.allocations, 0) << s.type;
  }
}

TEST(AllocationOfForces, ByFormulasDoesNotGrowWithTheBody) {
  if (!RESILIN_COUNTS_ALLOCATIONS) GTEST_SKIP() << "malloc belongs to a sanitizer or another C library";
  const auto count = [](Index cells) {
    const auto sim = make_simulation(fmt::format(R"(
bodies:
  beam:
    mesh: {{generator: {{type: box, cells: [{}, 2, 2]}}}}
    materials: [neo_hookean]
forces:
  wind: {{type: body_force, constants: {{c: 0.5}}, fx: sin(x*y) - c*vx, fy: z^2*t, fz: abs(vy)}}
)",
                                                 cells));
    const Index n = sim->system().num_dofs();
    const VecX x = sim->system().initial_state().x, z = VecX::Ones(n);
    VecX f = VecX::Zero(n), dx = f, dv = f, dtheta = VecX::Zero(3);
    const Force& force = *sim->system().forces()[0];
    const StepContext c{0.01, 0.01, 0};
    const long first = allocations_in([&] { force.add_force(c, x, x, f); });
    const long second = allocations_in([&] { force.add_vjp(c, x, x, z, dx, dv, dtheta); });
    return std::pair(first, second);
  };
  const auto few = count(1), many = count(40);
  EXPECT_EQ(many, few);
  EXPECT_LE(few.first, 4);  // room for one evaluation
  EXPECT_LE(few.second, 4);
}

TEST(AllocationOfColliders, AskingAndPullingBackDoNotAllocate) {
  if (!RESILIN_COUNTS_ALLOCATIONS) GTEST_SKIP() << "malloc belongs to a sanitizer or another C library";
  const Mat3X p = random_vector(90, 1).reshaped(3, 30);
  std::vector<SurfacePoint> out(30);
  const std::vector<SurfaceCotangent> z(30, {1, Vec3::Ones(), Vec3::Ones()});
  Mat3X dp = Mat3X::Zero(3, 30);
  for (const std::string& type : registry().types("collider")) {
    const auto c = collider(type, askew(type, false));
    VecX dtheta = VecX::Zero(c->num_parameters());
    EXPECT_EQ(allocations_in([&] {
                c->query(0.3, p, out);
                c->add_vjp(0.3, p, z, dp, dtheta);
                c->bounds(0.3, 0.4);
              }),
              0)
        << type;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Allocation,
                         ::testing::Values("corotated_volume", "neo_hookean", "stable_neo_hookean"),
                         [](const auto& p) { return p.param; });

}  // namespace
}  // namespace resilin::test
