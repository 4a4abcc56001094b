#include "core/app/mesh_info.hpp"

#include "core/app/table.hpp"
#include "core/base/error.hpp"
#include "core/mesh/closed_surface.hpp"
#include "core/output/json.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace resilin::app {
namespace {

/// Fills in what only a sound mesh has.
void look_inside(const Mesh& mesh, MeshInfo& info) {
  const VecX measures = element_measures(mesh);
  info.measure = measures.sum();
  info.smallest = measures.minCoeff();
  info.largest = measures.maxCoeff();
  if (mesh.type == ElementType::Tri3) {
    try {
      info.enclosed = closed_surface(mesh, "to enclose a volume").volume;
    } catch (const Error& e) {
      info.open = e.message();
    }
  }
  if (!is_volume(mesh.type)) return;
  const std::vector<Index> component = face_components(mesh);
  info.pieces = *std::max_element(component.begin(), component.end()) + 1;
  try {
    info.boundary_faces = extract_surface(mesh).faces.cols();
  } catch (const Error& e) {
    info.findings.push_back({"shared_face", true, 1, -1, e.message()});
  }
}

std::string corner(const Vec3& p) {
  return fmt::format("[{}, {}, {}]", short_number(p.x()), short_number(p.y()), short_number(p.z()));
}

/// What measures of the elements are called, and their unit.
std::pair<const char*, const char*> measure_name(const std::string& type) {
  if (type == name_of(ElementType::Segment2)) return {"total length", "m"};
  if (type == name_of(ElementType::Tri3)) return {"total area", "m^2"};
  return {"total volume", "m^3"};
}

}  // namespace

bool MeshInfo::good() const {
  return std::none_of(findings.begin(), findings.end(), [](const MeshFinding& f) { return f.is_error; });
}

MeshInfo mesh_info(const Mesh& mesh) {
  MeshInfo info;
  info.type = name_of(mesh.type);
  info.vertices = mesh.num_vertices();
  info.elements = mesh.num_elements();
  info.lower = mesh.vertices.rowwise().minCoeff();
  info.upper = mesh.vertices.rowwise().maxCoeff();
  info.findings = check_mesh(mesh);
  look_inside(mesh, info);
  return info;
}

std::string info_text(const std::string& file, const MeshInfo& i) {
  const auto [measure, unit] = measure_name(i.type);
  std::string text;
  const auto row = [&](const std::string& name, const std::string& value) {
    text += fmt::format("{:<14}{}\n", name, value);
  };
  row("file", file);
  row("elements", fmt::format("{} {}", i.elements, i.type));
  row("vertices", fmt::format("{}", i.vertices));
  row("bounds", fmt::format("{} to {} m", corner(i.lower), corner(i.upper)));
  row("extent", fmt::format("{} m", corner(i.upper - i.lower)));
  row(measure, fmt::format("{} {}, of an element {} to {}", short_number(i.measure), unit,
                           short_number(i.smallest), short_number(i.largest)));
  if (i.pieces >= 0) row("pieces", fmt::format("{}", i.pieces));
  if (i.boundary_faces >= 0) row("boundary", fmt::format("{} faces", i.boundary_faces));
  if (i.enclosed > 0) row("closed", fmt::format("yes, around {} m^3", short_number(i.enclosed)));
  if (!i.open.empty()) row("closed", "no: " + i.open);
  if (i.findings.empty()) row("findings", "none");
  for (const MeshFinding& f : i.findings)
    row(f.is_error ? "error" : "warning", fmt::format("{}: {}", f.name, f.message));
  return text;
}

std::string info_json(const std::string& file, const MeshInfo& i) {
  JsonWriter out;
  out.begin_object().field("file", file).field("type", i.type);
  out.field("vertices", i.vertices).field("elements", i.elements);
  out.key("lower").value(VecX(i.lower)).key("upper").value(VecX(i.upper));
  out.field("total_measure", i.measure).field("measure_unit", measure_name(i.type).second);
  out.field("smallest_element", i.smallest).field("largest_element", i.largest);
  if (i.pieces >= 0) out.field("pieces", i.pieces);
  if (i.boundary_faces >= 0) out.field("boundary_faces", i.boundary_faces);
  if (i.type == name_of(ElementType::Tri3)) out.field("closed", i.open.empty());
  if (i.enclosed > 0) out.field("enclosed_volume", i.enclosed);
  out.key("findings").begin_array();
  for (const MeshFinding& f : i.findings)
    out.begin_object()
        .field("name", f.name)
        .field("error", f.is_error)
        .field("count", f.count)
        .field("first", f.first)
        .field("message", f.message)
        .end_object();
  return out.end_array().field("ok", i.good()).end_object().text();
}

}  // namespace resilin::app
