#include "core/contact/contact_model.hpp"

#include <cmath>

namespace resilin {

ContactResponse coulomb_response(const Vec3& trial, const Vec3& n, double mu) {
  ContactResponse r;
  const bool is_finite = std::isfinite(mu);
  r.d_parameters.setZero(3, is_finite ? 1 : 0);
  const double normal = trial.dot(n);
  if (!(normal > 0)) return r;
  const Vec3 tangential = trial - normal * n;
  const double length = tangential.norm();
  if (mu == 0) {  // nothing sticks, whatever the trial force
    r.force = normal * n;
    r.d_trial = n * n.transpose();
    r.d_normal = n * trial.transpose() + normal * Mat3::Identity();
    if (length > 0) r.d_parameters.col(0) = normal / length * tangential;
    r.slides = true;
    return r;
  }
  if (!is_finite || length <= mu * normal) {
    r.force = trial;
    r.d_trial.setIdentity();
    return r;
  }
  const Vec3 e = tangential / length, edge = n + mu * e;  // the ray of the cone on which the force lies
  const Mat3 across = Mat3::Identity() - e * e.transpose();
  r.slides = true;
  r.force = normal * edge;
  r.d_trial = edge * n.transpose() + mu * normal / length * (across - n * n.transpose());
  r.d_normal = edge * trial.transpose() + normal * Mat3::Identity() -
               mu * normal / length * (normal * across + n * trial.transpose());
  r.d_parameters.col(0) = normal * e;
  return r;
}

std::vector<Index> contact_nodes(const BuildContext& context, const std::string& body,
                                 const Selector& nodes) {
  const BodyView& view = context.find_body("body", body);
  Selector chosen = nodes;
  if (!nodes.has_criteria()) chosen.surface = true;
  std::vector<Index> result;
  try {
    result = select_vertices(*view.mesh, chosen);
  } catch (const Error& e) {
    throw context.input_error("nodes", e.message());
  }
  if (result.empty())
    throw context.input_error("nodes", "the selection matches no vertex of body " + view.name);
  for (Index& i : result) i += view.first_node;
  return result;
}

}  // namespace resilin
