#include "core/energy/compliant_coupling.hpp"

#include <Eigen/Eigenvalues>

namespace resilin {
namespace {

/// Force c u of friction on the surface's material, with its derivatives.
struct SlidingForce {
  double dissipation = 0;
  Vec3 force = Vec3::Zero();
  Mat3 d_velocity = Mat3::Zero(), d_normal = Mat3::Zero();
  Vec3 d_normal_force = Vec3::Zero(), sliding = Vec3::Zero();
  NormalReaction::Gradient d_viscosity;  ///< d c/d parameters
};

/// velocity: of the node relative to the material, any part along the normal is left out.
SlidingForce slide(const CompliantContact& model, const CompliantTouch& touch, const Vec3& velocity) {
  SlidingForce f;
  const Vec3& n = touch.surface.normal;
  const Vec3 u = velocity - n.dot(velocity) * n;
  const double s = u.norm();
  const FrictionReaction r = model.friction(s, touch.normal.force);
  const Mat3 d_sliding = r.viscosity * Mat3::Identity() +
                         (s > 0 ? r.d_speed / s : 0) * u * u.transpose();  // d(c u)/du; u u^T/s -> 0
  f.dissipation = r.dissipation;
  f.force = r.viscosity * u;
  f.d_velocity = d_sliding * (Mat3::Identity() - n * n.transpose());
  f.d_normal = -d_sliding * (n.dot(velocity) * Mat3::Identity() + n * velocity.transpose());
  f.d_normal_force = r.d_normal * u;
  f.sliding = u;
  f.d_viscosity = r.d_parameters;
  return f;
}

/// For a cotangent z of the sliding force: those of the surface and, added, of the model's parameters.
SurfaceCotangent pull_sliding(const SlidingForce& f, const CompliantTouch& touch, const StepContext& step,
                              const Vec3& z, MutVec dmodel) {
  SurfaceCotangent c;
  const double along_normal_force = f.d_normal_force.dot(z);
  c.distance = -touch.normal.stiffness * along_normal_force;
  c.normal = f.d_normal.transpose() * z;
  if (step.time > 0) c.velocity = -f.d_velocity.transpose() * z;
  dmodel += f.sliding.dot(z) * f.d_viscosity + along_normal_force * touch.normal.d_parameters;
  return c;
}

/// While time stands still, in a preload, nothing moves by itself.
double start_time(const StepContext& c) {
  return c.time > 0 ? c.time - c.time_step : 0;
}

struct Scratch {
  CompliantTouches end, start;
  VecX unused_x, unused_theta;
};

/// What touches at the places x that the step starts from.
void find_at_start(const CompliantPairs& pairs, const StepContext& c, ConstVec x, CompliantTouches& touches) {
  pairs.find(start_time(c), x, touches);
  if (c.time > 0) return;
  for (CompliantTouch& t : touches.list) t.surface.velocity.setZero();
}

/// The same for a potential, which may have been told of no start.
void find_for_friction(const CompliantPairs& pairs, const StepContext& c, CompliantTouches& touches) {
  touches.list.clear();
  if (c.start != nullptr) find_at_start(pairs, c, *c.start, touches);
}

Vec3 mean_velocity(const CompliantTouch& t, const StepContext& c, const ConstVec& x) {
  return (x.segment<3>(3 * t.node) - c.start->segment<3>(3 * t.node)) / c.time_step - t.surface.velocity;
}

/// The nearest positive semidefinite matrix to -f_n d n/d p.
Mat3 positive_curvature(double force, const Mat3& hessian) {
  Eigen::SelfAdjointEigenSolver<Mat3> eigen;
  eigen.compute(-force * hessian);
  return eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0).asDiagonal() *
         eigen.eigenvectors().transpose();
}

}  // namespace

void CompliantPairs::find(double t, ConstVec x, CompliantTouches& out) const {
  const std::vector<Index>& nodes = model_.nodes();
  const auto count = static_cast<Index>(nodes.size());
  out.points.resize(3, count);
  out.surface.resize(nodes.size());
  for (Index i = 0; i < count; ++i) out.points.col(i) = x.segment<3>(3 * nodes[static_cast<std::size_t>(i)]);
  out.list.clear();
  for (const Index k : model_.colliders()) {
    colliders_[static_cast<std::size_t>(k)]->query(t, out.points, out.surface);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const NormalReaction r = model_.normal(out.surface[i].distance);
      if (r.energy != 0 || r.force != 0 || r.stiffness != 0)
        out.list.push_back({nodes[i], k, out.surface[i], r});
    }
  }
}

void CompliantPairs::pull(const CompliantTouch& touch, double t, ConstVec x, const SurfaceCotangent& z,
                          MutVec dx, MutVec dtheta) const {
  const auto k = static_cast<std::size_t>(touch.collider);
  const Collider& collider = *colliders_[k];
  Mat3X dp = Mat3X::Zero(3, 1);
  collider.add_vjp(t, x.segment<3>(3 * touch.node), {&z, 1}, dp,
                   dtheta.segment(parameters_.colliders[k], collider.num_parameters()));
  dx.segment<3>(3 * touch.node) += dp.col(0);
}

double CompliantContactEnergy::value(const StepContext& c, ConstVec x, Workspace& ws) const {
  auto& w = ws.slot<Scratch>(this);
  double e = 0;
  pairs_.find(c.time, x, w.end);
  for (const CompliantTouch& t : w.end.list) e += t.normal.energy;
  find_for_friction(pairs_, c, w.start);
  for (const CompliantTouch& t : w.start.list)
    e += c.time_step * slide(pairs_.model(), t, mean_velocity(t, c, x)).dissipation;
  return e;
}

double CompliantContactEnergy::add_gradient(const StepContext& c, ConstVec x, MutVec g, Workspace& ws) const {
  auto& w = ws.slot<Scratch>(this);
  double e = 0;
  pairs_.find(c.time, x, w.end);
  for (const CompliantTouch& t : w.end.list) {
    e += t.normal.energy;
    g.segment<3>(3 * t.node) -= t.normal.force * t.surface.normal;
  }
  find_for_friction(pairs_, c, w.start);
  for (const CompliantTouch& t : w.start.list) {
    const SlidingForce f = slide(pairs_.model(), t, mean_velocity(t, c, x));
    e += c.time_step * f.dissipation;
    g.segment<3>(3 * t.node) += f.force;
  }
  return e;
}

void CompliantContactEnergy::add_hessian(const StepContext& c, ConstVec x, BlockMatrix& h, bool project_psd,
                                         Workspace& ws) const {
  auto& w = ws.slot<Scratch>(this);
  pairs_.find(c.time, x, w.end);
  for (const CompliantTouch& t : w.end.list) {
    const Vec3& n = t.surface.normal;
    const Mat3 curvature = project_psd ? positive_curvature(t.normal.force, t.surface.hessian)
                                       : Mat3(-t.normal.force * t.surface.hessian);
    const double stiffness = project_psd ? std::max(0.0, t.normal.stiffness) : t.normal.stiffness;
    h.add_symmetric(t.node, t.node, stiffness * n * n.transpose() + curvature);
  }
  find_for_friction(pairs_, c, w.start);
  for (const CompliantTouch& t :
       w.start.list)  // convex if c s grows with s; a model's friction is assumed to
    h.add_symmetric(t.node, t.node,
                    slide(pairs_.model(), t, mean_velocity(t, c, x)).d_velocity / c.time_step);
}

void CompliantContactEnergy::add_quadratic_form(Triplets& a) const {
  const double k = pairs_.model().form_stiffness();
  for (const Index i : pairs_.model().nodes()) a.emplace_back(i, i, k);
}

void CompliantContactEnergy::pull_friction(const StepContext& c, ConstVec x, ConstVec z, MutVec dstart,
                                           MutVec dtheta, Workspace& ws) const {
  auto& w = ws.slot<Scratch>(this);
  find_for_friction(pairs_, c, w.start);
  for (const CompliantTouch& t : w.start.list) {
    const Vec3 zi = z.segment<3>(3 * t.node);
    const SlidingForce f = slide(pairs_.model(), t, mean_velocity(t, c, x));
    const SurfaceCotangent cotangent = pull_sliding(f, t, c, zi, pairs_.model_part(dtheta));
    dstart.segment<3>(3 * t.node) -= f.d_velocity.transpose() * zi / c.time_step;
    pairs_.pull(t, start_time(c), *c.start, cotangent, dstart, dtheta);
  }
}

void CompliantContactEnergy::add_param_vjp(const StepContext& c, ConstVec x, ConstVec z, MutVec out,
                                           Workspace& ws) const {
  auto& w = ws.slot<Scratch>(this);
  w.unused_x.setZero(x.size());
  pairs_.find(c.time, x, w.end);
  for (const CompliantTouch& t : w.end.list) {  // -f_n n
    const Vec3 zi = z.segment<3>(3 * t.node);
    SurfaceCotangent cotangent;
    cotangent.distance = t.normal.stiffness * t.surface.normal.dot(zi);
    cotangent.normal = -t.normal.force * zi;
    pairs_.pull(t, c.time, x, cotangent, w.unused_x, out);
    pairs_.model_part(out) -= t.surface.normal.dot(zi) * t.normal.d_parameters;
  }
  pull_friction(c, x, z, w.unused_x, out, ws);
}

void CompliantContactEnergy::add_start_vjp(const StepContext& c, ConstVec x, ConstVec z, MutVec out,
                                           Workspace& ws) const {
  auto& w = ws.slot<Scratch>(this);
  w.unused_theta.setZero(num_parameters());
  pull_friction(c, x, z, out, w.unused_theta, ws);
}

void CompliantContactForce::add_force(const StepContext& c, ConstVec x, ConstVec v, MutVec f) const {
  CompliantTouches touches;
  find_at_start(pairs_, c, x, touches);
  for (const CompliantTouch& t : touches.list) {
    const Vec3 velocity = v.segment<3>(3 * t.node) - t.surface.velocity;
    f.segment<3>(3 * t.node) += t.normal.force * t.surface.normal - slide(pairs_.model(), t, velocity).force;
  }
}

void CompliantContactForce::add_vjp(const StepContext& c, ConstVec x, ConstVec v, ConstVec z, MutVec dx,
                                    MutVec dv, MutVec dtheta) const {
  CompliantTouches touches;
  find_at_start(pairs_, c, x, touches);
  for (const CompliantTouch& t : touches.list) {
    const Vec3 zi = z.segment<3>(3 * t.node), velocity = v.segment<3>(3 * t.node) - t.surface.velocity;
    const SlidingForce f = slide(pairs_.model(), t, velocity);
    SurfaceCotangent cotangent = pull_sliding(f, t, c, -zi, pairs_.model_part(dtheta));
    cotangent.distance -= t.normal.stiffness * t.surface.normal.dot(zi);
    cotangent.normal += t.normal.force * zi;
    pairs_.pull(t, start_time(c), x, cotangent, dx, dtheta);
    dv.segment<3>(3 * t.node) -= f.d_velocity.transpose() * zi;
    pairs_.model_part(dtheta) += t.surface.normal.dot(zi) * t.normal.d_parameters;
  }
}

}  // namespace resilin
