// What follows the rest shape of a body, and the pull-back of all of it.
#include "core/model/rest_shape.hpp"

#include "core/energy/shape.hpp"
#include "core/geometry/rotation.hpp"
#include "core/model/pose.hpp"

#include <fmt/format.h>

#include <utility>

namespace resilin {

Mesh displaced_mesh(const Body& body, const Field& displacements) {
  Mesh mesh = body.mesh;
  mesh.vertices += displacements.values.reshaped(3, mesh.num_vertices());
  for (Index e = 0; e < mesh.num_elements(); ++e) (void)element_quadrature(mesh, e);
  return mesh;
}

VecX element_density(const Body& body) {
  const VecX& values = body.options.density.values;
  if (body.density_item.empty()) return values;
  return values(body.density_item);
}

bool System::follows_rest(const Pin& pin) const {
  const Body& body = *bodies_[pin.body];
  return body.displaced && (pin.holds_rest || !body.start_is_given);
}

bool System::has_moving_pins() const {
  if (num_motion_parameters_ > 0) return true;
  for (const Pin& pin : pins_)
    if (follows_rest(pin)) return true;
  return false;
}

void System::place_pin(Pin& pin) const {
  const Body& body = *bodies_[pin.body];
  pin.places = pin.shift;
  for (std::size_t i = 0; i < pin.nodes.size(); ++i)
    pin.places.col(static_cast<Index>(i)) +=
        pin.holds_rest ? Vec3(body.rest().vertices.col(pin.nodes[i] - body.first_node))
                       : Vec3(base_x_.segment<3>(3 * pin.nodes[i]));
}

void System::update_rest_shapes() {
  // All are looked at before the first is taken: an error leaves every body as it was.
  std::vector<std::pair<Body*, Mesh>> changed;
  for (const auto& body : bodies_) {
    if (!body->displaced) continue;
    const Field& displacements = body->options.rest_shape.displacements;
    if (body->mesh.vertices + displacements.values.reshaped(3, body->mesh.num_vertices()) ==
        body->displaced->vertices)
      continue;
    try {
      changed.emplace_back(body.get(), displaced_mesh(*body, displacements));
    } catch (const Error& e) {
      throw Error(Errc::Numerics, fmt::format("bodies.{}.rest_shape: {}", body->name, e.message()));
    }
  }
  for (auto& [body, mesh] : changed) {
    *body->displaced = std::move(mesh);
    body->elastic->set_rest_shape(*body->displaced);
    if (!body->start_is_given)
      base_x_.segment(3 * body->first_node, 3 * body->mesh.num_vertices()) =
          posed(body->options.initial, body->displaced->vertices).reshaped();
  }
  if (changed.empty()) return;
  for (Pin& pin : pins_)
    if (follows_rest(pin)) place_pin(pin);
}

void System::add_place_vjp(const Pin& pin, const Mat3X& places, MutVec theta) const {
  const Body& body = *bodies_[pin.body];
  auto out = theta.segment(body_offset_[pin.body].rest, 3 * body.mesh.num_vertices());
  if (pin.holds_rest)
    out += places.reshaped();
  else
    out += pull_back_pose(body.options.initial, body.rest().vertices, places).reshaped();
}

/// Of the undisplaced initial shape X0 of a body: the state starts with x0 = X0 + .., v0 = .. + omega x (X0 -
/// its mean).
Mat3X System::start_cotangent(const Body& body, ConstVec dx0, ConstVec dv0) const {
  const Index n = body.mesh.num_vertices(), first = 3 * body.first_node;
  const Eigen::Map<const Mat3X> dx(dx0.data() + first, 3, n), dv(dv0.data() + first, 3, n);
  Mat3X start(3, n);
  for (Index i = 0; i < n; ++i) start.col(i) = Vec3(dv.col(i)).cross(body.options.initial.angular_velocity);
  const Vec3 mean = start.rowwise().mean();
  return dx + (start.colwise() - mean);
}

/// Through the masses, and through the initial shape X0(X).
void System::add_rest_cotangent(std::size_t b, SystemCotangent& c, ConstVec dx0, ConstVec dv0) const {
  const Body& body = *bodies_[b];
  const Index n = body.mesh.num_vertices();
  auto out = c.theta.segment(body_offset_[b].rest, 3 * n);
  VecX dm = body.options.cross_measure() * c.mass.segment(body.first_node, n);
  // The mean volume times the number of elements is that of the body: shape functions add up to one.
  if (body.options.mass == "uniform")
    dm.setConstant(dm.sum() / static_cast<double>(body.mesh.num_elements()));
  add_lumped_mass_rest_vjp(body.rest(), element_density(body), dm, out);
  if (body.start_is_given) return;
  const Mat3X start = start_cotangent(body, dx0, dv0);
  out += pull_back_pose(body.options.initial, body.rest().vertices, start).reshaped();
}

bool System::follows_pose(const Body& body) const {
  return body.options.initial.pose_is_parameter && !body.start_is_given;
}

void System::update_poses() {
  for (const auto& body : bodies_)
    if (follows_pose(*body))
      base_x_.segment(3 * body->first_node, 3 * body->mesh.num_vertices()) =
          posed(body->options.initial, body->rest().vertices).reshaped();
}

void System::add_pose_cotangent(std::size_t b, SystemCotangent& c, ConstVec dx0, ConstVec dv0) const {
  const Body& body = *bodies_[b];
  const Mat3X start = start_cotangent(body, dx0, dv0);
  InitialOptions unmoved = body.options.initial;
  unmoved.rotation = unmoved.translation = Vec3::Zero();
  const Mat3X shape = posed(unmoved, body.rest().vertices);
  const Vec3 center = shape.rowwise().mean();
  c.theta.segment<3>(body_offset_[b].translation) += start.rowwise().sum();
  c.theta.segment<3>(body_offset_[b].rotation) +=
      rotation_vjp(body.options.initial.rotation, start * (shape.colwise() - center).transpose());
}

}  // namespace resilin
