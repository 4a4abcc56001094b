// Inner edges of a triangle mesh as hinges: what all bending energies look at.
#pragma once

#include "core/energy/energy.hpp"
#include "core/mesh/selector.hpp"

#include <array>
#include <vector>

namespace resilin {

/// An edge between node[0] and node[1] that two triangles share, node[2] and node[3] opposite to it.
struct Hinge {
  std::array<int, 4> node{};        ///< among all nodes
  std::array<Index, 2> triangle{};  ///< of the body, with node[2] and with node[3]
  /// Cotangent weights of the rest shape [-]: s = sum_i w_i x_i is zero for every flat placement, |s| about
  /// the edge's length times the angle between the triangles otherwise [Bergou 2006]. They add up to zero.
  std::array<double, 4> w{};
  double area = 0;    ///< of both triangles at rest [m^2]
  double length = 0;  ///< of the edge at rest [m]
  std::array<Vec3, 4> rest{};

  Vec3 sum(const double* x) const {
    Vec3 s = Vec3::Zero();
    for (std::size_t i = 0; i < 4; ++i) s += w[i] * Eigen::Map<const Vec3>(x + 3 * Index{node[i]});
    return s;
  }
};

/// What all bending energies have as options.
struct BendingOptions {
  std::string body;
  Selector elements;
  Field stiffness{1e-3};
  void visit(ParamVisitor& v);
};

/// Hinges of a body in the order of (node[0], node[1]), node[0] < node[1], whose two triangles are both
/// selected. Throws Error(Input) for a body that is no surface, an edge of three triangles or more, no hinge
/// at all and a stiffness of the wrong size.
std::vector<Hinge> find_hinges(const BendingOptions& options, const BuildContext& context);

/// What the bending energies share: E = sum over hinges of k 3/(A_0 + A_1) e(x), k [N m] the mean of the
/// stiffness at the two triangles.
class BendingEnergy : public Energy {
 public:
  void add_pattern(BlockPattern& pattern) const override;
  /// That of quadratic bending: k 3/(A_0 + A_1) w w^T.
  void add_quadratic_form(Triplets& a) const override;

 protected:
  BendingEnergy(const BendingOptions& options, const BuildContext& context)
      : hinges_(find_hinges(options, context)) {}
  virtual const BendingOptions& common() const = 0;

  Index size() const { return static_cast<Index>(hinges_.size()); }
  const Hinge& hinge(Index i) const { return hinges_[static_cast<std::size_t>(i)]; }
  /// k 3/(A_0 + A_1) [N/m]
  double weight(Index i) const {
    const Hinge& h = hinge(i);
    const Field& k = common().stiffness;
    return 1.5 * (k.at(h.triangle[0], 0) + k.at(h.triangle[1], 0)) / h.area;
  }
  /// out += dweight/dk times `z`, out the entries of the stiffness.
  void add_stiffness_vjp(Index i, double z, MutVec out) const;
  /// Throws Error(Input) at `key` for a field that has neither one value nor one per hinge.
  void check_per_hinge(const Field& field, const char* key, const BuildContext& context) const;

  /// Slots of the 16 blocks of each hinge in a matrix of this pattern, kept in the workspace.
  const std::vector<Index>& slots(const BlockMatrix& h, Workspace& ws) const;

 private:
  std::vector<Hinge> hinges_;
};

}  // namespace resilin
