#include "core/plugin/plugin.hpp"
#include "plugins/energies/attachment.hpp"
#include "plugins/energies/hinge_bending.hpp"
#include "plugins/energies/springs.hpp"
#include "plugins/energies/stencil_bending.hpp"

RESILIN_PLUGIN("energies", "0.1.0", registry) {
  using namespace resilin;
  registry.add<Energy, Attachment>("attachment",
                                   "Pulls vertices of a body softly to fixed places or along key frames");
  registry.add<Energy, Springs>("springs", "Springs between pairs of vertices of one or two bodies");
  registry.add<Energy, QuadraticBending>(
      "quadratic_bending", "Bending of a flat surface, quadratic in the positions (Projective Dynamics)");
  registry.add<Energy, CurvatureBending>(
      "curvature_bending", "Bending of a surface away from its rest curvature (Projective Dynamics)");
  registry.add<Energy, HingeBending>(
      "hinge_bending", "Bending of a surface by the angles between its triangles (discrete shells)");
}
