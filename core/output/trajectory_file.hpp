// Trajectories in HDF5.
#pragma once

#include "core/base/state.hpp"
#include "core/mesh/mesh.hpp"

#include <memory>
#include <string>
#include <vector>

namespace resilin {

/// Energies of a frame [J].
struct FrameEnergies {
  double kinetic = 0;
  double elastic = 0;
  double gravitational = 0;
};

/// What stands at the head of a trajectory file.
struct TrajectoryHeader {
  std::string scene;    ///< resolved scene, YAML
  std::string command;  ///< command line
  std::string version;
  struct Body {
    std::string name;
    Index first_node = 0;
    const Mesh* mesh = nullptr;
  };
  std::vector<Body> bodies;             ///< their meshes outlive the writer
  Index num_frames = 0;                 ///< most frames that will be written
  std::vector<std::string> controls{};  ///< paths of the parameters that controllers drive
};

/// Value of the root attribute `format`.
inline constexpr const char* kTrajectoryFormat = "resilin-trajectory 2";

/// Layout: /time (f), /step (f), /positions (f x n x 3), /velocities (f x n x 3), /energies/{kinetic,elastic,
/// gravitational} (f), /residual (f), /iterations (f), /num_frames (1); with controllers /controls (f x m),
/// the values that the frame's state gives to the step after it (NaN at the end), and their paths by lines in
/// the root attribute control_names; /bodies/NAME/{rest_positions,elements} with attributes element_type and
/// first_node; root attributes scene, command, version and format. All datasets are contiguous and made at
/// the start with room for all frames (a sparse file: what is not written takes no room on the disk). A frame
/// is written straight to its places, and only then /num_frames is raised, so that neither a kill at any
/// moment nor a full disk harms the frames before. close() gives back the room of frames that were not
/// written; after a kill the file keeps it, and only the first num_frames frames count (the time of the
/// others is NaN). The earliest HDF5 format, so that every program reads it.
class RESILIN_API TrajectoryWriter {
 public:
  /// Replaces an existing file that no other program has open. Throws Error(Io), or Error(Input) if a body's
  /// name cannot name a group.
  TrajectoryWriter(const std::string& file, const TrajectoryHeader& header);
  ~TrajectoryWriter();  ///< closes; what goes wrong then is only logged
  TrajectoryWriter(const TrajectoryWriter&) = delete;
  TrajectoryWriter& operator=(const TrajectoryWriter&) = delete;
  /// Appends a frame; throws Error(Io) (a full disk), after which the frames before are still readable
  /// and, once there is room again, a later append succeeds.
  void append(Index step, const State& state, const FrameEnergies& energies, const SolveReport& report,
              const VecX& controls = VecX());
  void close();  ///< throws Error(Io) if the last bytes cannot be written

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Reads what TrajectoryWriter wrote (also while it is written, and after a kill: frames beyond num_frames
/// are left out).
class RESILIN_API TrajectoryReader {
 public:
  explicit TrajectoryReader(const std::string& file);  ///< throws Error(Io) or Error(Input)
  ~TrajectoryReader();
  TrajectoryReader(const TrajectoryReader&) = delete;
  TrajectoryReader& operator=(const TrajectoryReader&) = delete;
  Index num_frames() const;  ///< at the time of opening
  Index num_nodes() const;
  Index step(Index frame) const;  ///< throws Error(Input) if there is no such frame
  State state(Index frame) const;
  std::string scene() const;  ///< resolved scene text

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace resilin
