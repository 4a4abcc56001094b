#include "core/mesh/mesh_parts.hpp"
#include "core/mesh/number_type.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <utility>

namespace resilin::mesh_detail {
namespace {

constexpr Index kMaxCount = std::numeric_limits<int>::max();

struct Property {
  std::string name;
  NumberType type = NumberType::Float;
  bool is_list = false;
  NumberType length_type = NumberType::UInt8;
};
struct PlyElement {
  std::string name;
  Index count = 0;
  std::vector<Property> properties;
};

class PlyReader {
 public:
  explicit PlyReader(FileCursor in) : in_(std::move(in)) {}

  Mesh read() {
    header();
    for (const PlyElement& element : elements_) body(element);
    if (text_) {
      in_.expect_end();
    } else {
      in_.expect_no_bytes();
    }
    return single_type_mesh(std::move(parts_), in_.file());
  }

 private:
  void header();
  void format(std::string_view rest);
  void property(std::string_view rest);
  NumberType type_named(std::string_view name) const;
  void body(const PlyElement& element);
  void require_room(const PlyElement& element) const;
  void vertices(const PlyElement& element);
  void lists(const PlyElement& element, std::size_t list);
  void edges(const PlyElement& element);
  void skip(const Property& property);
  std::size_t index_of(const PlyElement& element, std::string_view name) const;

  double real(NumberType type) {
    return text_ ? in_.real("a value") : binary_real(in_, type, swap_, "a value");
  }
  long long integer(NumberType type, const char* what, long long low, long long high) {
    return text_ ? in_.integer(what, low, high) : binary_integer(in_, type, swap_, what, low, high);
  }
  int vertex_index(NumberType type) {
    return static_cast<int>(integer(type, "a vertex index", 0, parts_.vertices.cols() - 1));
  }
  Index length(const Property& list);

  FileCursor in_;
  MeshParts parts_;
  std::vector<PlyElement> elements_;
  bool text_ = false, swap_ = false, has_vertices_ = false;
};

void PlyReader::header() {
  std::string_view rest = in_.line();
  if (take_word(rest) != "ply" || !take_word(rest).empty()) in_.fail("expected 'ply' as the first line");
  bool has_format = false;
  while (true) {
    if (in_.at_end()) in_.fail("the file ends where end_header was expected");
    rest = in_.line();
    const std::string_view keyword = take_word(rest);
    if (keyword == "end_header") break;
    if (keyword == "comment" || keyword == "obj_info" || keyword.empty()) continue;
    if (keyword == "format") {
      format(rest);
      has_format = true;
    } else if (keyword == "element") {
      PlyElement element;
      element.name = take_word(rest);
      element.count = in_.integer_of(take_word(rest), "the number of elements", 0, kMaxCount);
      elements_.push_back(std::move(element));
    } else if (keyword == "property") {
      property(rest);
    } else {
      in_.fail(fmt::format(
          "unknown keyword '{}'; expected format, element, property, comment, obj_info or end_header",
          shown(keyword)));
    }
  }
  if (!has_format) in_.fail("the header has no format");
  for (const PlyElement& e : elements_)
    if (e.properties.empty() && e.count > 0)
      in_.fail(fmt::format("element '{}' has no properties", shown(e.name)));
}

void PlyReader::format(std::string_view rest) {
  const std::string_view word = take_word(rest);
  text_ = word == "ascii";
  const bool little = word == "binary_little_endian";
  if (!text_ && !little && word != "binary_big_endian")
    in_.fail(fmt::format("expected format ascii, binary_little_endian or binary_big_endian, not '{}'",
                         shown(word)));
  swap_ = little != (std::endian::native == std::endian::little);
  const std::string_view version = take_word(rest);
  if (version != "1.0") in_.fail(fmt::format("expected version 1.0, not '{}'", shown(version)));
}

NumberType PlyReader::type_named(std::string_view name) const {
  constexpr std::array<std::pair<std::string_view, NumberType>, 16> names{{{"char", NumberType::Int8},
                                                                           {"int8", NumberType::Int8},
                                                                           {"uchar", NumberType::UInt8},
                                                                           {"uint8", NumberType::UInt8},
                                                                           {"short", NumberType::Int16},
                                                                           {"int16", NumberType::Int16},
                                                                           {"ushort", NumberType::UInt16},
                                                                           {"uint16", NumberType::UInt16},
                                                                           {"int", NumberType::Int32},
                                                                           {"int32", NumberType::Int32},
                                                                           {"uint", NumberType::UInt32},
                                                                           {"uint32", NumberType::UInt32},
                                                                           {"float", NumberType::Float},
                                                                           {"float32", NumberType::Float},
                                                                           {"double", NumberType::Double},
                                                                           {"float64", NumberType::Double}}};
  for (const auto& [known, type] : names)
    if (name == known) return type;
  in_.fail(
      fmt::format("unknown type '{}' of a property; expected float, double, int, uchar, ...", shown(name)));
}

void PlyReader::property(std::string_view rest) {
  if (elements_.empty()) in_.fail("a property stands before the first element");
  Property p;
  std::string_view word = take_word(rest);
  p.is_list = word == "list";
  if (p.is_list) {
    p.length_type = type_named(take_word(rest));
    word = take_word(rest);
  }
  p.type = type_named(word);
  p.name = take_word(rest);
  if (p.name.empty()) in_.fail("the line ends where the name of a property was expected");
  elements_.back().properties.push_back(std::move(p));
}

/// The number of properties if there is none of that name.
std::size_t PlyReader::index_of(const PlyElement& element, std::string_view name) const {
  std::size_t i = 0;
  while (i < element.properties.size() && element.properties[i].name != name) ++i;
  return i;
}

void PlyReader::require_room(const PlyElement& element) const {
  Index numbers = 0, bytes = 0;
  for (const Property& p : element.properties) {
    ++numbers;
    bytes += size_of(p.is_list ? p.length_type : p.type);
  }
  const std::string what = fmt::format("elements '{}'", shown(element.name));
  if (text_) {
    in_.require_numbers(element.count * numbers, ("numbers of " + what).c_str());
  } else {
    in_.require_room(element.count, bytes, what.c_str());
  }
}

void PlyReader::body(const PlyElement& element) {
  if (element.count == 0 && element.name != "vertex") return;
  require_room(element);
  if (element.name == "vertex") return vertices(element);
  if (element.name == "face") {
    const std::size_t n = element.properties.size();
    const std::size_t list = std::min(index_of(element, "vertex_indices"), index_of(element, "vertex_index"));
    if (list == n || !element.properties[list].is_list)
      in_.fail("element 'face' has no list vertex_indices (or vertex_index)");
    return lists(element, list);
  }
  if (element.name == "edge") return edges(element);
  if (element.name == "tristrips") in_.fail("triangle strips cannot be read; expected an element 'face'");
  for (Index i = 0; i < element.count; ++i)
    for (const Property& p : element.properties) skip(p);
}

void PlyReader::vertices(const PlyElement& element) {
  if (has_vertices_) in_.fail("element 'vertex' stands twice");
  has_vertices_ = true;
  std::vector<int> axis(element.properties.size(), -1);
  for (int a = 0; a < 3; ++a) {
    const std::size_t i = index_of(element, std::string_view("xyz").substr(static_cast<std::size_t>(a), 1));
    if (i == axis.size() || element.properties[i].is_list)
      in_.fail(fmt::format("element 'vertex' has no number {}", "xyz"[a]));
    axis[i] = a;
  }
  parts_.vertices.resize(3, element.count);
  for (Index v = 0; v < element.count; ++v)
    for (std::size_t i = 0; i < axis.size(); ++i) {
      if (axis[i] < 0) {
        skip(element.properties[i]);
      } else {
        parts_.vertices(axis[i], v) = in_.finite(real(element.properties[i].type), "a coordinate");
      }
    }
}

Index PlyReader::length(const Property& list) {
  const Index n = integer(list.length_type, "the length of a list", 0, kMaxCount);
  if (text_) {
    in_.require_numbers(n, "numbers of a list");
  } else {
    in_.require_room(n, size_of(list.type), "numbers of a list");
  }
  return n;
}

void PlyReader::skip(const Property& p) {
  const Index n = p.is_list ? length(p) : 1;
  for (Index i = 0; i < n; ++i) real(p.type);
}

void PlyReader::lists(const PlyElement& element, std::size_t list) {
  if (!has_vertices_) in_.fail("element 'face' stands before 'vertex'");
  std::vector<int> nodes;
  for (Index f = 0; f < element.count; ++f)
    for (std::size_t i = 0; i < element.properties.size(); ++i) {
      const Property& p = element.properties[i];
      if (i != list) {
        skip(p);
        continue;
      }
      const Index n = length(p);
      if (n < 3) in_.fail(fmt::format("a face has {} vertices; expected at least 3", n));
      nodes.resize(static_cast<std::size_t>(n));
      for (int& node : nodes) node = vertex_index(p.type);
      parts_.add_fan(nodes.data(), n);
    }
}

void PlyReader::edges(const PlyElement& element) {
  if (!has_vertices_) in_.fail("element 'edge' stands before 'vertex'");
  const std::array<std::size_t, 2> ends{index_of(element, "vertex1"), index_of(element, "vertex2")};
  for (const std::size_t end : ends)
    if (end == element.properties.size() || element.properties[end].is_list)
      in_.fail("element 'edge' has no numbers vertex1 and vertex2");
  for (Index e = 0; e < element.count; ++e) {
    std::array<int, 2> nodes{};
    for (std::size_t i = 0; i < element.properties.size(); ++i) {
      const Property& p = element.properties[i];
      if (i == ends[0] || i == ends[1]) {
        nodes[i == ends[0] ? 0 : 1] = vertex_index(p.type);
      } else {
        skip(p);
      }
    }
    parts_.add(ElementType::Segment2, nodes.data());
  }
}

}  // namespace

Mesh read_ply(FileCursor in) {
  return PlyReader(std::move(in)).read();
}

}  // namespace resilin::mesh_detail
