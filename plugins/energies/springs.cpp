#include "plugins/energies/springs.hpp"

#include "core/mesh/mesh.hpp"
#include "core/mesh/regions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace resilin {
namespace {

using Pairs = std::vector<std::pair<Index, Index>>;

Pairs listed_pairs(const Springs::Options& o, const BodyView& a, const BodyView& b,
                   const BuildContext& context) {
  if (o.first_vertices.size() != o.second_vertices.size())
    throw context.input_error(
        "second_vertices", fmt::format("{} vertices given, but {} first_vertices", o.second_vertices.size(),
                                       o.first_vertices.size()));
  const auto check = [&](const char* key, const std::vector<Index>& list, const BodyView& body) {
    for (const Index i : list)
      if (i >= body.mesh->num_vertices())
        throw context.input_error(key, fmt::format("vertex {} is out of range; body {} has {} vertices", i,
                                                   body.name, body.mesh->num_vertices()));
  };
  check("first_vertices", o.first_vertices, a);
  check("second_vertices", o.second_vertices, b);
  Pairs pairs;
  for (std::size_t i = 0; i < o.first_vertices.size(); ++i) {
    if (&a == &b && o.first_vertices[i] == o.second_vertices[i])
      throw context.input_error("second_vertices",
                                fmt::format("vertex {} cannot be tied to itself", o.first_vertices[i]));
    pairs.emplace_back(o.first_vertices[i], o.second_vertices[i]);
  }
  return pairs;
}

/// Each chosen vertex of a with the nearest chosen one of b; a pair that comes up from both ends counts once.
Pairs nearest_pairs(const Springs::Options& o, const BodyView& a, const BodyView& b,
                    const BuildContext& context) {
  const std::vector<Index> from = select_vertices(*a.mesh, o.first_nodes),
                           to = select_vertices(*b.mesh, o.second_nodes);
  if (from.empty())
    throw context.input_error("first_nodes", "the selection matches no vertex of body " + a.name);
  if (to.empty())
    throw context.input_error("second_nodes", "the selection matches no vertex of body " + b.name);
  Pairs pairs;
  std::set<std::pair<Index, Index>> seen;
  for (const Index i : from) {
    Index best = -1;
    double nearest = std::numeric_limits<double>::infinity();
    for (const Index j : to) {
      if (&a == &b && i == j) continue;
      const double distance = (a.mesh->vertices.col(i) - b.mesh->vertices.col(j)).norm();
      if (distance < nearest) nearest = distance, best = j;
    }
    if (best < 0 || nearest > o.max_distance) continue;
    const bool is_new = &a != &b || seen.insert(std::minmax(i, best)).second;
    if (is_new) pairs.emplace_back(i, best);
  }
  if (pairs.empty()) throw context.input_error("", "no two vertices are as near as max_distance");
  return pairs;
}

/// The edges of the triangles with both ends among the chosen vertices, or the pairs of corners that face
/// each other across an edge of two triangles; in the order of the edges.
Pairs surface_pairs(const Springs::Options& o, const BodyView& body, const BuildContext& context) {
  const Mesh& mesh = *body.mesh;
  if (mesh.type != ElementType::Tri3)
    throw context.input_error(
        "connect", fmt::format("'{}' is a rule for surfaces (tri3); body {} consists of {}", o.connect,
                               body.name, name_of(mesh.type)));
  std::vector<char> chosen(static_cast<std::size_t>(mesh.num_vertices()), 0);
  for (const Index i : select_vertices(mesh, o.first_nodes)) chosen[static_cast<std::size_t>(i)] = 1;
  std::map<std::pair<Index, Index>, std::vector<Index>> corners;  // opposite to each edge
  for (Index t = 0; t < mesh.num_elements(); ++t)
    for (int c = 0; c < 3; ++c) {
      const Index a = mesh.elements(c, t), b = mesh.elements((c + 1) % 3, t);
      corners[std::minmax(a, b)].push_back(mesh.elements((c + 2) % 3, t));
    }
  Pairs pairs;
  for (const auto& [edge, opposite] : corners) {
    if (o.connect == "across" && opposite.size() > 2)
      throw context.input_error("connect",
                                fmt::format("{} triangles of body {} share the edge between vertices "
                                            "{} and {}: none faces another across it",
                                            opposite.size(), body.name, edge.first, edge.second));
    if (o.connect == "across" && opposite.size() < 2) continue;
    const auto pair = o.connect == "edges" ? edge : std::pair{opposite[0], opposite[1]};
    if (chosen[static_cast<std::size_t>(pair.first)] && chosen[static_cast<std::size_t>(pair.second)])
      pairs.push_back(pair);
  }
  if (pairs.empty())
    throw context.input_error("first_nodes", "no two of the selected vertices of body " + body.name +
                                                 " are connected by that rule");
  return pairs;
}

Pairs all_pairs(const Springs::Options& o, const BodyView& a, const BodyView& b,
                const BuildContext& context) {
  const bool listed = !o.first_vertices.empty() || !o.second_vertices.empty();
  if (o.connect == "nearest")
    return listed ? listed_pairs(o, a, b, context) : nearest_pairs(o, a, b, context);
  if (listed || &a != &b || o.second_nodes.has_criteria())
    throw context.input_error("connect", "'" + o.connect +
                                             "' connects vertices of one surface: second, second_nodes and "
                                             "lists of vertices have no meaning");
  return surface_pairs(o, a, context);
}

}  // namespace

void Springs::Options::visit(ParamVisitor& v) {
  v.text("first", first, {.doc = "body of the first ends; may be left out if there is only one"});
  v.text("second", second, {.doc = "body of the second ends; left out: the first body"});
  v.integers("first_vertices", first_vertices,
             {.doc = "first ends of listed pairs, counted from 0", .min = 0});
  v.integers("second_vertices", second_vertices, {.doc = "second ends of the pairs, as many", .min = 0});
  v.choice(
      "connect", connect, {"nearest", "edges", "across"},
      {.doc =
           "without lists: each of first_nodes with the nearest of second_nodes; or, of one surface, along "
           "the edges of its triangles, or across each edge that two of them share (one spring per edge, "
           "in the order of its vertices), with both ends among first_nodes"});
  v.section(
      "first_nodes", first_nodes,
      {.doc = "without lists: vertices that are tied to the nearest of second_nodes in the rest meshes"});
  v.section("second_nodes", second_nodes, {.doc = "vertices among which the nearest is looked for"});
  v.real("max_distance", max_distance, {.doc = "vertices farther apart are not tied", .unit = "m", .min = 0});
  v.field("stiffness", stiffness,
          {.doc = "stiffness k, one for all or one per spring",
           .unit = "N/m",
           .min = 0,
           .max = 1e15,
           .differentiable = true});
  v.field("length", length,
          {.doc = "natural length, one for all or one per spring, in length_unit",
           .min = 0,
           .max = 1e6,
           .differentiable = true});
  v.choice("length_unit", length_unit, {"rest", "metre"},
           {.doc = "rest: length is a multiple of the distance in the rest meshes; metre: it is in metres"});
}

Springs::Springs(const Options& options, const BuildContext& context) : options_(options) {
  const BodyView& a = context.find_body("first", options.first);
  const BodyView& b = options.second.empty() ? a : context.find_body("second", options.second);
  for (const auto& [i, j] : all_pairs(options, a, b, context)) {
    Spring s{a.first_node + i, b.first_node + j, 1};
    if (options.length_unit == "rest") s.unit = (a.mesh->vertices.col(i) - b.mesh->vertices.col(j)).norm();
    springs_.push_back(s);
  }
  for (const auto& [key, field] : {std::pair{"stiffness", &options.stiffness}, {"length", &options.length}}) {
    require_no_regions(*field, key, context);
    if (field->steps != 1)
      throw context.input_error(key, fmt::format("the {} of springs cannot change from step to step", key));
    if (field->items != 1 && field->items != size())
      throw context.input_error(
          key, fmt::format("{} values given; one or {} (a spring each) are expected", field->items, size()));
  }
}

Vec3 Springs::tension(Index s, ConstVec x) const {
  const Vec3 d = span(s, x);
  const double k = options_.stiffness.at(s, 0), l = length(s);
  if (l == 0) return k * d;  // linear, also where d = 0
  return k * (1 - l / d.norm()) * d;
}

double Springs::value(const StepContext&, ConstVec x, Workspace&) const {
  double sum = 0;
  for (Index s = 0; s < size(); ++s) {
    const double stretch = span(s, x).norm() - length(s);
    sum += 0.5 * options_.stiffness.at(s, 0) * stretch * stretch;
  }
  return sum;
}

double Springs::add_gradient(const StepContext& c, ConstVec x, MutVec g, Workspace& ws) const {
  for (Index s = 0; s < size(); ++s) {
    const Vec3 t = tension(s, x);
    g.segment<3>(3 * spring(s).a) += t;
    g.segment<3>(3 * spring(s).b) -= t;
  }
  return value(c, x, ws);
}

void Springs::add_pattern(BlockPattern& pattern) const {
  for (const Spring& s : springs_) pattern.add_pair(s.a, s.b);
}

void Springs::add_hessian(const StepContext&, ConstVec x, BlockMatrix& h, bool project_psd,
                          Workspace&) const {
  for (Index s = 0; s < size(); ++s) {
    const double k = options_.stiffness.at(s, 0), l = length(s);
    Mat3 block = k * Mat3::Identity();
    if (l > 0) {
      const Vec3 d = span(s, x), e = d.normalized();
      // Across a pressed spring the stiffness is negative.
      double across = 1 - l / d.norm();
      if (project_psd) across = std::max(0.0, across);
      block = k * (across * Mat3::Identity() + (1 - across) * e * e.transpose());
    }
    h.add_symmetric(spring(s).a, spring(s).a, block);
    h.add_symmetric(spring(s).b, spring(s).b, block);
    h.add_symmetric(spring(s).a, spring(s).b, -block);
  }
}

void Springs::add_quadratic_form(Triplets& out) const {
  for (Index s = 0; s < size(); ++s) {
    const double k = options_.stiffness.at(s, 0);
    const Index a = spring(s).a, b = spring(s).b;
    out.emplace_back(a, a, k);
    out.emplace_back(b, b, k);
    out.emplace_back(a, b, -k);
    out.emplace_back(b, a, -k);
  }
}

std::string Springs::diagnose(const StepContext&, ConstVec x) const {
  for (Index s = 0; s < size(); ++s)
    if (length(s) > 0 && span(s, x).norm() == 0)
      return fmt::format("spring {} between nodes {} and {} has no direction: its ends coincide", s,
                         spring(s).a, spring(s).b);
  return {};
}

void Springs::add_param_vjp(const StepContext&, ConstVec x, ConstVec z, MutVec out, Workspace&) const {
  auto lengths = out.tail(options_.length.size());
  for (Index s = 0; s < size(); ++s) {
    const Vec3 d = span(s, x), dz = z.segment<3>(3 * spring(s).a) - z.segment<3>(3 * spring(s).b);
    const double k = options_.stiffness.at(s, 0), l = length(s);
    out[options_.stiffness.index(s, 0)] += (l == 0 ? d : Vec3((1 - l / d.norm()) * d)).dot(dz);
    if (spring(s).unit > 0)  // otherwise the length stays zero, whatever its multiple
      lengths[options_.length.index(s, 0)] -= k * spring(s).unit * d.normalized().dot(dz);
  }
}

}  // namespace resilin
