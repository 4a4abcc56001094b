#include "core/base/file.hpp"
#include "core/mesh/io.hpp"
#include "core/mesh/mesh_writers.hpp"

#include <fmt/format.h>

#include <iterator>

namespace resilin {

void write_obj(const std::string& file, const Mesh& mesh) {
  const mesh_detail::WrittenFaces surface = mesh_detail::written_faces(mesh);
  fmt::memory_buffer text;
  const auto out = std::back_inserter(text);
  for (const auto& x : surface.vertices.colwise())  // shortest digits that read back to the same number
    fmt::format_to(out, "v {} {} {}\n", x[0], x[1], x[2]);
  for (const auto& face : surface.faces.colwise()) {
    text.push_back(mesh.type == ElementType::Segment2 ? 'l' : 'f');
    for (const int node : face) fmt::format_to(out, " {}", node + 1);
    text.push_back('\n');
  }
  write_file(file, {text.data(), text.size()});
}

}  // namespace resilin
