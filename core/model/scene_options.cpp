#include "core/model/scene_options.hpp"

namespace resilin {

void AssetOptions::visit(ParamVisitor& v) {
  v.text("file", file, {.doc = "name of the mesh file in that folder", .required = true});
  v.real("scale", scale, {.doc = "factor on all coordinates", .min = 0, .max = 1e6, .open = true});
  v.vec3("rotation", rotation,
         {.doc = "rotation vector (axis times angle) about the origin, after scaling", .unit = "rad"});
  v.vec3("translation", translation, {.doc = "added to all coordinates last", .unit = "m"});
}

void MeshOptions::visit(ParamVisitor& v) {
  v.component("generator", "mesh_generator", generator, {.doc = "a generated mesh; `file` takes its place"});
  v.path("file", file,
         {.doc = "mesh file (.vtk, .vtu, .obj, .off, .ply, .stl, .msh, .mesh, .node); takes the place of the "
                 "generator"});
  v.real("scale", scale, {.doc = "factor on all coordinates", .min = 0, .max = 1e6, .open = true});
  v.vec3("rotation", rotation,
         {.doc = "rotation vector (axis times angle) about the origin, after scaling", .unit = "rad"});
  v.vec3("translation", translation,
         {.doc = "added to all coordinates after scaling and rotation", .unit = "m"});
  v.optional_section("asset", has_asset, asset,
                     {.doc = "what is taken instead where the scene names a folder of assets: a mesh file of "
                             "it, with its own scale, rotation and translation"});
  v.real(
      "voxel_size", voxel_size,
      {.doc = "edge of the hexahedra with which a closed surface is filled, after scaling; 0: not voxelised",
       .unit = "m",
       .min = 0,
       .max = 1e6});
}

void TwistOptions::visit(ParamVisitor& v) {
  v.vec3("axis", axis, {.doc = "direction of the axis"});
  v.vec3("point", point, {.doc = "a point on the axis, where the angle is zero", .unit = "m"});
  v.real("rate", rate, {.doc = "angle per length along the axis", .unit = "rad/m"});
}

void InitialOptions::visit(ParamVisitor& v) {
  v.vec3("translation", translation,
         {.doc = "moves the rest shape; a constant where pins hold the initial position",
          .unit = "m",
          .differentiable = pose_is_parameter});
  v.vec3("rotation", rotation,
         {.doc = "rotation vector (axis times angle) about the centroid; a constant as well then",
          .unit = "rad",
          .differentiable = pose_is_parameter});
  v.optional_section("twist", has_twist, twist,
                     {.doc = "turns each section about an axis in proportion to its place"});
  v.path("positions", positions_file,
         {.doc = "CSV file with one row x, y, z per vertex; takes the place of the posed rest shape",
          .unit = "m"});
  v.vec3("velocity", velocity, {.doc = "of all vertices", .unit = "m/s", .differentiable = true});
  v.vec3("angular_velocity", angular_velocity,
         {.doc = "about the centroid of the initial shape", .unit = "rad/s", .differentiable = true});
  v.field("displacements", displacements,
          {.doc = "added to the initial position of each vertex", .unit = "m", .differentiable = true});
  v.field("velocities", velocities,
          {.doc = "added to the initial velocity of each vertex", .unit = "m/s", .differentiable = true});
}

void PinOptions::visit(ParamVisitor& v) {
  v.section("nodes", nodes, {.doc = "vertices that are held"});
  v.choices("axes", axes, {"x", "y", "z"}, {.doc = "coordinates that are held"});
  v.check(!axes.empty(), "axes must name at least one of x, y, z");
  v.choice("hold", hold, {"initial", "rest"}, {.doc = "hold the initial position or that of the rest mesh"});
  v.component("motion", "motion", motion, {.doc = "prescribed motion of what is held; default: at rest"});
  v.real("release", release,
         {.doc = "time after which nothing is held any more; default: never", .unit = "s", .min = 0});
}

void DampingOptions::visit(ParamVisitor& v) {
  v.real("mass", mass,
         {.doc = "alpha of Rayleigh's damping alpha M + beta K: damps slow motion, that as a whole too",
          .unit = "1/s",
          .min = 0,
          .max = 1e9,
          .differentiable = true});
  v.real("stiffness", stiffness,
         {.doc = "beta of it: damps fast oscillations; K is the stiffness of the present shape",
          .unit = "s",
          .min = 0,
          .max = 1e9,
          .differentiable = true});
}

void RestShapeOptions::visit(ParamVisitor& v) {
  v.field("displacements", displacements,
          {.doc = "added to each vertex of the mesh", .unit = "m", .differentiable = true});
}

void BodyOptions::visit(ParamVisitor& v) {
  v.section("mesh", mesh, {.doc = "rest shape", .required = true});
  v.field("density", density,
          {.doc = "mass per volume, one value or one per element; per area or per length where thickness or "
                  "cross_section stay at 1",
           .unit = "kg/m^3",
           .min = 0,
           .max = 1e9,
           .open = true,
           .differentiable = true,
           .alias = "rho"});
  v.choice(
      "mass", mass, {"lumped", "uniform"},
      {.doc = "lumped: each vertex gets its share of its elements; uniform: density times the mean element "
              "volume for every vertex (as some published codes do)"});
  v.map("regions", regions,
        {.doc = "named parts of the body, for parameters of elements given as {regions: {name: value}}"});
  v.components("materials", "material", materials, {.doc = "their energies are added", .required = true});
  v.optional_section("damping", has_damping, damping, {.doc = "Rayleigh damping"});
  v.list("pins", pins, {.doc = "vertices that are held"});
  v.section("initial", initial, {.doc = "position and velocity at the start"});
  // Right before the rest shape: both are parameters of the elastic energy, which counts them in this order.
  v.real(
      "thickness", thickness,
      {.doc = "of a surface (tri3 elements); with the default, moduli [N/m] and density [kg/m^2] are those "
              "of tables of cloth",
       .unit = "m",
       .min = 0,
       .max = 1e6,
       .open = true,
       .differentiable = dimension == 0 || dimension == 2});
  v.real("cross_section", cross_section,
         {.doc = "of a curve (segment2 elements); with the default, moduli are in N and the density in kg/m",
          .unit = "m^2",
          .min = 0,
          .max = 1e6,
          .open = true,
          .differentiable = dimension == 0 || dimension == 1});
  v.optional_section(
      "rest_shape", has_rest_shape, rest_shape,
      {.doc = "makes the rest shape a parameter. Elements, masses, the posed initial shape and pins follow "
              "it; selections, springs, attachments and losses see the mesh as given"});
}

void DriveOptions::visit(ParamVisitor& v) {
  v.text(
      "parameter", parameter,
      {.doc = "path of what is driven, such as bodies.fish.materials[1].activation, each of its numbers by "
              "an output of its own; with [*] several one after the other",
       .required = true});
  v.integer("output", output,
            {.doc = "first output that drives it; -1: the first behind those of the drives before",
             .min = -1,
             .max = 1e6});
  v.real("gain", gain, {.doc = "the parameter becomes offset + gain times the output"});
  v.real("offset", offset, {.doc = "the same"});
}

void ControllerOptions::visit(ParamVisitor& v) {
  v.components("sensors", "sensor", sensors,
               {.doc = "what it sees of the state at the start of each step, one after the other"});
  v.component("law", "controller", law,
              {.doc = "function from what it sees to its outputs", .required = true});
  v.list("drives", drives, {.doc = "what its outputs drive during the step", .required = true});
}

void TimeOptions::visit(ParamVisitor& v) {
  v.real("step", step, {.doc = "length of a step", .unit = "s", .min = 0, .max = 1e6, .open = true});
  v.integer("steps", steps, {.doc = "number of steps", .min = 1, .max = 1e9});
}

void PreloadOptions::visit(ParamVisitor& v) {
  v.integer("steps", steps, {.doc = "steps before time zero", .min = 1, .max = 1e9});
  v.real("time_step", time_step,
         {.doc = "length of such a step; 0: that of the scene", .unit = "s", .min = 0});
  v.component_map("forces", "force", forces,
                  {.doc = "forces that act only then, besides those of the scene"});
  v.flag("keep_velocity", keep_velocity, {.doc = "start with the velocity reached; otherwise at rest"});
}

void MemoryOptions::visit(ParamVisitor& v) {
  v.real(
      "budget", budget,
      {.doc =
           "for the states that a gradient needs; what does not fit is computed again on the way back, with "
           "the same bits; 0: no limit",
       .unit = "MB",
       .min = 0,
       .max = 1e9});
  v.choice("checkpoints", checkpoints, {"automatic", "uniform", "binomial"},
           {.doc = "uniform computes each step twice; binomial needs less memory and more time; automatic: "
                   "all states if "
                   "they fit, else uniform, else binomial"});
  v.text("spill", spill, {.doc = "folder for checkpoints on disk, which then take no memory"});
}

void AdjointOptions::visit(ParamVisitor& v) {
  v.choice(
      "regularization", regularization, {"none", "spd", "shifted"},
      {.doc = "none: the exact adjoint; spd: with each element's tangent replaced by the nearest positive "
              "semidefinite one; shifted: with `shift` times the inertia added, of which quasi-static steps "
              "have none. With the last two the gradient is not that of the loss"});
  v.real("shift", shift,
         {.doc = "of shifted, in multiples of the inertia of a step", .min = 0, .max = 1e12, .open = true});
  v.real(
      "growth_warning", growth_warning,
      {.doc = "factor by which an adjoint may grow in one step, backwards, without a warning that names it",
       .min = 1,
       .max = 1e300});
}

void RecordOptions::visit(ParamVisitor& v) {
  v.integer("every", every, {.doc = "write every n-th step", .min = 1, .max = 1e9});
  v.flag("hdf5", hdf5, {.doc = "write trajectory.h5"});
  v.flag("vtu", vtu, {.doc = "write a ParaView series"});
}

void SceneOptions::visit(ParamVisitor& v) {
  v.text("name", name, {.doc = "name of the scene"});
  v.texts("plugins", plugins, {.doc = "plugin libraries to load, relative to this file"});
  v.text(
      "assets", assets,
      {.doc = "folder with mesh files, relative to this file: bodies whose mesh has an `asset` take it from "
              "there; empty: none do"});
  v.section("time", time, {.doc = "time steps"});
  v.vec3("gravity", gravity, {.doc = "acceleration of gravity", .unit = "m/s^2", .differentiable = true});
  v.component_map("signals", "signal", signals,
                  {.doc = "numbers that change in time, by name; differentiable fields may follow them"});
  v.map("bodies", bodies, {.doc = "soft bodies by name", .required = true});
  v.component_map("energies", "energy", energies,
                  {.doc = "potential energies by name, besides those of the bodies"});
  v.component_map("forces", "force", forces, {.doc = "forces by name"});
  v.component_map("colliders", "collider", colliders,
                  {.doc = "surfaces by name that bodies cannot enter; they act where contacts names them"});
  v.components("contacts", "contact", contacts, {.doc = "what touches which colliders, and by what law"});
  v.map("controllers", controllers,
        {.doc = "closed-loop controllers by name; parameters that they drive have their written values only "
                "in a preload"});
  v.component("integrator", "integrator", integrator, {.doc = "time integration"});
  v.component("forward", "forward_solver", forward, {.doc = "solver of each step"});
  v.component("backward", "backward_solver", backward, {.doc = "solver of each adjoint step"});
  v.component("contact_solver", "contact_solver", contact_solver,
              {.doc = "solver of steps with contact, around the forward solver"});
  v.component("linear_solver", "linear_solver", linear_solver, {.doc = "sparse factorisation"});
  v.optional_section(
      "preload", has_preload, preload,
      {.doc = "steps under extra forces that give the initial shape, with the parameters as written "
              "here; a constant for gradients"});
  v.choice("on_failure", on_failure, {"stop", "warn", "halve_step"},
           {.doc = "what to do with a step that does not converge: stop (exit code 1), warn (go on; log and "
                   "summary count such steps, exit code 0) or halve_step (split it, up to eight times)"});
  v.section("adjoint", adjoint, {.doc = "what is done about steps whose adjoint is nearly singular"});
  v.section("memory", memory, {.doc = "memory of gradients"});
  v.section("record", record, {.doc = "what is written"});
}

void TaskParameter::visit(ParamVisitor& v) {
  v.text(
      "path", path,
      {.doc = "parameter, such as bodies.beam.materials[0].youngs_modulus or losses[0].loss.camera.position; "
              "with [*] several that stay equal",
       .required = true});
  v.numbers("lower", lower,
            {.doc = "lower bound, one number for all entries or one per entry; none if empty"});
  v.numbers("upper", upper, {.doc = "upper bound, likewise"});
  v.choice("scale", scale, {"linear", "log"}, {.doc = "optimise the value or its logarithm"});
  v.choice(
      "per", per, {"given", "element"},
      {.doc =
           "element: what the scene gives as one value becomes one per element, of those that the material "
           "acts on or, for a density, of the body"});
  v.numbers(
      "start", start,
      {.doc = "first guess, one number for all entries or one per entry; default: see from; random ones "
              "are drawn uniformly between the bounds on the chosen scale"});
  v.choice("from", from, {"random", "scene"},
           {.doc = "where there is no start: drawn, or the values that the scene has, such as the first "
                   "weights of a controller"});
  v.component("regularizer", "regularizer", regularizer,
              {.doc = "added to the loss: what is known of the values beforehand"});
  // Of lists of different lengths the task says what is wrong: it knows how many numbers there have to be.
  const Index low = lower.size(), up = upper.size();
  if (low > 0 && up > 0 && (low == up || low == 1 || up == 1))
    for (Index i = 0; i < std::max(low, up); ++i)
      v.check(lower[low == 1 ? 0 : i] < upper[up == 1 ? 0 : i], "lower must be less than upper");
  v.check(scale != "log" || (lower.size() > 0 && lower.minCoeff() > 0),
          "a logarithmic scale needs lower > 0");
}

void WeightedLoss::visit(ParamVisitor& v) {
  v.real("weight", weight, {.doc = "factor on this loss"});
  v.component("loss", "loss", loss, {.doc = "what is measured", .required = true});
}

void TaskOptions::visit(ParamVisitor& v) {
  scene.visit(v);
  v.list("parameters", parameters, {.doc = "what is optimised"});
  v.list("losses", losses, {.doc = "what is minimised: the weighted sum"});
  v.component("optimizer", "optimizer", optimizer, {.doc = "how it is minimised"});
  v.integer("seed", seed, {.doc = "seed of random starts", .min = 0, .max = 1e15});
  v.integers(
      "seeds", seeds,
      {.doc = "one optimisation from the random starts of each seed, the best of them counts; takes the "
              "place of seed",
       .min = 0,
       .max = 1e15});
  v.integer(
      "starts", starts,
      {.doc =
           "random starts that are drawn from each seed, one optimisation from each, the best of them counts",
       .min = 1,
       .max = 1e6});
  v.integer("step_budget", step_budget,
            {.doc = "simulated steps, forward and backward ones together, that an optimisation may cost: it "
                    "ends with the best point before the evaluation that would exceed them; a loss costs the "
                    "steps of the scene, its gradient as many again; 0: no limit",
             .min = 0,
             .max = 1e15});
}

}  // namespace resilin
