#include "core/base/file.hpp"
#include "core/mesh/io.hpp"

#include <fmt/format.h>

#include <iterator>

namespace resilin {
namespace {

/// Number of each vertex in the file, from 1; 0 for those left out (the inner ones of a volume mesh).
std::vector<Index> file_numbers(const Mesh& mesh, const Mesh::Elements& faces) {
  std::vector<Index> number(static_cast<std::size_t>(mesh.num_vertices()), is_volume(mesh.type) ? 0 : 1);
  for (const int node : faces.reshaped()) number[static_cast<std::size_t>(node)] = 1;
  Index next = 0;
  for (Index& n : number)
    if (n != 0) n = ++next;
  return number;
}

}  // namespace

void write_obj(const std::string& file, const Mesh& mesh) {
  const bool lines = mesh.type == ElementType::Segment2;
  const Mesh::Elements faces = lines ? mesh.elements : extract_surface(mesh).faces;
  const std::vector<Index> number = file_numbers(mesh, faces);
  fmt::memory_buffer text;
  const auto out = std::back_inserter(text);
  for (Index v = 0; v < mesh.num_vertices(); ++v)
    if (number[static_cast<std::size_t>(v)] != 0)  // shortest digits that read back to the same number
      fmt::format_to(out, "v {} {} {}\n", mesh.vertices(0, v), mesh.vertices(1, v), mesh.vertices(2, v));
  for (Index f = 0; f < faces.cols(); ++f) {
    text.push_back(lines ? 'l' : 'f');
    for (const int node : faces.col(f)) fmt::format_to(out, " {}", number[static_cast<std::size_t>(node)]);
    text.push_back('\n');
  }
  write_file(file, {text.data(), text.size()});
}

}  // namespace resilin
