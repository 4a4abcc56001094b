// A small mesh in every format and encoding that core/mesh reads: what the tests of malformed files start
// from.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace resilin::test {

struct SampleFile {
  std::string name;  ///< with the extension that says the format
  std::string content;
};

namespace detail {

/// Bytes of numbers in one byte order, or text.
class Bytes {
 public:
  enum class Kind { Text, Little, Big };
  explicit Bytes(Kind kind) : kind_(kind) {}

  template <class T>
  Bytes& add(T value) {
    if (kind_ == Kind::Text) {
      text += std::to_string(value) + " ";
      return *this;
    }
    std::array<char, sizeof(T)> bytes{};
    std::memcpy(bytes.data(), &value, sizeof(T));
    if ((kind_ == Kind::Little) != (std::endian::native == std::endian::little))
      text.append(bytes.rbegin(), bytes.rend());
    else
      text.append(bytes.begin(), bytes.end());
    return *this;
  }
  Bytes& line(const std::string& words = "") {
    text += words + "\n";
    return *this;
  }

  std::string text;

 private:
  Kind kind_;
};

/// Two tetrahedra that share a face, and their surface.
constexpr std::array<std::array<double, 3>, 5> kPoints{
    {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}}};
constexpr std::array<std::array<int, 4>, 2> kTetrahedra{{{0, 1, 2, 3}, {1, 2, 3, 4}}};
constexpr std::array<std::array<int, 3>, 6> kFaces{
    {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 4}, {1, 4, 3}, {2, 3, 4}}};

inline std::string vtk_file(Bytes::Kind kind, bool version_5) {
  Bytes b(kind);
  b.line(version_5 ? "# vtk DataFile Version 5.1" : "# vtk DataFile Version 3.0").line("sample");
  b.line(kind == Bytes::Kind::Text ? "ASCII" : "BINARY")
      .line("DATASET UNSTRUCTURED_GRID")
      .line("POINTS 5 double");
  for (const auto& p : kPoints)
    for (const double c : p) b.add(c);
  if (version_5) {
    b.line().line("CELLS 3 8").line("OFFSETS vtktypeint64");
    for (const std::int64_t offset : {0, 4, 8}) b.add(offset);
    b.line().line("CONNECTIVITY vtktypeint64");
    for (const auto& t : kTetrahedra)
      for (const int n : t) b.add(std::int64_t{n});
  } else {
    b.line().line("CELLS 2 10");
    for (const auto& t : kTetrahedra) {
      b.add(4);
      for (const int n : t) b.add(n);
    }
  }
  return b.line().line("CELL_TYPES 2").add(10).add(10).line().text;
}

inline std::string msh_file(Bytes::Kind kind, bool version_4) {
  Bytes b(kind);
  const bool binary = kind != Bytes::Kind::Text;
  b.line("$MeshFormat").line(std::string(version_4 ? "4.1 " : "2.2 ") + (binary ? "1 8" : "0 8"));
  if (binary) b.add(1).line();
  b.line("$EndMeshFormat").line("$Nodes");
  if (version_4) {
    for (const std::int64_t n : {1, 5, 1, 5}) b.add(n);
    b.add(3).add(1).add(0).add(std::int64_t{5});
    for (std::int64_t n = 1; n <= 5; ++n) b.add(n);
  } else {
    b.line("5");
  }
  for (std::size_t v = 0; v < kPoints.size(); ++v) {
    if (!version_4) b.add(static_cast<int>(v) + 1);
    for (const double c : kPoints[v]) b.add(c);
  }
  b.line().line("$EndNodes").line("$Elements");
  if (version_4) {
    for (const std::int64_t n : {1, 2, 1, 2}) b.add(n);
    b.add(3).add(1).add(4).add(std::int64_t{2});
    for (std::size_t t = 0; t < 2; ++t) {
      b.add(static_cast<std::int64_t>(t) + 1);
      for (const int n : kTetrahedra[t]) b.add(std::int64_t{n} + 1);
    }
  } else {
    b.line("2");
    if (binary) b.add(4).add(2).add(1);
    for (int t = 0; t < 2; ++t) {
      b.add(t + 1);
      if (!binary) b.add(4).add(1);
      b.add(0);
      for (const int n : kTetrahedra[static_cast<std::size_t>(t)]) b.add(n + 1);
    }
  }
  return b.line().line("$EndElements").text;
}

inline std::string ply_file(Bytes::Kind kind) {
  Bytes b(kind);
  b.line("ply").line(std::string("format ") +
                     (kind == Bytes::Kind::Text     ? "ascii"
                      : kind == Bytes::Kind::Little ? "binary_little_endian"
                                                    : "binary_big_endian") +
                     " 1.0");
  b.line("element vertex 5").line("property double x").line("property double y").line("property double z");
  b.line("element face 6").line("property list int int vertex_indices").line("end_header");
  for (const auto& p : kPoints)
    for (const double c : p) b.add(c);
  for (const auto& f : kFaces) {
    b.add(3);
    for (const int n : f) b.add(n);
  }
  return b.text;
}

inline std::string stl_file(bool binary) {
  Bytes b(binary ? Bytes::Kind::Little : Bytes::Kind::Text);
  if (binary) {
    b.text = std::string(80, 'x');
    b.add(static_cast<std::uint32_t>(kFaces.size()));
  } else {
    b.line("solid sample");
  }
  for (const auto& f : kFaces) {
    if (!binary) b.text += "facet normal ";
    for (int i = 0; i < 3; ++i) b.add(0.0F);
    if (!binary) b.line().line("outer loop");
    for (const int n : f) {
      if (!binary) b.text += "vertex ";
      for (const double c : kPoints[static_cast<std::size_t>(n)]) b.add(static_cast<float>(c));
      if (!binary) b.line();
    }
    if (binary) {
      b.add(std::uint16_t{0});
    } else {
      b.line("endloop").line("endfacet");
    }
  }
  return binary ? b.text : b.line("endsolid sample").text;
}

inline std::string points_text(const char* end) {
  std::string text;
  for (const auto& p : kPoints)
    text += std::to_string(p[0]) + " " + std::to_string(p[1]) + " " + std::to_string(p[2]) + end;
  return text;
}

inline std::string vtu_file(bool appended) {
  const std::string head =
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" "
      "byte_order=\"LittleEndian\" "
      "header_type=\"UInt32\">\n<UnstructuredGrid>\n<Piece NumberOfPoints=\"5\" NumberOfCells=\"2\">\n";
  Bytes data(Bytes::Kind::Little);
  std::string text = head;
  const auto array = [&](const std::string& facts, const std::string& plain, const std::string& raw) {
    if (!appended) {
      text += "<DataArray " + facts + " format=\"ascii\">\n" + plain + "\n</DataArray>\n";
      return;
    }
    text += "<DataArray " + facts + " format=\"appended\" offset=\"" + std::to_string(data.text.size()) +
            "\"/>\n";
    data.add(static_cast<std::uint32_t>(raw.size()));
    data.text += raw;
  };
  Bytes points(Bytes::Kind::Little), nodes(Bytes::Kind::Little), ends(Bytes::Kind::Little);
  for (const auto& p : kPoints)
    for (const double c : p) points.add(c);
  for (const auto& t : kTetrahedra)
    for (const int n : t) nodes.add(std::int64_t{n});
  ends.add(std::int32_t{4}).add(std::int32_t{8});
  text += "<Points>\n";
  array("type=\"Float64\" NumberOfComponents=\"3\"", points_text(" "), points.text);
  text += "</Points>\n<Cells>\n";
  array("type=\"Int64\" Name=\"connectivity\"", "0 1 2 3 1 2 3 4", nodes.text);
  array("type=\"Int32\" Name=\"offsets\"", "4 8", ends.text);
  array("type=\"UInt8\" Name=\"types\"", "10 10", "\x0A\x0A");
  text += "</Cells>\n</Piece>\n</UnstructuredGrid>\n";
  if (appended) text += "<AppendedData encoding=\"raw\">\n_" + data.text + "\n</AppendedData>\n";
  return text + "</VTKFile>\n";
}

inline std::string surface_text(const char* prefix, int first) {
  std::string text;
  for (const auto& f : kFaces) {
    text += prefix;
    for (const int n : f) text += " " + std::to_string(n + first);
    text += "\n";
  }
  return text;
}

}  // namespace detail

/// All formats that lie in one file.
inline std::vector<SampleFile> sample_mesh_files() {
  using namespace detail;
  using K = Bytes::Kind;
  std::string obj, medit = "MeshVersionFormatted 2\nDimension 3\nVertices 5\n" + points_text(" 0\n");
  for (const auto& p : kPoints)
    obj += "v " + std::to_string(p[0]) + " " + std::to_string(p[1]) + " " + std::to_string(p[2]) + "\n";
  medit += "Tetrahedra 2\n1 2 3 4 0\n2 3 4 5 0\nEnd\n";
  return {{"text.vtk", vtk_file(K::Text, false)},
          {"binary.vtk", vtk_file(K::Big, false)},
          {"version5.vtk", vtk_file(K::Text, true)},
          {"version5_binary.vtk", vtk_file(K::Big, true)},
          {"text.vtu", vtu_file(false)},
          {"raw.vtu", vtu_file(true)},
          {"text.obj", obj + surface_text("f", 1)},
          {"text.off", "OFF\n5 6 0\n" + points_text("\n") + surface_text("3", 0)},
          {"text.ply", ply_file(K::Text)},
          {"little.ply", ply_file(K::Little)},
          {"big.ply", ply_file(K::Big)},
          {"text.stl", stl_file(false)},
          {"binary.stl", stl_file(true)},
          {"text2.msh", msh_file(K::Text, false)},
          {"little2.msh", msh_file(K::Little, false)},
          {"big2.msh", msh_file(K::Big, false)},
          {"text4.msh", msh_file(K::Text, true)},
          {"little4.msh", msh_file(K::Little, true)},
          {"big4.msh", msh_file(K::Big, true)},
          {"text.mesh", medit}};
}

/// TetGen's pair.
inline std::pair<std::string, std::string> sample_tetgen_files() {
  std::string nodes = "5 3 0 0\n";
  for (std::size_t v = 0; v < detail::kPoints.size(); ++v) {
    const auto& p = detail::kPoints[v];
    nodes += std::to_string(v) + " " + std::to_string(p[0]) + " " + std::to_string(p[1]) + " " +
             std::to_string(p[2]) + "\n";
  }
  return {nodes, "2 4 0\n0 0 1 2 3\n1 1 2 3 4\n"};
}

}  // namespace resilin::test
