#include "core/mesh/io.hpp"
#include "tests/unit/mesh/mesh_samples.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace resilin {
namespace {

using testing::bytes_of;
using testing::expect_input_error;
using testing::Folder;

const std::string kHead = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n";
// Node numbers with gaps and out of order, as Gmsh writes them.
const std::string kNodes = "$Nodes\n5\n10 0 0 0\n7 1 0 0\n3 0 1 0\n4 0 0 1\n20 1 1 1\n$EndNodes\n";

Mesh read(const std::string& text) {
  const Folder folder;
  return read_mesh(folder.write("m.msh", text));
}

void expect_error(const std::string& text, int line, const std::string& part) {
  const Folder folder;
  const std::string file = folder.write("m.msh", text);
  expect_input_error([&] { read_mesh(file); }, file, ":" + std::to_string(line), part);
}

TEST(ReadMsh, AsciiTakesTheHighestDimension) {
  const Mesh mesh =
      read(kHead + "$PhysicalNames\n1\n3 1 \"body $ one\"\n$EndPhysicalNames\n" + kNodes +
           "$Elements\n4\n1 15 2 0 1 10\n2 1 2 0 1 10 7\n3 2 2 0 1 10 7 3\n9 4 2 0 1 10 7 3 4\n$EndElements\n"
           "$NodeData\n1\n\"x\"\n$EndNodeData\n");
  EXPECT_EQ(mesh.type, ElementType::Tet4);
  EXPECT_EQ(mesh.num_vertices(), 5);
  ASSERT_EQ(mesh.num_elements(), 1);
  EXPECT_EQ(mesh.elements.col(0), Eigen::Vector4i(0, 1, 2, 3));
  EXPECT_DOUBLE_EQ(element_measures(mesh)[0], 1.0 / 6.0);
}

TEST(ReadMsh, QuadranglesBecomeTriangles) {
  const Mesh mesh = read(kHead +
                         "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n$EndNodes\n"
                         "$Elements\n1\n1 3 0 1 2 3 4\n$EndElements\n");
  EXPECT_EQ(mesh.type, ElementType::Tri3);
  EXPECT_EQ(mesh.num_elements(), 2);
  EXPECT_DOUBLE_EQ(element_measures(mesh).sum(), 1.0);
}

std::string binary(bool big_endian) {
  const auto integer = [&](std::int32_t i) { return bytes_of(i, big_endian); };
  std::string text = "$MeshFormat\n2.2 1 8\n" + integer(1) + "\n$EndMeshFormat\n$Nodes\n8\n";
  for (int v = 0; v < 8; ++v) {
    text += integer(v + 1);
    const int ring = v % 4;
    for (const double c : {ring == 1 || ring == 2 ? 2.0 : 0.0, ring >= 2 ? 3.0 : 0.0, v >= 4 ? 4.0 : 0.0})
      text += bytes_of(c, big_endian);
  }
  text += "\n$EndNodes\n$Elements\n3\n";
  text += integer(15) + integer(2) + integer(2);  // two points in one block
  for (int p = 1; p <= 2; ++p) text += integer(p) + integer(0) + integer(1) + integer(p);
  text += integer(5) + integer(1) + integer(1) + integer(3) + integer(0);
  for (int v = 1; v <= 8; ++v) text += integer(v);
  return text + "\n$EndElements\n";
}

TEST(ReadMsh, BinaryInBothByteOrders) {
  for (const bool big_endian : {false, true}) {
    const Mesh mesh = read(binary(big_endian));
    EXPECT_EQ(mesh.type, ElementType::Hex8);
    ASSERT_EQ(mesh.num_elements(), 1);
    EXPECT_NEAR(element_measures(mesh)[0], 24, 1e-12);
  }
}

TEST(ReadMsh, EveryTruncationIsAnError) {
  const Folder folder;
  const std::string text = binary(false);
  for (std::size_t n = 0; n + 1 < text.size(); ++n) {
    const std::string file = folder.write("m.msh", text.substr(0, n));
    EXPECT_THROW(read_mesh(file), Error) << n;
  }
}

TEST(ReadMsh, BinaryErrorsNameTheByte) {
  const Folder folder;
  std::string text = binary(false);
  const std::size_t last = text.find("\n$EndElements") - 4;
  text.replace(last, 4, bytes_of(std::int32_t{9}, false));
  const std::string file = folder.write("m.msh", text);
  expect_input_error([&] { read_mesh(file); }, file, ": byte " + std::to_string(last),
                     "node number 9 does not stand in $Nodes");
}

TEST(ReadMsh, MalformedFiles) {
  expect_error("", 1, "expected $MeshFormat, not ''");
  expect_error("$MeshFormat\n4.0 0 8\n$EndMeshFormat\n", 2,
               "MSH version 4 cannot be read; save it as version 4.1 or 2.2");
  expect_error("$MeshFormat\n2.2 0 4\n$EndMeshFormat\n", 2, "the size of a real number is 4");
  expect_error(kHead + "Nodes\n", 4, "expected a section such as $Nodes or $Elements, not 'Nodes'");
  expect_error(kHead + "$Comments\nnever closed\n", 4, "expected $EndComments before the end of the file");
  expect_error(kHead, 3, "without $Nodes");
  expect_error(kHead + kNodes, 11, "without $Elements");
  expect_error(kHead + "$Elements\n0\n$EndElements\n", 4, "$Elements stands before $Nodes");
  expect_error(kHead + "$Nodes\n2\n1 0 0 0\n2 0 y 0\n$EndNodes\n", 7,
               "expected a coordinate (a number), not 'y'");
  expect_error(kHead + "$Nodes\n2\n1 0 0 0\n2 0 nan 0\n$EndNodes\n", 7,
               "a coordinate is nan; expected a finite number");
  expect_error(kHead + "$Nodes\n2\n1 0 0 0\n1 0 1 0\n$EndNodes\n", 7, "node number 1 stands twice");
  expect_error(kHead + "$Nodes\n1\n1 0 0 0\n2 0 1 0\n$EndNodes\n", 7, "expected $EndNodes, not '2'");
  expect_error(kHead + kNodes + "$Elements\n1\n1 4 0 10 7 3 5\n$EndElements\n", 14,
               "node number 5 does not stand");
  expect_error(kHead + kNodes + "$Elements\n1\n1 11 0 10 7 3 4\n$EndElements\n", 14,
               "element type 11 cannot be read");
  expect_error(kHead + kNodes + "$Elements\n1\n1 4 0 10 7 3", 14,
               "the file ends where a node number was expected");
}

/// A tetrahedron and its edge as version 4.1, text or binary, with node numbers out of order.
std::string version_4(bool is_binary, bool big_endian, std::int64_t last_node = 10) {
  std::string text = "$MeshFormat\n4.1 " + std::string(is_binary ? "1" : "0") + " 8\n";
  const auto integers = [&](std::initializer_list<std::int32_t> values) {
    for (const std::int32_t v : values) text += is_binary ? bytes_of(v, big_endian) : std::to_string(v) + " ";
  };
  const auto sizes = [&](std::initializer_list<std::int64_t> values) {
    for (const std::int64_t v : values) text += is_binary ? bytes_of(v, big_endian) : std::to_string(v) + " ";
    if (!is_binary) text += "\n";
  };
  const auto reals = [&](std::initializer_list<double> values) {
    for (const double v : values) text += is_binary ? bytes_of(v, big_endian) : std::to_string(v) + " ";
    if (!is_binary) text += "\n";
  };
  if (is_binary) integers({1}), text += "\n";
  text += "$EndMeshFormat\n$Entities\n";
  sizes({0, 0, 0, 0});
  text += "\n$EndEntities\n$Nodes\n";
  sizes({2, 4, 3, 10});
  integers({1, 1, 1}), sizes({1});  // a curve with a parameter
  sizes({7});
  reals({2, 0, 0, 0.5});
  integers({3, 1, 0}), sizes({3});
  sizes({3, 4, 10});
  reals({0, 3, 0}), reals({0, 0, 4}), reals({0, 0, 0});
  text += "\n$EndNodes\n$Elements\n";
  sizes({2, 2, 1, 2});
  integers({1, 1, 1}), sizes({1});
  sizes({1, 10, 7});
  integers({3, 1, 4}), sizes({1});
  sizes({2, last_node, 7, 3, 4});
  return text + "\n$EndElements\n";
}

TEST(ReadMsh, Version4AsTextAndBinaryInBothByteOrders) {
  for (const auto& [is_binary, big_endian] : {std::pair(false, false), {true, false}, {true, true}}) {
    const Mesh mesh = parse_mesh(version_4(is_binary, big_endian), "m.msh");
    EXPECT_EQ(mesh.type, ElementType::Tet4);
    ASSERT_EQ(mesh.num_elements(), 1);
    EXPECT_EQ(mesh.vertices.col(0), Vec3(2, 0, 0));
    EXPECT_EQ(mesh.elements.col(0), Eigen::Vector4i(3, 0, 1, 2));
    EXPECT_NEAR(element_measures(mesh)[0], 4, 1e-15);
  }
}

TEST(ReadMsh, Version4EveryTruncationIsAnError) {
  for (const bool is_binary : {false, true}) {
    const std::string text = version_4(is_binary, false);
    for (std::size_t n = 0; n + 1 < text.size(); ++n)
      EXPECT_THROW(parse_mesh(text.substr(0, n), "m.msh"), Error) << n;
  }
}

TEST(ReadMsh, Version4Mistakes) {
  const auto expect = [](std::string text, const std::string& from, const std::string& to, int line,
                         const std::string& part) {
    text.replace(text.find(from), from.size(), to);
    expect_input_error([&] { parse_mesh(text, "m.msh"); }, "m.msh", ":" + std::to_string(line), part);
  };
  const std::string text = version_4(false, false);
  expect_input_error([] { parse_mesh(version_4(false, false, 11), "m.msh"); }, "m.msh", ":25",
                     "node number 11 does not stand in $Nodes");
  expect(text, "2 4 3 10", "2 9000000000000 3 10", 9, "the number of nodes is 9000000000000");
  expect(text, "2 4 3 10", "2 2000000000 3 10", 9, "are announced");
  expect(text, "2 4 3 10", "2 5 3 10", 17, "the blocks hold 4 nodes; 5 were announced");
  expect(text, "2 4 3 10", "1 4 3 10", 12, "the blocks hold 1 nodes; 4 were announced");
  expect(text, "2 2 1 2", "2 1 1 2", 24,
         "the number of elements of a block is 1; expected an integer from 0 to 0");
  expect(text, "3 1 4 1", "3 1 6 1", 24, "element type 6 cannot be read");
}

TEST(ReadMsh, HugeCountsAreRefusedBeforeMemoryIsTaken) {
  expect_error(kHead + "$Nodes\n2000000000\n1 0 0 0\n", 5, "are announced");
  expect_error(kHead + "$Nodes\n20000000000\n1 0 0 0\n", 5, "the number of nodes is 20000000000");
  expect_error(kHead + kNodes + "$Elements\n2000000000\n1 4 0 10 7 3 4\n", 13, "are announced");
  expect_error(kHead + kNodes + "$Elements\n1\n1 4 2000000000 10 7 3 4\n$EndElements\n", 14,
               "a number of tags");
}

}  // namespace
}  // namespace resilin
