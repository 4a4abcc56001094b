#include "core/output/vtu_series.hpp"

#include "core/base/file.hpp"
#include "tests/unit/output/temp_folder.hpp"
#include "tests/unit/output/trajectory_samples.hpp"

#include <gtest/gtest.h>

namespace resilin {
namespace {

TEST(VtuSeries, ListsEveryFrameOfEveryBody) {
  const TempFolder folder;
  const Mesh mesh = sample_tets(5);
  VtuSeries series(folder.path(), "ball");
  series.append(0.1, 12, "a", mesh, mesh.vertices, Mat3X::Zero(3, 5));
  series.append(0.1, 12, "b&c", mesh, mesh.vertices, Mat3X::Zero(3, 5));
  const std::string head =
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n"
      "  <Collection>\n"
      "    <DataSet timestep=\"0.1\" part=\"0\" name=\"a\" file=\"ball/a_000012.vtu\"/>\n"
      "    <DataSet timestep=\"0.1\" part=\"1\" name=\"b&amp;c\" file=\"ball/b&amp;c_000012.vtu\"/>\n";
  const std::string tail = "  </Collection>\n</VTKFile>\n";
  EXPECT_EQ(read_file(folder / "ball.pvd"), head + tail);
  series.append(0.30000000000000004, 1234567, "a", mesh, mesh.vertices, Mat3X::Zero(3, 5));
  EXPECT_EQ(read_file(folder / "ball.pvd"),
            head +
                "    <DataSet timestep=\"0.30000000000000004\" part=\"0\" name=\"a\" "
                "file=\"ball/a_1234567.vtu\"/>\n" +
                tail);
  for (const char* file : {"ball/a_000012.vtu", "ball/b&c_000012.vtu", "ball/a_1234567.vtu"}) {
    const std::string text = read_file(folder / file);
    EXPECT_NE(text.find("Name=\"velocity\""), std::string::npos) << file;
    EXPECT_NE(text.find("Name=\"displacement\""), std::string::npos) << file;
  }
}

TEST(VtuSeries, FileDependsOnPositionsAndVelocities) {
  const TempFolder folder;
  const Mesh mesh = sample_tets(5);
  VtuSeries series(folder.path(), "s");
  const Mat3X moved = (mesh.vertices.array() + 1).matrix(), still = Mat3X::Zero(3, 5),
              fast = Mat3X::Ones(3, 5);
  series.append(0, 0, "a", mesh, mesh.vertices, still);
  series.append(1, 1, "a", mesh, mesh.vertices, still);
  series.append(2, 2, "a", mesh, moved, still);
  series.append(3, 3, "a", mesh, mesh.vertices, fast);
  const std::string rest = read_file(folder / "s/a_000000.vtu");
  EXPECT_EQ(read_file(folder / "s/a_000001.vtu"), rest);
  EXPECT_NE(read_file(folder / "s/a_000002.vtu"), rest);
  EXPECT_NE(read_file(folder / "s/a_000003.vtu"), rest);
}

TEST(VtuSeries, RefusesWhatDoesNotFit) {
  const TempFolder folder;
  const Mesh mesh = sample_tets(5);
  expect_error(Errc::Input, "series name that can be a file name, found 'a/b'",
               [&] { VtuSeries(folder.path(), "a/b"); });
  VtuSeries series(folder.path(), "s");
  expect_error(Errc::Input, "body name that can be a file name, found '..'",
               [&] { series.append(0, 0, "..", mesh, mesh.vertices, mesh.vertices); });
  expect_error(Errc::Internal, "has 5 vertices, but got 4 positions and 5 velocities",
               [&] { series.append(0, 0, "a", mesh, Mat3X::Zero(3, 4), mesh.vertices); });
}

}  // namespace
}  // namespace resilin
