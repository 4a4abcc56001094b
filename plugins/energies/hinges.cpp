#include "plugins/energies/hinges.hpp"

#include "core/mesh/regions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

namespace resilin {
namespace {

/// A side of a triangle: its ends in rising order, and the corner opposite to it.
struct Side {
  int low, high, opposite;
  Index triangle;
  bool operator<(const Side& o) const {
    return std::tie(low, high, triangle) < std::tie(o.low, o.high, o.triangle);
  }
};

std::vector<Side> sorted_sides(const Mesh& mesh) {
  std::vector<Side> sides;
  for (Index t = 0; t < mesh.num_elements(); ++t)
    for (int c = 0; c < 3; ++c) {
      const int a = mesh.elements(c, t), b = mesh.elements((c + 1) % 3, t);
      sides.push_back({std::min(a, b), std::max(a, b), mesh.elements((c + 2) % 3, t), t});
    }
  std::sort(sides.begin(), sides.end());
  return sides;
}

double cotangent(const Vec3& a, const Vec3& b) {
  return a.dot(b) / a.cross(b).norm();
}

Hinge make_hinge(const Side& a, const Side& b, const Mesh& mesh, Index first_node) {
  Hinge h;
  const std::array<int, 4> node{a.low, a.high, a.opposite, b.opposite};
  for (std::size_t i = 0; i < 4; ++i) {
    h.rest[i] = mesh.vertices.col(node[i]);
    h.node[i] = node[i] + static_cast<int>(first_node);
  }
  h.triangle = {a.triangle, b.triangle};
  const Vec3 edge = h.rest[1] - h.rest[0];
  h.length = edge.norm();
  for (const std::size_t k : {2, 3}) {
    const Vec3 from0 = h.rest[k] - h.rest[0], from1 = h.rest[k] - h.rest[1];
    const double at0 = cotangent(edge, from0), at1 = cotangent(-edge, from1);
    h.w[0] += at1;
    h.w[1] += at0;
    h.w[k] = -at0 - at1;
    h.area += 0.5 * edge.cross(from0).norm();
  }
  return h;
}

struct SlotCache {
  std::uint64_t pattern_id = 0;
  std::vector<Index> slot;
};

}  // namespace

void BendingOptions::visit(ParamVisitor& v) {
  v.text("body", body, {.doc = "surface that is bent; may be left out if there is only one body"});
  v.section(
      "elements", elements,
      {.doc = "triangles between which bending is resisted, across edges that two of them share; all if "
              "empty"});
  v.field(
      "stiffness", stiffness,
      {.doc = "bending stiffness k, one for all or one per triangle of the body (an edge takes the mean of "
              "its two)",
       .unit = "N m",
       .min = 0,
       .max = 1e15,
       .differentiable = true});
}

std::vector<Hinge> find_hinges(const BendingOptions& options, const BuildContext& context) {
  const BodyView& body = context.find_body("body", options.body);
  const Mesh& mesh = *body.mesh;
  if (mesh.type != ElementType::Tri3)
    throw context.input_error("body", fmt::format("body {} consists of {}: only surfaces (tri3) bend",
                                                  body.name, name_of(mesh.type)));
  std::vector<char> chosen(static_cast<std::size_t>(mesh.num_elements()), 0);
  for (const Index t : select_elements(mesh, options.elements)) chosen[static_cast<std::size_t>(t)] = 1;
  const std::vector<Side> sides = sorted_sides(mesh);
  std::vector<Hinge> hinges;
  for (std::size_t i = 0, next = 0; i < sides.size(); i = next) {
    while (next < sides.size() && sides[next].low == sides[i].low && sides[next].high == sides[i].high)
      ++next;
    if (next - i > 2)
      throw context.input_error(
          "body", fmt::format("{} triangles of body {} share the edge between vertices {} and {} ({}, {} and "
                              "{} among them): an edge bends between two",
                              next - i, body.name, sides[i].low, sides[i].high, sides[i].triangle,
                              sides[i + 1].triangle, sides[i + 2].triangle));
    if (next - i == 2 && chosen[static_cast<std::size_t>(sides[i].triangle)] &&
        chosen[static_cast<std::size_t>(sides[i + 1].triangle)])
      hinges.push_back(make_hinge(sides[i], sides[i + 1], mesh, body.first_node));
  }
  if (hinges.empty())
    throw context.input_error("elements",
                              "no two of the selected triangles of body " + body.name + " share an edge");
  require_no_regions(options.stiffness, "stiffness", context);
  if (options.stiffness.steps != 1)
    throw context.input_error("stiffness", "the stiffness of bending cannot change from step to step");
  if (options.stiffness.items != 1 && options.stiffness.items != mesh.num_elements())
    throw context.input_error("stiffness",
                              fmt::format("{} values given; one or {} (a triangle each) are expected",
                                          options.stiffness.items, mesh.num_elements()));
  return hinges;
}

void BendingEnergy::add_pattern(BlockPattern& pattern) const {
  for (const Hinge& h : hinges_) pattern.add_clique(h.node.data(), 4);
}

void BendingEnergy::add_quadratic_form(Triplets& a) const {
  for (Index k = 0; k < size(); ++k) {
    const Hinge& h = hinge(k);
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t j = 0; j < 4; ++j) a.emplace_back(h.node[i], h.node[j], weight(k) * (h.w[i] * h.w[j]));
  }
}

void BendingEnergy::add_stiffness_vjp(Index i, double z, MutVec out) const {
  const Hinge& h = hinge(i);
  for (const Index t : h.triangle) out[common().stiffness.index(t, 0)] += 1.5 / h.area * z;
}

void BendingEnergy::check_per_hinge(const Field& field, const char* key, const BuildContext& context) const {
  require_no_regions(field, key, context);
  if (field.steps != 1)
    throw context.input_error(key, fmt::format("the {} of bending cannot change from step to step", key));
  if (field.items != 1 && field.items != size())
    throw context.input_error(
        key, fmt::format("{} values given; one or {} (one per edge that bends, in the order of its vertices) "
                         "are expected",
                         field.items, size()));
}

const std::vector<Index>& BendingEnergy::slots(const BlockMatrix& h, Workspace& ws) const {
  auto& cache = ws.slot<SlotCache>(this);
  if (cache.pattern_id != h.pattern_id()) {
    cache.slot.clear();
    for (const Hinge& e : hinges_)
      for (std::size_t i = 0; i < 4; ++i)
        for (std::size_t j = 0; j < 4; ++j) cache.slot.push_back(h.slot(e.node[i], e.node[j]));
    cache.pattern_id = h.pattern_id();
  }
  return cache.slot;
}

}  // namespace resilin
