#include "core/contact/node_law.hpp"

namespace resilin {

NodeLaw::NodeLaw(const Sticking::Colliders& colliders, const ContactLaw& model, Index collider,
                 const Vec3& start, double t, double h)
    : colliders_(&colliders), model_(&model), collider_(collider), start_(start), t_(t), h_(h) {
  place_ = Sticking(colliders, model, t, h).place(collider, start);
}

NodeLaw::Value NodeLaw::evaluate(const Vec3& force, const Vec3& x, double rho) const {
  Value v;
  v.surface = (*colliders_)[static_cast<std::size_t>(collider_)]->at(t_, x);
  v.surface.distance -= model_->distance();
  const Vec3 &n = v.surface.normal, e = x - place_;
  const double d = v.surface.distance;
  v.slip = e + (d - n.dot(e)) * n;
  v.trial = force - rho * v.slip;
  v.response = model_->respond(v.trial, n);
  v.residual = force - v.response.force;
  const Mat3& curvature = v.surface.hessian;
  v.d_slip = Mat3::Identity() + (d - n.dot(e)) * curvature - n * (curvature * e).transpose();
  v.d_force = Mat3::Identity() - v.response.d_trial;
  v.d_position = rho * v.response.d_trial * v.d_slip - v.response.d_normal * curvature;
  return v;
}

void NodeLaw::pull(const Value& at, const Vec3& x, double rho, const Vec3& z, Vec3& dstart, MutVec theta,
                   const std::vector<Index>& collider_offset, Index model_offset) const {
  const Vec3 &n = at.surface.normal, e = x - place_;
  const Vec3 g = -rho * at.response.d_trial.transpose() * z;  // cotangent of s
  SurfaceCotangent c;
  c.distance = g.dot(n);
  c.normal = at.response.d_normal.transpose() * z + (at.surface.distance - n.dot(e)) * g - g.dot(n) * e;
  const Collider& collider = *(*colliders_)[static_cast<std::size_t>(collider_)];
  Mat3X unused = Mat3X::Zero(3, 1);  // x is the unknown
  collider.add_vjp(
      t_, x, {&c, 1}, unused,
      theta.segment(collider_offset[static_cast<std::size_t>(collider_)], collider.num_parameters()));
  const Vec3 dplace = n * n.dot(g) - g;
  Sticking(*colliders_, *model_, t_, h_)
      .add_vjp(collider_, start_, dplace, dstart, theta, collider_offset, model_offset);
  if (model_->distance_parameter() >= 0) theta[model_offset + model_->distance_parameter()] -= c.distance;
  if (at.response.d_parameters.cols() > 0)
    theta.segment(model_offset, at.response.d_parameters.cols()) += at.response.d_parameters.transpose() * z;
}

}  // namespace resilin
