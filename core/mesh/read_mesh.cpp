#include "core/base/error.hpp"
#include "core/mesh/io.hpp"
#include "core/mesh/mesh_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace resilin {

Mesh read_mesh(const std::string& file) {
  const std::size_t dot = file.find_last_of("./");
  std::string extension = dot == std::string::npos || file[dot] == '/' ? "" : file.substr(dot);
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (extension == ".vtk") return mesh_detail::read_vtk(file);
  if (extension == ".obj") return mesh_detail::read_obj(file);
  if (extension == ".msh") return mesh_detail::read_msh(file);
  throw Error(Errc::Input, fmt::format("unknown mesh format '{}'; expected .vtk, .obj or .msh", extension),
              file);
}

}  // namespace resilin
