#include "core/mesh/generators.hpp"
#include "core/mesh/io.hpp"
#include "tests/cli/program.hpp"

#include <cstdlib>

namespace resilin {
namespace {

class MeshCommandTest : public CliTest {
 protected:
  /// A closed surface: a ball of 6 x 4 x 4 squares split in two.
  void write_ball(const std::string& name) const {
    write_mesh(path("ball.ply"), make_sphere(0.5, 4, ElementType::Hex8));
    write_mesh(path(name), read_mesh(path("ball.ply")));
  }
  void expect_refused(const std::vector<std::string>& line, const std::string& part) const {
    const ProgramResult r = run(line);
    EXPECT_EQ(r.code, 2) << r.err;
    EXPECT_EQ(r.out, "");
    EXPECT_TRUE(contains(r.err, part)) << r.err;
  }
};

TEST_F(MeshCommandTest, InfoOfAVolumeMesh) {
  write_mesh(path("box.vtk"), make_box({1, 2, 3}, {1, 2, 3}, ElementType::Tet4, {0, 0, 1}));
  const ProgramResult r = run({"mesh", "info", "box.vtk"});
  EXPECT_EQ(r.code, 0) << r.err;
  for (const char* line :
       {"elements      36 tet4\n", "vertices      24\n", "bounds        [0, 0, 1] to [1, 2, 4] m\n",
        "extent        [1, 2, 3] m\n", "total volume  6 m^3, of an element 0.166667 to 0.166667\n",
        "pieces        1\n", "boundary      44 faces\n", "findings      none\n"})
    EXPECT_TRUE(contains(r.out, line)) << line << "\n" << r.out;
  const JsonValue v = JsonReader::read(run({"mesh", "info", "box.vtk", "--json"}).out);
  EXPECT_EQ(v.at("type").text, "tet4");
  EXPECT_EQ(v.at("elements").number, 36);
  EXPECT_NEAR(v.at("total_measure").number, 6, 1e-14);
  EXPECT_EQ(v.at("upper").at(2).number, 4);
  EXPECT_TRUE(v.at("ok").flag);
}

TEST_F(MeshCommandTest, InfoOfSurfacesSaysWhetherTheyAreClosed) {
  write_ball("ball.stl");
  const ProgramResult closed = run({"mesh", "info", "ball.stl"});
  EXPECT_EQ(closed.code, 0) << closed.err;
  EXPECT_TRUE(contains(closed.out, "closed        yes, around 0.4")) << closed.out;
  write("open.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 9\nf 1 2 3\n");
  const ProgramResult open = run({"mesh", "info", "open.obj"});
  EXPECT_EQ(open.code, 0);
  EXPECT_TRUE(contains(open.out, "total area    0.5 m^2")) << open.out;
  EXPECT_TRUE(contains(open.out, "closed        no: the surface is open")) << open.out;
  EXPECT_TRUE(contains(open.out, "warning       unused_vertex: 1 of 4")) << open.out;
  EXPECT_FALSE(JsonReader::read(run({"mesh", "info", "open.obj", "--json"}).out).at("closed").flag);
}

TEST_F(MeshCommandTest, InfoOfABrokenMeshFails) {
  write("flat.msh",
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 1 1 0\n$EndNodes\n"
        "$Elements\n1\n1 4 0 1 2 3 4\n$EndElements\n");
  const ProgramResult r = run({"mesh", "info", "flat.msh"});
  EXPECT_EQ(r.code, 1);
  EXPECT_TRUE(contains(r.out, "error         zero_volume_element: 1 of 1")) << r.out;
  const JsonValue v = JsonReader::read(run({"mesh", "info", "flat.msh", "--json"}).out);
  EXPECT_FALSE(v.at("ok").flag);
  EXPECT_EQ(v.at("findings").at(0).at("name").text, "zero_volume_element");
  write("bad.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\nx\n");
  expect_refused({"mesh", "info", "bad.msh"},
                 "bad.msh:5: expected the number of nodes (an integer), not 'x'");
}

TEST_F(MeshCommandTest, ConvertKeepsTheMesh) {
  const Mesh box = make_sphere(0.3, 2, ElementType::Hex8);
  write_mesh(path("a.vtk"), box);
  ASSERT_EQ(run({"mesh", "convert", "a.vtk", "b.msh"}).code, 0);
  const ProgramResult r = run({"mesh", "convert", "b.msh", "c.vtu", "--json"});
  ASSERT_EQ(r.code, 0);
  EXPECT_EQ(JsonReader::read(r.out).at("elements").number, 8);
  EXPECT_EQ(read_mesh(path("c.vtu")).vertices, box.vertices);
  EXPECT_EQ(read_mesh(path("c.vtu")).elements, box.elements);
  EXPECT_EQ(run({"mesh", "convert", "a.vtk", "a.glb"}).out, "a.glb: 8 hex8 elements, 27 vertices\n");
  expect_refused({"mesh", "convert", "a.vtk", "a.step"}, "cannot write mesh format '.step'; expected .vtk");
  expect_refused({"mesh", "convert", "a.step", "a.vtk"}, "unknown mesh format '.step'");
  expect_refused({"mesh", "convert", "none.vtk", "a.vtk"}, "none.vtk");
  expect_refused({"mesh", "convert", "a.vtk", "no/folder.vtk"}, "no/folder.vtk");
  expect_refused({"mesh", "convert", "a.vtk"}, "usage: resilin mesh convert FILE OUT");
}

TEST_F(MeshCommandTest, GenerateTakesOptionsFromTheLineOrAFile) {
  const ProgramResult r =
      run({"mesh", "generate", "box", "box.vtk", "size=[1, 2, 3]", "cells=[1, 2, 3]", "element=tet4"});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(r.out, "box.vtk: 36 tet4 elements, 24 vertices\n");
  write("ball.yaml", "type: sphere\nradius: 0.5\ncells: 4\n");
  ASSERT_EQ(run({"mesh", "generate", "ball.yaml", "ball.vtk", "radius=2"}).code, 0);
  const Mesh ball = read_mesh(path("ball.vtk"));
  EXPECT_EQ(ball.num_elements(), 64);
  EXPECT_EQ(ball.vertices.maxCoeff(), 2);
}

TEST_F(MeshCommandTest, GenerateNamesEveryMistake) {
  expect_refused({"mesh", "generate", "sphere", "s.step"}, "cannot write mesh format");
  expect_refused({"mesh", "generate", "spere", "s.vtk"}, "no mesh generator 'spere'; did you mean 'sphere'?");
  expect_refused({"mesh", "generate", "sphere", "s.vtk", "radios=1"}, "did you mean 'radius'?");
  expect_refused({"mesh", "generate", "sphere", "s.vtk", "radius=-1"}, "radius");
  expect_refused({"mesh", "generate", "sphere", "s.vtk", "radius"}, "expected path.to.key=value");
  expect_refused({"mesh", "generate", "sphere"}, "usage: resilin mesh generate TYPE|FILE.yaml OUT");
  write("no_type.yaml", "radius: 1\n");
  expect_refused({"mesh", "generate", "no_type.yaml", "s.vtk"}, "no_type.yaml: expected the key type");
  write("wrong.yaml", "type: sphere\nradius: 1\nradios: 2\n");
  expect_refused({"mesh", "generate", "wrong.yaml", "s.vtk"}, "wrong.yaml:3:1");
  expect_refused({"mesh", "generate", "none.yaml", "s.vtk"}, "none.yaml");
  EXPECT_FALSE(exists("s.vtk"));
}

TEST_F(MeshCommandTest, VoxelizeFillsAClosedSurface) {
  write_mesh(path("box.stl"), make_box({1, 1, 1}, {1, 1, 1}, ElementType::Hex8));
  ASSERT_EQ(run({"mesh", "voxelize", "box.stl", "hex.vtk", "--cell", "0.25"}).code, 0);
  EXPECT_EQ(read_mesh(path("hex.vtk")).num_elements(), 64);
  ASSERT_EQ(run({"mesh", "voxelize", "box.stl", "tet.vtk", "--cell=0.5", "--element", "tet4"}).code, 0);
  EXPECT_EQ(read_mesh(path("tet.vtk")).num_elements(), 48);
  expect_refused({"mesh", "voxelize", "box.stl", "a.vtk"},
                 "usage: resilin mesh voxelize SURFACE OUT --cell EDGE");
  expect_refused({"mesh", "voxelize", "box.stl", "a.vtk", "--cell", "0"}, "--cell: expected a number");
  expect_refused({"mesh", "voxelize", "box.stl", "a.vtk", "--cell", "1e-9"},
                 "box.stl: cells of 1e-09 m make a grid");
  expect_refused({"mesh", "voxelize", "hex.vtk", "a.vtk", "--cell", "1"},
                 "hex.vtk: voxelize needs a tri3 surface, not hex8");
  expect_refused({"mesh", "voxelize", "box.stl", "a.vtk", "--cell", "1", "--element", "hex"},
                 "did you mean 'hex8'?");
  expect_refused({"mesh", "voxelize", "box.stl", "a.vtk", "--cell", "1", "--size", "1"},
                 "--size does not go with this");
}

TEST_F(MeshCommandTest, UnknownActionsHaveAHint) {
  expect_refused({"mesh", "inf", "a.vtk"}, "unknown: mesh inf; did you mean 'info'?");
  expect_refused({"mesh"}, "usage: resilin mesh info FILE | convert");
}

/// With a PATH of its own, on which a mesher may be a script.
class TetrahedralizeTest : public MeshCommandTest {
 protected:
  TetrahedralizeTest() : old_path_(std::getenv("PATH")) {
    std::filesystem::create_directories(path("bin"));
    std::filesystem::create_directories(path("tmp"));
    ::setenv("TMPDIR", path("tmp").c_str(), 1);
  }
  ~TetrahedralizeTest() override {
    ::setenv("PATH", old_path_.c_str(), 1);
    ::unsetenv("TMPDIR");
  }
  /// Only what is in bin; `script` has to get along with a shell's own commands.
  void use_script(const std::string& name, const std::string& script) const {
    write("bin/" + name, "#!/bin/sh\n" + script);
    std::filesystem::permissions(path("bin/" + name), std::filesystem::perms::owner_all);
    ::setenv("PATH", path("bin").c_str(), 1);
  }
  bool left_nothing() const { return std::filesystem::is_empty(path("tmp")); }

  std::string old_path_;
};

TEST_F(TetrahedralizeTest, WithoutAMesherItNamesThePackages) {
  write_ball("ball.stl");
  ::setenv("PATH", path("bin").c_str(), 1);
  expect_refused({"mesh", "tetrahedralize", "ball.stl", "t.vtk"}, "packages gmsh and tetgen bring them");
  expect_refused({"mesh", "tetrahedralize", "ball.stl", "t.vtk", "--mesher", "tetgen"},
                 "the program tetgen is not on PATH; on Debian and Ubuntu the package tetgen brings it");
  EXPECT_TRUE(left_nothing());
}

TEST_F(TetrahedralizeTest, TheSurfaceIsCheckedFirst) {
  use_script("tetgen", "exit 0\n");
  write("open.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  expect_refused({"mesh", "tetrahedralize", "open.obj", "t.vtk"}, "open.obj: the surface is open");
  write_ball("ball.stl");
  expect_refused({"mesh", "tetrahedralize", "ball.stl", "t.step"}, "cannot write mesh format");
  expect_refused({"mesh", "tetrahedralize", "ball.stl", "t.vtk", "--size", "-1"},
                 "--size: expected a number");
  expect_refused({"mesh", "tetrahedralize", "ball.stl", "t.vtk", "--mesher", "netgen"},
                 "--mesher: unknown 'netgen'");
}

TEST_F(TetrahedralizeTest, AMesherThatFailsIsQuotedAndNothingIsLeft) {
  write_ball("ball.stl");
  use_script("tetgen", "echo first\necho 'Error: two facets cross'\nexit 3\n");
  expect_refused({"mesh", "tetrahedralize", "ball.stl", "t.vtk"},
                 "ball.stl: tetgen failed with exit code 3; it said: first | Error: two facets cross");
  EXPECT_TRUE(left_nothing());
  use_script("tetgen", "kill -9 $$\n");
  expect_refused({"mesh", "tetrahedralize", "ball.stl", "t.vtk"}, "tetgen failed with signal 9");
  use_script("tetgen", "exit 0\n");  // says nothing and writes nothing
  expect_refused({"mesh", "tetrahedralize", "ball.stl", "t.vtk"}, "surface.1.node");
  EXPECT_TRUE(left_nothing());
}

TEST_F(TetrahedralizeTest, WhatTheMesherMadeIsChecked) {
  write_mesh(path("box.stl"), make_box({1, 1, 1}, {1, 1, 1}, ElementType::Hex8));
  const std::string nodes = "printf '4 3 0 0\\n0 0 0 0\\n1 1 0 0\\n2 0 1 0\\n3 0 0 1\\n' > surface.1.node\n";
  use_script("tetgen", nodes + "printf '1 4 0\\n0 0 1 2 3\\n' > surface.1.ele\n");
  expect_refused({"mesh", "tetrahedralize", "box.stl", "t.vtk"},
                 "the mesher filled 0.16666666666666666 m^3 of the 1 m^3");
  use_script("tetgen", nodes + "printf '2 4 0\\n0 0 1 2 3\\n1 0 2 1 3\\n' > surface.1.ele\n");
  expect_refused({"mesh", "tetrahedralize", "box.stl", "t.vtk"}, "flat or inverted elements");
}

/// The real programs, where the system has them.
TEST_F(TetrahedralizeTest, RealMeshersFillTheSurfaceAsItIs) {
  write_ball("ball.stl");
  const double volume =
      JsonReader::read(run({"mesh", "info", "ball.stl", "--json"}).out).at("enclosed_volume").number;
  int found = 0;
  for (const char* mesher : {"gmsh", "tetgen"}) {
    if (std::system(("command -v " + std::string(mesher) + " > " + path("which")).c_str()) != 0) continue;
    ++found;
    Index coarse = 0;
    for (const char* size : {"", "0.15"}) {
      std::vector<std::string> line = {"mesh", "tetrahedralize", "ball.stl", "t.msh", "--mesher", mesher};
      if (*size != '\0') line.insert(line.end(), {"--size", size});
      const ProgramResult r = run(line);
      ASSERT_EQ(r.code, 0) << r.err;
      const Mesh mesh = read_mesh(path("t.msh"));
      EXPECT_EQ(mesh.type, ElementType::Tet4);
      EXPECT_GT(element_measures(mesh).minCoeff(), 0);
      EXPECT_NEAR(element_measures(mesh).sum(), volume, 1e-7);
      EXPECT_EQ(extract_surface(mesh).faces.cols(), 6 * 16 * 2) << mesher;
      if (*size == '\0') coarse = mesh.num_elements();
      EXPECT_TRUE(*size == '\0' || mesh.num_elements() > coarse) << mesher;
    }
  }
  EXPECT_TRUE(left_nothing());
  if (found == 0) GTEST_SKIP() << "neither gmsh nor tetgen is on PATH";
}

}  // namespace
}  // namespace resilin
