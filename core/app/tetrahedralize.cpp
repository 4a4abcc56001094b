#include "core/app/tetrahedralize.hpp"

#include "core/app/external_program.hpp"
#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/mesh/closed_surface.hpp"
#include "core/mesh/io.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <iterator>
#include <utility>

namespace resilin::app {
namespace {

/// The surface as it is given to the mesher: no vertex twice, none unused.
Mesh welded(const Mesh& mesh, const ClosedSurface& closed) {
  std::vector<int> number(static_cast<std::size_t>(mesh.num_vertices()), -1);
  std::vector<int> kept;
  Mesh result;
  result.type = ElementType::Tri3;
  result.elements.resize(3, static_cast<Index>(closed.triangles.size()));
  for (std::size_t t = 0; t < closed.triangles.size(); ++t)
    for (std::size_t c = 0; c < 3; ++c) {
      int& n = number[static_cast<std::size_t>(closed.triangles[t][c])];
      if (n < 0) {
        n = static_cast<int>(kept.size());
        kept.push_back(closed.triangles[t][c]);
      }
      result.elements(static_cast<Index>(c), static_cast<Index>(t)) = n;
    }
  result.vertices.resize(3, static_cast<Index>(kept.size()));
  for (std::size_t v = 0; v < kept.size(); ++v)
    result.vertices.col(static_cast<Index>(v)) = mesh.vertices.col(kept[v]);
  return result;
}

Mesh by_gmsh(const std::string& program, const Mesh& surface, double size, const std::string& folder) {
  write_mesh(folder + "/surface.msh", surface);
  write_file(folder + "/volume.geo", "Merge \"surface.msh\";\nSurface Loop(1) = {1};\nVolume(1) = {1};\n");
  std::vector<std::string> arguments = {"-3", "-nopopup", "-format", "msh22", "-o", "volume.msh"};
  if (size > 0) arguments.insert(arguments.end(), {"-clmax", fmt::format("{}", size)});
  arguments.emplace_back("volume.geo");
  run_program(program, arguments, folder, folder + "/log");
  return read_mesh(folder + "/volume.msh");
}

Mesh by_tetgen(const std::string& program, const Mesh& surface, double size, const std::string& folder) {
  fmt::memory_buffer text;
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "{} 3 0 0\n", surface.num_vertices());
  for (Index v = 0; v < surface.num_vertices(); ++v)
    fmt::format_to(out, "{} {} {} {}\n", v, surface.vertices(0, v), surface.vertices(1, v),
                   surface.vertices(2, v));
  fmt::format_to(out, "{} 0\n", surface.num_elements());
  for (const auto& t : surface.elements.colwise()) fmt::format_to(out, "3 {} {} {}\n", t[0], t[1], t[2]);
  fmt::format_to(out, "0\n0\n");  // neither holes nor regions
  write_file(folder + "/surface.smesh", {text.data(), text.size()});
  // p: fill a surface; q: quality; Y: the surface stays as it is; Q: say little.
  std::string flags = "-pqYQ";
  // The volume of a regular tetrahedron; with many digits, for exponents are not understood everywhere.
  if (size > 0) flags += fmt::format("a{:.30f}", size * size * size / (6 * std::sqrt(2.0)));
  run_program(program, {flags, "surface.smesh"}, folder, folder + "/log");
  return read_mesh(folder + "/surface.1.node");
}

/// Meshers differ in the order of the four nodes; all elements must be of one orientation.
void orient(Mesh& mesh) {
  if (mesh.type != ElementType::Tet4)
    throw Error(Errc::Input, fmt::format("the mesher made {} elements; expected tet4", name_of(mesh.type)));
  const VecX volumes = element_measures(mesh);
  if (volumes.maxCoeff() < 0) mesh.elements.row(2).swap(mesh.elements.row(3));
  if (!(volumes.maxCoeff() < 0 || volumes.minCoeff() > 0))
    throw Error(Errc::Input, "the mesher made flat or inverted elements");
}

using Mesher = Mesh (*)(const std::string&, const Mesh&, double, const std::string&);
constexpr std::array<std::pair<const char*, Mesher>, 2> kMeshers{{{"gmsh", by_gmsh}, {"tetgen", by_tetgen}}};

std::pair<std::string, Mesher> choose(const std::string& wanted) {
  for (const auto& [name, mesher] : kMeshers) {
    if (!wanted.empty() && wanted != name) continue;
    const std::string program = find_program(name);
    if (!program.empty()) return {program, mesher};
  }
  throw Error(
      Errc::Input,
      wanted.empty()
          ? "no mesher is there: expected the program gmsh or tetgen on PATH; on Debian and Ubuntu the "
            "packages gmsh and tetgen bring them (apt-get install tetgen)"
          : fmt::format("the program {0} is not on PATH; on Debian and Ubuntu the package {0} brings it "
                        "(apt-get install {0})",
                        wanted));
}

}  // namespace

Mesh tetrahedralize(const Mesh& surface, double size, const std::string& mesher) {
  const ClosedSurface closed = closed_surface(surface, "tetrahedralize");
  const auto [program, fill] = choose(mesher);
  const TemporaryFolder folder;
  Mesh mesh = fill(program, welded(surface, closed), size, folder.path());
  orient(mesh);
  // What the surface encloses must be filled once and nothing else: meshers end well on some broken surfaces.
  constexpr double tolerance = 1e-6;
  const double volume = element_measures(mesh).sum();
  if (!(std::abs(volume - closed.volume) <= tolerance * closed.volume))
    throw Error(Errc::Input,
                fmt::format("the mesher filled {} m^3 of the {} m^3 that the surface encloses; does "
                            "the surface cut through itself?",
                            volume, closed.volume));
  return mesh;
}

}  // namespace resilin::app
