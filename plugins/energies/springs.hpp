// Springs between pairs of vertices: E = sum_s k_s/2 (|x_a - x_b| - l_s)^2, of one body or of two; listed,
// each vertex with the nearest one, or those of a surface of springs (cloth): along the edges of its
// triangles (structure and shear), across the edges that two of them share, between the corners opposite
// (bending). The natural length l_s is a multiple of the distance in the rest meshes, or given in metres;
// springs of length zero tie their ends together. In the form of Projective Dynamics [Liu 2013]: the manifold
// is the sphere of radius l_s, the quadratic form that of E with l_s = 0. The gradient is not a number for a
// spring of positive length whose ends coincide: it has no direction.
#pragma once

#include "core/energy/energy.hpp"
#include "core/mesh/selector.hpp"

#include <limits>

namespace resilin {

class Springs final : public Energy {
 public:
  struct Options {
    std::string first, second;
    std::vector<Index> first_vertices, second_vertices;
    Selector first_nodes, second_nodes;
    double max_distance = std::numeric_limits<double>::infinity();
    std::string connect = "nearest";
    Field stiffness{1e3};
    Field length{1.0};
    std::string length_unit = "rest";
    void visit(ParamVisitor& v);
  };
  Springs(const Options& options, const BuildContext& context);

  void visit_parameters(ParamVisitor& v) override { options_.visit(v); }
  double value(const StepContext& c, ConstVec x, Workspace& ws) const override;
  double add_gradient(const StepContext& c, ConstVec x, MutVec g, Workspace& ws) const override;
  void add_pattern(BlockPattern& pattern) const override;
  void add_hessian(const StepContext& c, ConstVec x, BlockMatrix& h, bool project_psd,
                   Workspace& ws) const override;
  void add_quadratic_form(Triplets& a) const override;
  bool is_projective() const override { return true; }
  std::string diagnose(const StepContext& c, ConstVec x) const override;
  Index num_parameters() const override { return options_.stiffness.size() + options_.length.size(); }
  void add_param_vjp(const StepContext& c, ConstVec x, ConstVec z, MutVec out, Workspace& ws) const override;

 private:
  struct Spring {
    Index a = 0, b = 0;  ///< among all nodes
    double unit = 1;     ///< length of which `length` is a multiple [m]
  };
  Index size() const { return static_cast<Index>(springs_.size()); }
  const Spring& spring(Index s) const { return springs_[static_cast<std::size_t>(s)]; }
  double length(Index s) const { return spring(s).unit * options_.length.at(s, 0); }
  Vec3 span(Index s, ConstVec x) const {
    return x.segment<3>(3 * spring(s).a) - x.segment<3>(3 * spring(s).b);
  }
  Vec3 tension(Index s, ConstVec x) const;  ///< dE_s/dx_a [N]

  Options options_;
  std::vector<Spring> springs_;
};

}  // namespace resilin
