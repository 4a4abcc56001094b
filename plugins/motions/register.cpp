#include "core/plugin/plugin.hpp"
#include "plugins/motions/hermite.hpp"
#include "plugins/motions/key_frames.hpp"
#include "plugins/motions/rigid_motion.hpp"
#include "plugins/motions/rotation.hpp"

RESILIN_PLUGIN("motions", "0.1.0", registry) {
  using namespace resilin;
  registry.add<Motion, KeyFrames>("key_frames", "Translation through key frames, given here or in a file");
  registry.add<Motion, Hermite>("hermite", "Translation along one cubic Hermite segment from given tangents");
  registry.add<Motion, Rotation>("rotation", "Rotation about a fixed axis, at a rate or through key frames");
  registry.add<Motion, RigidMotion>(
      "rigid_motion", "Rotation about an axis that itself moves at a velocity and through key frames");
}
