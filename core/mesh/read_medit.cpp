#include "core/mesh/mesh_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>
#include <utility>

namespace resilin::mesh_detail {
namespace {

constexpr Index kMaxCount = std::numeric_limits<int>::max();

struct Section {
  std::string_view name;
  Index nodes;
};
constexpr std::array<Section, 5> kSections{
    {{"Edges", 2}, {"Triangles", 3}, {"Quadrilaterals", 4}, {"Tetrahedra", 4}, {"Hexahedra", 8}}};
/// Without bearing on vertices and elements.
constexpr std::array<std::string_view, 16> kPassedOver{"Corners",
                                                       "Ridges",
                                                       "RequiredVertices",
                                                       "RequiredEdges",
                                                       "RequiredTriangles",
                                                       "RequiredQuadrilaterals",
                                                       "Normals",
                                                       "Tangents",
                                                       "NormalAtVertices",
                                                       "NormalAtTriangleVertices",
                                                       "NormalAtQuadrilateralVertices",
                                                       "TangentAtVertices",
                                                       "TangentAtEdges",
                                                       "SubDomainFromMesh",
                                                       "BoundingBox",
                                                       "AngleOfCornerBound"};

class MeditReader {
 public:
  explicit MeditReader(FileCursor in) : in_(std::move(in)) { in_.set_comment('#'); }

  Mesh read() {
    in_.expect("MeshVersionFormatted");
    in_.integer("the version", 1, 4);
    in_.expect("Dimension");
    dimension_ = in_.integer("the dimension", 2, 3);
    std::string_view keyword = in_.word();
    while (keyword != "End") {
      if (keyword.empty()) in_.fail("the file ends where End was expected");
      keyword = section(keyword);
    }
    if (!has_vertices_) in_.fail("the file ends without Vertices");
    return single_type_mesh(std::move(parts_), in_.file());
  }

 private:
  /// Reads what follows a keyword, and returns the next one.
  std::string_view section(std::string_view keyword) {
    if (keyword == "Vertices") {
      vertices();
      return in_.word();
    }
    for (const Section& s : kSections)
      if (s.name == keyword) {
        elements(s);
        return in_.word();
      }
    if (std::find(kPassedOver.begin(), kPassedOver.end(), keyword) == kPassedOver.end())
      in_.fail(fmt::format(
          "unknown keyword '{}'; expected Vertices, Edges, Triangles, Quadrilaterals, Tetrahedra, "
          "Hexahedra, End, or one such as Corners",
          shown(keyword)));
    std::string_view word = in_.word();
    while (!word.empty() && std::isalpha(static_cast<unsigned char>(word[0])) == 0) word = in_.word();
    return word;
  }

  void vertices() {
    if (has_vertices_) in_.fail("Vertices stands twice");
    has_vertices_ = true;
    const Index n = in_.integer("the number of vertices", 0, kMaxCount);
    in_.require_numbers((dimension_ + 1) * n, "numbers of vertices");
    parts_.vertices.setZero(3, n);
    for (Index v = 0; v < n; ++v) {
      for (Index a = 0; a < dimension_; ++a) parts_.vertices(a, v) = in_.coordinate();
      reference();
    }
  }

  void elements(const Section& section) {
    if (!has_vertices_) in_.fail(fmt::format("{} stands before Vertices", section.name));
    const Index n = in_.integer("the number of elements", 0, kMaxCount);
    in_.require_numbers((section.nodes + 1) * n, "numbers of elements");
    std::array<int, 8> nodes{};
    for (Index e = 0; e < n; ++e) {
      for (Index i = 0; i < section.nodes; ++i)
        nodes[static_cast<std::size_t>(i)] =
            static_cast<int>(in_.integer("a vertex number", 1, parts_.vertices.cols())) - 1;
      reference();
      if (section.nodes == 2) {
        parts_.add(ElementType::Segment2, nodes.data());
      } else if (section.nodes == 8) {
        parts_.add(ElementType::Hex8, nodes.data());
      } else if (section.name == "Tetrahedra") {
        parts_.add(ElementType::Tet4, nodes.data());
      } else {
        parts_.add_fan(nodes.data(), section.nodes);
      }
    }
  }

  /// The mark of a part of the mesh; not needed.
  void reference() { in_.integer("a reference", -kMaxCount, kMaxCount); }

  FileCursor in_;
  MeshParts parts_;
  Index dimension_ = 3;
  bool has_vertices_ = false;
};

}  // namespace

Mesh read_medit(FileCursor in) {
  return MeditReader(std::move(in)).read();
}

}  // namespace resilin::mesh_detail
