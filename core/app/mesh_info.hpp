// What `resilin mesh info` says of a mesh.
#pragma once

#include "core/mesh/mesh.hpp"
#include "core/mesh/quality.hpp"

#include <string>
#include <vector>

namespace resilin::app {

struct MeshInfo {
  std::string type;
  Index vertices = 0, elements = 0;
  Vec3 lower = Vec3::Zero(), upper = Vec3::Zero();  ///< bounds of the vertices [m]
  double measure = 0;                ///< sum of lengths [m], areas [m^2] or volumes [m^3] of the elements
  double smallest = 0, largest = 0;  ///< of the elements' measures
  Index boundary_faces = -1;         ///< of a volume mesh
  Index pieces = -1;                 ///< of a volume mesh: components connected through faces
  double enclosed = 0;               ///< by a closed surface [m^3]
  std::string open;                  ///< why a surface is not closed; empty if it is
  std::vector<MeshFinding> findings;
  bool good() const;  ///< whether no finding is an error
};

MeshInfo mesh_info(const Mesh& mesh);
std::string info_text(const std::string& file, const MeshInfo& info);
std::string info_json(const std::string& file, const MeshInfo& info);

}  // namespace resilin::app
