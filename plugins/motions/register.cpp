#include "core/plugin/plugin.hpp"
#include "plugins/motions/key_frames.hpp"
#include "plugins/motions/rotation.hpp"

RESILIN_PLUGIN("motions", "0.1.0", registry) {
  using namespace resilin;
  registry.add<Motion, KeyFrames>("key_frames", "Translation through key frames, given here or in a file");
  registry.add<Motion, Rotation>("rotation", "Rotation about a fixed axis, at a rate or through key frames");
}
