#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/mesh/io.hpp"
#include "core/mesh/mesh_writers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace resilin {
namespace {

std::string base64(std::string_view bytes) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t n = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t b = 0; b < 3; ++b)
      group = group << 8 | (b < n ? static_cast<unsigned char>(bytes[i + b]) : 0U);
    for (std::size_t d = 0; d < 4; ++d) text += d <= n ? digits[group >> (18 - 6 * d) & 63U] : '=';
  }
  return text;
}

std::string escaped(const std::string& name) {
  std::string text;
  for (const char c : name) {
    switch (c) {
      case '&':
        text += "&amp;";
        break;
      case '<':
        text += "&lt;";
        break;
      case '>':
        text += "&gt;";
        break;
      case '"':
        text += "&quot;";
        break;
      default:
        text += c;
    }
  }
  return text;
}

/// One DataArray; the number of bytes (UInt64) and the data are encoded together.
template <class T>
std::string data_array(const char* type, const std::string& name, Index components, const T* data,
                       Index count) {
  const std::uint64_t size = static_cast<std::uint64_t>(count) * sizeof(T);
  std::string bytes(sizeof(size) + size, '\0');
  std::memcpy(bytes.data(), &size, sizeof(size));
  if (size > 0) std::memcpy(bytes.data() + sizeof(size), data, size);
  return fmt::format(
      "<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"binary\">{}</DataArray>\n", type,
      escaped(name), components, base64(bytes));
}

std::string named_arrays(const char* tag, const NamedArrays& arrays, Index count, const char* what) {
  if (arrays.empty()) return {};
  std::string text = fmt::format("<{}>\n", tag);
  for (const auto& [name, values] : arrays) {
    if (values.cols() != count || values.rows() == 0)
      throw Error(Errc::Input, fmt::format("array '{}' is {} x {}; expected one column for each of the {} {}",
                                           name, values.rows(), values.cols(), count, what));
    text += data_array("Float64", name, values.rows(), values.data(), values.size());
  }
  return text + fmt::format("</{}>\n", tag);
}

std::string cells(const Mesh& mesh) {
  const Eigen::Matrix<std::int64_t, Eigen::Dynamic, Eigen::Dynamic> nodes =
      mesh.elements.cast<std::int64_t>();
  std::vector<std::int64_t> offsets(static_cast<std::size_t>(mesh.num_elements()));
  for (std::size_t e = 0; e < offsets.size(); ++e)
    offsets[e] = static_cast<std::int64_t>(e + 1) * mesh.elements.rows();
  const std::vector<std::uint8_t> types(offsets.size(),
                                        static_cast<std::uint8_t>(mesh_detail::vtk_cell_type(mesh.type)));
  return "<Cells>\n" + data_array("Int64", "connectivity", 1, nodes.data(), nodes.size()) +
         data_array("Int64", "offsets", 1, offsets.data(), mesh.num_elements()) +
         data_array("UInt8", "types", 1, types.data(), mesh.num_elements()) + "</Cells>\n";
}

}  // namespace

void write_vtu(const std::string& file, const Mesh& mesh, const NamedArrays& point_data,
               const NamedArrays& cell_data) {
  const char* order = std::endian::native == std::endian::little ? "LittleEndian" : "BigEndian";
  std::string text = fmt::format(
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"{}\" "
      "header_type=\"UInt64\">\n<UnstructuredGrid>\n<Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">\n",
      order, mesh.num_vertices(), mesh.num_elements());
  text += named_arrays("PointData", point_data, mesh.num_vertices(), "vertices");
  text += named_arrays("CellData", cell_data, mesh.num_elements(), "elements");
  text += "<Points>\n" + data_array("Float64", "Points", 3, mesh.vertices.data(), mesh.vertices.size()) +
          "</Points>\n";
  text += cells(mesh) + "</Piece>\n</UnstructuredGrid>\n</VTKFile>\n";
  write_file(file, text);
}

}  // namespace resilin
