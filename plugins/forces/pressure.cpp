#include "plugins/forces/pressure.hpp"

#include "core/energy/key_times.hpp"
#include "plugins/forces/surface_faces.hpp"

#include <cmath>

namespace resilin {
namespace {

/// A point of a face: x_xi x x_eta times `weight` is its share of n dA.
struct FaceSample {
  double weight = 0;
  double shape[4] = {}, xi[4] = {}, eta[4] = {};  ///< N_c and its derivatives
};
struct FaceRule {
  int samples = 1;
  FaceSample at[4];
};

/// Exact: on a triangle n dA is constant and N_c linear; on a bilinear quad both are of first order along
/// each direction, their product is integrated by two Gauss points.
FaceRule face_rule(Index corners) {
  if (corners == 3) return {1, {{0.5, {1 / 3.0, 1 / 3.0, 1 / 3.0}, {-1, 1, 0}, {-1, 0, 1}}}};
  constexpr int kCorner[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
  FaceRule rule;
  rule.samples = 4;
  for (int s = 0; s < 4; ++s) {
    FaceSample& sample = rule.at[s];
    sample.weight = 1;
    const double xi = kCorner[s][0] / std::sqrt(3.0), eta = kCorner[s][1] / std::sqrt(3.0);
    for (int c = 0; c < 4; ++c) {
      const double a = 1 + kCorner[c][0] * xi, b = 1 + kCorner[c][1] * eta;
      sample.shape[c] = a * b / 4;
      sample.xi[c] = kCorner[c][0] * b / 4;
      sample.eta[c] = a * kCorner[c][1] / 4;
    }
  }
  return rule;
}

/// sum_c weights_c x_c over the corners of a face.
template <class Face>
Vec3 combine(const double* weights, const Face& face, const ConstVec& x) {
  Vec3 sum = Vec3::Zero();
  for (Index c = 0; c < face.size(); ++c) sum += weights[c] * x.segment<3>(3 * Index{face[c]});
  return sum;
}

}  // namespace

void Pressure::Options::visit(ParamVisitor& v) {
  v.text("body", body, {.doc = "body that it acts on; may be left out if there is only one"});
  v.section(
      "faces", faces,
      {.doc = "vertices of the faces that it acts on: a face of the surface counts if all of its vertices "
              "are selected; the whole surface if empty"});
  v.field(
      "pressure", pressure,
      {.doc = "pressure, positive inwards: one for all faces or one per selected face (in the order of their "
              "elements), constant or by 'steps': per time step, or per key time if there are key_times",
       .unit = "Pa",
       .differentiable = true,
       .required = true});
  visit_key_times(v, key_times);
}

Pressure::Pressure(const Options& options, const BuildContext& context) : options_(options) {
  const BodyView& body = context.find_body("body", options.body);
  faces_ = select_faces(body, options.faces, true, context);
  check_entries(options.pressure, "pressure", options.key_times, faces_.cols(), "a selected face", context);
}

void Pressure::add_force(const StepContext& c, ConstVec x, ConstVec, MutVec f) const {
  const KeyBlend b = blend_at(options_.key_times, c);
  const FaceRule rule = face_rule(faces_.rows());
  for (Index k = 0; k < faces_.cols(); ++k) {
    const auto face = faces_.col(k);
    const double p =
        (1 - b.weight) * options_.pressure.at(k, b.from) + b.weight * options_.pressure.at(k, b.to);
    for (int s = 0; s < rule.samples; ++s) {
      const FaceSample& at = rule.at[s];
      const Vec3 area = at.weight * combine(at.xi, face, x).cross(combine(at.eta, face, x));
      for (Index i = 0; i < face.size(); ++i) f.segment<3>(3 * Index{face[i]}) -= p * at.shape[i] * area;
    }
  }
}

void Pressure::add_vjp(const StepContext& c, ConstVec x, ConstVec, ConstVec z, MutVec dx, MutVec,
                       MutVec dtheta) const {
  const KeyBlend b = blend_at(options_.key_times, c);
  const FaceRule rule = face_rule(faces_.rows());
  const Field& pressure = options_.pressure;
  for (Index k = 0; k < faces_.cols(); ++k) {
    const auto face = faces_.col(k);
    const double p = (1 - b.weight) * pressure.at(k, b.from) + b.weight * pressure.at(k, b.to);
    for (int s = 0; s < rule.samples; ++s) {
      // z . f = -p w Z . (A x B) with Z = sum N_c z_c, A = x_xi, B = x_eta
      const FaceSample& at = rule.at[s];
      const Vec3 zs = combine(at.shape, face, z), along_xi = combine(at.xi, face, x),
                 along_eta = combine(at.eta, face, x);
      const double dp = -at.weight * zs.dot(along_xi.cross(along_eta));
      dtheta[pressure.index(k, b.from)] += (1 - b.weight) * dp;
      dtheta[pressure.index(k, b.to)] += b.weight * dp;
      const Vec3 dxi = -p * at.weight * along_eta.cross(zs), deta = -p * at.weight * zs.cross(along_xi);
      for (Index i = 0; i < face.size(); ++i)
        dx.segment<3>(3 * Index{face[i]}) += at.xi[i] * dxi + at.eta[i] * deta;
    }
  }
}

}  // namespace resilin
