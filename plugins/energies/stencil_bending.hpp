// Bending of a surface about its inner edges, by the cotangent sum s = sum_i w_i x_i over the four vertices
// of the two triangles A_0, A_1 at an edge (w of the rest shape, so that s = 0 for every flat placement):
//     quadratic_bending   E = sum k/2 3/(A_0 + A_1) |s|^2                 [Bergou 2006; Wardetzky 2007]
//     curvature_bending   E = sum k/2 3/(A_0 + A_1) (|s| - c n)^2         [Li 2022, DiffCloth]
// n = |sum w X| is that of the rest shape and c the factor rest_curvature; where n <= flat_below times the
// edge it counts as flat (n = 0). Both are in the form of Projective Dynamics: the nearest sum of length c n.
// The first is exact for isometric bending of a flat rest shape, with a constant Hessian. The second keeps
// the curvature of the rest shape but not its side: a shell that is turned inside out is at rest, too. Its
// gradient is not a number where a curved edge has become flat (s = 0, n > 0): it has no direction.
//
// Bent to a cylinder, E is 3/2 k per area and R^2 (on equilateral triangles about any axis, on halved squares
// about their sides); of a plate of flexural rigidity D [N m], moment D/R per width, it is D/2: k = D/3.
// E sees the mesh as given: it does not follow rest_shape.displacements.
#pragma once

#include "plugins/energies/hinges.hpp"

namespace resilin {

class StencilBending : public BendingEnergy {
 public:
  double value(const StepContext& c, ConstVec x, Workspace& ws) const override;
  double add_gradient(const StepContext& c, ConstVec x, MutVec g, Workspace& ws) const override;
  void add_hessian(const StepContext& c, ConstVec x, BlockMatrix& h, bool project_psd,
                   Workspace& ws) const override;
  bool is_projective() const override { return true; }

 protected:
  using BendingEnergy::BendingEnergy;
  /// c n [m]
  virtual double target(Index hinge) const = 0;
};

class QuadraticBending final : public StencilBending {
 public:
  struct Options : BendingOptions {};
  QuadraticBending(const Options& options, const BuildContext& context)
      : StencilBending(options, context), options_(options) {}

  void visit_parameters(ParamVisitor& v) override { options_.visit(v); }
  Index num_parameters() const override { return options_.stiffness.size(); }
  void add_param_vjp(const StepContext& c, ConstVec x, ConstVec z, MutVec out, Workspace& ws) const override;

 private:
  const BendingOptions& common() const override { return options_; }
  double target(Index) const override { return 0; }
  Options options_;
};

class CurvatureBending final : public StencilBending {
 public:
  struct Options : BendingOptions {
    Field rest_curvature{1.0};
    double flat_below = 1e-6;
    void visit(ParamVisitor& v);
  };
  CurvatureBending(const Options& options, const BuildContext& context);

  void visit_parameters(ParamVisitor& v) override { options_.visit(v); }
  Index num_parameters() const override { return options_.stiffness.size() + options_.rest_curvature.size(); }
  void add_param_vjp(const StepContext& c, ConstVec x, ConstVec z, MutVec out, Workspace& ws) const override;
  std::string diagnose(const StepContext& c, ConstVec x) const override;

 private:
  const BendingOptions& common() const override { return options_; }
  double target(Index i) const override {
    return norm_[static_cast<std::size_t>(i)] * options_.rest_curvature.at(i, 0);
  }
  Options options_;
  std::vector<double> norm_;  ///< n of each hinge [m], 0 of flat ones
};

}  // namespace resilin
