#include "plugins/forces/hydrodynamics.hpp"

#include "plugins/forces/surface_faces.hpp"

#include <cmath>
#include <numbers>

namespace resilin {
namespace {

/// Cubic Bezier curve of four ordinates: basis functions at t, and the derivative of the curve.
struct BezierPoint {
  Eigen::Vector4d basis;
  double value = 0, slope = 0;
};
BezierPoint bezier(const VecX& ordinates, double t) {
  const double s = 1 - t;
  BezierPoint p;
  p.basis << s * s * s, 3 * s * s * t, 3 * s * t * t, t * t * t;
  p.value = p.basis.dot(ordinates);
  p.slope = 3 * (s * s * (ordinates[1] - ordinates[0]) + 2 * s * t * (ordinates[2] - ordinates[1]) +
                 t * t * (ordinates[3] - ordinates[2]));
  return p;
}

Field four(double a, double b, double c, double d) {
  Field f;
  f.items = 4;
  f.values = Eigen::Vector4d(a, b, c, d);
  return f;
}

}  // namespace

/// One wet side of a face.
struct Hydrodynamics::Side {
  double area = 0, speed = 0;  ///< A, |w|
  Vec3 normal = Vec3::Zero();  ///< n
  Vec3 across = Vec3::Zero();  ///< unit vector of the part of w along the face, zero where there is none
  double head = 0, along = 0;  ///< n . w, and the length of that part
  double angle_sign = 0;       ///< of phi
  BezierPoint drag, thrust;
  /// f/(rho/2) = A |w| (C_d w - C_t |w| n)
  Vec3 unit_force(const Vec3& flow) const {
    return area * speed * (drag.value * flow - thrust.value * speed * normal);
  }
};

Hydrodynamics::Options::Options() : drag(four(0.05, 0.05, 1.85, 2.05)), thrust(four(-0.8, -0.5, 0.1, 2.5)) {}

void Hydrodynamics::Options::visit(ParamVisitor& v) {
  v.text("body", body, {.doc = "body that it acts on; may be left out if there is only one"});
  v.section(
      "faces", faces,
      {.doc = "vertices of the faces that it acts on: a face of the surface counts if all of its vertices "
              "are selected; the whole surface if empty"});
  v.real("density", density,
         {.doc = "density of the fluid", .unit = "kg/m^3", .min = 0, .max = 1e6, .differentiable = true});
  v.vec3("velocity", velocity, {.doc = "velocity of the fluid", .unit = "m/s", .differentiable = true});
  v.field("drag", drag,
          {.doc = "four ordinates of the Bezier curve of the drag coefficient over the size of the angle of "
                  "attack, from 0 (the flow runs along the face) to 90 degrees (it meets it head on)",
           .differentiable = true});
  v.field("thrust", thrust,
          {.doc = "the same of the coefficient of the force against the normal, from -90 degrees (the face "
                  "moves straight away from the fluid) to 90 (straight into it)",
           .differentiable = true});
  v.choice("sides", sides, {"auto", "outer", "both"},
           {.doc = "sides of a face that are wet; auto: both of a body of triangles, else the outer one"});
  v.flag("lee", lee,
         {.doc = "faces turned away from the flow count too; without them, as in the published code, the "
                 "force jumps where a face turns away"});
}

Hydrodynamics::Hydrodynamics(const Options& options, const BuildContext& context) : options_(options) {
  const BodyView& body = context.find_body("body", options.body);
  if (options.sides == "both" || (options.sides == "auto" && body.mesh->type == ElementType::Tri3))
    sides_ = 2;
  faces_ = select_faces(body, options.faces, sides_ == 1, context);
  const auto check = [&](const Field& f, const char* key) {
    if (f.items != 4 || f.steps != 1 || !f.regions.empty())
      throw context.input_error(key, "four numbers are expected, the ordinates of a cubic Bezier curve");
  };
  check(options.drag, "drag");
  check(options.thrust, "thrust");
}

Vec3 Hydrodynamics::relative_flow(Index face, const ConstVec& v) const {
  Vec3 mean = Vec3::Zero();
  for (const int i : faces_.col(face)) mean += v.segment<3>(3 * Index{i});
  return options_.velocity - mean / static_cast<double>(faces_.rows());
}

Hydrodynamics::Side Hydrodynamics::side(const Vec3& area, const Vec3& flow, double sign) const {
  Side s;
  s.area = area.norm();
  s.speed = flow.norm();
  if (s.area == 0 || s.speed == 0) return s;  // no force, whatever the angle
  s.normal = sign / s.area * area;
  s.head = s.normal.dot(flow);
  // Of the cross product: exact where w - (n . w) n is the rounding of a difference.
  const Vec3 along = s.normal.cross(flow).cross(s.normal);
  s.along = along.norm();
  if (s.along > 0) s.across = along / s.along;
  const double phi = std::atan2(-s.head, s.along) / (0.5 * std::numbers::pi);
  if (!options_.lee && phi <= 0) {
    s.area = 0;
    return s;
  }
  s.angle_sign = phi > 0 ? 1 : phi < 0 ? -1 : 0;
  s.drag = bezier(options_.drag.values, std::abs(phi));
  s.thrust = bezier(options_.thrust.values, 0.5 * (phi + 1));
  return s;
}

void Hydrodynamics::add_force(const StepContext&, ConstVec x, ConstVec v, MutVec f) const {
  for (Index k = 0; k < faces_.cols(); ++k) {
    const Vec3 area = face_area(faces_, k, x), flow = relative_flow(k, v);
    Vec3 sum = Vec3::Zero();
    for (int i = 0; i < sides_; ++i) sum += side(area, flow, i == 0 ? 1 : -1).unit_force(flow);
    for (const int i : faces_.col(k))
      f.segment<3>(3 * Index{i}) += 0.5 * options_.density / static_cast<double>(faces_.rows()) * sum;
  }
}

/// For a cotangent z of f/(rho/2) of a side: adds to those of the face's area vector, of the flow and, but
/// for the density, of the parameters.
void Hydrodynamics::pull(const Side& s, double sign, const Vec3& flow, const Vec3& z, Vec3& d_area,
                         Vec3& d_flow, MutVec dtheta) {
  const double scale = s.area * s.speed, zw = z.dot(flow), zn = z.dot(s.normal);
  dtheta.segment<4>(kDrag) += scale * zw * s.drag.basis;
  dtheta.segment<4>(kThrust) -= scale * s.speed * zn * s.thrust.basis;
  const double d_phi =
      2 / std::numbers::pi * scale * (s.drag.slope * s.angle_sign * zw - 0.5 * s.thrust.slope * s.speed * zn);
  d_flow +=
      s.area * ((s.drag.value * zw / s.speed - 2 * s.thrust.value * zn) * flow + s.speed * s.drag.value * z) +
      d_phi / (s.speed * s.speed) * (s.head * s.across - s.along * s.normal);
  const Vec3 d_normal = -scale * s.speed * s.thrust.value * z - d_phi * s.across;
  // A = |a|, n = sign a/|a|
  d_area += s.speed * (s.drag.value * zw - s.speed * s.thrust.value * zn) * sign * s.normal +
            sign / s.area * (d_normal - s.normal.dot(d_normal) * s.normal);
}

void Hydrodynamics::add_vjp(const StepContext&, ConstVec x, ConstVec v, ConstVec z, MutVec dx, MutVec dv,
                            MutVec dtheta) const {
  const double share = 1 / static_cast<double>(faces_.rows());
  for (Index k = 0; k < faces_.cols(); ++k) {
    const Vec3 area = face_area(faces_, k, x), flow = relative_flow(k, v);
    Vec3 mean = Vec3::Zero(), d_area = Vec3::Zero(), d_flow = Vec3::Zero();
    for (const int i : faces_.col(k)) mean += share * z.segment<3>(3 * Index{i});
    for (int i = 0; i < sides_; ++i) {
      const double sign = i == 0 ? 1 : -1;
      const Side s = side(area, flow, sign);
      if (s.area == 0 || s.speed == 0) continue;
      dtheta[kDensity] += 0.5 * mean.dot(s.unit_force(flow));
      pull(s, sign, flow, 0.5 * options_.density * mean, d_area, d_flow, dtheta);
    }
    dtheta.segment<3>(kVelocity) += d_flow;
    for (const int i : faces_.col(k)) dv.segment<3>(3 * Index{i}) -= share * d_flow;
    add_face_area_vjp(faces_, k, x, d_area, dx);
  }
}

}  // namespace resilin
