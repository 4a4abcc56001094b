// Recorded places of vertices: motion capture, or a trajectory of another simulation.
#pragma once

#include "core/energy/key_times.hpp"
#include "core/params/visitor.hpp"
#include "core/plugin/component.hpp"

#include <string>
#include <vector>

namespace resilin {

struct RESILIN_API RecordingOptions {
  std::string file;
  Index frames = 0;
  double interval = 1.0 / 30, start = 0;
  double scale = 1;
  Vec3 rotation = Vec3::Zero(), translation = Vec3::Zero();
  void visit(ParamVisitor& v);
};

/// Places [m] of some vertices of a body at rising times [s]: linear in between, constant before the first
/// and after the last. The file is
///     .csv         a row for each frame: x, y, z of each vertex, all those of the body or the selected ones;
///                  the time may stand before them, else frames are `interval` apart from `start` on;
///     .h5          trajectory.h5 of a scene with the same vertices, with the times that it has;
///     a mesh file  the first of a sequence of them, numbered by the digits that its name ends with; a mesh
///                  has all vertices of the body; `interval` apart from `start` on.
/// Places are scaled, turned and moved, in this order.
class RESILIN_API PointRecording {
 public:
  /// `nodes`: numbers in the mesh of the body. Throws Error(Input) at `key`.file for a file of another number
  /// of vertices, naming both, and for times that do not rise.
  PointRecording(const RecordingOptions& options, const BodyView& body, const std::vector<Index>& nodes,
                 const std::string& key, const BuildContext& context);
  KeyBlend at(double t) const;
  Vec3 place(std::size_t i, const KeyBlend& b) const {
    const auto column = static_cast<Index>(i);
    return (1 - b.weight) * places_[static_cast<std::size_t>(b.from)].col(column) +
           b.weight * places_[static_cast<std::size_t>(b.to)].col(column);
  }
  const VecX& times() const { return times_; }

 private:
  VecX times_;
  std::vector<Mat3X> places_;  ///< of each frame, a column for each vertex
};

}  // namespace resilin
