// What is simulated: bodies, energies, forces, masses, parameters. Constant while stepping.
#pragma once

#include "core/base/state.hpp"
#include "core/energy/energy.hpp"
#include "core/energy/finite_element_energy.hpp"
#include "core/model/parameter_table.hpp"
#include "core/model/scene_options.hpp"
#include "core/plugin/registry.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace resilin {

struct Body {
  std::string name;
  Mesh mesh;
  Index first_node = 0;
  BodyOptions options;                     ///< live values of density and initial state
  std::vector<int> density_item;           ///< item of the density at each element; empty unless per region
  FiniteElementEnergy* elastic = nullptr;  ///< its energy, owned by the system
};

/// Cotangents that are collected over all steps before they are turned into parameter gradients.
struct SystemCotangent {
  VecX theta;                   ///< one entry per parameter: energies and forces add here directly
  VecX mass;                    ///< dL/dm_i [n]
  Vec3 gravity = Vec3::Zero();  ///< dL/dg
};

class RESILIN_API System {
 public:
  /// Builds everything that the scene describes; throws Error(Input) with the place of what is wrong: a mesh
  /// with an error-level finding, a solid without volume elements, a selection that matches nothing.
  System(const SceneOptions& scene, const Registry& registry, const PlaceMap& places);
  ~System();
  System(const System&) = delete;
  System& operator=(const System&) = delete;

  Index num_nodes() const { return mass_.size(); }
  Index num_dofs() const { return 3 * num_nodes(); }
  const std::vector<std::unique_ptr<Body>>& bodies() const { return bodies_; }
  const std::vector<BodyView>& body_views() const { return body_views_; }
  /// One of each body, in their order, then those of the scene.
  const std::vector<std::unique_ptr<Energy>>& energies() const { return energies_; }
  const std::vector<std::unique_ptr<Force>>& forces() const { return forces_; }
  const VecX& mass() const { return mass_; }                 ///< [kg], n
  const std::vector<char>& fixed() const { return fixed_; }  ///< 3n, 1 where a pin holds
  const Vec3& gravity() const { return gravity_; }
  bool is_projective() const;

  /// Places at which pinned coordinates are held (other entries are meaningless); constants for gradients.
  const VecX& pin_targets() const { return pin_targets_; }
  State initial_state() const;
  /// Replaces the undisplaced initial shape and velocity (after a preload, which does not move pinned
  /// coordinates).
  void set_initial_base(const VecX& x, const VecX& v);

  const ParameterTable& parameters() const { return table_; }
  /// Writes theta, tells the components, updates masses and raises the revision.
  void set_parameters(ConstVec theta);
  /// Changes with every set_parameters and never repeats within a process: key of caches.
  std::uint64_t revision() const { return revision_; }

  SystemCotangent zero_cotangent() const;
  /// Offsets of the components' parameters in theta.
  Index energy_offset(std::size_t i) const { return energy_offset_[i]; }
  Index force_offset(std::size_t i) const { return force_offset_[i]; }
  /// Adds to c.theta what the mass, gravity and the initial state (cotangents dx0, dv0 [3n]) depend on.
  void finish_cotangent(SystemCotangent& c, ConstVec dx0, ConstVec dv0) const;

  /// Extra forces (a preload's) that act until clear_extra_forces(); per-step forces must have `steps` steps.
  void add_extra_forces(const NamedList<ComponentSpec>& specs, const Registry& registry,
                        const PlaceMap& places, Index steps);
  void clear_extra_forces();

  /// Kinetic energy [J] and gravitational potential [J] of a state.
  double kinetic_energy(const State& s) const;
  double gravitational_energy(const State& s) const;
  /// First element or node that is not finite or inverted, with its body; "" if all is well.
  std::string diagnose(const StepContext& c, ConstVec x) const;

 private:
  void add_body(const std::string& name, const BodyOptions& options, const SceneOptions& scene,
                const Registry& registry, const PlaceMap& places);
  void add_pins(const Body& body, const PlaceMap& places);
  void add_scene_energies(const SceneOptions& scene, const Registry& registry, const PlaceMap& places);
  void register_parameters();
  void update_mass();
  BuildContext context(const SceneOptions& scene, const Registry& registry, const PlaceMap& places) const;

  std::vector<std::unique_ptr<Body>> bodies_;
  std::vector<std::unique_ptr<Energy>> energies_;
  std::vector<std::unique_ptr<Force>> forces_;
  std::vector<BodyView> body_views_;
  std::vector<std::string> energy_names_, force_names_;  ///< of those of the scene
  std::size_t num_scene_forces_ = 0;
  VecX mass_, base_x_, base_v_, pin_targets_;
  std::vector<char> fixed_;
  Vec3 gravity_;
  Index steps_ = 0;
  double time_step_ = 0;
  ParameterTable table_;
  std::vector<Index> energy_offset_, force_offset_;
  struct BodyOffsets {
    Index density = 0, velocity = 0, angular_velocity = 0, displacements = 0, velocities = 0;
  };
  std::vector<BodyOffsets> body_offset_;
  Index gravity_offset_ = 0;
  std::uint64_t revision_ = 0;
};

/// Mesh of a body as its options ask for it (generated, read, scaled, voxelised); findings are logged or
/// thrown.
RESILIN_API Mesh build_mesh(const MeshOptions& options, const BuildContext& context);

}  // namespace resilin
