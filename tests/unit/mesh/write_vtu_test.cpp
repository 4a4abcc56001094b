#include "core/base/file.hpp"
#include "core/mesh/generators.hpp"
#include "core/mesh/io.hpp"
#include "tests/unit/mesh/mesh_samples.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace resilin {
namespace {

using testing::expect_input_error;
using testing::Folder;

std::string decoded(const std::string& text) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned group = 0;
  int bits = 0;
  for (const char c : text) {
    if (c == '=') break;
    const std::size_t digit = digits.find(c);
    EXPECT_NE(digit, std::string::npos);
    group = group << 6 | static_cast<unsigned>(digit);
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes += static_cast<char>(group >> bits & 0xFFU);
    }
  }
  return bytes;
}

/// The numbers of the DataArray called `name`; checks type and number of components.
template <class T>
std::vector<T> data_of(const std::string& xml, const std::string& type, const std::string& name,
                       int components) {
  const std::string tag = "<DataArray type=\"" + type + "\" Name=\"" + name + "\" NumberOfComponents=\"" +
                          std::to_string(components) + "\" format=\"binary\">";
  const std::size_t begin = xml.find(tag);
  EXPECT_NE(begin, std::string::npos) << tag;
  if (begin == std::string::npos) return {};
  const std::string text = xml.substr(begin + tag.size(), xml.find('<', begin + 1) - begin - tag.size());
  EXPECT_EQ(text.size() % 4, 0U);
  const std::string bytes = decoded(text);
  std::uint64_t size = 0;
  std::memcpy(&size, bytes.data(), sizeof(size));
  EXPECT_EQ(size + 8, bytes.size());
  std::vector<T> numbers(size / sizeof(T));
  std::memcpy(numbers.data(), bytes.data() + 8, size);
  return numbers;
}

TEST(WriteVtu, HoldsMeshAndDataInFullPrecision) {
  const Folder folder;
  const Mesh mesh = make_sphere(1, 3, ElementType::Hex8);
  const MatX velocity = MatX::Random(3, mesh.num_vertices());
  const MatX stress = MatX::Random(1, mesh.num_elements());
  write_vtu(folder.file("m.vtu"), mesh, {{"velocity", velocity}}, {{"a < b & \"c\"", stress}});
  const std::string xml = read_file(folder.file("m.vtu"));
  EXPECT_NE(xml.find("header_type=\"UInt64\""), std::string::npos);
  EXPECT_NE(xml.find("NumberOfPoints=\"64\" NumberOfCells=\"27\""), std::string::npos);

  const auto points = data_of<double>(xml, "Float64", "Points", 3);
  ASSERT_EQ(points.size(), 192U);
  EXPECT_EQ(Eigen::Map<const Mat3X>(points.data(), 3, 64), mesh.vertices);
  const auto nodes = data_of<std::int64_t>(xml, "Int64", "connectivity", 1);
  ASSERT_EQ(nodes.size(), 216U);
  for (Index i = 0; i < mesh.elements.size(); ++i)
    EXPECT_EQ(nodes[static_cast<std::size_t>(i)], mesh.elements.reshaped()[i]);
  const auto offsets = data_of<std::int64_t>(xml, "Int64", "offsets", 1);
  ASSERT_EQ(offsets.size(), 27U);
  EXPECT_EQ(offsets.front(), 8);
  EXPECT_EQ(offsets.back(), 216);
  EXPECT_EQ(data_of<std::uint8_t>(xml, "UInt8", "types", 1), std::vector<std::uint8_t>(27, 12));
  const auto v = data_of<double>(xml, "Float64", "velocity", 3);
  ASSERT_EQ(v.size(), 192U);
  EXPECT_EQ(v[191], velocity(2, 63));
  EXPECT_EQ(data_of<double>(xml, "Float64", "a &lt; b &amp; &quot;c&quot;", 1).at(26), stress(0, 26));
}

TEST(WriteVtu, CellTypesOfAllElements) {
  const Folder folder;
  const auto type_of = [&](const Mesh& mesh) {
    write_vtu(folder.file("m.vtu"), mesh);
    return data_of<std::uint8_t>(read_file(folder.file("m.vtu")), "UInt8", "types", 1).at(0);
  };
  Mesh mesh = make_box({1, 1, 1}, {1, 1, 1}, ElementType::Tet4);
  EXPECT_EQ(type_of(mesh), 10);
  mesh = testing::triangles_of(mesh);
  EXPECT_EQ(type_of(mesh), 5);
  mesh.type = ElementType::Segment2;
  mesh.elements = mesh.elements.topRows(2).eval();
  EXPECT_EQ(type_of(mesh), 3);
}

TEST(WriteVtu, ArraysMustFitTheMesh) {
  const Folder folder;
  const std::string file = folder.file("m.vtu");
  const Mesh mesh = make_box({1, 1, 1}, {1, 1, 1}, ElementType::Hex8);
  expect_input_error(
      [&] {
        write_vtu(file, mesh, {{"u", MatX::Zero(3, 7)}});
      },
      "", "", "array 'u' is 3 x 7; expected one column for each of the 8 vertices");
  expect_input_error(
      [&] {
        write_vtu(file, mesh, {}, {{"e", MatX::Zero(0, 1)}});
      },
      "", "", "array 'e' is 0 x 1");
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST(WriteVtu, MissingFolderIsAnInputOutputError) {
  const Folder folder;
  try {
    write_vtu(folder.file("none/m.vtu"), make_box({1, 1, 1}, {1, 1, 1}, ElementType::Hex8));
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::Io);
  }
}

}  // namespace
}  // namespace resilin
