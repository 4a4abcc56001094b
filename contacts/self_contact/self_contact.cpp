#include "contacts/self_contact/self_contact.hpp"

#include "core/geometry/closest.hpp"
#include "core/geometry/crossing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace resilin {
namespace {

constexpr double kStandsOut = 0.05;  // sine of the angle by which an edge has to stand out of its faces
constexpr double kAside = 1e-9;      // sine of an angle that counts as none
constexpr double kTouches =
    0.01;  // gap at the start, of the distance, below which features count as in touch
constexpr double kParallel = 1e-6;  // squared sine of the angle between edges below which they are parallel

constexpr Index kGrain = 128;  // features that one thread looks at in a row

Box3 box_of_ways(const std::vector<Index>& nodes, std::span<const Index> vertices, const VecX& start,
                 ConstVec x, double margin) {
  Box3 box;
  for (const Index v : vertices) {
    const Index i = 3 * nodes[static_cast<std::size_t>(v)];
    box.extend(Vec3(start.segment<3>(i)));
    box.extend(Vec3(x.segment<3>(i)));
  }
  const Vec3 m = Vec3::Constant(margin);
  return {Vec3(box.min() - m), Vec3(box.max() + m)};
}

/// look(item, found) for all items, from several threads, each with a list of its own; the lists in the order
/// of the items.
template <class Found, class Look>
std::vector<Found> collect(Index count, Look&& look) {
  std::vector<std::vector<Found>> parts(static_cast<std::size_t>((count + kGrain - 1) / kGrain));
  parallel_for(count, kGrain, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) look(i, parts[static_cast<std::size_t>(begin / kGrain)]);
  });
  std::vector<Found> all;
  for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

template <std::size_t n>
BoxTree tree_of(const ContactSurface& surface, const std::vector<std::array<Index, n>>& features,
                const std::vector<const BodyView*>& bodies) {
  std::vector<Vec3> places;
  std::vector<Index> groups;
  for (const auto& feature : features) {
    Vec3 middle = Vec3::Zero();
    groups.push_back(surface.body(feature[0]));
    const BodyView& body = *bodies[static_cast<std::size_t>(groups.back())];
    for (const Index v : feature)
      middle += body.mesh->vertices.col(surface.nodes()[static_cast<std::size_t>(v)] - body.first_node) / n;
    places.push_back(middle);
  }
  return {places, groups};
}

}  // namespace

void SelfContact::Options::visit(ParamVisitor& v) {
  v.texts("bodies", bodies, {.doc = "bodies whose surfaces may touch; all if empty"});
  v.choice("pairs", pairs, {"all", "within", "between"},
           {.doc = "a body may touch itself and the others, only itself, or only others"});
  v.choice("features", features, {"all", "vertex_face", "nodes"},
           {.doc = "vertices with faces and edges with edges; only the first; or only nodes with nodes, as "
                   "published, which may pass between others"});
  v.real("friction", friction,
         {.doc = "Coulomb's coefficient of friction, static and dynamic",
          .min = 0,
          .max = 1e6,
          .differentiable = true});
  v.real("distance", distance,
         {.doc = "distance between surfaces at which contact begins: the thickness of a cloth, or the mean "
                 "of two. Edges "
                 "on flat parts are kept apart by vertices and faces only: below 2 % of their length it is "
                 "too little",
          .unit = "m",
          .min = 0,
          .max = 1e3,
          .open = true,
          .differentiable = true});
  v.choice("initial_penetration", initial_penetration, {"error", "push_out"},
           {.doc = "surfaces that start nearer than the distance are an error, or the first step moves them "
                   "apart"});
}

SelfContact::SelfContact(const Options& options, const BuildContext& context) : options_(options) {
  std::vector<const BodyView*> bodies;
  for (const std::string& name : options.bodies) {
    const BodyView* body = &context.find_body("bodies", name);
    if (std::find(bodies.begin(), bodies.end(), body) != bodies.end())
      throw context.input_error("bodies", "body " + name + " is named twice");
    bodies.push_back(body);
  }
  if (bodies.empty())
    for (const BodyView& body : *context.bodies) bodies.push_back(&body);
  std::sort(bodies.begin(), bodies.end(),
            [](const BodyView* a, const BodyView* b) { return a->first_node < b->first_node; });
  if (options.pairs == "between" && bodies.size() < 2)
    throw context.input_error("pairs", "contact between bodies needs two of them");
  for (const BodyView* body : bodies)
    if (dimension_of(body->mesh->type) < 2)
      throw context.input_error("bodies",
                                "body " + body->name + " is a curve: it has no surface that touches");
  surface_ = ContactSurface(bodies);
  triangle_tree_ = tree_of(surface_, surface_.triangles(), bodies);
  std::vector<std::array<Index, 2>> edges;
  for (const Edge& e : surface_.edges()) edges.push_back(e.vertices);
  edge_tree_ = tree_of(surface_, edges, bodies);
}

ContactResponse SelfContact::respond(const Vec3& trial, const Vec3& normal) const {
  ContactResponse r = coulomb_response(trial, normal, options_.friction);
  r.d_parameters.conservativeResize(3, 2);
  r.d_parameters.col(1).setZero();  // the distance acts through the gap
  return r;
}

bool SelfContact::may_meet(Index a, Index b) const {
  const bool same = surface_.body(a) == surface_.body(b);
  return options_.pairs == "all" || (options_.pairs == "within") == same;
}

template <class Found, class Action>
std::vector<Found> SelfContact::search_vertex_face(const VecX& start, ConstVec x, double margin,
                                                   Action&& action) const {
  const auto& triangles = surface_.triangles();
  const auto boxes = triangle_tree_.fit([&](Index k) {
    return box_of_ways(surface_.nodes(), triangles[static_cast<std::size_t>(k)], start, x, margin);
  });
  return collect<Found>(surface_.num_vertices(), [&](Index v, std::vector<Found>& found) {
    const Box3 box = box_of_ways(surface_.nodes(), {&v, 1}, start, x, margin);
    triangle_tree_.for_each_overlap(boxes, box, [&](Index k) {
      const Triangle& t = triangles[static_cast<std::size_t>(k)];
      if (t[0] != v && t[1] != v && t[2] != v && may_meet(v, t[0])) action(v, t, found);
    });
  });
}

template <class Found, class Action>
std::vector<Found> SelfContact::search_edge_edge(const VecX& start, ConstVec x, double margin,
                                                 Action&& action) const {
  const auto& edges = surface_.edges();
  const auto box_of = [&](Index k) {
    return box_of_ways(surface_.nodes(), edges[static_cast<std::size_t>(k)].vertices, start, x, margin);
  };
  const auto boxes = edge_tree_.fit(box_of);
  return collect<Found>(edge_tree_.size(), [&](Index k, std::vector<Found>& found) {
    const Edge& first = edges[static_cast<std::size_t>(k)];
    edge_tree_.for_each_overlap(boxes, box_of(k), [&](Index other) {
      if (other <= k) return;
      const Edge& second = edges[static_cast<std::size_t>(other)];
      const auto &a = first.vertices, &b = second.vertices;
      const bool share = a[0] == b[0] || a[0] == b[1] || a[1] == b[0] || a[1] == b[1];
      if (!share && may_meet(a[0], b[0])) action(first, second, found);
    });
  });
}

/// Whether no edge leads from the vertex towards `to`.
bool SelfContact::is_nearest_vertex(const VecX& x, Index v, const Vec3& to) const {
  const Vec3 p = at(x, v), way = to - p;
  for (const Index j : surface_.neighbours(v)) {
    const Vec3 edge = at(x, j) - p;
    if (way.dot(edge) > kAside * way.norm() * edge.norm()) return false;
  }
  return true;
}

/// Whether the way from an edge to `to`, at right angles to it, leads into none of its triangles: at least
/// `slack` (the cosine of an angle, negative: away) off them.
bool SelfContact::is_nearest_edge(const VecX& x, const Edge& e, const Vec3& way, double slack) const {
  const Vec3 p = at(x, e.vertices[0]), along = (at(x, e.vertices[1]) - p).normalized();
  for (const Index apex : surface_.apexes(e)) {
    const Vec3 to_apex = at(x, apex) - p, inward = to_apex - along * along.dot(to_apex);
    if (way.dot(inward) > slack * way.norm() * inward.norm()) return false;
  }
  return true;
}

void SelfContact::add_vertex_vertex(const VecX& x, Index v, Index w, std::vector<Candidate>& out) const {
  if (surface_.are_neighbours(v, w)) return;
  if (is_nearest_vertex(x, w, at(x, v)) && is_nearest_vertex(x, v, at(x, w)))
    out.push_back({FeaturePair::VertexVertex, {std::min(v, w), std::max(v, w), -1, -1}});
}

void SelfContact::add_vertex_edge(const VecX& x, Index v, Index a, Index b,
                                  std::vector<Candidate>& out) const {
  if (surface_.are_neighbours(v, a) || surface_.are_neighbours(v, b)) return;
  const Edge& e = *surface_.find_edge(a, b);
  const Vec3 p = at(x, v);
  const SegmentPoint q = closest_on_segment(p, at(x, a), at(x, b));
  if (is_nearest_edge(x, e, p - q.point, kAside))
    out.push_back({FeaturePair::VertexEdge, {v, e.vertices[0], e.vertices[1], -1}});
}

void SelfContact::add_vertex_face(const VecX& x, Index v, const Triangle& t,
                                  std::vector<Candidate>& out) const {
  const TrianglePoint q = closest_on_triangle(at(x, v), at(x, t[0]), at(x, t[1]), at(x, t[2]));
  const auto region = static_cast<std::size_t>(q.region);
  if (q.region == TriangleRegion::Face)
    out.push_back({FeaturePair::VertexFace, {v, t[0], t[1], t[2]}});
  else if (region < 3)
    add_vertex_vertex(x, v, t[region], out);
  else
    add_vertex_edge(x, v, t[region - 3], t[(region - 2) % 3], out);
}

void SelfContact::add_edge_edge(const VecX& x, const Edge& a, const Edge& b,
                                std::vector<Candidate>& out) const {
  const Vec3 a0 = at(x, a.vertices[0]), a1 = at(x, a.vertices[1]), b0 = at(x, b.vertices[0]),
             b1 = at(x, b.vertices[1]), u = a1 - a0, v = b1 - b0;
  // Of parallel edges, ends with edges are enough.
  if (!(u.cross(v).squaredNorm() > kParallel * u.squaredNorm() * v.squaredNorm())) return;
  const SegmentPair pair = closest_of_segments(a0, a1, b0, b1);
  if (pair.first.region != SegmentRegion::Inside || pair.second.region != SegmentRegion::Inside) return;
  const Vec3 way = pair.second.point - pair.first.point;
  // On nearly flat parts of surfaces vertices with faces are enough, and edges besides would make too many
  // equations for the same thing: surfaces come nearer there by a hundredth of an edge's length at most.
  if (is_nearest_edge(x, a, way, -kStandsOut) && is_nearest_edge(x, b, -way, -kStandsOut))
    out.push_back({FeaturePair::EdgeEdge, {a.vertices[0], a.vertices[1], b.vertices[0], b.vertices[1]}});
}

bool SelfContact::is_held(const Candidate& c, const ContactStep& step) const {
  const std::size_t first = c.form == FeaturePair::EdgeEdge ? 2 : 1;
  std::array<bool, 2> held{};
  for (std::size_t k = 0; k < kFeatureNodes[static_cast<std::size_t>(c.form)]; ++k) {
    const char* fixed = step.fixed.data() + 3 * node(c.vertices[k]);
    if (fixed[0] && fixed[1] && fixed[2]) held[k < first ? 0 : 1] = true;
  }
  return held[0] && held[1];
}

std::vector<SelfContact::Candidate> SelfContact::candidates(const ContactStep& step, ConstVec x) const {
  const VecX& start = step.start;
  using Found = std::vector<Candidate>;
  const bool only_nodes = options_.features == "nodes";
  const double margin = 0.5 * options_.distance;
  Found found = search_vertex_face<Candidate>(start, x, margin, [&](Index v, const Triangle& t, Found& out) {
    if (!only_nodes) return add_vertex_face(start, v, t, out);
    for (const Index w : t)
      if (!surface_.are_neighbours(v, w))
        out.push_back({FeaturePair::VertexVertex, {std::min(v, w), std::max(v, w), -1, -1}});
  });
  if (options_.features == "all") {
    const Found more = search_edge_edge<Candidate>(
        start, x, margin, [&](const Edge& a, const Edge& b, Found& out) { add_edge_edge(start, a, b, out); });
    found.insert(found.end(), more.begin(), more.end());
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  found.erase(
      std::remove_if(found.begin(), found.end(), [&](const Candidate& c) { return is_held(c, step); }),
      found.end());
  return found;
}

ContactPair SelfContact::pair_of(const Candidate& c, const VecX& start) const {
  std::array<Index, 4> nodes{-1, -1, -1, -1};
  for (std::size_t k = 0; k < kFeatureNodes[static_cast<std::size_t>(c.form)]; ++k)
    nodes[k] = node(c.vertices[k]);
  return closest_pair(c.form, nodes, start, options_.distance);
}

void SelfContact::detect(const ContactStep& step, ConstVec x, std::vector<ContactPair>& out) const {
  for (const Candidate& c : candidates(step, x)) {
    ContactPair pair = pair_of(c, step.start);
    const double end = pair.gap + pair.normal.dot(pair.gather(x) - pair.gather(step.start));
    if (end < 0 || pair.gap < kTouches * options_.distance) out.push_back(pair);
  }
}

ContactPair SelfContact::find(const ContactStep& step, const NodeContact& contact) const {
  std::array<Index, 4> nodes{contact.node, -1, -1, -1};
  std::copy(contact.others.begin(), contact.others.end(), nodes.begin() + 1);
  return closest_pair(static_cast<FeaturePair>(contact.form), nodes, step.start, options_.distance);
}

void SelfContact::add_vjp(const ContactStep& step, const ContactPair& pair, const ContactPairCotangent& z,
                          MutVec dstart, MutVec theta, const std::vector<Index>&, Index model_offset) const {
  add_closest_pair_vjp(pair, z, step.start, dstart);
  theta[model_offset + distance_parameter()] -= z.gap;
}

std::string SelfContact::find_crossing(const ContactStep& step, ConstVec x) const {
  using Found = std::vector<Candidate>;
  if (options_.features == "nodes") return {};  // as published: nothing keeps faces apart
  const auto ways = [&](const std::array<Index, 4>& vertices) {
    MovingPoints m;
    for (std::size_t k = 0; k < 4; ++k) {
      m.start[k] = at(step.start, vertices[k]);
      m.end[k] = x.segment<3>(3 * node(vertices[k]));
    }
    return m;
  };
  const Found faces =
      search_vertex_face<Candidate>(step.start, x, 0, [&](Index v, const Triangle& t, Found& found) {
        const std::array<Index, 4> all{v, t[0], t[1], t[2]};
        const Candidate c{FeaturePair::VertexFace, all};
        if (!is_held(c, step) && point_meets_triangle(ways(all)) >= 0) found.push_back(c);
      });
  if (!faces.empty()) {
    const auto& v = faces.front().vertices;
    return fmt::format("node {} passes through the face of nodes {}, {}, {}: the step is too long",
                       node(v[0]), node(v[1]), node(v[2]), node(v[3]));
  }
  if (options_.features != "all") return {};  // nothing keeps edges apart
  const Found edges =
      search_edge_edge<Candidate>(step.start, x, 0, [&](const Edge& a, const Edge& b, Found& found) {
        const std::array<Index, 4> all{a.vertices[0], a.vertices[1], b.vertices[0], b.vertices[1]};
        const Candidate c{FeaturePair::EdgeEdge, all};
        if (!is_held(c, step) && segments_meet(ways(all)) >= 0) found.push_back(c);
      });
  if (edges.empty()) return {};
  const auto& v = edges.front().vertices;
  return fmt::format("the edge of nodes {}, {} passes through that of nodes {}, {}: the step is too long",
                     node(v[0]), node(v[1]), node(v[2]), node(v[3]));
}

std::vector<Index> SelfContact::find_intersection(const VecX& start) const {
  const auto& triangles = surface_.triangles();
  const auto& edges = surface_.edges();
  const auto boxes = triangle_tree_.fit([&](Index k) {
    return box_of_ways(surface_.nodes(), triangles[static_cast<std::size_t>(k)], start, start, 0);
  });
  using Crossing = std::array<Index, 5>;
  const auto found = collect<Crossing>(edge_tree_.size(), [&](Index k, std::vector<Crossing>& out) {
    const auto& e = edges[static_cast<std::size_t>(k)].vertices;
    const Vec3 p = at(start, e[0]), q = at(start, e[1]);
    triangle_tree_.for_each_overlap(
        boxes, box_of_ways(surface_.nodes(), e, start, start, 0), [&](Index other) {
          const Triangle& t = triangles[static_cast<std::size_t>(other)];
          for (const Index v : t)
            if (v == e[0] || v == e[1]) return;
          if (may_meet(e[0], t[0]) &&
              segment_crosses_triangle(p, q, at(start, t[0]), at(start, t[1]), at(start, t[2])))
            out.push_back({e[0], e[1], t[0], t[1], t[2]});
        });
  });
  std::vector<Index> nodes;
  if (!found.empty())
    for (const Index v : found.front()) nodes.push_back(node(v));
  return nodes;
}

std::optional<ContactPair> SelfContact::find_deepest(const ContactStep& step) const {
  const VecX& start = step.start;
  std::optional<ContactPair> deepest;
  for (const Candidate& c : candidates(step, start)) {
    const ContactPair pair = pair_of(c, start);
    // What a solved step may leave, as a preload does, and rounding are no penetration.
    if (pair.gap < -1e-9 * (1 + start.segment<3>(3 * pair.nodes[0]).norm()) &&
        (!deepest || pair.gap < deepest->gap))
      deepest = pair;
  }
  return deepest;
}

}  // namespace resilin
