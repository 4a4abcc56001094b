// What is simulated: bodies, energies, forces, masses, parameters. Constant while stepping.
#pragma once

#include "core/base/state.hpp"
#include "core/contact/contact_model.hpp"
#include "core/energy/energy.hpp"
#include "core/energy/finite_element_energy.hpp"
#include "core/energy/signal.hpp"
#include "core/geometry/motion.hpp"
#include "core/model/control_loop.hpp"
#include "core/model/parameter_table.hpp"
#include "core/model/scene_options.hpp"
#include "core/params/tree.hpp"
#include "core/plugin/registry.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace resilin {

class PairLaw;

struct Body {
  std::string name;
  Mesh mesh;  ///< as generated or read; selections and other components look at this one
  std::unique_ptr<Mesh> displaced;  ///< with rest_shape.displacements added; null without such a section
  const Mesh& rest() const { return displaced ? *displaced : mesh; }
  bool start_is_given = false;  ///< by a file or a preload: the initial shape does not follow the rest shape
  Index first_node = 0;
  BodyOptions options;                     ///< live values of density and initial state
  std::vector<int> density_item;           ///< item of the density at each element; empty unless per region
  FiniteElementEnergy* elastic = nullptr;  ///< its energy, owned by the system
};

/// Nodes that are held, all with the same motion.
struct Pin {
  std::string path;                ///< "bodies.beam.pins[0]"
  std::vector<Index> nodes;        ///< of the system
  std::array<bool, 3> axes{};      ///< x, y, z
  Mat3X places;                    ///< [m], where they are while nothing moves them
  Mat3X shift;                     ///< [m], of these from the undisplaced initial or rest shape; a constant
  std::size_t body = 0;            ///< whose nodes they are
  bool holds_rest = false;         ///< places are those of the rest shape
  std::unique_ptr<Motion> motion;  ///< null: they stay there
  double release = 0;              ///< [s], held up to and including this time
};

/// Cotangents that are collected over all steps before they are turned into parameter gradients.
struct SystemCotangent {
  VecX theta;                   ///< one entry per parameter: energies and forces add here directly
  VecX mass;                    ///< dL/dm_i [n]
  Vec3 gravity = Vec3::Zero();  ///< dL/dg
};

class RESILIN_API System {
 public:
  /// Builds everything that the scene describes; throws Error(Input) with the place of everything that is
  /// wrong: a mesh with an error-level finding, a material that does not act on the body's elements, a
  /// selection that matches nothing.
  System(const SceneOptions& scene, const Registry& registry, const PlaceMap& places);
  /// The same, but what is wrong goes to `found`; if that is not empty then, the system may not be stepped.
  System(const SceneOptions& scene, const Registry& registry, const PlaceMap& places, Diagnostics& found);
  ~System();
  System(const System&) = delete;
  System& operator=(const System&) = delete;

  Index num_nodes() const { return mass_.size(); }
  Index num_dofs() const { return 3 * num_nodes(); }
  const std::vector<std::unique_ptr<Body>>& bodies() const { return bodies_; }
  const std::vector<BodyView>& body_views() const { return body_views_; }
  /// One of each body, in their order, then those of the scene, then those of contacts.
  const std::vector<std::unique_ptr<Energy>>& energies() const { return energies_; }
  const std::vector<std::unique_ptr<Force>>& forces() const { return forces_; }
  const std::vector<std::unique_ptr<Collider>>& colliders() const { return colliders_; }
  const std::vector<std::string>& collider_names() const { return collider_names_; }
  const std::vector<std::unique_ptr<ControlLoop>>& control_loops() const { return control_loops_; }
  /// Those contacts that a contact solver satisfies. The others are among the energies and forces.
  const std::vector<const ContactLaw*>& contacts() const { return contacts_; }
  /// Number of such a contact in the scene.
  Index contact_number(std::size_t law) const { return contact_number_[law]; }
  /// Throws Error(Numerics) if the initial state lies inside a collider whose contact does not allow that:
  /// parameters may have moved it there.
  void require_start() const;
  /// Whether a contact is a force of the state that a step starts from.
  bool has_explicit_contact() const;
  const VecX& mass() const { return mass_; }  ///< [kg], n
  /// 3n, 1 where a pin holds at the start.
  const std::vector<char>& fixed() const { return phases_.front().fixed; }
  /// The same for the step that ends at time t.
  const std::vector<char>& fixed(double t) const { return phases_[phase(t)].fixed; }
  /// Number of the interval between releases in which t lies: fixed(t) is the same throughout it.
  std::size_t phase(double t) const;
  const Vec3& gravity() const { return gravity_; }
  bool is_projective() const;
  /// False if a component could not be made (see `found` above): then there is no parameter table.
  bool is_complete() const { return complete_; }

  /// Puts held coordinates to where they are at time t. Where two pins hold the same one, the later counts.
  void place_pins(double t, MutVec x) const;
  /// Whether what place_pins() writes depends on parameters: of motions, or the rest shape that pins hold.
  bool has_moving_pins() const;
  /// For a cotangent z of the coordinates that place_pins(t) writes: adds to that of these parameters.
  void add_pin_vjp(double t, ConstVec z, MutVec theta) const;
  State initial_state() const;
  /// Replaces the undisplaced initial shape and velocity (after a preload, which does not move pinned
  /// coordinates). From then on they are constants, whatever the rest shape.
  void set_initial_base(const VecX& x, const VecX& v);
  const VecX& initial_base_velocity() const { return base_v_; }

  /// Numbers that controllers drive.
  Index num_controls() const;
  /// What they are during the step that starts at `state`, in the order of the loops and their drives; empty
  /// if there are none. Throws Error(Numerics) for a value outside the range of what it drives.
  VecX controls(const State& state) const;
  /// Takes the derivatives by the controls of a step out of c.theta, where those of the driven parameters
  /// stand, and pulls them back: to the state at which the controls were computed, and to c.theta.
  void pull_back_controls(const State& state, SystemCotangent& c, MutVec dx, MutVec dv) const;
  /// Path of the controller that drives a number of the entry, if one does (`also`: one more to look at).
  std::string driver_of(const ParameterEntry& entry, const ControlLoop* also = nullptr) const;

  const ParameterTable& parameters() const { return table_; }
  /// Enters the differentiable parameters of a component that is no part of the system, such as a loss, which
  /// has to live until the last set_parameters(): that writes and tells it too. `count`: how many numbers it
  /// says that they have. Returns the offset of the first in theta; Error(Plugin) if it brings another number
  /// of them.
  Index add_parameters(const std::string& path, Component& component, Index count);
  /// Whether the parameter has an entry per element because SceneOptions::per_element asks for it.
  bool is_per_element(const std::string& path) const;
  /// Writes theta, tells the components, updates rest shapes and masses and raises the revision. Throws
  /// Error(Input) for a value outside its range, Error(Numerics) naming the element if a rest shape inverts
  /// or flattens it; the values are then as before.
  void set_parameters(ConstVec theta);
  /// Changes with every set_parameters and never repeats within a process: key of caches.
  std::uint64_t revision() const { return revision_; }

  SystemCotangent zero_cotangent() const;
  /// Offsets of the components' parameters in theta.
  Index energy_offset(std::size_t i) const { return energy_offset_[i]; }
  Index force_offset(std::size_t i) const { return force_offset_[i]; }
  const std::vector<Index>& collider_offsets() const { return collider_offset_; }
  /// Of contacts()[i].
  Index contact_offset(std::size_t i) const { return contact_offset_[i]; }
  /// Of a body's damping (mass, stiffness); -1 if it has none.
  Index damping_offset(std::size_t body) const { return body_offset_[body].damping; }
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
  /// "node 12 of body beam at (0.1, 0, 0.2)", numbered within its body.
  std::string describe_node(Index node, ConstVec x) const;

 private:
  bool add_signals(const SceneOptions& scene, const BuildContext& c, Diagnostics& found);
  /// The scene with meshes from its folder of assets and with the values of signals in what follows them.
  SceneOptions prepared(const SceneOptions& scene, const PlaceMap& places, Diagnostics& found) const;
  /// Writes the values of signals to what follows them. Throws Error(Input) for one outside its range.
  void drive_fields() const;
  void add_drive_vjp(MutVec theta) const;
  std::size_t find_signal(const std::string& name) const;  ///< of those that there are
  void build(const SceneOptions& scene, const Registry& registry, const PlaceMap& places, Diagnostics& found);
  bool add_body(const std::string& name, const BodyOptions& options, BuildContext c,
                const std::vector<std::string>& per_element, Diagnostics& found);
  void add_materials(Body& body, const BuildContext& c, const std::vector<std::string>& per_element);
  void add_pin(const Body& body, const PinOptions& options, const BuildContext& c);
  bool add_scene_energies(const SceneOptions& scene, const Registry& registry, const PlaceMap& places,
                          Diagnostics& found);
  bool add_contacts(const SceneOptions& scene, const BuildContext& c, Diagnostics& found);
  bool add_controllers(const SceneOptions& scene, BuildContext c, Diagnostics& found);
  void add_controller(const ControllerOptions& options, const BuildContext& c);
  void add_drives(ControlLoop& loop, const DriveOptions& options, const BuildContext& c);
  bool drive(Index parameter, Index control);
  /// A component whose visit and own count of parameters disagree would write gradients to wrong places.
  static void require_same_count(const std::string& path, const char* counted, Index count, Index registered);
  void check_start(const BuildContext& c, Diagnostics& found) const;
  std::string start_mistake(std::size_t contact) const;  ///< "" if nothing starts inside a collider
  std::string pair_start_mistake(const PairLaw& law, const VecX& start) const;
  void apply_parameters();
  bool add_forces(const NamedList<ComponentSpec>& specs, BuildContext c, Diagnostics& found);
  void register_parameters();
  void couple_contact(const ContactModel& model, const std::string& name, Index offset);
  void register_body(Body& body);
  void find_phases();
  void update_mass();
  void update_rest_shapes();
  bool follows_pose(const Body& body) const;
  void update_poses();
  void place_pin(Pin& pin) const;
  void add_place_vjp(const Pin& pin, const Mat3X& places, MutVec theta) const;
  bool follows_rest(const Pin& pin) const;
  Mat3X start_cotangent(const Body& body, ConstVec dx0, ConstVec dv0) const;
  void add_rest_cotangent(std::size_t body, SystemCotangent& c, ConstVec dx0, ConstVec dv0) const;
  void add_pose_cotangent(std::size_t body, SystemCotangent& c, ConstVec dx0, ConstVec dv0) const;
  BuildContext context(const SceneOptions& scene, const Registry& registry, const PlaceMap& places) const;

  std::vector<std::unique_ptr<Body>> bodies_;
  std::vector<std::unique_ptr<Energy>> energies_;
  std::vector<std::unique_ptr<Force>> forces_;
  std::vector<std::unique_ptr<Signal>> signals_;
  std::vector<std::string> signal_names_;
  std::vector<Index> signal_offset_;
  std::vector<std::unique_ptr<Collider>> colliders_;
  std::vector<std::unique_ptr<ControlLoop>> control_loops_;
  std::vector<std::unique_ptr<ContactModel>> contact_models_;  ///< all, in the order of the scene
  std::vector<const ContactLaw*> contacts_;
  std::vector<Index> contact_number_;  ///< of each law among all contacts of the scene
  bool has_preload_ = false;
  std::vector<std::string> collider_names_;
  std::vector<BodyView> body_views_;
  std::vector<std::string> energy_names_, force_names_;  ///< of those that are not bodies'
  std::size_t num_scene_forces_ = 0;
  VecX mass_, base_x_, base_v_;
  std::vector<Pin> pins_;
  std::vector<Index> pin_offset_;  ///< of each pin's motion in theta
  Index num_motion_parameters_ = 0;
  struct Phase {
    double end;  ///< [s]
    std::vector<char> fixed;
  };
  std::vector<Phase> phases_;  ///< between releases of pins; the last one never ends
  Vec3 gravity_ = Vec3::Zero();
  double time_step_ = 0;
  ParameterTable table_;
  std::vector<std::string> per_element_;  ///< paths of the fields that were spread over elements
  std::vector<Component*> guests_;        ///< components of others whose parameters are in the table
  std::vector<Index> energy_offset_, force_offset_, collider_offset_, contact_offset_;
  struct BodyOffsets {
    Index density = 0, damping = -1, velocity = 0, angular_velocity = 0, displacements = 0, velocities = 0;
    Index translation = -1, rotation = -1;  ///< of the initial pose; -1: no parameters
    Index rest = -1;                        ///< -1: the rest shape is no parameter
    Index cross_measure = -1;               ///< thickness or cross-section; -1: of a volume
  };
  std::vector<BodyOffsets> body_offset_;
  Index gravity_offset_ = 0;
  std::uint64_t revision_ = 0;
  bool complete_ = false;
};

/// Mesh of a body as its options ask for it (generated, read, scaled, voxelised); findings are logged or
/// thrown.
RESILIN_API Mesh build_mesh(const MeshOptions& options, const BuildContext& context);

}  // namespace resilin
