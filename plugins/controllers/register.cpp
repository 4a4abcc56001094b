#include "core/plugin/plugin.hpp"
#include "plugins/controllers/affine.hpp"
#include "plugins/controllers/mlp.hpp"
#include "plugins/controllers/sensors.hpp"

RESILIN_PLUGIN("controllers", "0.1.0", registry) {
  using namespace resilin;
  registry.add<Controller, Affine>("affine",
                                   "Outputs that are affine in what is seen, such as a PD controller");
  registry.add<Controller, Mlp>("mlp",
                                "Multilayer perceptron with tanh units and outputs within given bounds");
  registry.add<Sensor, CentroidMotion>("centroid_motion", "Position or velocity of the mean of vertices");
  registry.add<Sensor, VertexMotion>(
      "vertex_motion", "Positions or velocities of vertices relative to the mean of their body");
  registry.add<Sensor, Clock>("clock", "Sine and cosine of the time with a given period");
}
