// A simulation that writes what it finds.
#pragma once

#include "core/app/job.hpp"
#include "core/output/trajectory_file.hpp"
#include "core/solve/simulation.hpp"

#include <string>
#include <vector>

namespace resilin::app {

struct RecordedRun {
  enum class End { Finished, Failed, Interrupted } end = End::Finished;
  std::string message;        ///< why it failed
  RolloutReport report;       ///< of a failed run: steps and iterations only
  Index frames = 0;           ///< written
  FrameEnergies first, last;  ///< of the first and the last frame
  std::vector<std::string> files;
};

/// Runs the scene from its start and writes trajectory.h5 and the ParaView series as `record` asks for. A
/// step that fails ends it: the frames before are on disk and closed. Throws Error(Io), Interrupted never.
/// `scene`: resolved text of what is simulated, kept in the trajectory.
RecordedRun record_run(const Job& job, const Simulation& simulation, const std::string& scene);

/// Members steps, iterations, energies and so on.
void write_run(JsonWriter& out, const RecordedRun& run);
const char* name_of(RecordedRun::End end);

}  // namespace resilin::app
