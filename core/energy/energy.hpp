// Potential energies over all nodes, and forces that have no potential.
#pragma once

#include "core/energy/block_matrix.hpp"
#include "core/energy/workspace.hpp"
#include "core/plugin/registry.hpp"

#include <string>
#include <vector>

namespace resilin {

/// The step that is being solved.
struct StepContext {
  double time = 0;       ///< at its end [s]
  double time_step = 0;  ///< [s]
  Index step = 0;  ///< index of the scene's step that it belongs to; picks entries of per-step parameters
  /// Positions of all nodes at the start of the step; null where no step is being solved.
  const VecX* start = nullptr;
  /// Values of the driven parameters (Energy::drive) during the step; null where none are given: they then
  /// have the values of the parameter table.
  const VecX* controls = nullptr;
};

using Triplets = std::vector<Eigen::Triplet<double>>;

/// E(x; theta) [J], x the positions of all nodes of the system. Methods are const and re-entrant; outputs are
/// added to. NaN as a value means that x is not admissible.
class RESILIN_API Energy : public Component {
 public:
  virtual double value(const StepContext& c, ConstVec x, Workspace& ws) const = 0;
  /// g += dE/dx [N]; returns E(x) as well, since both share most of the work.
  virtual double add_gradient(const StepContext& c, ConstVec x, MutVec g, Workspace& ws) const = 0;

  /// The pairs of nodes that its Hessian couples; called once per System.
  virtual void add_pattern(BlockPattern& pattern) const = 0;
  /// h += d2E/dx2 [N/m]. project_psd: each local tangent is replaced by the nearest positive semidefinite
  /// one.
  virtual void add_hessian(const StepContext& c, ConstVec x, BlockMatrix& h, bool project_psd,
                           Workspace& ws) const = 0;
  /// Adds the constant n x n matrix A_E of METHODS 2 (all entries, both triangles): d2E/dx2 ~ A_E (x) I.
  virtual void add_quadratic_form(Triplets& a) const = 0;
  /// True if x - A^-1 grad never raises E (Projective Dynamics); otherwise solvers search along the line.
  virtual bool is_projective() const { return false; }

  /// Names the first element or node at which E(x) does not exist or that looks wrong (inverted or close to
  /// it); "" if none.
  virtual std::string diagnose(const StepContext& c, ConstVec x) const;

  /// Size of its part of the parameter table: all differentiable fields in the order of visit_parameters().
  virtual Index num_parameters() const { return 0; }
  /// out += (d grad E / d theta)^T z
  virtual void add_param_vjp(const StepContext& c, ConstVec x, ConstVec z, MutVec out, Workspace& ws) const;

  /// True if it is an incremental potential that looks at c.start: what resists motion during a step, such as
  /// friction or viscosity. Without a start such a potential is zero.
  virtual bool depends_on_start() const { return false; }
  /// out += (d grad E / d start)^T z
  virtual void add_start_vjp(const StepContext& c, ConstVec x, ConstVec z, MutVec out, Workspace& ws) const;

  /// From now on its parameter number `parameter` has the value (*c.controls)[control] wherever there are
  /// controls; the derivative by that value goes where that by the parameter would. False, and nothing
  /// changes, if the parameter may not change during a run.
  virtual bool drive(Index /*parameter*/, Index /*control*/) { return false; }
};
RESILIN_KIND(Energy, "energy");

/// f(x, v, t; theta) [N], evaluated at the start of a step (explicit).
class RESILIN_API Force : public Component {
 public:
  virtual void add_force(const StepContext& c, ConstVec x, ConstVec v, MutVec f) const = 0;
  virtual Index num_parameters() const { return 0; }
  /// For a cotangent z of f: dx += (df/dx)^T z, dv += (df/dv)^T z, dtheta += (df/dtheta)^T z.
  virtual void add_vjp(const StepContext& c, ConstVec x, ConstVec v, ConstVec z, MutVec dx, MutVec dv,
                       MutVec dtheta) const = 0;
};
RESILIN_KIND(Force, "force");

}  // namespace resilin
