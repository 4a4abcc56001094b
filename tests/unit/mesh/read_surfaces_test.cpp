// Readers of surface formats: .stl, .ply, .off.
#include "core/mesh/generators.hpp"
#include "core/mesh/io.hpp"
#include "core/mesh/quality.hpp"
#include "tests/unit/mesh/mesh_samples.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace resilin {
namespace {

using testing::bytes_of;
using testing::expect_input_error;

void expect_error(const std::string& name, const std::string& text, const std::string& where,
                  const std::string& part) {
  expect_input_error([&] { parse_mesh(text, name); }, name, where, part);
}

/// A cube of edge 2 as 12 triangles.
Mesh cube() {
  return testing::triangles_of(make_box({2, 2, 2}, {1, 1, 1}, ElementType::Hex8));
}

std::string text_stl(const Mesh& mesh) {
  std::string text = "solid a cube\n";
  for (Index t = 0; t < mesh.num_elements(); ++t) {
    text += "  facet normal nan 0 0\n    outer loop\n";
    for (const int node : mesh.elements.col(t)) {
      text += "      vertex";
      for (Index a = 0; a < 3; ++a) text += " " + std::to_string(mesh.vertices(a, node));
      text += "\n";
    }
    text += "    endloop\n  endfacet\n";
  }
  return text + "endsolid a cube\n";
}

std::string binary_stl(const Mesh& mesh, const std::string& title = "solid, which is a lie") {
  std::string text = title + std::string(80 - title.size(), ' ');
  text += bytes_of(static_cast<std::uint32_t>(mesh.num_elements()), false);
  for (Index t = 0; t < mesh.num_elements(); ++t) {
    text += std::string(12, '\xFF');
    for (const int node : mesh.elements.col(t))
      for (Index a = 0; a < 3; ++a) text += bytes_of(static_cast<float>(mesh.vertices(a, node)), false);
    text += "ab";
  }
  return text;
}

TEST(ReadStl, TextAndBinaryMergeEqualVertices) {
  for (const std::string& text : {text_stl(cube()), binary_stl(cube())}) {
    const Mesh mesh = parse_mesh(text, "m.stl");
    EXPECT_EQ(mesh.type, ElementType::Tri3);
    EXPECT_EQ(mesh.num_vertices(), 8);
    EXPECT_EQ(mesh.num_elements(), 12);
    EXPECT_TRUE(check_mesh(mesh).empty());
    EXPECT_NEAR(testing::enclosed_volume(mesh.vertices, extract_surface(mesh)), 8, 1e-12);
    EXPECT_EQ(voxelize(mesh, 1.0, ElementType::Hex8).num_elements(), 8);
  }
}

TEST(ReadStl, VerticesAreMergedExactlyAndNoFurther) {
  Mesh mesh = cube();
  mesh.vertices = (mesh.vertices.array() == 0).select(-0.0, mesh.vertices);  // 0 and -0 are the same place
  std::string text = binary_stl(mesh);
  EXPECT_EQ(parse_mesh(text, "m.stl").num_vertices(), 8);
  text.replace(84 + 12, 4, bytes_of(1e-30F, false));
  EXPECT_EQ(parse_mesh(text, "m.stl").num_vertices(), 9);
}

TEST(ReadStl, SeveralSolidsAndCapitals) {
  std::string text = text_stl(cube());
  for (char& c : text) c = static_cast<char>(std::toupper(c));
  EXPECT_EQ(parse_mesh(text + text_stl(cube()), "m.stl").num_elements(), 24);
}

TEST(ReadStl, Mistakes) {
  const std::string facet = "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n";
  expect_error("m.stl", "", ":1", "expected the word solid, or a binary file of at least 84 bytes");
  expect_error("m.stl", "sold\n", ":1", "expected the word solid");
  expect_error("m.stl", "solid\n" + facet + "endloop\n", ":6", "expected vertex, not 'endloop'");
  expect_error("m.stl", "solid\n" + facet + "vertex 0 x 0\n", ":6",
               "expected a coordinate (a number), not 'x'");
  expect_error("m.stl", "solid\n" + facet + "vertex 0 nan 0\n", ":6", "expected a finite number");
  expect_error("m.stl", "solid\n" + facet + "vertex 0 1 0\nvertex 0 0 1\n", ":7",
               "expected endloop, not 'vertex'");
  expect_error("m.stl", "solid\n" + facet + "vertex 0 1 0\nendloop\nendfacet\n", ":8",
               "the file ends where endsolid was expected");
  expect_error("m.stl", "solid\nendsolid\n", "", "holds no segments, triangles");
  const std::string binary = binary_stl(cube(), "x");
  expect_error("m.stl", binary.substr(0, binary.size() - 1), ": byte 80",
               "12 facets are announced, but only 599 bytes follow");
  expect_error("m.stl", binary + "x", ": byte 684", "1 bytes are left over");
  std::string bad = binary;
  bad.replace(80, 4, bytes_of(std::uint32_t{4000000000U}, false));
  expect_error("m.stl", bad, ": byte 80", "4000000000 facets are announced");
  bad = binary;
  bad.replace(96, 4, bytes_of(std::numeric_limits<float>::infinity(), false));
  expect_error("m.stl", bad, ": byte 96", "a coordinate is inf");
}

const std::string kPlyHead =
    "ply\nformat ascii 1.0\ncomment made by hand\nelement vertex 5\nproperty float x\nproperty float y\n"
    "property double z\nproperty uchar red\nelement face 2\nproperty uchar tag\n"
    "property list uchar int vertex_indices\nelement extra 1\nproperty list int float numbers\nend_header\n";
const std::string kPlyBody =
    "0 0 0 255\n1 0 0 0\n1 1 0 0\n0 1 0 0\n-1 0.5 0 0\n7 3 0 1 2\n8 4 0 2 3 4\n2 0.5 1.5\n";

std::string binary_ply(bool big_endian) {
  std::string text = kPlyHead;
  text.replace(text.find("ascii"), 5, big_endian ? "binary_big_endian" : "binary_little_endian");
  const Mesh mesh = parse_mesh(kPlyHead + kPlyBody, "m.ply");
  for (const auto& x : mesh.vertices.colwise())
    text += bytes_of(static_cast<float>(x[0]), big_endian) + bytes_of(static_cast<float>(x[1]), big_endian) +
            bytes_of(x[2], big_endian) + "r";
  const auto face = [&](std::initializer_list<std::int32_t> nodes) {
    text += "t" + bytes_of(static_cast<std::uint8_t>(nodes.size()), big_endian);
    for (const std::int32_t node : nodes) text += bytes_of(node, big_endian);
  };
  face({0, 1, 2});
  face({0, 2, 3, 4});
  return text + bytes_of(std::int32_t{1}, big_endian) + bytes_of(0.5F, big_endian);
}

TEST(ReadPly, TextAndBinaryInBothByteOrders) {
  for (const std::string& text : {kPlyHead + kPlyBody, binary_ply(false), binary_ply(true)}) {
    const Mesh mesh = parse_mesh(text, "m.ply");
    EXPECT_EQ(mesh.type, ElementType::Tri3);
    EXPECT_EQ(mesh.num_vertices(), 5);
    EXPECT_EQ(mesh.vertices.col(4), Vec3(-1, 0.5, 0));
    ASSERT_EQ(mesh.num_elements(), 3);
    EXPECT_EQ(mesh.elements.col(2), Eigen::Vector3i(0, 3, 4));
  }
}

TEST(ReadPly, Edges) {
  const Mesh mesh = parse_mesh(
      "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\nproperty float z\n"
      "element edge 1\nproperty int vertex1\nproperty int vertex2\nproperty float w\nend_header\n0 0 0 1 0 "
      "0\n1 0 5\n",
      "m.ply");
  EXPECT_EQ(mesh.type, ElementType::Segment2);
  EXPECT_EQ(mesh.elements.col(0), Eigen::Vector2i(1, 0));
}

TEST(ReadPly, EveryTruncationIsAnError) {
  for (const std::string& text : {binary_ply(false), kPlyHead + kPlyBody})
    for (std::size_t n = 0; n + 4 < text.size(); ++n)
      EXPECT_THROW(parse_mesh(text.substr(0, n), "m.ply"), Error) << n;
}

TEST(ReadPly, Mistakes) {
  const auto expect = [](const std::string& from, const std::string& to, int line, const std::string& part) {
    std::string text = kPlyHead + kPlyBody;
    text.replace(text.find(from), from.size(), to);
    expect_error("m.ply", text, ":" + std::to_string(line), part);
  };
  expect("ply\n", "plx\n", 1, "expected 'ply' as the first line");
  expect("ascii 1.0", "text 1.0", 2, "expected format ascii, binary_little_endian or binary_big_endian");
  expect("ascii 1.0", "ascii 2.0", 2, "expected version 1.0, not '2.0'");
  expect("format ascii 1.0\n", "", 13, "the header has no format");
  expect("comment", "remark", 3, "unknown keyword 'remark'");
  expect("element vertex 5", "element vertex x", 4, "expected the number of elements (an integer), not 'x'");
  expect("element vertex 5", "element vertex 2000000000", 14, "are announced");
  expect("element vertex 5", "element vertex -1", 4, "the number of elements is -1");
  expect("property float x", "property real x", 5, "unknown type 'real'");
  expect("property float x", "property float u", 14, "element 'vertex' has no number x");
  expect("vertex_indices", "nodes", 19, "element 'face' has no list vertex_indices");
  expect("7 3 0 1 2", "7 3 0 1 5", 20, "a vertex index is 5; expected an integer from 0 to 4");
  expect("7 3 0 1 2", "7 3 0 1 -1", 20, "a vertex index is -1");
  expect("7 3 0 1 2", "7 2 0 1", 20, "a face has 2 vertices; expected at least 3");
  expect("7 3 0 1 2", "7 200 0 1 2", 20, "200 numbers of a list are announced");
  expect("1 0 0 0\n", "1 nan 0 0\n", 16, "a coordinate is nan");
  expect("2 0.5 1.5\n", "2 0.5 1.5 9\n", 22, "expected the end of the file, not '9'");
  expect("element extra 1", "element none 4000000000\nelement extra 1", 12,
         "the number of elements is 4000000000");
  expect("element extra 1", "element none 1000000000\nelement extra 1", 15,
         "element 'none' has no properties");
  std::string binary = binary_ply(false);
  const std::size_t face = binary.find("t\x03") + 2;
  expect_error("m.ply", binary.substr(0, face) + bytes_of(std::int32_t{5}, false) + binary.substr(face + 4),
               ": byte " + std::to_string(face), "a vertex index is 5");
  expect_error("m.ply", binary + "?", ": byte " + std::to_string(binary.size()), "1 bytes are left over");
}

TEST(ReadOff, CommentsColoursAndPolygons) {
  const std::string text =
      "# made by hand\nOFF # header\n\n5 3 0 # counts\n0 0 0\n1 0 0\n1 1 0 # corner\n0 1 0\n-1 0.5 0\n"
      "3 0 1 2 255 0 0\n4 0 2 3 4\n1 0\n# end\n";
  for (const std::string& variant : {text, "COFF 5 3 0\n0 0 0 1 1 1 1\n1 0 0\n1 1 0\n0 1 0\n-1 0.5 0\n" +
                                               text.substr(text.find("3 0 1 2"))}) {
    const Mesh mesh = parse_mesh(variant, "m.off");
    EXPECT_EQ(mesh.type, ElementType::Tri3);
    EXPECT_EQ(mesh.num_vertices(), 5);
    ASSERT_EQ(mesh.num_elements(), 3);
    EXPECT_EQ(mesh.elements.col(2), Eigen::Vector3i(0, 3, 4));
  }
}

TEST(ReadOff, Mistakes) {
  const std::string points = "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n";
  expect_error("m.off", "", ":1", "the file ends where OFF was expected");
  expect_error("m.off", "OFX\n", ":1", "expected OFF (or COFF, NOFF, ...), not 'OFX'");
  expect_error("m.off", "OFF BINARY\n", ":1", "binary OFF cannot be read");
  expect_error("m.off", "OFF\n3\n", ":2", "the line ends where the number of faces was expected");
  expect_error("m.off", "OFF\n2000000000 1 0\n0 0 0\n", ":2", "are announced");
  expect_error("m.off", "OFF\n2 2000000000 0\n0 0 0\n0 0 0\n", ":4", "are announced");
  expect_error("m.off", "OFF\n2 1 0\n0 0\n1 1 1\n3 0 0 0\n", ":3",
               "the line ends where a coordinate was expected");
  expect_error("m.off", "OFF\n1 1 0\n0 inf 0\n", ":3", "expected a finite number");
  expect_error("m.off", points, ":5", "are announced");
  expect_error("m.off", points + "3 0 1 3\n", ":6", "a vertex index is 3; expected an integer from 0 to 2");
  expect_error("m.off", points + "3 0 1\n", ":6", "the line ends where a vertex index was expected");
  expect_error("m.off", points + "2000000000 0 1 2\n", ":6",
               "the number of vertices of a face is 2000000000");
  expect_error("m.off", points + "3 0 1 2\n3 0 1 2\n", ":7", "expected the end of the file, not '3'");
}

}  // namespace
}  // namespace resilin
