#include "core/base/error.hpp"
#include "core/mesh/mesh_parts.hpp"
#include "core/mesh/number_type.hpp"
#include "core/mesh/vtu_data.hpp"
#include "core/mesh/xml_tags.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <limits>
#include <utility>

namespace resilin::mesh_detail {
namespace {

constexpr long long kMaxCount = std::numeric_limits<int>::max();

/// A <DataArray> as it stands in the file.
struct DataArray {
  bool found = false;
  int line = 0;
  std::string name, format;
  NumberType type = NumberType::Double;
  Index components = 1;
  std::size_t offset = 0;  ///< in the appended data
  std::string text;        ///< of the other formats
};

struct Piece {
  int line = 0;
  Index points = 0, cells = 0;
  DataArray coordinates, connectivity, offsets, types;
};

class VtuReader {
 public:
  explicit VtuReader(FileCursor in) : in_(std::move(in)) {}

  Mesh read() {
    structure();
    if (pieces_.empty()) in_.fail("the file holds no <Piece>");
    Index vertices = 0;
    for (const Piece& p : pieces_) vertices += p.points;
    if (vertices > kMaxCount) in_.fail_at_line(pieces_.back().line, "too many points");
    for (const Piece& piece : pieces_) add(piece);
    return single_type_mesh(std::move(parts_), in_.file());
  }

 private:
  void structure();
  void head(const XmlTag& tag);
  void begin_piece(const XmlTag& tag);
  DataArray array(const XmlTag& tag);
  void keep(DataArray array, const std::string& section);
  void appended(const XmlTag& tag);
  void add(const Piece& piece);

  std::string attribute(const XmlTag& tag, const char* name, const char* fallback = nullptr) const {
    const auto found = tag.attributes.find(name);
    if (found != tag.attributes.end()) return found->second;
    if (fallback == nullptr) in_.fail_at_line(tag.line, fmt::format("<{}> has no {}", shown(tag.name), name));
    return fallback;
  }
  long long number(const XmlTag& tag, const char* name, const char* fallback = nullptr) const {
    const std::string text = attribute(tag, name, fallback);
    long long value = 0;
    if (!parse_integer(text, value) || value < 0)
      in_.fail_at_line(tag.line, fmt::format("{} is '{}'; expected a number from 0 on", name, shown(text)));
    return value;
  }
  [[noreturn]] void fail(const DataArray& a, const std::string& message) const {
    in_.fail_at_line(a.line, fmt::format("array '{}': {}", shown(a.name), message));
  }

  std::string_view source_of(const DataArray& array) const;
  std::vector<double> reals(const DataArray& array, Index count) const;
  std::vector<long long> integers(const DataArray& array, Index count, long long low, long long high) const;
  template <class Read>
  void read_all(const DataArray& array, Index count, Read read) const;

  FileCursor in_;
  MeshParts parts_;
  std::vector<Piece> pieces_;
  std::string_view appended_;
  VtuEncoding encoding_;
  bool appended_base64_ = false;
};

void VtuReader::structure() {
  XmlTag tag = next_tag(in_);
  if (tag.name != "VTKFile") in_.fail(fmt::format("expected <VTKFile>, not <{}>", shown(tag.name)));
  head(tag);
  std::string section;
  while (true) {
    tag = next_tag(in_);
    if (tag.name.empty()) in_.fail("the file ends where </VTKFile> was expected");
    if (tag.closing) {
      if (tag.name == "VTKFile") return;
      if (tag.name == section) section.clear();
    } else if (tag.name == "Piece") {
      begin_piece(tag);
    } else if (tag.name == "AppendedData") {
      return appended(tag);
    } else if (tag.name == "DataArray") {
      DataArray a = array(tag);
      if (section == "Points" || section == "Cells") keep(std::move(a), section);
    } else if (!tag.empty) {
      section = tag.name;
    }
  }
}

void VtuReader::head(const XmlTag& tag) {
  const std::string type = attribute(tag, "type");
  if (type != "UnstructuredGrid")
    in_.fail_at_line(tag.line, fmt::format("expected type UnstructuredGrid, not '{}'", shown(type)));
  const std::string compressor = attribute(tag, "compressor", "");
  encoding_.compressed = compressor == "vtkZLibDataCompressor";
  if (!compressor.empty() && !encoding_.compressed)
    in_.fail_at_line(tag.line,
                     fmt::format("the arrays are compressed by {}; expected uncompressed ones or zlib "
                                 "(in ParaView the compressor types None and ZLib)",
                                 shown(compressor)));
  const std::string order = attribute(tag, "byte_order", "LittleEndian");
  if (order != "LittleEndian" && order != "BigEndian")
    in_.fail_at_line(tag.line,
                     fmt::format("expected byte order LittleEndian or BigEndian, not '{}'", shown(order)));
  encoding_.swap = (order == "LittleEndian") != (std::endian::native == std::endian::little);
  const std::string header = attribute(tag, "header_type", "UInt32");
  if (header != "UInt32" && header != "UInt64")
    in_.fail_at_line(tag.line, fmt::format("expected header type UInt32 or UInt64, not '{}'", shown(header)));
  encoding_.wide_header = header == "UInt64";
}

void VtuReader::begin_piece(const XmlTag& tag) {
  Piece piece;
  piece.line = tag.line;
  piece.points = number(tag, "NumberOfPoints");
  piece.cells = number(tag, "NumberOfCells");
  if (piece.points > kMaxCount || piece.cells > kMaxCount)
    in_.fail_at_line(tag.line, fmt::format("{} points and {} cells are too many", piece.points, piece.cells));
  pieces_.push_back(std::move(piece));
}

/// Reads up to the closing tag; what other tags stand inside (such as ranges of the values) is passed over.
DataArray VtuReader::array(const XmlTag& tag) {
  constexpr std::array<std::pair<std::string_view, NumberType>, 10> names{{{"Float32", NumberType::Float},
                                                                           {"Float64", NumberType::Double},
                                                                           {"Int8", NumberType::Int8},
                                                                           {"UInt8", NumberType::UInt8},
                                                                           {"Int16", NumberType::Int16},
                                                                           {"UInt16", NumberType::UInt16},
                                                                           {"Int32", NumberType::Int32},
                                                                           {"UInt32", NumberType::UInt32},
                                                                           {"Int64", NumberType::Int64},
                                                                           {"UInt64", NumberType::UInt64}}};
  DataArray a;
  a.found = true;
  a.line = tag.line;
  a.name = attribute(tag, "Name", "");
  a.format = attribute(tag, "format", "ascii");
  a.components = number(tag, "NumberOfComponents", "1");
  const std::string type = attribute(tag, "type");
  bool known = type == "String" || type == "Bit";  // of arrays that nobody asks for
  for (const auto& [name, value] : names)
    if (name == type) {
      a.type = value;
      known = true;
    }
  if (!known) fail(a, fmt::format("unknown type '{}'", shown(type)));
  if (a.format == "appended") a.offset = static_cast<std::size_t>(number(tag, "offset"));
  if (a.format != "appended" && a.format != "ascii" && a.format != "binary")
    fail(a, fmt::format("expected format ascii, binary or appended, not '{}'", shown(a.format)));
  if (tag.empty) return a;
  Index depth = 0;  // of tags inside
  while (true) {
    const XmlTag inner = next_tag(in_);
    if (inner.name.empty()) fail(a, "is never closed");
    if (depth == 0) a.text.append(inner.text_before);
    if (inner.closing && depth == 0) {
      if (inner.name != "DataArray") fail(a, fmt::format("is closed by </{}>", shown(inner.name)));
      return a;
    }
    if (!inner.empty) depth += inner.closing ? -1 : 1;
  }
}

void VtuReader::keep(DataArray a, const std::string& section) {
  if (pieces_.empty()) fail(a, "stands outside of a <Piece>");
  Piece& piece = pieces_.back();
  DataArray* place = section == "Points"        ? &piece.coordinates
                     : a.name == "connectivity" ? &piece.connectivity
                     : a.name == "offsets"      ? &piece.offsets
                     : a.name == "types"        ? &piece.types
                                                : nullptr;
  if (place == nullptr) return;
  if (place->found) fail(a, "stands twice");
  *place = std::move(a);
}

void VtuReader::appended(const XmlTag& tag) {
  const std::string encoding = attribute(tag, "encoding");
  if (encoding != "raw" && encoding != "base64")
    in_.fail_at_line(tag.line, fmt::format("expected encoding raw or base64, not '{}'", shown(encoding)));
  appended_base64_ = encoding == "base64";
  const std::size_t mark = in_.content().find('_', in_.position());
  if (mark == std::string_view::npos) in_.fail_at_line(tag.line, "<AppendedData> has no '_' before its data");
  appended_ = in_.content().substr(mark + 1);
}

/// Where the binary data of an array begin.
std::string_view VtuReader::source_of(const DataArray& a) const {
  if (a.format != "appended") return a.text;
  if (a.offset >= appended_.size())
    fail(a, fmt::format("offset {} lies behind the {} bytes of appended data", a.offset, appended_.size()));
  return appended_.substr(a.offset);
}

/// Calls read(cursor) for each of `count` values; its failures get the place of the array.
template <class Read>
void VtuReader::read_all(const DataArray& a, Index count, Read read) const {
  const bool ascii = a.format == "ascii";
  VtuEncoding encoding = encoding_;
  encoding.base64 = a.format == "binary" || appended_base64_;
  const std::string_view source = ascii ? std::string_view() : source_of(a);
  try {
    FileCursor cursor(in_.file(), ascii ? a.text : vtu_bytes(source, encoding, count, size_of(a.type)));
    if (ascii) cursor.require_numbers(count, "values");
    for (Index i = 0; i < count; ++i) read(cursor);
    if (ascii) cursor.expect_end();
  } catch (const Error& e) {
    fail(a, e.message());
  }
}

std::vector<double> VtuReader::reals(const DataArray& a, Index count) const {
  std::vector<double> list;
  read_all(a, count, [&](FileCursor& cursor) {
    list.push_back(
        a.format == "ascii"
            ? cursor.coordinate()
            : cursor.finite(binary_real(cursor, a.type, encoding_.swap, "a coordinate"), "a coordinate"));
  });
  return list;
}

std::vector<long long> VtuReader::integers(const DataArray& a, Index count, long long low,
                                           long long high) const {
  std::vector<long long> list;
  read_all(a, count, [&](FileCursor& cursor) {
    list.push_back(a.format == "ascii"
                       ? cursor.integer("a value", low, high)
                       : binary_integer(cursor, a.type, encoding_.swap, "a value", low, high));
  });
  return list;
}

void VtuReader::add(const Piece& piece) {
  const auto require = [&](const DataArray& a, const char* what) {
    if (!a.found) in_.fail_at_line(piece.line, fmt::format("the <Piece> has no array of {}", what));
  };
  require(piece.coordinates, "points");
  if (piece.coordinates.components != 3)
    fail(piece.coordinates, fmt::format("has {} components; expected 3", piece.coordinates.components));
  const Index first = parts_.vertices.cols();
  const std::vector<double> x = reals(piece.coordinates, 3 * piece.points);
  parts_.vertices.conservativeResize(3, first + piece.points);
  parts_.vertices.rightCols(piece.points) = Eigen::Map<const Mat3X>(x.data(), 3, piece.points);
  if (piece.cells == 0) return;
  require(piece.connectivity, "connectivity");
  require(piece.offsets, "offsets");
  require(piece.types, "types");
  const std::vector<long long> ends = integers(piece.offsets, piece.cells, 0, kMaxCount);
  const std::vector<long long> types = integers(piece.types, piece.cells, 0, 255);
  const std::vector<long long> list = integers(piece.connectivity, ends.back(), 0, piece.points - 1);
  std::vector<int> nodes;
  for (const long long node : list) nodes.push_back(static_cast<int>(first + node));
  long long begin = 0;
  for (std::size_t c = 0; c < ends.size(); ++c) {
    if (ends[c] < begin || ends[c] > ends.back())
      fail(piece.offsets,
           fmt::format("offset {} is {}; expected a number from {} to {}", c, ends[c], begin, ends.back()));
    const std::string wrong = parts_.add_vtk_cell(types[c], nodes.data() + begin, ends[c] - begin);
    if (!wrong.empty()) fail(piece.types, fmt::format("cell {} {}", c, wrong));
    begin = ends[c];
  }
}

}  // namespace

Mesh read_vtu(FileCursor in) {
  return VtuReader(std::move(in)).read();
}

}  // namespace resilin::mesh_detail
