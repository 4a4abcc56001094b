#include "core/base/error.hpp"
#include "core/mesh/io.hpp"
#include "core/mesh/mesh_parts.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

namespace resilin {
namespace {

using mesh_detail::extension_of;
using mesh_detail::FileCursor;

struct Format {
  std::string_view extension;
  Mesh (*read)(FileCursor);
};
constexpr std::array<Format, 8> kFormats{{{".vtk", mesh_detail::read_vtk},
                                          {".vtu", mesh_detail::read_vtu},
                                          {".obj", mesh_detail::read_obj},
                                          {".off", mesh_detail::read_off},
                                          {".ply", mesh_detail::read_ply},
                                          {".stl", mesh_detail::read_stl},
                                          {".msh", mesh_detail::read_msh},
                                          {".mesh", mesh_detail::read_medit}}};

const Format& format_of(const std::string& file) {
  const std::string extension = extension_of(file);
  for (const Format& format : kFormats)
    if (format.extension == extension) return format;
  throw Error(
      Errc::Input,
      fmt::format("unknown mesh format '{}'; expected .vtk, .vtu, .obj, .off, .ply, .stl, .msh, .mesh "
                  "(MEDIT) or .node (TetGen)",
                  extension),
      file);
}

FileCursor at_begin(FileCursor cursor) {
  cursor.skip_byte_order_mark();
  return cursor;
}

}  // namespace

Mesh read_mesh(const std::string& file) {
  const std::string extension = extension_of(file);
  if (extension == ".node" || extension == ".ele") {
    const std::string stem = file.substr(0, file.size() - extension.size());
    FileCursor nodes = at_begin(FileCursor(stem + ".node"));
    return mesh_detail::read_tetgen(std::move(nodes), at_begin(FileCursor(stem + ".ele")));
  }
  // The format comes first: a file that cannot be a mesh is not read at all.
  const Format& format = format_of(file);
  return format.read(at_begin(FileCursor(file)));
}

Mesh parse_mesh(std::string content, const std::string& name) {
  return format_of(name).read(at_begin(FileCursor(name, std::move(content))));
}

}  // namespace resilin
