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
/// sums over elements are gathered per node in a fixed order. The rest positions X of the body's nodes can be
/// parameters too; they are then the first 3 n of its parameter vector, before those of the materials.
class RESILIN_API FiniteElementEnergy final : public Energy {
 public:
  /// `first_node`: of the body among all nodes. Throws Error(Input) through `context` for a field of the
  /// wrong size or a selection that matches nothing; `contexts[i]` belongs to materials[i]. `mesh` is the
  /// rest shape; `rest_is_parameter`: its vertices are counted and differentiated as parameters.
  FiniteElementEnergy(const Mesh& mesh, Index first_node, std::vector<std::unique_ptr<Material>> materials,
                      const std::vector<BuildContext>& contexts, bool rest_is_parameter = false);
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
  /// sample, node c gets S dN_c/dX, S = V [(P:W) I - F^T (dP/dF:W) - W^T P].
  void add_rest_vjp(const StepContext& c, ConstVec x, ConstVec z, MutVec out, Workspace& ws) const;
  /// Takes another rest shape: the same elements with other vertices. Throws Error(Input) naming the first
  /// element that is inverted or flat in it; the energy then stays as it was.
  void set_rest_shape(const Mesh& mesh);

  Index num_materials() const;
  Material& material(Index i);
  /// Names the first element whose energy is not a number or whose determinant is not positive; "" if none.
  std::string diagnose(const StepContext& c, ConstVec x) const override;
  void parameters_changed() override;  ///< tells the materials

 private:
  std::unique_ptr<FiniteElementData> data_;
};

}  // namespace resilin
