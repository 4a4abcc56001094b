// Bending of a surface by the angles between its triangles, the discrete shells of [Grinspun 2003]:
//     E = sum over inner edges of k/2 3 l^2/(A_0 + A_1) (theta - c theta_0)^2
// theta in (-pi, pi] the angle between the normals, zero where flat, of the sign that the side has to which
// the surface is bent; theta_0 that of the rest shape, l and A_0, A_1 of it too, and c the factor rest_angle.
// Near flat, E and k are those of quadratic_bending. Unlike curvature_bending it knows the side to which a
// rest shape is curved. Continuous in the angle up to a hinge that is folded flat (theta = pi), where the
// force changes sides. Not a number where a triangle has lost its area. E sees the mesh as given: it does not
// follow rest_shape.displacements.
#pragma once

#include "plugins/energies/hinges.hpp"

namespace resilin {

class HingeBending final : public BendingEnergy {
 public:
  struct Options : BendingOptions {
    Field rest_angle{1.0};
    void visit(ParamVisitor& v);
  };
  HingeBending(const Options& options, const BuildContext& context);

  void visit_parameters(ParamVisitor& v) override { options_.visit(v); }
  double value(const StepContext& c, ConstVec x, Workspace& ws) const override;
  double add_gradient(const StepContext& c, ConstVec x, MutVec g, Workspace& ws) const override;
  void add_hessian(const StepContext& c, ConstVec x, BlockMatrix& h, bool project_psd,
                   Workspace& ws) const override;
  Index num_parameters() const override { return options_.stiffness.size() + options_.rest_angle.size(); }
  void add_param_vjp(const StepContext& c, ConstVec x, ConstVec z, MutVec out, Workspace& ws) const override;
  std::string diagnose(const StepContext& c, ConstVec x) const override;

 private:
  const BendingOptions& common() const override { return options_; }
  /// k 3 l^2/(A_0 + A_1) [N m]
  double angular_stiffness(Index i) const { return weight(i) * hinge(i).length * hinge(i).length; }
  double target(Index i) const { return angle_[static_cast<std::size_t>(i)] * options_.rest_angle.at(i, 0); }
  Options options_;
  std::vector<double> angle_;  ///< theta_0 [rad]
};

}  // namespace resilin
