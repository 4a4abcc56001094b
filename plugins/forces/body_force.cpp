#include "plugins/forces/body_force.hpp"

#include "core/energy/shape.hpp"
#include "core/params/tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace resilin {
namespace {

constexpr const char* kFormulas[3] = {"fx", "fy", "fz"};
/// Inputs before the constants: place, velocity, time.
const std::vector<std::string>& variables() {
  static const std::vector<std::string> names{"x", "y", "z", "vx", "vy", "vz", "t"};
  return names;
}
constexpr Index kTime = 6, kFirstConstant = 7;

bool is_name(const std::string& text) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !text.empty() && letter(text.front()) &&
         std::all_of(text.begin(), text.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

/// What is written behind a constant, quoted or not.
std::string constant_text(const std::string& written) {
  const TreeNode node = parse_tree("value: " + written, "constant").entries.front().value;
  if (node.kind != TreeNode::Kind::Scalar) throw Error(Errc::Input, "expected a number or a formula");
  return node.scalar;
}

}  // namespace

void BodyForce::Options::visit(ParamVisitor& v) {
  v.text("body", body, {.doc = "body that it acts on; may be left out if there is only one"});
  v.section("nodes", nodes, {.doc = "vertices that it acts on; all if empty"});
  v.text(
      "fx", fx,
      {.doc =
           "x component as a formula of x y z [m] and vx vy vz [m/s] at the start of the step, t [s] at its "
           "end, and the constants: + - * / ^ ( ) sin cos tan tanh exp log sqrt abs min max pow, pi"});
  v.text("fy", fy, {.doc = "y component"});
  v.text("fz", fz, {.doc = "z component"});
  v.assignments(
      "constants", constants,
      {.doc = "names for numbers in the formulas, `{c: 0.5}`; a value may be a formula of numbers, as "
              "`2*pi`; gradients with respect to each exist under constants.NAME"});
  v.choice("per", per, {"mass", "volume", "vertex"},
           {.doc = "mass: the formulas are accelerations [m/s^2]; volume: forces per rest volume (of a "
                   "surface or curve "
                   "with its thickness or cross-section) [N/m^3]; vertex: "
                   "forces on each vertex [N]"});
  v.real("scale", scale, {.doc = "factor of all three formulas", .differentiable = true});
  v.real("density", density,
         {.doc = "with per mass: mass of each vertex over its share of the rest volume; does not follow the "
                 "density of the body, so give the same",
          .unit = "kg/m^3",
          .min = 0,
          .max = 1e9,
          .differentiable = true});
}

BodyForce::BodyForce(const Options& options, const BuildContext& context)
    : options_(options), path_(context.path) {
  const BodyView& body = context.find_body("body", options.body);
  first_node_ = body.first_node;
  nodes_ = select_vertices(*body.mesh, options.nodes);
  if (nodes_.empty())
    throw context.input_error("nodes", "the selection matches no vertex of body " + body.name);
  volume_ = VecX::Ones(static_cast<Index>(nodes_.size()));
  if (options.per != "vertex") volume_ = body.cross_measure * lumped_mass(*body.mesh, VecX::Ones(1))(nodes_);
  for (Index& n : nodes_) n += first_node_;
  read_constants(context);
  read_formulas(context);
}

void BodyForce::read_constants(const BuildContext& context) {
  constants_.resize(static_cast<Index>(options_.constants.size()));
  std::vector<std::string> taken = Expression::reserved();
  taken.insert(taken.end(), variables().begin(), variables().end());
  for (Index i = 0; i < constants_.size(); ++i) {
    const auto& [name, written] = options_.constants[static_cast<std::size_t>(i)];
    const std::string key = "constants." + name;
    if (!is_name(name))
      throw context.input_error(key,
                                "the name of a constant has letters, digits and _ and begins with no digit");
    if (std::find(taken.begin(), taken.end(), name) != taken.end())
      throw context.input_error(
          key, fmt::format("'{}' has a meaning of its own in formulas; choose another name", name));
    try {
      const Expression value(constant_text(written), {});
      VecX values(value.size());
      constants_[i] = value.evaluate(nullptr, values.data());
    } catch (const Error& e) {
      throw context.input_error(key, e.message());
    }
    if (!std::isfinite(constants_[i]))
      throw context.input_error(key, fmt::format("{} is no finite number", constants_[i]));
  }
}

void BodyForce::read_formulas(const BuildContext& context) {
  std::vector<std::string> inputs = variables();
  for (const auto& constant : options_.constants) inputs.push_back(constant.first);
  const std::string* texts[3] = {&options_.fx, &options_.fy, &options_.fz};
  Diagnostics found;  // so that the mistakes of all three are told together
  for (std::size_t k = 0; k < 3; ++k) {
    try {
      formulas_.emplace_back(*texts[k], inputs);
      largest_ = std::max(largest_, formulas_.back().size());
    } catch (const Error& e) {
      found.collect(context.input_error(kFormulas[k], e.message()));
    }
  }
  found.throw_if_any();
}

void BodyForce::visit_parameters(ParamVisitor& v) {
  options_.visit(v);
  v.section("constants", ParamVisitor::Body([&](ParamVisitor& inner) {
              for (Index i = 0; i < constants_.size(); ++i)
                inner.real(options_.constants[static_cast<std::size_t>(i)].first.c_str(), constants_[i],
                           {.doc = "a constant of the formulas", .differentiable = true});
            }),
            {.doc = "values of the constants"});
}

BodyForce::Work BodyForce::make_work(const StepContext& c) const {
  Work work{VecX(kFirstConstant + constants_.size()), VecX(largest_), VecX(largest_),
            VecX(kFirstConstant + constants_.size())};
  work.inputs[kTime] = c.time;
  work.inputs.tail(constants_.size()) = constants_;
  return work;
}

void BodyForce::place(Index node, ConstVec x, ConstVec v, Work& work) const {
  work.inputs.head<3>() = x.segment<3>(3 * node);
  work.inputs.segment<3>(3) = v.segment<3>(3 * node);
}

void BodyForce::fail(const char* what, std::size_t axis, double value, std::size_t i,
                     const Work& work) const {
  throw Error(
      Errc::Numerics,
      fmt::format("{}{} is {} at vertex {}, place ({:.6g}, {:.6g}, {:.6g}), velocity ({:.6g}, {:.6g}, "
                  "{:.6g}), t = {:.6g}",
                  what, kFormulas[axis], std::isnan(value) ? "nan" : fmt::format("{}", value),
                  nodes_[i] - first_node_, work.inputs[0], work.inputs[1], work.inputs[2], work.inputs[3],
                  work.inputs[4], work.inputs[5], work.inputs[kTime]),
      path_);
}

void BodyForce::add_force(const StepContext& c, ConstVec x, ConstVec v, MutVec f) const {
  Work work = make_work(c);
  const double factor = options_.scale * (options_.per == "mass" ? options_.density : 1);
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    place(nodes_[i], x, v, work);
    for (std::size_t k = 0; k < 3; ++k) {
      const double value = formulas_[k].evaluate(work.inputs.data(), work.values.data());
      if (!std::isfinite(value)) fail("", k, value, i, work);
      f[3 * nodes_[i] + static_cast<Index>(k)] += factor * volume_[static_cast<Index>(i)] * value;
    }
  }
}

void BodyForce::add_vjp(const StepContext& c, ConstVec x, ConstVec v, ConstVec z, MutVec dx, MutVec dv,
                        MutVec dtheta) const {
  Work work = make_work(c);
  const bool per_mass = options_.per == "mass";
  const double density = per_mass ? options_.density : 1;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    place(nodes_[i], x, v, work);
    const double volume = volume_[static_cast<Index>(i)];
    work.gradient.setZero();
    double power = 0;  // z . a
    for (std::size_t k = 0; k < 3; ++k) {
      const double zk = volume * z[3 * nodes_[i] + static_cast<Index>(k)];
      power += zk * formulas_[k].evaluate(work.inputs.data(), work.values.data());
      formulas_[k].add_gradient(zk, work.values.data(), work.slopes.data(), work.gradient.data());
      if (!work.gradient.allFinite()) fail("the derivative of ", k, work.gradient.sum(), i, work);
    }
    work.gradient *= options_.scale * density;
    dx.segment<3>(3 * nodes_[i]) += work.gradient.head<3>();
    dv.segment<3>(3 * nodes_[i]) += work.gradient.segment<3>(3);
    dtheta[0] += density * power;
    if (per_mass) dtheta[1] += options_.scale * power;
    dtheta.tail(constants_.size()) += work.gradient.tail(constants_.size());
  }
}

}  // namespace resilin
