#include "core/plugin/plugin.hpp"
#include "plugins/energies/attachment.hpp"
#include "plugins/energies/springs.hpp"

RESILIN_PLUGIN("energies", "0.1.0", registry) {
  using namespace resilin;
  registry.add<Energy, Attachment>("attachment",
                                   "Pulls vertices of a body softly to fixed places or along key frames");
  registry.add<Energy, Springs>("springs", "Springs between pairs of vertices of one or two bodies");
}
