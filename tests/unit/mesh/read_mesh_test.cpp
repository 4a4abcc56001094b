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
    expect_input_error([&] { read_mesh(file); }, file, "", "expected .vtk, .obj or .msh");
  }
}

TEST(ReadMesh, MissingFileIsAnInputOutputError) {
  const Folder folder;
  for (const char* name : {"none.obj", "none.vtk", "none.msh"}) {
    try {
      read_mesh(folder.file(name));
      ADD_FAILURE();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Errc::Io);
      EXPECT_NE(std::string(error.what()).find(name), std::string::npos);
    }
  }
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
