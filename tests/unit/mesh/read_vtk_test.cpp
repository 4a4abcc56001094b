#include "core/mesh/generators.hpp"
#include "core/mesh/io.hpp"
#include "core/mesh/quality.hpp"
#include "tests/unit/mesh/mesh_samples.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>

namespace resilin {
namespace {

using testing::bytes_of;
using testing::expect_input_error;
using testing::Folder;

const std::string kHead = "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\n";
const std::string kTetPoints = "POINTS 5 double\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n1 1 1\n";

/// Reads `body` behind the usual head and expects an error at a line of the file.
void expect_error(const std::string& text, int line, const std::string& part) {
  const Folder folder;
  const std::string file = folder.write("m.vtk", text);
  expect_input_error([&] { read_mesh(file); }, file, ":" + std::to_string(line), part);
}

TEST(ReadVtk, AsciiTetrahedra) {
  const Folder folder;
  const Mesh mesh = read_mesh(folder.write(
      "m.vtk",
      kHead + kTetPoints + "CELLS 2 10\n4 0 1 2 3\n4 1 2 3 4\nCELL_TYPES 2\n10\n10\nPOINT_DATA 5\nrest"));
  EXPECT_EQ(mesh.type, ElementType::Tet4);
  EXPECT_EQ(mesh.num_vertices(), 5);
  EXPECT_EQ(mesh.vertices.col(4), Vec3(1, 1, 1));
  ASSERT_EQ(mesh.num_elements(), 2);
  EXPECT_EQ(mesh.elements.col(1), Eigen::Vector4i(1, 2, 3, 4));
}

TEST(ReadVtk, VoxelsAreReordered) {
  const Folder folder;
  const Mesh mesh = read_mesh(
      folder.write("m.vtk", kHead + "POINTS 8 float\n0 0 0 1 0 0 0 1 0 1 1 0 0 0 1 1 0 1 0 1 1 1 1 1\n"
                                    "CELLS 1 9\n8 0 1 2 3 4 5 6 7\nCELL_TYPES 1\n11\n"));
  EXPECT_EQ(mesh.type, ElementType::Hex8);
  EXPECT_NEAR(element_measures(mesh)[0], 1, 1e-15);
  EXPECT_TRUE(check_mesh(mesh).empty());
}

TEST(ReadVtk, QuadsPixelsAndPolygonsBecomeTriangles) {
  const Folder folder;
  const Mesh mesh = read_mesh(folder.write(
      "m.vtk", kHead +
                   "POINTS 5 float\n0 0 0 1 0 0 1 1 0 0 1 0 -1 0.5 0\n"
                   "CELLS 5 22\n4 0 1 2 3\n4 0 1 3 2\n5 0 1 2 3 4\n1 0\n3 0 1 2\nCELL_TYPES 5\n9 8 7 1 5\n"));
  EXPECT_EQ(mesh.type, ElementType::Tri3);
  ASSERT_EQ(mesh.num_elements(), 2 + 2 + 3 + 1);
  EXPECT_NEAR(element_measures(mesh).sum(), 1 + 1 + 1.5 + 0.5, 1e-15);
  EXPECT_EQ(mesh.elements.col(1), Eigen::Vector3i(0, 2, 3));
}

TEST(ReadVtk, PolydataAndLines) {
  const Folder folder;
  const std::string head = "# vtk DataFile Version 3.0\r\nt\r\nASCII\r\nDATASET POLYDATA\r\n";
  const Mesh triangles =
      read_mesh(folder.write("a.vtk", head + "POINTS 4 float\r\n0 0 0 1 0 0 1 1 0 0 1 0\r\n"
                                             "VERTICES 1 2\r\n1 0\r\nPOLYGONS 1 5\r\n4 0 1 2 3\r\n"));
  EXPECT_EQ(triangles.type, ElementType::Tri3);
  EXPECT_EQ(triangles.num_elements(), 2);
  const Mesh lines =
      read_mesh(folder.write("b.vtk", head + "POINTS 3 float\n0 0 0 1 0 0 1 1 0\nLINES 1 4\n3 0 1 2\n"));
  EXPECT_EQ(lines.type, ElementType::Segment2);
  EXPECT_EQ(lines.num_elements(), 2);
}

TEST(ReadVtk, OffsetsAndConnectivityOfVersion5) {
  const Folder folder;
  const Mesh mesh = read_mesh(
      folder.write("m.vtk",
                   "# vtk DataFile Version 5.1\nt\nASCII\nDATASET UNSTRUCTURED_GRID\n"
                   "FIELD FieldData 1\nTIME 1 1 double\n0.5\n" +
                       kTetPoints +
                       "METADATA\nINFORMATION 1\nNAME L2 LOCATION data\nDATA 2 0 1\n\n"
                       "CELLS 3 8\nOFFSETS vtktypeint64\n0 4 8\nCONNECTIVITY vtktypeint64\n0 1 2 3 1 2 3 4\n"
                       "CELL_TYPES 2\n10\n10\n"));
  ASSERT_EQ(mesh.num_elements(), 2);
  EXPECT_EQ(mesh.elements.col(1), Eigen::Vector4i(1, 2, 3, 4));
}

std::string binary_box(bool version5, const Mesh& box) {
  std::string text = version5 ? "# vtk DataFile Version 5.1\n" : "# vtk DataFile Version 3.0\n";
  text += "t\nBINARY\nDATASET UNSTRUCTURED_GRID\nPOINTS " + std::to_string(box.num_vertices()) +
          (version5 ? " float\n" : " double\n");
  for (const double c : box.vertices.reshaped())
    text += version5 ? bytes_of(static_cast<float>(c), true) : bytes_of(c, true);
  const std::string n = std::to_string(box.num_elements());
  if (version5) {
    text += "\nMETADATA\nINFORMATION 0\n\nCELLS " + std::to_string(box.num_elements() + 1) + " " +
            std::to_string(box.elements.size()) + "\nOFFSETS vtktypeint64\n";
    for (std::int64_t e = 0; e <= box.num_elements(); ++e) text += bytes_of(8 * e, true);
    text += "\nCONNECTIVITY vtktypeint64\n";
    for (const int v : box.elements.reshaped()) text += bytes_of(static_cast<std::int64_t>(v), true);
  } else {
    text += "\nCELLS " + n + " " + std::to_string(9 * box.num_elements()) + "\n";
    for (Index e = 0; e < box.num_elements(); ++e) {
      text += bytes_of(std::int32_t{8}, true);
      for (const int v : box.elements.col(e)) text += bytes_of(std::int32_t{v}, true);
    }
  }
  text += "\nCELL_TYPES " + n + "\n";
  for (Index e = 0; e < box.num_elements(); ++e) text += bytes_of(std::int32_t{12}, true);
  return text + "\n";
}

TEST(ReadVtk, BinaryIsBigEndianInBothForms) {
  const Folder folder;
  const Mesh box = make_box({2, 4, 8}, {2, 1, 2}, ElementType::Hex8, {1, 2, 3});  // exact in float too
  for (const bool version5 : {false, true}) {
    const Mesh mesh = read_mesh(folder.write("m.vtk", binary_box(version5, box)));
    EXPECT_EQ(mesh.vertices, box.vertices);
    EXPECT_EQ(mesh.elements, box.elements);
  }
}

TEST(ReadVtk, BinaryErrorsNameTheByte) {
  const Folder folder;
  const Mesh box = make_box({1, 1, 1}, {1, 1, 1}, ElementType::Hex8);
  const std::string text = binary_box(false, box);
  const std::string file = folder.write("m.vtk", text.substr(0, text.size() - 3));
  EXPECT_THROW(read_mesh(file), Error);
  std::string bad = text;
  const std::size_t cells = bad.find("CELLS 1 9\n") + 10;
  bad.replace(cells + 4, 4, bytes_of(std::int32_t{8}, true));  // vertex 8 of 8
  folder.write("m.vtk", bad);
  expect_input_error([&] { read_mesh(file); }, file, ": byte " + std::to_string(cells + 4),
                     "a vertex index is 8; expected an integer from 0 to 7");
}

TEST(ReadVtk, EveryTruncationIsAnErrorOrTheWholeMesh) {
  const Folder folder;
  const Mesh box = make_box({1, 1, 1}, {1, 1, 1}, ElementType::Hex8);
  for (const bool version5 : {false, true}) {
    const std::string text = binary_box(version5, box);
    for (std::size_t n = 0; n + 1 < text.size(); ++n) {
      const std::string file = folder.write("m.vtk", text.substr(0, n));
      EXPECT_THROW(read_mesh(file), Error) << n << " of " << text.size();
    }
  }
}

TEST(ReadVtk, MalformedHeaders) {
  expect_error("", 1, "expected '# vtk DataFile Version x.y'");
  expect_error("# vtk DataFile Version x\n", 1, "expected a version, not 'x'");
  expect_error("# vtk DataFile Version 3.0\nt\nTEXT\n", 3, "expected ASCII or BINARY, not 'TEXT'");
  expect_error("# vtk DataFile Version 3.0\nt\nASCII\nDATASET IMAGE\n", 4, "UNSTRUCTURED_GRID or POLYDATA");
  expect_error(kHead + "POINT 3 float\n", 5, "unknown keyword 'POINT'");
  expect_error(kHead + "POINTS 1 real\n0 0 0\n", 5, "unknown data type 'REAL'");
  expect_error(kHead, 4, "without POINTS");
  expect_error(kHead + "CELLS 1 5\n4 0 1 2 3\n", 5, "before POINTS");
  expect_error(kHead + kTetPoints, 10, "without CELL_TYPES");
}

TEST(ReadVtk, MalformedBodies) {
  expect_error(kHead + "POINTS 2 float\n0 0 0\n1 x 0\n", 7, "expected a coordinate (a number), not 'x'");
  expect_error(kHead + "POINTS 2 float\n0 0 0\n1.5 2.5", 7, "the file ends where a coordinate was expected");
  expect_error(kHead + kTetPoints + "CELLS 2 10\n4 0 1 2 3\n4 1 2 3 5\nCELL_TYPES 2\n10\n10\n", 13,
               "a vertex index is 5; expected an integer from 0 to 4");
  expect_error(kHead + kTetPoints + "CELLS 2 10\n4 0 1 2 3\n4 1 2 3 -1\n", 13, "a vertex index is -1");
  expect_error(kHead + kTetPoints + "CELLS 1 6\n4 0 1 2 3\nCELL_TYPES 1\n10\n", 12,
               "1 integers are left over");
  expect_error(kHead + kTetPoints + "CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 2\n10\n10\n", 13,
               "2 cell types for 1 cells");
  expect_error(kHead + kTetPoints + "CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n12\n", 14, "cell 0 has 4 nodes");
  expect_error(kHead + kTetPoints + "CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n24\n", 14, "cell 0 has type 24");
  expect_error(kHead + kTetPoints + "CELL_TYPES 1\n10\n", 11, "before CELLS");
}

TEST(ReadVtk, HugeCountsAreRefusedBeforeMemoryIsTaken) {
  expect_error(kHead + "POINTS 2000000000 double\n0 0 0\n", 5, "6000000000 coordinates are announced");
  expect_error(kHead + "POINTS 99999999999 double\n0 0 0\n", 5, "the number of points is 99999999999");
  expect_error(kHead + kTetPoints + "CELLS 2000000000 2000000000\n4 0 1 2 3\n", 11, "are announced");
  expect_error(kHead + kTetPoints + "CELLS 1 5\n2000000000 0 1 2 3\n", 12, "the number of nodes of a cell");
  expect_error("# vtk DataFile Version 5.1\nt\nASCII\nDATASET UNSTRUCTURED_GRID\n" + kTetPoints +
                   "CELLS 3 8\nOFFSETS vtktypeint64\n0 4 2000000000\n",
               13, "an offset is 2000000000; expected an integer from 4 to 8");
  expect_error(kHead + "FIELD f 1\na 2000000000 2000000000 double\n1\n", 6, "are announced");
}

TEST(ReadVtk, CoordinatesMustBeFinite) {
  const std::string cells = "CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n10\n";
  for (const char* bad : {"nan", "inf", "-inf"})
    expect_error(kHead + "POINTS 4 double\n0 0 0\n1 " + bad + " 0\n0 1 0\n0 0 1\n" + cells, 7,
                 "expected a finite number");
  Mesh box = make_box({1, 1, 1}, {1, 1, 1}, ElementType::Hex8);
  box.vertices(1, 0) = std::numeric_limits<double>::quiet_NaN();
  const std::string text = binary_box(false, box);
  expect_input_error([&] { parse_mesh(text, "m.vtk"); }, "m.vtk",
                     ": byte " + std::to_string(text.find(" double\n") + 16), "a coordinate is nan");
}

#ifdef RESILIN_SOURCE_DIR
TEST(ReadVtk, PublishedMeshes) {
  const std::string folder = std::string(RESILIN_SOURCE_DIR) + "/../shared/data/diffpd/";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no reference meshes at " << folder;
  const Mesh plant = read_mesh(folder + "plant_hex.vtk");
  EXPECT_EQ(plant.num_vertices(), 9921);
  EXPECT_EQ(plant.num_elements(), 3863);
  EXPECT_NEAR(element_measures(plant).sum(), 3863 / std::pow(86.0, 3), 1e-9);
  for (const char* name : {"plant", "lock", "bunny_watertight", "spot", "torus", "torus_analytic"}) {
    const Mesh mesh = read_mesh(folder + name + "_hex.vtk");
    EXPECT_EQ(mesh.type, ElementType::Hex8);
    EXPECT_TRUE(check_mesh(mesh).empty()) << name;
    EXPECT_NEAR(testing::enclosed_volume(mesh.vertices, extract_surface(mesh)), element_measures(mesh).sum(),
                1e-10);
  }
}
#endif

}  // namespace
}  // namespace resilin
