#include "core/plugin/plugin.hpp"
#include "plugins/forces/ball_contact.hpp"
#include "plugins/forces/body_force.hpp"
#include "plugins/forces/hydrodynamics.hpp"
#include "plugins/forces/nodal_force.hpp"
#include "plugins/forces/pressure.hpp"
#include "plugins/forces/vertex_wind.hpp"
#include "plugins/forces/wind.hpp"

RESILIN_PLUGIN("forces", "0.1.0", registry) {
  using namespace resilin;
  registry.add<Force, BallContact>("ball_contact",
                                   "Springs with friction between the centres of balls that touch");
  registry.add<Force, BodyForce>("body_force",
                                 "A field of force given by formulas of place, velocity and time");
  registry.add<Force, Hydrodynamics>(
      "hydrodynamics", "Drag and thrust of water on a body's surface by curves over the angle of attack");
  registry.add<Force, NodalForce>("nodal_force",
                                  "Given forces at vertices: constant, per step or through key times");
  registry.add<Force, Pressure>("pressure", "Pressure on faces of a surface that moves and turns with them");
  registry.add<Force, VertexWind>(
      "vertex_wind",
      "The same force on every vertex: constant, a sinusoid of time or a factor for each step");
  registry.add<Force, Wind>("wind",
                            "Drag and lift of moving air on the faces of a surface, by a network if wanted");
}
