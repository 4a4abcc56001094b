#include "core/base/error.hpp"
#include "core/mesh/file_cursor.hpp"
#include "core/mesh/mesh_parts.hpp"
#include "core/mesh/number_type.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <optional>
#include <utility>

namespace resilin::mesh_detail {
namespace {

constexpr Index kMaxCount = std::numeric_limits<int>::max();
constexpr bool kSwap = std::endian::native == std::endian::little;  // legacy files are big endian

std::optional<NumberType> number_named(const std::string& name) {
  constexpr std::array<std::pair<const char*, NumberType>, 14> names{{{"FLOAT", NumberType::Float},
                                                                      {"DOUBLE", NumberType::Double},
                                                                      {"CHAR", NumberType::Int8},
                                                                      {"UNSIGNED_CHAR", NumberType::UInt8},
                                                                      {"SHORT", NumberType::Int16},
                                                                      {"UNSIGNED_SHORT", NumberType::UInt16},
                                                                      {"INT", NumberType::Int32},
                                                                      {"VTKTYPEINT32", NumberType::Int32},
                                                                      {"UNSIGNED_INT", NumberType::UInt32},
                                                                      {"LONG", NumberType::Int64},
                                                                      {"VTKTYPEINT64", NumberType::Int64},
                                                                      {"VTKIDTYPE", NumberType::Int32},
                                                                      {"UNSIGNED_LONG", NumberType::UInt64},
                                                                      {"VTKTYPEUINT64", NumberType::UInt64}}};
  for (const auto& [known, number] : names)
    if (name == known) return number;
  return std::nullopt;
}

/// Cells as lists of nodes: cell c has nodes[offsets[c]] to nodes[offsets[c + 1] - 1].
struct CellList {
  std::vector<Index> offsets;
  std::vector<int> nodes;
  Index size() const { return offsets.empty() ? 0 : static_cast<Index>(offsets.size()) - 1; }
  const int* begin(Index c) const { return nodes.data() + offsets[static_cast<std::size_t>(c)]; }
  Index length(Index c) const {
    return offsets[static_cast<std::size_t>(c) + 1] - offsets[static_cast<std::size_t>(c)];
  }
};

class VtkReader {
 public:
  explicit VtkReader(FileCursor in) : in_(std::move(in)) {}

  Mesh read() {
    header();
    while (section()) continue;
    if (!has_points_) in_.fail("the file ends without POINTS");
    if (grid_ && !has_types_) in_.fail("the file ends without CELL_TYPES");
    return single_type_mesh(std::move(parts_), in_.file());
  }

 private:
  void header();
  bool section();
  void points();
  void cell_types();
  void field();
  CellList cell_list();
  CellList counted_cells(Index count, Index numbers);
  CellList offset_cells(Index offsets, Index nodes);

  NumberType number_type(const char* what) {
    const std::string name = upper(in_.word());
    const std::optional<NumberType> number = number_named(name);
    if (!number)
      in_.fail(
          fmt::format("unknown data type '{}' of {}; expected float, double, int, ...", shown(name), what));
    return *number;
  }
  Index count(const char* what) { return in_.integer(what, 0, kMaxCount); }
  void require_room(Index n, NumberType type, const char* what) {
    if (!binary_) return in_.require_numbers(n, what);
    in_.end_line();
    in_.require_room(n, size_of(type), what);
  }
  double next_coordinate(NumberType type);
  long long next_integer(NumberType type, const char* what, long long low, long long high);

  FileCursor in_;
  MeshParts parts_;
  CellList cells_;
  bool binary_ = false, grid_ = false, has_points_ = false, has_cells_ = false, has_types_ = false;
  double version_ = 0;
};

void VtkReader::header() {
  constexpr std::string_view magic = "# vtk DataFile Version ";
  std::string_view first = in_.line();
  if (!first.starts_with(magic)) in_.fail(fmt::format("expected '{}x.y', not '{}'", magic, shown(first)));
  first.remove_prefix(magic.size());
  const std::string_view version = take_word(first);
  if (!parse_real(version, version_)) in_.fail(fmt::format("expected a version, not '{}'", shown(version)));
  in_.line();  // title
  const std::string format = upper(in_.word());
  if (format != "ASCII" && format != "BINARY")
    in_.fail(fmt::format("expected ASCII or BINARY, not '{}'", shown(format)));
  binary_ = format == "BINARY";
  const std::string keyword = upper(in_.word());
  if (keyword != "DATASET") in_.fail(fmt::format("expected DATASET, not '{}'", shown(keyword)));
  const std::string kind = upper(in_.word());
  if (kind != "UNSTRUCTURED_GRID" && kind != "POLYDATA")
    in_.fail(fmt::format("expected data set UNSTRUCTURED_GRID or POLYDATA, not '{}'", shown(kind)));
  grid_ = kind == "UNSTRUCTURED_GRID";
}

/// Reads the next section; false at the end of the geometry.
bool VtkReader::section() {
  const std::string keyword = upper(in_.word());
  if (keyword.empty() || keyword == "POINT_DATA" || keyword == "CELL_DATA") return false;
  if (keyword == "POINTS") {
    points();
  } else if (keyword == "METADATA") {
    // Ends with an empty line.
    for (in_.end_line(); !in_.at_end();)
      if (in_.line().empty()) break;
  } else if (keyword == "FIELD") {
    field();
  } else if (grid_ && keyword == "CELLS") {
    if (has_cells_) in_.fail("CELLS stands twice");
    cells_ = cell_list();
    has_cells_ = true;
  } else if (grid_ && keyword == "CELL_TYPES") {
    cell_types();
  } else if (!grid_ && keyword == "POLYGONS") {
    const CellList polygons = cell_list();
    for (Index c = 0; c < polygons.size(); ++c) parts_.add_fan(polygons.begin(c), polygons.length(c));
  } else if (!grid_ && keyword == "LINES") {
    const CellList lines = cell_list();
    for (Index c = 0; c < lines.size(); ++c) parts_.add_polyline(lines.begin(c), lines.length(c));
  } else if (!grid_ && keyword == "VERTICES") {
    parts_.points += cell_list().size();
  } else {
    in_.fail(
        fmt::format("unknown keyword '{}'; expected {}", shown(keyword),
                    grid_ ? "POINTS, CELLS, CELL_TYPES, FIELD, METADATA, POINT_DATA or CELL_DATA"
                          : "POINTS, POLYGONS, LINES, VERTICES, FIELD, METADATA, POINT_DATA or CELL_DATA"));
  }
  return true;
}

void VtkReader::points() {
  if (has_points_) in_.fail("POINTS stands twice");
  const Index n = count("the number of points");
  const NumberType type = number_type("POINTS");
  require_room(3 * n, type, "coordinates");
  parts_.vertices.resize(3, n);
  for (double& coordinate : parts_.vertices.reshaped()) coordinate = next_coordinate(type);
  has_points_ = true;
}

CellList VtkReader::cell_list() {
  if (!has_points_) in_.fail("cells stand before POINTS");
  const Index first = count("the number of cells"), second = count("the number of integers");
  return version_ > 5.0 ? offset_cells(first, second) : counted_cells(first, second);
}

/// Up to version 5.0: the number of nodes of a cell, then its nodes, and so on.
CellList VtkReader::counted_cells(Index count, Index numbers) {
  require_room(numbers, NumberType::Int32, "integers of cells");
  if (numbers < count) in_.fail(fmt::format("{} cells cannot be held by {} integers", count, numbers));
  CellList list;
  list.offsets.reserve(static_cast<std::size_t>(count) + 1);
  list.offsets.push_back(0);
  Index left = numbers;
  for (Index c = 0; c < count; ++c) {
    if (left == 0)
      in_.fail(fmt::format("the {} integers of the cells end at cell {} of {}", numbers, c, count));
    const long long nodes = next_integer(NumberType::Int32, "the number of nodes of a cell", 0, --left);
    left -= nodes;
    for (long long i = 0; i < nodes; ++i)
      list.nodes.push_back(
          static_cast<int>(next_integer(NumberType::Int32, "a vertex index", 0, parts_.vertices.cols() - 1)));
    list.offsets.push_back(static_cast<Index>(list.nodes.size()));
  }
  if (left != 0) in_.fail(fmt::format("{} integers are left over after {} cells", left, count));
  return list;
}

/// From version 5.1: an array of offsets (one more than cells), then the nodes of all cells.
CellList VtkReader::offset_cells(Index offsets, Index nodes) {
  const auto array = [&](const char* keyword, Index n) {
    const std::string word = upper(in_.word());
    if (word != keyword) in_.fail(fmt::format("expected {}, not '{}'", keyword, shown(word)));
    const NumberType type = number_type(keyword);
    require_room(n, type, "integers of cells");
    return type;
  };
  CellList list;
  const NumberType offset_type = array("OFFSETS", offsets);
  for (Index i = 0; i < offsets; ++i) {
    const Index low = i == 0 ? 0 : list.offsets.back();
    list.offsets.push_back(next_integer(offset_type, "an offset", low, i == 0 ? 0 : nodes));
  }
  const NumberType node_type = array("CONNECTIVITY", nodes);
  for (Index i = 0; i < nodes; ++i)
    list.nodes.push_back(
        static_cast<int>(next_integer(node_type, "a vertex index", 0, parts_.vertices.cols() - 1)));
  if (!list.offsets.empty() && list.offsets.back() != nodes)
    in_.fail(
        fmt::format("the last offset is {}; expected {}, the number of indices", list.offsets.back(), nodes));
  return list;
}

void VtkReader::cell_types() {
  if (!has_cells_) in_.fail("CELL_TYPES stands before CELLS");
  if (has_types_) in_.fail("CELL_TYPES stands twice");
  const Index n = count("the number of cell types");
  if (n != cells_.size()) in_.fail(fmt::format("{} cell types for {} cells", n, cells_.size()));
  require_room(n, NumberType::Int32, "cell types");
  for (Index c = 0; c < n; ++c) {
    const long long type = next_integer(NumberType::Int32, "a cell type", 0, 255);
    const std::string wrong = parts_.add_vtk_cell(type, cells_.begin(c), cells_.length(c));
    if (!wrong.empty()) in_.fail(fmt::format("cell {} {}", c, wrong));
  }
  has_types_ = true;
}

/// Named arrays that belong to no point or cell (such as a time); not needed.
void VtkReader::field() {
  in_.word();  // its name
  const Index arrays = count("the number of arrays");
  for (Index a = 0; a < arrays; ++a) {
    in_.word();
    const Index components = count("the number of components"), tuples = count("the number of tuples");
    const NumberType type = number_type("an array");
    const Index n = components * tuples;
    require_room(n, type, "values of an array");
    if (binary_) {
      in_.skip_bytes(n * size_of(type), "values of an array");
    } else {
      for (Index i = 0; i < n; ++i) in_.real("a value");
    }
  }
}

double VtkReader::next_coordinate(NumberType type) {
  return binary_ ? in_.finite(binary_real(in_, type, kSwap, "a coordinate"), "a coordinate")
                 : in_.coordinate();
}

long long VtkReader::next_integer(NumberType type, const char* what, long long low, long long high) {
  return binary_ ? binary_integer(in_, type, kSwap, what, low, high) : in_.integer(what, low, high);
}

}  // namespace

Mesh read_vtk(FileCursor in) {
  return VtkReader(std::move(in)).read();
}

}  // namespace resilin::mesh_detail
