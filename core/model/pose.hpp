// The initial shape of a body as its rest shape, turned and moved.
#pragma once

#include "core/model/scene_options.hpp"

namespace resilin {

/// Twist, then rotation about the centroid, then translation of the rest positions [m], one column per
/// vertex.
RESILIN_API Mat3X posed(const InitialOptions& o, const Mat3X& rest);
/// (d posed / d rest)^T cotangent
RESILIN_API Mat3X pull_back_pose(const InitialOptions& o, const Mat3X& rest, const Mat3X& cotangent);

}  // namespace resilin
