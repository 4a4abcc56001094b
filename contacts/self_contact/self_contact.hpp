// Contact of surfaces with themselves and with each other: Signorini's conditions and Coulomb's law of
// friction [Ly et al. 2020; DiffCloth 2022] between vertices and faces, edges and edges, not between nodes
// alone.
#pragma once

#include "contacts/self_contact/box_tree.hpp"
#include "contacts/self_contact/closest_pair.hpp"
#include "contacts/self_contact/contact_surface.hpp"

namespace resilin {

/// Two features of surfaces (a vertex and a face, an edge or a vertex; two edges) touch when they come within
/// `distance`. What is near what is found at the start of a step, from the tree of boxes of the ways of all
/// features: pairs of features whose closest points lie inside both and are a local minimum of the distance
/// between the surfaces. Normal and closest points are those of the start of the step; the ways of the
/// solution are checked for features that pass through each other (continuous detection), which makes the
/// step fail, so that it is halved if the scene allows that. Features that an edge joins do not touch, nor
/// two of which each has a node that a pin holds: what pins prescribe comes first.
class SelfContact final : public PairLaw {
 public:
  struct Options {
    std::vector<std::string> bodies;
    std::string pairs = "all", features = "all", initial_penetration = "error";
    double friction = 0.3, distance = 0.01;
    void visit(ParamVisitor& v);
  };
  SelfContact(const Options& options, const BuildContext& context);

  void visit_parameters(ParamVisitor& v) override { options_.visit(v); }
  const std::vector<Index>& nodes() const override { return surface_.nodes(); }
  const std::vector<Index>& colliders() const override { return none_; }
  Index num_parameters() const override { return 2; }
  bool pushes_out() const override { return options_.initial_penetration == "push_out"; }
  double friction() const override { return options_.friction; }
  double distance() const override { return options_.distance; }
  Index distance_parameter() const override { return 1; }
  ContactResponse respond(const Vec3& trial, const Vec3& normal) const override;

  void detect(const ContactStep& step, ConstVec x, std::vector<ContactPair>& out) const override;
  ContactPair find(const ContactStep& step, const NodeContact& contact) const override;
  void add_vjp(const ContactStep& step, const ContactPair& pair, const ContactPairCotangent& z, MutVec dstart,
               MutVec theta, const std::vector<Index>& collider_offset, Index model_offset) const override;
  std::string find_crossing(const ContactStep& step, ConstVec x) const override;
  std::optional<ContactPair> find_deepest(const ContactStep& step) const override;
  std::vector<Index> find_intersection(const VecX& start) const override;

 private:
  using Edge = ContactSurface::Edge;
  using Triangle = std::array<Index, 3>;
  /// Two features by numbers of the surface's vertices.
  struct Candidate {
    FeaturePair form;
    std::array<Index, 4> vertices{-1, -1, -1, -1};
    auto operator<=>(const Candidate&) const = default;
  };
  Index node(Index vertex) const { return surface_.nodes()[static_cast<std::size_t>(vertex)]; }
  Vec3 at(const VecX& x, Index vertex) const { return x.segment<3>(3 * node(vertex)); }
  bool may_meet(Index a, Index b) const;  ///< vertices, by their bodies
  /// What action(vertex, triangle, found) adds to `found` for all whose boxes of the ways from start to x,
  /// `margin` larger [m], meet; in an order that does not depend on the number of threads.
  template <class Found, class Action>
  std::vector<Found> search_vertex_face(const VecX& start, ConstVec x, double margin, Action&& action) const;
  /// The same for action(edge, edge, found) and edges that share no end.
  template <class Found, class Action>
  std::vector<Found> search_edge_edge(const VecX& start, ConstVec x, double margin, Action&& action) const;
  void add_vertex_face(const VecX& x, Index v, const Triangle& t, std::vector<Candidate>& out) const;
  void add_vertex_edge(const VecX& x, Index v, Index a, Index b, std::vector<Candidate>& out) const;
  void add_vertex_vertex(const VecX& x, Index v, Index w, std::vector<Candidate>& out) const;
  void add_edge_edge(const VecX& x, const Edge& a, const Edge& b, std::vector<Candidate>& out) const;
  bool is_nearest_vertex(const VecX& x, Index v, const Vec3& to) const;
  bool is_nearest_edge(const VecX& x, const Edge& e, const Vec3& to, double slack) const;
  /// Whether pins hold a node of both features along all axes.
  bool is_held(const Candidate& c, const ContactStep& step) const;
  std::vector<Candidate> candidates(const ContactStep& step, ConstVec x) const;
  ContactPair pair_of(const Candidate& c, const VecX& start) const;

  Options options_;
  ContactSurface surface_;
  BoxTree triangle_tree_, edge_tree_;
  std::vector<Index> none_;
};

}  // namespace resilin
