#include "core/mesh/io.hpp"
#include "tests/unit/mesh/mesh_samples.hpp"

#include <gtest/gtest.h>

namespace resilin {
namespace {

using testing::expect_input_error;
using testing::Folder;

TEST(ReadMesh, TakesTheFormatFromTheExtension) {
  const Folder folder;
  EXPECT_EQ(read_mesh(folder.write("A.OBJ", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")).num_elements(), 1);
  for (const char* name : {"mesh.step", "mesh", "folder.obj/mesh"}) {
    const std::string file = folder.file(name);
    expect_input_error([&] { read_mesh(file); }, file, "",
                       "expected .vtk, .vtu, .obj, .off, .ply, .stl, .msh, .mesh (MEDIT) or .node (TetGen)");
  }
}

TEST(ReadMesh, MissingFileIsAnInputOutputError) {
  const Folder folder;
  for (const char* name : {"none.obj", "none.vtk", "none.msh", "none.vtu", "none.off", "none.ply", "none.stl",
                           "none.mesh", "none.node"}) {
    try {
      read_mesh(folder.file(name));
      ADD_FAILURE();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Errc::Io);
      EXPECT_NE(std::string(error.what()).find(name), std::string::npos);
    }
  }
}

TEST(ReadMesh, TextInMemoryIsReadByItsName) {
  EXPECT_EQ(parse_mesh("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "a.obj").num_elements(), 1);
  expect_input_error([] { parse_mesh("v 0 0\n", "a.obj"); }, "a.obj", ":1", "2 coordinates");
  expect_input_error([] { parse_mesh("1 3 0 0\n", "a.node"); }, "a.node", "", "unknown mesh format '.node'");
}

TEST(ReadMesh, ByteOrderMarkAndLineEndsOfOtherSystems) {
  const std::string mark = "\xEF\xBB\xBF";
  for (const auto& [name, text] : std::vector<std::pair<std::string, std::string>>{
           {"a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"},
           {"a.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n"},
           {"a.ply",
            "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float "
            "z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 "
            "0\n3 0 1 2\n"},
           {"a.stl",
            "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 "
            "0\nendloop\nendfacet\nendsolid a\n"},
           {"a.msh",
            "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n3\n1 0 0 0\n2 1 0 0\n3 0 1 0\n$EndNodes\n"
            "$Elements\n1\n1 2 0 1 2 3\n$EndElements\n"},
           {"a.mesh",
            "MeshVersionFormatted 2\nDimension 3\nVertices\n3\n0 0 0 0\n1 0 0 0\n0 1 0 "
            "0\nTriangles\n1\n1 2 3 0\nEnd\n"},
           {"a.vtk",
            "# vtk DataFile Version 3.0\nt\nASCII\nDATASET POLYDATA\nPOINTS 3 float\n0 0 0 1 0 0 0 1 "
            "0\nPOLYGONS 1 4\n3 0 1 2\n"}}) {
    std::string crlf = mark;
    for (const char c : text) crlf += c == '\n' ? std::string("\r\n") : std::string(1, c);
    for (const std::string& variant : {text, mark + text, crlf}) {
      const Mesh mesh = parse_mesh(variant, name);
      ASSERT_EQ(mesh.num_elements(), 1) << name;
      EXPECT_EQ(element_measures(mesh)[0], 0.5) << name;
    }
  }
}

TEST(ReadMesh, ExponentsOfAnyWidthAndOfFortran) {
  const Mesh mesh =
      parse_mesh("v 1e+005 1E-0003 +2.5\nv 1D-3 2d+2 1.5D0\nv 1e-400 0.0 -0\nf 1 2 3\n", "a.obj");
  EXPECT_EQ(mesh.vertices.col(0), Vec3(1e5, 1e-3, 2.5));
  EXPECT_EQ(mesh.vertices.col(1), Vec3(1e-3, 200, 1.5));
  EXPECT_EQ(mesh.vertices.col(2), Vec3(0, 0, 0));
  for (const char* bad : {"1e999", "1dd3", "1e5d3", "d3", "1d", "0x10", "1,5", "--1", "+-1", "1.2.3"})
    expect_input_error([&] { parse_mesh(std::string("v 0 0 ") + bad + "\n", "a.obj"); }, "a.obj", ":1",
                       std::string("expected a coordinate (a number), not '") + bad + "'");
}

TEST(ReadMesh, TwoVolumeTypesAreRefusedByName) {
  const Folder folder;
  std::string text = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n9\n";
  for (int v = 1; v <= 9; ++v) text += std::to_string(v) + " 0 0 0\n";
  text += "$EndNodes\n$Elements\n2\n1 5 0 1 2 3 4 5 6 7 8\n2 4 0 1 2 3 9\n$EndElements\n";
  const std::string file = folder.write("m.msh", text);
  expect_input_error([&] { read_mesh(file); }, file, "", "mixes 1 hex8 and 1 tet4 elements");
}

}  // namespace
}  // namespace resilin
