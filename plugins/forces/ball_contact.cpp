#include "plugins/forces/ball_contact.hpp"

#include "core/mesh/mesh.hpp"

#include <Eigen/Eigenvalues>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace resilin {
namespace {

/// Sum of |r|^2 1 - r r^T, the inertia of unit masses about their mean.
void add_inertia(const Vec3& r, Mat3& sum) {
  sum += r.squaredNorm() * Mat3::Identity() - r * r.transpose();
}
/// Of points on a line: a turn about it moves none of them.
bool is_singular(const Mat3& inertia) {
  const Vec3 moments = Eigen::SelfAdjointEigenSolver<Mat3>(inertia, Eigen::EigenvaluesOnly).eigenvalues();
  return !(moments[0] > 1e-12 * moments[2]);
}
Vec3 vertex(const ConstVec& q, Index node) {
  return q.segment<3>(3 * node);
}

}  // namespace

struct BallContact::Motion {
  Vec3 centre = Vec3::Zero(), velocity = Vec3::Zero(), spin = Vec3::Zero();
  Mat3 inverse_inertia = Mat3::Zero();
};

struct BallContact::Pull {
  Vec3 centre = Vec3::Zero(), velocity = Vec3::Zero(), spin = Vec3::Zero();
  bool touches = false;
};

struct BallContact::Touch {
  std::size_t i = 0, j = 0;
  double depth = 0, distance = 0, stiffness = 0, friction = 0;
  Vec3 d, n, spin, u;         ///< spin: w_i + w_j
  Vec3 direction;             ///< t / sqrt(|t|^2 + u_0^2)
  double slip = 0;            ///< that root
  Vec3 plane = Vec3::Ones();  ///< 0 along axes on which friction does not act
  double normal_force() const { return stiffness * depth; }
  Vec3 force() const { return normal_force() * (n - friction * direction); }
};

void BallContact::Options::visit(ParamVisitor& v) {
  v.texts("bodies", bodies, {.doc = "the balls, each pair of which may touch; all bodies if empty"});
  v.real("radius", radius,
         {.doc = "radius of the balls: they touch where their centres are nearer than twice that",
          .unit = "m",
          .min = 0,
          .open = true,
          .differentiable = true,
          .required = true});
  v.field("stiffness", stiffness,
          {.doc = "force over the depth by which two balls overlap; one for all or one per ball, of which a "
                  "pair has the mean",
           .unit = "N/m",
           .min = 0,
           .differentiable = true});
  v.field("friction", friction,
          {.doc = "coefficient of friction; one for all or one per ball, of which a pair has the mean",
           .min = 0,
           .differentiable = true});
  v.real("regularisation_velocity", regularisation_velocity,
         {.doc = "sliding velocity below which friction goes to zero smoothly: at this one it has 0.71 of "
                 "its full size. Below half of step times friction times normal force over the reduced mass, "
                 "friction chatters at rest",
          .unit = "m/s",
          .min = 0,
          .open = true});
  v.flag("spin", spin,
         {.doc = "the rotation of the balls counts in the sliding velocity; without it, as in the published "
                 "code, only the velocities of the centres do"});
  v.choice("friction_plane", friction_plane, {"contact", "horizontal"},
           {.doc = "contact: friction along the plane of contact; horizontal: without its vertical part (z), "
                   "as in the published code"});
}

BallContact::BallContact(const Options& options, const BuildContext& context)
    : options_(options), path_(context.path) {
  if (options.bodies.empty())
    for (const BodyView& body : *context.bodies) add_ball(body, context);
  for (const std::string& name : options.bodies) {
    const BodyView& body = context.find_body("bodies", name);
    if (std::any_of(balls_.begin(), balls_.end(), [&](const Ball& b) { return b.name == body.name; }))
      throw context.input_error("bodies", fmt::format("body '{}' is named twice", body.name));
    add_ball(body, context);
  }
  if (balls_.size() < 2) throw context.input_error("bodies", "at least two bodies are needed to touch");
  const auto check = [&](const Field& f, const char* key) {
    const auto count = static_cast<Index>(balls_.size());
    if ((f.items != 1 && f.items != count) || f.steps != 1 || !f.regions.empty() || !f.drives.empty())
      throw context.input_error(key, fmt::format("one number or {} are expected, one per ball", count));
    if (!(f.values.minCoeff() >= 0)) throw context.input_error(key, "no value may be negative");
  };
  check(options.stiffness, "stiffness");
  check(options.friction, "friction");
}

void BallContact::add_ball(const BodyView& body, const BuildContext& context) {
  balls_.push_back({body.name, body.first_node, body.mesh->num_vertices()});
  if (!options_.spin) return;
  const Vec3 centre = body.mesh->vertices.rowwise().mean();
  Mat3 inertia = Mat3::Zero();
  for (Index a = 0; a < body.mesh->num_vertices(); ++a)
    add_inertia(body.mesh->vertices.col(a) - centre, inertia);
  if (is_singular(inertia))
    throw context.input_error(
        "spin", fmt::format("the vertices of body '{}' lie on a line: it has no spin", body.name));
}

double BallContact::pair_mean(const Field& f, std::size_t i, std::size_t j) const {
  return 0.5 * (f.at(static_cast<Index>(i), 0) + f.at(static_cast<Index>(j), 0));
}

void BallContact::add_spin(const Ball& ball, const ConstVec& x, const ConstVec& v, Motion& m) const {
  Mat3 inertia = Mat3::Zero();
  Vec3 momentum = Vec3::Zero();
  for (Index a = ball.first_node; a < ball.first_node + ball.num_nodes; ++a) {
    const Vec3 r = vertex(x, a) - m.centre;
    add_inertia(r, inertia);
    momentum += r.cross(vertex(v, a) - m.velocity);
  }
  if (is_singular(inertia))
    throw Error(Errc::Numerics,
                fmt::format("the vertices of body '{}' lie on a line: it has no spin", ball.name), path_);
  m.inverse_inertia = inertia.inverse();
  m.spin = m.inverse_inertia * momentum;
}

std::vector<BallContact::Motion> BallContact::motions(const ConstVec& x, const ConstVec& v) const {
  std::vector<Motion> all;
  for (const Ball& ball : balls_) {
    Motion m;
    for (Index a = ball.first_node; a < ball.first_node + ball.num_nodes; ++a) {
      m.centre += vertex(x, a);
      m.velocity += vertex(v, a);
    }
    m.centre /= static_cast<double>(ball.num_nodes);
    m.velocity /= static_cast<double>(ball.num_nodes);
    if (options_.spin) add_spin(ball, x, v, m);
    all.push_back(m);
  }
  return all;
}

BallContact::Touch BallContact::touch(std::size_t i, std::size_t j,
                                      const std::vector<Motion>& motions) const {
  Touch t;
  t.i = i, t.j = j;
  const Motion &a = motions[i], &b = motions[j];
  t.d = a.centre - b.centre;
  t.distance = t.d.norm();
  t.depth = 2 * options_.radius - t.distance;
  if (!(t.depth > 0)) return t;
  if (!(t.distance > 0))
    throw Error(Errc::Numerics,
                fmt::format("the centres of '{}' and '{}' coincide: their contact has no direction",
                            balls_[i].name, balls_[j].name),
                path_);
  t.stiffness = pair_mean(options_.stiffness, i, j);
  t.friction = pair_mean(options_.friction, i, j);
  t.n = t.d / t.distance;
  t.spin = a.spin + b.spin;
  t.u = a.velocity - b.velocity - 0.5 * t.spin.cross(t.d);
  if (options_.friction_plane == "horizontal") t.plane.z() = 0;
  const Vec3 sliding = t.plane.cwiseProduct(t.u - t.n.dot(t.u) * t.n);
  t.slip = std::hypot(sliding.norm(), options_.regularisation_velocity);
  t.direction = sliding / t.slip;
  return t;
}

void BallContact::add_force(const StepContext&, ConstVec x, ConstVec v, MutVec f) const {
  const std::vector<Motion> all = motions(x, v);
  const auto spread = [&](const Ball& ball, const Vec3& force) {
    for (Index a = ball.first_node; a < ball.first_node + ball.num_nodes; ++a)
      f.segment<3>(3 * a) += force / static_cast<double>(ball.num_nodes);
  };
  for (std::size_t i = 0; i < balls_.size(); ++i)
    for (std::size_t j = i + 1; j < balls_.size(); ++j) {
      const Touch t = touch(i, j, all);
      if (!(t.depth > 0)) continue;
      spread(balls_[i], t.force());
      spread(balls_[j], -t.force());
    }
}

/// For a cotangent z of F.
void BallContact::pull_touch(const Touch& t, const Vec3& z, Pull& of_i, Pull& of_j, MutVec dtheta) const {
  const double normal = t.normal_force(), of_normal = z.dot(t.n - t.friction * t.direction);
  const double of_depth = t.stiffness * of_normal;
  dtheta[0] += 2 * of_depth;
  const auto share = [&](const Field& f, Index first, double of_mean) {
    for (const std::size_t ball : {t.i, t.j})
      dtheta[first + f.index(static_cast<Index>(ball), 0)] += 0.5 * of_mean;
  };
  share(options_.stiffness, 1, t.depth * of_normal);
  share(options_.friction, 1 + options_.stiffness.size(), -normal * z.dot(t.direction));
  // direction = s/slip with s = plane (u - n (n . u)); d slip = direction . ds
  const Vec3 of_direction = -t.friction * normal * z;
  const Vec3 g = t.plane.cwiseProduct(of_direction - t.direction.dot(of_direction) * t.direction) / t.slip;
  const Vec3 of_u = g - t.n.dot(g) * t.n;
  const Vec3 of_n = normal * z - t.n.dot(t.u) * g - t.n.dot(g) * t.u;
  const Vec3 of_d = (of_n - t.n.dot(of_n) * t.n) / t.distance - of_depth * t.n - 0.5 * of_u.cross(t.spin);
  const Vec3 of_spin = -0.5 * t.d.cross(of_u);
  of_i.centre += of_d, of_j.centre -= of_d;
  of_i.velocity += of_u, of_j.velocity -= of_u;
  of_i.spin += of_spin, of_j.spin += of_spin;
  of_i.touches = of_j.touches = true;
}

void BallContact::pull_motion(const Ball& ball, const Motion& m, const Pull& p, const ConstVec& x,
                              const ConstVec& v, MutVec dx, MutVec dv) const {
  // spin = I^-1 L: with y = I^-1 (cotangent of the spin) its change is y . (dL - dI spin).
  const Vec3 y = m.inverse_inertia * p.spin;
  const auto count = static_cast<double>(ball.num_nodes);
  for (Index a = ball.first_node; a < ball.first_node + ball.num_nodes; ++a) {
    const Vec3 r = vertex(x, a) - m.centre;
    dv.segment<3>(3 * a) += p.velocity / count + y.cross(r);
    // r sums to zero, and so do these terms over the vertices: the centre in r brings nothing.
    dx.segment<3>(3 * a) += p.centre / count + (vertex(v, a) - m.velocity).cross(y) - 2 * y.dot(m.spin) * r +
                            r.dot(m.spin) * y + r.dot(y) * m.spin;
  }
}

void BallContact::add_vjp(const StepContext&, ConstVec x, ConstVec v, ConstVec z, MutVec dx, MutVec dv,
                          MutVec dtheta) const {
  const std::vector<Motion> all = motions(x, v);
  std::vector<Pull> pulls(balls_.size());
  const auto mean = [&](const Ball& ball) {
    Vec3 sum = Vec3::Zero();
    for (Index a = ball.first_node; a < ball.first_node + ball.num_nodes; ++a) sum += vertex(z, a);
    return Vec3(sum / static_cast<double>(ball.num_nodes));
  };
  for (std::size_t i = 0; i < balls_.size(); ++i)
    for (std::size_t j = i + 1; j < balls_.size(); ++j) {
      const Touch t = touch(i, j, all);
      if (t.depth > 0) pull_touch(t, mean(balls_[i]) - mean(balls_[j]), pulls[i], pulls[j], dtheta);
    }
  for (std::size_t i = 0; i < balls_.size(); ++i)
    if (pulls[i].touches) pull_motion(balls_[i], all[i], pulls[i], x, v, dx, dv);
}

}  // namespace resilin
