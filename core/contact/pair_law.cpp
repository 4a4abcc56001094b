#include "core/contact/pair_law.hpp"

namespace resilin {

std::string PairLaw::find_crossing(const ContactStep&, ConstVec) const {
  return {};
}

std::vector<Index> PairLaw::find_intersection(const VecX&) const {
  return {};
}

NodeLaw::Value evaluate(const PairLaw& law, const ContactPair& pair, const VecX& start, const Vec3& force,
                        ConstVec x, double rho) {
  NodeLaw::Value v;
  const Vec3& n = pair.normal;
  v.surface.normal = n;
  v.slip = pair.gather(x) - pair.gather(start) - pair.drift + pair.gap * n;
  v.surface.distance = v.slip.dot(n);
  v.trial = force - rho * v.slip;
  v.response = law.respond(v.trial, n);
  v.residual = force - v.response.force;
  v.d_slip.setIdentity();
  v.d_force = Mat3::Identity() - v.response.d_trial;
  v.d_position = rho * v.response.d_trial;
  return v;
}

void pull(const PairLaw& law, const ContactStep& step, const ContactPair& pair, const NodeLaw::Value& at,
          const Vec3& force, ConstVec x, double rho, const Vec3& z, ConstVec w, MutVec dstart, MutVec theta,
          const std::vector<Index>& collider_offset, Index model_offset) {
  const Vec3 g = -rho * at.response.d_trial.transpose() * z;  // cotangent of s
  ContactPairCotangent c;
  c.normal = at.response.d_normal.transpose() * z + pair.gap * g;
  c.gap = g.dot(pair.normal);
  c.drift = -g;
  for (std::size_t k = 0; k < 4 && pair.nodes[k] >= 0; ++k) {
    const Index i = 3 * pair.nodes[k];
    c.weights[k] = g.dot(x.segment<3>(i) - step.start.segment<3>(i)) + force.dot(w.segment<3>(i));
    dstart.segment<3>(i) -= pair.weights[k] * g;
  }
  law.add_vjp(step, pair, c, dstart, theta, collider_offset, model_offset);
  if (at.response.d_parameters.cols() > 0)
    theta.segment(model_offset, at.response.d_parameters.cols()) += at.response.d_parameters.transpose() * z;
}

}  // namespace resilin
