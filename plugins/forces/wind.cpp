#include "plugins/forces/wind.hpp"

#include "core/mesh/regions.hpp"
#include "plugins/forces/surface_faces.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace resilin {

void Wind::Network::visit(ParamVisitor& v) {
  v.integers("hidden", hidden, {.doc = "units of each hidden layer; none: no network", .min = 1, .max = 1e6});
  v.real("speed", speed,
         {.doc = "bound of each component of the velocity that it adds",
          .unit = "m/s",
          .min = 0,
          .max = 1e6,
          .open = true});
  v.vec3("center", center, {.doc = "place that it sees as zero", .unit = "m"});
  v.real("length", length,
         {.doc = "distance that it sees as one", .unit = "m", .min = 0, .max = 1e9, .open = true});
  v.real("time", time, {.doc = "time that it sees as one", .unit = "s", .min = 0, .max = 1e9, .open = true});
  v.integer("seed", seed, {.doc = "seed of the weights where none are given", .min = 0, .max = 1e15});
  v.field(
      "weights", weights,
      {.doc = "of one layer after the other: the matrix row by row (a row for each unit), then the biases; "
              "inputs x, y, z, t; left out: drawn from the seed",
       .differentiable = true});
}

void Wind::Options::visit(ParamVisitor& v) {
  v.text("body", body, {.doc = "body that it acts on; may be left out if there is only one"});
  v.section(
      "faces", faces,
      {.doc = "vertices of the faces that it acts on: a face of the surface counts if all of its vertices "
              "are selected; the whole surface if empty"});
  v.real("density", density,
         {.doc = "density of the air", .unit = "kg/m^3", .min = 0, .max = 1e6, .differentiable = true});
  v.real("drag", drag,
         {.doc = "drag coefficient C_D of a face that the flow meets head on",
          .min = 0,
          .max = 1e3,
          .differentiable = true});
  v.real("lift", lift,
         {.doc = "C_L: the lift coefficient is C_L sin(a) cos(a), a the angle between flow and face",
          .min = 0,
          .max = 1e3,
          .differentiable = true});
  v.field("velocity", velocity,
          {.doc = "velocity of the air everywhere: constant, by 'steps' or following a signal",
           .unit = "m/s",
           .differentiable = true});
  v.section("network", network,
            {.doc = "a tanh network of place and time whose three outputs are added to the velocity of the "
                    "air, if it has hidden layers"});
}

Wind::Wind(const Options& options, const BuildContext& context) : options_(options) {
  const BodyView& body = context.find_body("body", options.body);
  faces_ = select_faces(body, options.faces, false, context);
  require_no_regions(options.velocity, "velocity", context);
  if (options.velocity.items != 1)
    throw context.input_error("velocity", "one velocity is expected, everywhere the same");
  if (options.velocity.steps != 1 && options.velocity.steps != context.steps)
    throw context.input_error("velocity", fmt::format("values for {} steps given; the scene has {} steps",
                                                      options.velocity.steps, context.steps));
  if (has_network()) make_network(context);
}

void Wind::make_network(const BuildContext& context) {
  std::vector<Index> widths{4};
  widths.insert(widths.end(), options_.network.hidden.begin(), options_.network.hidden.end());
  widths.push_back(3);
  network_ = TanhNetwork(widths, true);
  Field& w = options_.network.weights;
  const Index count = network_.num_weights();
  if (w.size() == 0) {
    w.values = network_.draw_weights(static_cast<std::uint64_t>(options_.network.seed), 1);
  } else if (!w.regions.empty() || w.steps != 1 || !w.drives.empty()) {
    throw context.input_error("network.weights",
                              "expected a list of numbers or {file: ...} with one number a row");
  } else if (w.size() != count) {
    throw context.input_error("network.weights", fmt::format("{} numbers given; layers of {} units need {}",
                                                             w.size(), fmt::join(widths, ", "), count));
  }
  w.items = count;
}

Index Wind::num_parameters() const {
  return kVelocity + options_.velocity.size() + (has_network() ? options_.network.weights.size() : Index{0});
}

Vec3 Wind::mean(Index face, const ConstVec& q) const {
  Vec3 sum = Vec3::Zero();
  for (const int i : faces_.col(face)) sum += q.segment<3>(3 * Index{i});
  return sum / static_cast<double>(faces_.rows());
}

Eigen::Vector4d Wind::network_input(const Vec3& place, double time) const {
  Eigen::Vector4d s;
  s << (place - options_.network.center) / options_.network.length, time / options_.network.time;
  return s;
}

Vec3 Wind::relative_flow(Index face, const StepContext& c, const ConstVec& x, const ConstVec& v) const {
  Vec3 flow = options_.velocity.vec3(0, c.step) - mean(face, v);
  if (has_network())
    flow +=
        options_.network.speed *
        network_.layers(options_.network.weights.values, network_input(mean(face, x), c.time - c.time_step))
            .back();
  return flow;
}

void Wind::add_force(const StepContext& c, ConstVec x, ConstVec v, MutVec f) const {
  for (Index k = 0; k < faces_.cols(); ++k) {
    const Vec3 a = face_area(faces_, k, x), w = relative_flow(k, c, x, v);
    const double area = a.norm(), speed = w.norm(), head = a.dot(w);
    if (area == 0 || speed == 0) continue;  // no force
    const Vec3 unit =
        head / area * ((options_.drag - options_.lift) * head / speed * w + options_.lift * speed * a);
    for (const int i : faces_.col(k))
      f.segment<3>(3 * Index{i}) += 0.5 * options_.density / static_cast<double>(faces_.rows()) * unit;
  }
}

/// For a cotangent of the air's velocity at a place.
void Wind::pull_air(const StepContext& c, const Vec3& place, const Vec3& d_air, Vec3& d_place,
                    MutVec dtheta) const {
  dtheta.segment<3>(kVelocity + options_.velocity.index(0, c.step)) += d_air;
  if (!has_network()) return;
  const VecX& weights = options_.network.weights.values;
  const Eigen::Vector4d s = network_input(place, c.time - c.time_step);
  VecX ds = VecX::Zero(4);
  network_.add_vjp(weights, network_.layers(weights, s), s, options_.network.speed * d_air, ds,
                   dtheta.tail(weights.size()));
  d_place += ds.head<3>() / options_.network.length;
}

void Wind::add_vjp(const StepContext& c, ConstVec x, ConstVec v, ConstVec z, MutVec dx, MutVec dv,
                   MutVec dtheta) const {
  const double share = 1 / static_cast<double>(faces_.rows());
  for (Index k = 0; k < faces_.cols(); ++k) {
    const Vec3 a = face_area(faces_, k, x), w = relative_flow(k, c, x, v);
    const double area = a.norm(), speed = w.norm(), head = a.dot(w);
    if (area == 0 || speed == 0) continue;  // no force, and derivatives are zero
    // z . f = rho/2 [ (C_D - C_L) h^2 z.w/(A |w|) + C_L h |w| z.a/A ], h = a.w
    const Vec3 zf = mean(k, z);
    const double zw = zf.dot(w), za = zf.dot(a), both = options_.drag - options_.lift;
    const double p = head * head * zw / (area * speed), q = head * speed * za / area;
    dtheta[kDensity] += 0.5 * (both * p + options_.lift * q);
    dtheta[kDrag] += 0.5 * options_.density * p;
    dtheta[kLift] += 0.5 * options_.density * (q - p);
    const double scale = 0.5 * options_.density;
    const double d_head = scale * (2 * both * head * zw / (area * speed) + options_.lift * speed * za / area);
    const double d_speed = scale * (-both * p + options_.lift * q) / speed;
    const double d_area = -scale * (both * p + options_.lift * q) / area;
    const Vec3 da = d_head * w + d_area / area * a + scale * options_.lift * head * speed / area * zf;
    const Vec3 dw = d_head * a + d_speed / speed * w + scale * both * head * head / (area * speed) * zf;
    Vec3 d_place = Vec3::Zero();
    pull_air(c, mean(k, x), dw, d_place, dtheta);
    for (const int i : faces_.col(k)) {
      dv.segment<3>(3 * Index{i}) -= share * dw;
      dx.segment<3>(3 * Index{i}) += share * d_place;
    }
    add_face_area_vjp(faces_, k, x, da, dx);
  }
}

}  // namespace resilin
