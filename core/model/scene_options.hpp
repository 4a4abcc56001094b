// What a scene file may say, as plain structs.
#pragma once

#include "core/mesh/selector.hpp"
#include "core/params/visitor.hpp"

#include <limits>
#include <string>
#include <vector>

namespace resilin {

/// A mesh of the folder SceneOptions::assets, which takes the place of what else the mesh options say.
struct RESILIN_API AssetOptions {
  std::string file;
  double scale = 1;
  Vec3 rotation = Vec3::Zero(), translation = Vec3::Zero();
  void visit(ParamVisitor& v);
};

struct RESILIN_API MeshOptions {
  ComponentSpec generator;
  std::string file;
  double scale = 1;
  Vec3 rotation = Vec3::Zero(), translation = Vec3::Zero();
  bool has_asset = false;
  AssetOptions asset;
  double voxel_size = 0;
  void visit(ParamVisitor& v);
};

struct RESILIN_API TwistOptions {
  Vec3 axis = Vec3::UnitX();
  Vec3 point = Vec3::Zero();
  double rate = 0;
  void visit(ParamVisitor& v);
};

struct RESILIN_API InitialOptions {
  Vec3 translation = Vec3::Zero();
  Vec3 rotation = Vec3::Zero();
  bool has_twist = false;
  TwistOptions twist;
  std::string positions_file;
  Vec3 velocity = Vec3::Zero();
  Vec3 angular_velocity = Vec3::Zero();
  Field displacements{Vec3(0, 0, 0)};
  Field velocities{Vec3(0, 0, 0)};
  /// Whether translation and rotation are differentiable: of a body that is not given by a file and whose
  /// pins do not hold the initial position.
  bool pose_is_parameter = true;
  void visit(ParamVisitor& v);
};

struct RESILIN_API PinOptions {
  Selector nodes;
  std::vector<std::string> axes{"x", "y", "z"};
  std::string hold = "initial";
  ComponentSpec motion;  ///< no type: at rest
  double release = std::numeric_limits<double>::infinity();
  void visit(ParamVisitor& v);
};

/// Rayleigh's: forces -(mass M + stiffness K) v.
struct RESILIN_API DampingOptions {
  double mass = 0;
  double stiffness = 0;
  void visit(ParamVisitor& v);
};

struct RESILIN_API RestShapeOptions {
  Field displacements{Vec3(0, 0, 0)};
  void visit(ParamVisitor& v);
};

struct RESILIN_API BodyOptions {
  MeshOptions mesh;
  Field density{1000.0};
  std::string mass = "lumped";
  NamedList<Selector> regions;
  std::vector<ComponentSpec> materials;
  bool has_damping = false;
  DampingOptions damping;
  std::vector<PinOptions> pins;
  InitialOptions initial;
  double thickness = 1, cross_section = 1;
  bool has_rest_shape = false;
  RestShapeOptions rest_shape;
  /// Of the body's elements, once they are known; then only what they have is differentiable: the thickness
  /// of surfaces (2), the cross-section of curves (1).
  int dimension = 0;
  void visit(ParamVisitor& v);
  /// Thickness of a surface [m], cross-section of a curve [m^2], 1 of volumes.
  double cross_measure() const { return dimension == 2 ? thickness : dimension == 1 ? cross_section : 1; }
};

/// Parameters that a controller drives, from one of its outputs on.
struct RESILIN_API DriveOptions {
  std::string parameter;
  Index output = -1;
  double gain = 1, offset = 0;
  void visit(ParamVisitor& v);
};

struct RESILIN_API ControllerOptions {
  std::vector<ComponentSpec> sensors;
  ComponentSpec law;
  std::vector<DriveOptions> drives;
  void visit(ParamVisitor& v);
};

struct RESILIN_API TimeOptions {
  double step = 0.01;
  Index steps = 100;
  void visit(ParamVisitor& v);
};

struct RESILIN_API PreloadOptions {
  Index steps = 1;
  double time_step = 0;
  NamedList<ComponentSpec> forces;
  bool keep_velocity = false;
  void visit(ParamVisitor& v);
};

struct RESILIN_API MemoryOptions {
  double budget = 0;
  std::string checkpoints = "automatic", spill;
  void visit(ParamVisitor& v);
};

/// What is done about steps whose adjoint is nearly singular, where gradients of long rollouts explode.
struct RESILIN_API AdjointOptions {
  std::string regularization = "none";
  double shift = 1;
  double growth_warning = 100;
  void visit(ParamVisitor& v);
};

struct RESILIN_API RecordOptions {
  Index every = 1;
  bool hdf5 = true;
  bool vtu = true;
  void visit(ParamVisitor& v);
};

struct RESILIN_API SceneOptions {
  std::string name = "scene";
  std::vector<std::string> plugins;
  std::string assets;  ///< an absolute path once the scene is read; empty: none
  TimeOptions time;
  Vec3 gravity{0, 0, -9.81};
  NamedList<ComponentSpec> signals;
  NamedList<BodyOptions> bodies;
  NamedList<ComponentSpec> energies, forces, colliders;
  std::vector<ComponentSpec> contacts;
  NamedList<ControllerOptions> controllers;
  /// Paths, as for ParameterTable::find, of fields that get one value per element from their constant; no key
  /// of a scene, but what a task asks for.
  std::vector<std::string> per_element;
  ComponentSpec integrator, forward, backward, contact_solver, linear_solver;
  bool has_preload = false;
  PreloadOptions preload;
  std::string on_failure = "stop";
  AdjointOptions adjoint;
  MemoryOptions memory;
  RecordOptions record;
  void visit(ParamVisitor& v);
};

struct RESILIN_API TaskParameter {
  std::string path;
  VecX lower, upper;  ///< one number for all entries or one each; empty: no bound
  std::string scale = "linear";
  std::string per = "given";
  VecX start;
  std::string from = "random";
  ComponentSpec regularizer;
  void visit(ParamVisitor& v);
};

struct RESILIN_API WeightedLoss {
  double weight = 1;
  ComponentSpec loss;
  void visit(ParamVisitor& v);
};

/// A task is a scene with parameters to find, losses and an optimizer, all in one file.
struct RESILIN_API TaskOptions {
  SceneOptions scene;
  std::vector<TaskParameter> parameters;
  std::vector<WeightedLoss> losses;
  ComponentSpec optimizer;
  Index seed = 0;
  std::vector<Index> seeds;
  Index starts = 1;
  Index step_budget = 0;
  void visit(ParamVisitor& v);
};

}  // namespace resilin
