// Frames that any process can make anew from their number.
#pragma once

#include "core/output/trajectory_file.hpp"

namespace resilin {

inline Mesh sample_tets(Index num_vertices) {
  Mesh mesh;
  mesh.type = ElementType::Tet4;
  mesh.vertices = Mat3X::Random(3, num_vertices);
  mesh.elements.resize(4, 1);
  mesh.elements.col(0) << 0, 1, 2, 3;
  return mesh;
}

inline State sample_state(Index frame, Index num_nodes) {
  State state;
  state.x = VecX::LinSpaced(3 * num_nodes, 0.0, 1.0 + static_cast<double>(frame)).cwiseSqrt();
  state.v = VecX::LinSpaced(3 * num_nodes, -1.0 / (1.0 + static_cast<double>(frame)), 1e-300);
  state.t = 0.1 * static_cast<double>(frame);
  return state;
}

inline void append_sample(TrajectoryWriter& writer, Index frame, Index num_nodes) {
  const double f = static_cast<double>(frame);
  SolveReport report;
  report.iterations = frame + 3;
  report.residual = 1e-9 / (1 + f);
  writer.append(10 * frame, sample_state(frame, num_nodes), {f, 2 * f, 3 * f}, report);
}

/// Number of frames in the file if each of them has the bits of its sample, -1 else.
inline Index verified_frames(const std::string& file, Index num_nodes) {
  const TrajectoryReader reader(file);
  for (Index frame = 0; frame < reader.num_frames(); ++frame) {
    const State got = reader.state(frame), expected = sample_state(frame, num_nodes);
    if (got.x != expected.x || got.v != expected.v || got.t != expected.t || reader.step(frame) != 10 * frame)
      return -1;
  }
  return reader.num_frames();
}

}  // namespace resilin
