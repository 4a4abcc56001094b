// Readers of .vtu, .mesh (MEDIT) and .node/.ele (TetGen).
#include "core/mesh/generators.hpp"
#include "core/mesh/io.hpp"
#include "tests/unit/mesh/mesh_samples.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace resilin {
namespace {

using testing::bytes_of;
using testing::expect_input_error;
using testing::Folder;

void expect_error(const std::string& name, std::string text, const std::string& from, const std::string& to,
                  const std::string& where, const std::string& part) {
  const std::size_t at = text.find(from);
  ASSERT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  expect_input_error([&] { parse_mesh(text, name); }, name, where, part);
}

const std::string kVtuHead =
    "<?xml version=\"1.0\"?>\n<!-- <VTKFile> -->\n"
    "<VTKFile type=\"UnstructuredGrid\" version=\"0.1\" byte_order='LittleEndian'>\n<UnstructuredGrid>\n"
    "<Piece NumberOfPoints=\"5\" NumberOfCells=\"2\">\n"
    "<PointData Scalars=\"a&gt;b\"><DataArray type=\"Float32\" Name=\"a>b\">1 2 3 4 "
    "5</DataArray></PointData>\n";
const std::string kVtuEnd = "</Piece>\n</UnstructuredGrid>\n</VTKFile>\n";
const std::string kVtuText =
    kVtuHead +
    "<Points><DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"ascii\">\n"
    "0 0 0 1 0 0 0 1 0 0 0 1 1 1 1\n<InformationKey name=\"x\"><Value "
    "index=\"0\">7</Value></InformationKey>\n"
    "</DataArray></Points>\n"
    "<Cells>\n<DataArray type=\"Int32\" Name=\"connectivity\" format=\"ascii\">0 1 2 3 1 2 3 4</DataArray>\n"
    "<DataArray type=\"Int32\" Name=\"offsets\" format=\"ascii\">4 8</DataArray>\n"
    "<DataArray type=\"UInt8\" Name=\"types\" format=\"ascii\">10 10</DataArray>\n</Cells>\n" +
    kVtuEnd;

void expect_two_tetrahedra(const Mesh& mesh) {
  EXPECT_EQ(mesh.type, ElementType::Tet4);
  ASSERT_EQ(mesh.num_vertices(), 5);
  EXPECT_EQ(mesh.vertices.col(4), Vec3(1, 1, 1));
  ASSERT_EQ(mesh.num_elements(), 2);
  EXPECT_EQ(mesh.elements.col(1), Eigen::Vector4i(1, 2, 3, 4));
}

std::string base64(const std::string& bytes) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bits, text;
  for (const char c : bytes)
    for (int b = 7; b >= 0; --b) bits += (static_cast<unsigned char>(c) >> b & 1) != 0 ? '1' : '0';
  while (bits.size() % 6 != 0) bits += '0';
  for (std::size_t i = 0; i < bits.size(); i += 6) text += digits[std::stoul(bits.substr(i, 6), nullptr, 2)];
  while (text.size() % 4 != 0) text += '=';
  return text;
}

enum class Encoding { Inline, InlineTwoBlocks, AppendedRaw, AppendedBase64 };

/// As zlib writes data that it does not make smaller: one stored block.
std::string zlib_stored(const std::string& data) {
  std::uint32_t a = 1, b = 0;  // Adler-32
  for (const char c : data) {
    a = (a + static_cast<unsigned char>(c)) % 65521;
    b = (b + a) % 65521;
  }
  const auto length = static_cast<std::uint16_t>(data.size());
  return "\x78\x01\x01" + bytes_of(length, false) + bytes_of(static_cast<std::uint16_t>(~length), false) +
         data + bytes_of(b << 16 | a, true);
}

/// Blocks of 16 bytes.
std::string compressed_base64(const std::string& data, std::string (*encode)(const std::string&)) {
  std::string head, body;
  const auto add = [&](std::size_t n) { head += bytes_of(static_cast<std::uint32_t>(n), false); };
  add((data.size() + 15) / 16);
  add(16);
  add(data.size() % 16);
  for (std::size_t at = 0; at < data.size(); at += 16) {
    const std::string block = zlib_stored(data.substr(at, 16));
    add(block.size());
    body += block;
  }
  return encode(head) + encode(body);
}

/// The two tetrahedra in one of the binary forms.
std::string binary_vtu(Encoding encoding, bool big_endian, bool wide_header) {
  const Mesh mesh = parse_mesh(kVtuText, "m.vtu");
  std::string points, nodes, ends, types, appended;
  for (const double c : mesh.vertices.reshaped()) points += bytes_of(static_cast<float>(c), big_endian);
  for (const int n : mesh.elements.reshaped()) nodes += bytes_of(std::int64_t{n}, big_endian);
  for (const std::uint16_t e : {std::uint16_t{4}, std::uint16_t{8}}) ends += bytes_of(e, big_endian);
  types = "\x0A\x0A";
  const auto array = [&](const std::string& attributes, const std::string& data) {
    const std::string size = wide_header ? bytes_of(static_cast<std::uint64_t>(data.size()), big_endian)
                                         : bytes_of(static_cast<std::uint32_t>(data.size()), big_endian);
    const std::string head = "<DataArray " + attributes;
    if (encoding == Encoding::Inline)
      return head + " format=\"binary\">\n" + base64(size + data) + "\n</DataArray>\n";
    if (encoding == Encoding::InlineTwoBlocks)
      return head + " format=\"binary\">" + base64(size) + base64(data) + "</DataArray>\n";
    const std::string offset = std::to_string(appended.size());
    appended += encoding == Encoding::AppendedRaw ? size + data : base64(size + data);
    return head + " format=\"appended\" offset=\"" + offset + "\"/>\n";
  };
  std::string text = kVtuHead;
  text.replace(text.find("'LittleEndian'"), 14,
               std::string(big_endian ? "\"BigEndian\"" : "\"LittleEndian\"") +
                   (wide_header ? " header_type=\"UInt64\"" : ""));
  text += "<Points>" + array("type=\"Float32\" NumberOfComponents=\"3\"", points) + "</Points>\n<Cells>";
  text += array("type=\"Int64\" Name=\"connectivity\"", nodes) +
          array("type=\"UInt16\" Name=\"offsets\"", ends) + array("type=\"UInt8\" Name=\"types\"", types);
  text += "</Cells></Piece></UnstructuredGrid>\n";
  if (!appended.empty())
    text += std::string("<AppendedData encoding=\"") +
            (encoding == Encoding::AppendedRaw ? "raw" : "base64") + "\">\n _" + appended +
            "\n</AppendedData>\n";
  return text + "</VTKFile>\n";
}

TEST(ReadVtu, Text) {
  expect_two_tetrahedra(parse_mesh(kVtuText, "m.vtu"));
}

TEST(ReadVtu, BinaryInEveryEncodingByteOrderAndHeader) {
  for (const Encoding encoding :
       {Encoding::Inline, Encoding::InlineTwoBlocks, Encoding::AppendedRaw, Encoding::AppendedBase64})
    for (const bool big_endian : {false, true})
      for (const bool wide : {false, true}) {
        SCOPED_TRACE(static_cast<int>(encoding) * 4 + (big_endian ? 2 : 0) + (wide ? 1 : 0));
        expect_two_tetrahedra(parse_mesh(binary_vtu(encoding, big_endian, wide), "m.vtu"));
      }
}

std::string compressed_vtu() {
  const Mesh mesh = parse_mesh(kVtuText, "m.vtu");
  std::string points, nodes, ends;
  for (const double c : mesh.vertices.reshaped()) points += bytes_of(c, false);
  for (const int n : mesh.elements.reshaped()) nodes += bytes_of(std::int32_t{n}, false);
  for (const std::int32_t e : {4, 8}) ends += bytes_of(e, false);
  std::string text = kVtuHead;
  text.replace(text.find("version=\"0.1\""), 13, "compressor=\"vtkZLibDataCompressor\"");
  const auto array = [&](const std::string& facts, const std::string& data) {
    text +=
        "<DataArray " + facts + " format=\"binary\">" + compressed_base64(data, base64) + "</DataArray>\n";
  };
  text += "<Points>";
  array("type=\"Float64\" NumberOfComponents=\"3\"", points);
  text += "</Points><Cells>";
  array("type=\"Int32\" Name=\"connectivity\"", nodes);
  array("type=\"Int32\" Name=\"offsets\"", ends);
  array("type=\"UInt8\" Name=\"types\"", "\x0A\x0A");
  return text + "</Cells>" + kVtuEnd;
}

TEST(ReadVtu, DataThatLookLikeAByteOrderMark) {
  // The first coordinate has the bytes EF BB BF, with which text files may begin.
  const Folder folder;
  Mesh mesh = make_box({1, 1, 1}, {1, 1, 1}, ElementType::Hex8);
  const std::string bytes = "\xEF\xBB\xBF" + std::string(3, '\0') + "\xD0\xBF";
  std::memcpy(mesh.vertices.data(), bytes.data(), sizeof(double));
  write_vtu(folder.file("m.vtu"), mesh);
  EXPECT_EQ(read_mesh(folder.file("m.vtu")).vertices, mesh.vertices);
}

TEST(ReadVtu, CompressedByZlibInBlocks) {
  const std::string text = compressed_vtu();
  expect_two_tetrahedra(parse_mesh(text, "m.vtu"));
  for (std::size_t n = 0; n + 2 < text.size(); n += 3)
    EXPECT_THROW(parse_mesh(text.substr(0, n), "m.vtu"), Error) << n;
  expect_error("m.vtu", text, "NumberOfPoints=\"5\"", "NumberOfPoints=\"6\"", ":7",
               "the blocks hold 120 bytes; expected 144");
  // The same text once more with damaged data: the checksum of zlib sees it.
  const std::size_t data = text.find("format=\"binary\">") + 150;
  std::string damaged = text;
  damaged[data] = damaged[data] == 'A' ? 'B' : 'A';
  expect_input_error([&] { parse_mesh(damaged, "m.vtu"); }, "m.vtu", ":7", "cannot be uncompressed");
  // A block that announces far more than it can hold.
  std::string bomb = text;
  bomb.replace(bomb.find("NumberOfPoints=\"5\""), 18, "NumberOfPoints=\"2000000000\"");
  const std::string head = bytes_of(std::uint32_t{1}, false) + bytes_of(std::uint32_t{4000000000U}, false) +
                           bytes_of(std::uint32_t{0}, false) + bytes_of(std::uint32_t{20}, false);
  const std::size_t begin = bomb.find("format=\"binary\">") + 16;
  bomb.replace(begin, bomb.find('<', begin) - begin, base64(head) + base64(std::string(20, 'x')));
  expect_input_error([&] { parse_mesh(bomb, "m.vtu"); }, "m.vtu", ":7",
                     "a block of 4000000000 bytes cannot come from 20 stored ones");
}

TEST(ReadVtu, SeveralPiecesAreJoined) {
  const std::size_t begin = kVtuText.find("<Piece"), end = kVtuText.find("</UnstructuredGrid>");
  std::string text = kVtuText;
  text.insert(end, kVtuText.substr(begin, end - begin));
  const Mesh mesh = parse_mesh(text, "m.vtu");
  EXPECT_EQ(mesh.num_vertices(), 10);
  ASSERT_EQ(mesh.num_elements(), 4);
  EXPECT_EQ(mesh.elements.col(3), Eigen::Vector4i(6, 7, 8, 9));
}

TEST(ReadVtu, OwnFilesReadBackBitByBit) {
  const Folder folder;
  const Mesh mesh = make_sphere(0.3, 3, ElementType::Tet4);
  write_vtu(folder.file("m.vtu"), mesh, {{"u<v", MatX::Ones(3, mesh.num_vertices())}});
  const Mesh read = read_mesh(folder.file("m.vtu"));
  EXPECT_EQ(read.type, mesh.type);
  EXPECT_EQ(read.vertices, mesh.vertices);
  EXPECT_EQ(read.elements, mesh.elements);
}

TEST(ReadVtu, Mistakes) {
  const auto expect = [](const std::string& from, const std::string& to, int line, const std::string& part) {
    expect_error("m.vtu", kVtuText, from, to, ":" + std::to_string(line), part);
  };
  expect("<VTKFile type", "<Vtk type", 3, "expected <VTKFile>, not <Vtk>");
  expect("UnstructuredGrid\" version", "PolyData\" version", 3,
         "expected type UnstructuredGrid, not 'PolyData'");
  expect("version=\"0.1\"", "compressor=\"vtkLZ4DataCompressor\"", 3,
         "the arrays are compressed by vtkLZ4DataCompressor; expected uncompressed ones or zlib");
  expect("LittleEndian", "Little", 3, "expected byte order");
  expect("version=\"0.1\"", "header_type=\"UInt8\"", 3, "expected header type UInt32 or UInt64");
  expect("NumberOfPoints=\"5\" ", "", 5, "<Piece> has no NumberOfPoints");
  expect("NumberOfPoints=\"5\"", "NumberOfPoints=\"-5\"", 5,
         "NumberOfPoints is '-5'; expected a number from 0 on");
  expect("NumberOfPoints=\"5\"", "NumberOfPoints=5", 5,
         "the value of 'NumberOfPoints' in <Piece> must stand in quotes");
  expect("NumberOfPoints=\"5\"", "NumberOfPoints=\"2000000000\"", 7, "6000000000 values are announced");
  expect("NumberOfPoints=\"5\"", "NumberOfPoints=\"4\"", 7,
         "array '': expected the end of the file, not '1'");
  expect("NumberOfCells=\"2\"", "NumberOfCells=\"3\"", 13, "3 values are announced");
  expect("Float64", "Float80", 7, "unknown type 'Float80'");
  expect("NumberOfComponents=\"3\"", "NumberOfComponents=\"2\"", 7, "has 2 components; expected 3");
  expect("0 0 0 1 0 0", "0 0 0 1 inf 0", 7, "a coordinate is inf");
  expect("3 4</DataArray>", "3 5</DataArray>", 12, "a value is 5; expected an integer from 0 to 4");
  expect("Name=\"types\"", "Name=\"kinds\"", 5, "the <Piece> has no array of types");
  expect("10 10", "10 12", 14, "cell 1 has 4 nodes; a hexahedron (type 12) has 8");
  expect("10 10", "10 99", 14, "cell 1 has type 99");
  expect("4 8</DataArray>", "9 8</DataArray>", 13, "offset 0 is 9");
  expect("4 8</DataArray>", "4 8", 13, "is closed by </Cells>");
  expect("format=\"ascii\">4 8", "format=\"text\">4 8", 13, "expected format ascii, binary or appended");
  expect("</VTKFile>", "", 17, "the file ends where </VTKFile> was expected");
  expect("<Cells>", "<!-- ", 11, "'<!--' is never closed");
  const std::string raw = binary_vtu(Encoding::AppendedRaw, false, false);
  expect_error("m.vtu", raw, "offset=\"0\"", "offset=\"99999\"", ":7", "offset 99999 lies behind");
  expect_error("m.vtu", raw, "offset=\"0\"", "offset=\"1\"", ":7",
               "holds 0 bytes; expected 15 values of 4 bytes");
  expect_error("m.vtu", raw, "encoding=\"raw\"", "encoding=\"hex\"", ":13",
               "expected encoding raw or base64");
  const std::string inline_text = binary_vtu(Encoding::Inline, false, false);
  expect_error("m.vtu", inline_text, "format=\"binary\">\n", "format=\"binary\">\n*", ":7", "are no base64");
}

TEST(ReadVtu, EveryTruncationIsAnError) {
  for (const std::string& text : {kVtuText, binary_vtu(Encoding::Inline, false, true)})
    for (std::size_t n = 0; n + 2 < text.size(); ++n)
      EXPECT_THROW(parse_mesh(text.substr(0, n), "m.vtu"), Error) << n;
}

const std::string kMedit =
    "MeshVersionFormatted 2\n# a comment\nDimension\n3\nVertices # five\n5\n0 0 0 1\n1 0 0 1\n0 1D0 0 1\n0 0 "
    "1 1\n"
    "1 1 1 -2\nCorners\n1\n5\nTriangles\n1\n1 2 3 7\nNormals\n1\n0 0 -1\nTetrahedra\n2\n1 2 3 4 0\n2 3 4 5 "
    "0\nEnd\n";

TEST(ReadMedit, TakesTheHighestDimension) {
  expect_two_tetrahedra(parse_mesh(kMedit, "m.mesh"));
}

TEST(ReadMedit, SurfacesInThePlaneAndHexahedra) {
  const Mesh plane = parse_mesh(
      "MeshVersionFormatted 1\nDimension 2\nVertices 4\n0 0 0\n1 0 0\n1 1 0\n0 1 0\nEdges 1\n1 2 0\n"
      "Quadrilaterals 1\n1 2 3 4 0\nEnd\n",
      "m.mesh");
  EXPECT_EQ(plane.type, ElementType::Tri3);
  EXPECT_EQ(element_measures(plane).sum(), 1);
  const Mesh box = parse_mesh(
      "MeshVersionFormatted 1\nDimension 3\nVertices 8\n0 0 0 0\n1 0 0 0\n1 1 0 0\n0 1 0 0\n0 0 1 0\n1 0 1 "
      "0\n1 1 1 "
      "0\n0 1 1 0\nHexahedra 1\n1 2 3 4 5 6 7 8 0\nEnd\n",
      "m.mesh");
  EXPECT_EQ(box.type, ElementType::Hex8);
  EXPECT_NEAR(element_measures(box)[0], 1, 1e-15);
}

TEST(ReadMedit, Mistakes) {
  const auto expect = [](const std::string& from, const std::string& to, int line, const std::string& part) {
    expect_error("m.mesh", kMedit, from, to, ":" + std::to_string(line), part);
  };
  expect("MeshVersionFormatted 2", "Mesh 2", 1, "expected MeshVersionFormatted, not 'Mesh'");
  expect("Dimension\n3", "Dimension\n4", 4, "the dimension is 4; expected an integer from 2 to 3");
  expect("# five\n5", "\n2000000000", 6, "are announced");
  expect("1 1 1 -2", "1 1 nan -2", 11, "a coordinate is nan");
  expect("1 1 1 -2", "1 1 1 x", 11, "expected a reference (an integer), not 'x'");
  expect("Corners", "Corner", 12, "unknown keyword 'Corner'");
  expect("2 3 4 5 0", "2 3 4 6 0", 24, "a vertex number is 6; expected an integer from 1 to 5");
  expect("2 3 4 5 0", "2 3 4 0 0", 24, "a vertex number is 0");
  expect("Tetrahedra\n2", "Tetrahedra\n2000000000", 22, "are announced");
  expect("End\n", "", 24, "the file ends where End was expected");
  expect("Vertices", "Edges 0 Vertices", 5, "Edges stands before Vertices");
}

const std::string kNodes =
    "# nodes\n5 3 1 1\n0 0 0 0 0.5 1\n1 1 0 0 0.5 1\n2 0 1 0 0.5 1 # attribute\n"
    "3 0 0 1 0.5 1\n4 1 1 1 0.5 0\n";
const std::string kElements = "2 4 1\n0 0 1 2 3 7\n1 1 2 3 4 7\n# Generated by tetgen\n";

TEST(ReadTetgen, CountsFromZeroOrOne) {
  const Folder folder;
  folder.write("a.node", kNodes);
  folder.write("a.ele", kElements);
  folder.write("b.node", "5 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n");
  folder.write("b.ele", "2 4 0\n1 1 2 3 4\n2 2 3 4 5\n");
  for (const char* name : {"a.node", "a.ele", "b.node"}) expect_two_tetrahedra(read_mesh(folder.file(name)));
}

TEST(ReadTetgen, Mistakes) {
  const Folder folder;
  const auto expect = [&](std::string nodes, std::string elements, const std::string& from,
                          const std::string& to, const std::string& where, const std::string& part) {
    std::string& text = nodes.find(from) != std::string::npos ? nodes : elements;
    const bool in_nodes = &text == &nodes;
    text.replace(text.find(from), from.size(), to);
    folder.write("m.node", nodes);
    folder.write("m.ele", elements);
    expect_input_error([&] { read_mesh(folder.file("m.ele")); }, folder.file(in_nodes ? "m.node" : "m.ele"),
                       where, part);
  };
  expect(kNodes, kElements, "5 3 1 1", "5 2 1 1", ":2", "the dimension is 2");
  expect(kNodes, kElements, "5 3 1 1", "2000000000 3 1 1", ":2", "are announced");
  expect(kNodes, kElements, "5 3 1 1", "5 3 -1 1", ":2", "the number of attributes is -1");
  expect(kNodes, kElements, "0 0 0 0 0.5 1", "2 0 0 0 0.5 1", ":3", "the number of the first node is 2");
  expect(kNodes, kElements, "4 1 1 1", "5 1 1 1", ":7", "a node number (they count up) is 5");
  expect(kNodes, kElements, "4 1 1 1", "4 1 nan 1", ":7", "a coordinate is nan");
  expect(kNodes, kElements, "2 4 1", "2 10 1", ":1", "the number of nodes of a tetrahedron is 10");
  expect(kNodes, kElements, "1 1 2 3 4 7", "1 1 2 3 5 7", ":3",
         "a node number is 5; expected an integer from 0 to 4");
  expect(kNodes, kElements, "2 4 1", "30 4 1", ":1", "are announced");
  expect(kNodes, kElements, "1 1 2 3 4 7\n", "1 1 2 3 4 7\n8", ":4", "expected the end of the file, not '8'");
}

TEST(ReadTetgen, BothFilesMustBeThere) {
  const Folder folder;
  folder.write("m.ele", kElements);
  try {
    read_mesh(folder.file("m.ele"));
    ADD_FAILURE();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Errc::Io);
    EXPECT_NE(std::string(e.what()).find("m.node"), std::string::npos);
  }
}

}  // namespace
}  // namespace resilin
