// The elastic energy of one body: its materials integrated over its elements.
#pragma once

#include "core/energy/energy.hpp"
#include "core/energy/material.hpp"

#include <memory>
#include <string>
#include <vector>

namespace resilin {

struct FiniteElementData;

/// E(x) = sum over elements and samples of V psi(F), F = sum_c x_c (dN_c/dX)^T. All materials of the body
/// share one pass: gather, F, its singular values, scatter. Works on eight elements at a time (see pack.hpp);
/// sums over elements are gathered per node in a fixed order. Of surfaces and curves V is the area or length
/// times their thickness or cross-section, and F has rank 2 or 1 (see ElementQuadrature).
///
/// Parameters, in this order: the thickness or cross-section and the rest positions X of the body's nodes (3
/// n), if these are asked for; then those of the materials.
class RESILIN_API FiniteElementEnergy final : public Energy {
 public:
  struct Shape {
    bool rest_is_parameter = false;           ///< rest positions are counted and differentiated
    bool cross_measure_is_parameter = false;  ///< so is the thickness or cross-section
    double cross_measure = 1;                 ///< thickness [m] or cross-section [m^2]; 1 for volumes
  };
  /// `first_node`: of the body among all nodes. Throws Error(Input) through `context` for a field of the
  /// wrong size or a selection that matches nothing; `contexts[i]` belongs to materials[i]. `mesh` is the
  /// rest shape. The materials have to act on its elements (Material::acts_on), which is not looked at here.
  FiniteElementEnergy(const Mesh& mesh, Index first_node, std::vector<std::unique_ptr<Material>> materials,
                      const std::vector<BuildContext>& contexts, const Shape& shape);
  FiniteElementEnergy(const Mesh& mesh, Index first_node, std::vector<std::unique_ptr<Material>> materials,
                      const std::vector<BuildContext>& contexts)
      : FiniteElementEnergy(mesh, first_node, std::move(materials), contexts, Shape()) {}
  ~FiniteElementEnergy() override;

  double value(const StepContext& c, ConstVec x, Workspace& ws) const override;
  double add_gradient(const StepContext& c, ConstVec x, MutVec g, Workspace& ws) const override;
  void add_pattern(BlockPattern& pattern) const override;
  void add_hessian(const StepContext& c, ConstVec x, BlockMatrix& h, bool project_psd,
                   Workspace& ws) const override;
  void add_quadratic_form(Triplets& a) const override;
  bool is_projective() const override;
  Index num_parameters() const override;
  void add_param_vjp(const StepContext& c, ConstVec x, ConstVec z, MutVec out, Workspace& ws) const override;

  /// out [3 n of the body] += (d grad E / dX)^T z: with F, P = dpsi/dF, W = sum_c z_c (dN_c/dX)^T and V of a
  /// sample, node c gets S dN_c/dX, S = V [(P:W) I - F^T T - W^T P + N (T^T F + P^T W)], T = dP/dF:W. N, the
  /// projection on the normals of the rest element, is zero for volumes.
  void add_rest_vjp(const StepContext& c, ConstVec x, ConstVec z, MutVec out, Workspace& ws) const;
  /// Takes another rest shape: the same elements with other vertices. Throws Error(Input) naming the first
  /// element that is inverted or flat in it; the energy then stays as it was.
  void set_rest_shape(const Mesh& mesh);
  void set_cross_measure(double thickness_or_cross_section);  ///< positive

  /// Entries of Material::controllable() fields that are the same for all steps.
  bool drive(Index parameter, Index control) override;

  Index num_materials() const;
  Material& material(Index i);
  /// Names the first element whose energy is not a number, whose determinant is not positive or that has lost
  /// its area or length; "" if none.
  std::string diagnose(const StepContext& c, ConstVec x) const override;
  void parameters_changed() override;  ///< tells the materials

 private:
  std::unique_ptr<FiniteElementData> data_;
};

}  // namespace resilin
