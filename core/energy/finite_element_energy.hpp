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
/// sums over elements are gathered per node in a fixed order.
class RESILIN_API FiniteElementEnergy final : public Energy {
 public:
  /// `first_node`: of the body among all nodes. Throws Error(Input) through `context` for a field of the
  /// wrong size or a selection that matches nothing; `contexts[i]` belongs to materials[i].
  FiniteElementEnergy(const Mesh& mesh, Index first_node, std::vector<std::unique_ptr<Material>> materials,
                      const std::vector<BuildContext>& contexts);
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

  Index num_materials() const;
  Material& material(Index i);
  /// Names the first element whose energy is not a number or whose determinant is not positive; "" if none.
  std::string diagnose(const StepContext& c, ConstVec x) const override;
  void parameters_changed() override;  ///< tells the materials

 private:
  std::unique_ptr<FiniteElementData> data_;
};

}  // namespace resilin
