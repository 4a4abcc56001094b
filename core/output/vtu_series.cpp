#include "core/output/vtu_series.hpp"

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/mesh/io.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace resilin {
namespace {

/// Names become parts of file names.
void check_name(const char* what, const std::string& name) {
  if (name.empty() || name == "." || name == ".." || name.find('/') != std::string::npos)
    throw Error(Errc::Input,
                fmt::format("expected a {} name that can be a file name, found '{}'", what, name));
}

std::string xml_escape(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

}  // namespace

VtuSeries::VtuSeries(const std::string& folder, const std::string& name) : folder_(folder), name_(name) {
  check_name("series", name);
  make_folder(folder + "/" + name);
}

void VtuSeries::append(double time, Index frame, const std::string& body, const Mesh& rest,
                       const Eigen::Ref<const Mat3X>& x, const Eigen::Ref<const Mat3X>& v) {
  check_name("body", body);
  if (x.cols() != rest.num_vertices() || v.cols() != rest.num_vertices())
    throw Error(Errc::Internal,
                fmt::format("body '{}' has {} vertices, but got {} positions and {} velocities", body,
                            rest.num_vertices(), x.cols(), v.cols()));
  Mesh deformed = rest;
  deformed.vertices = x;
  const std::string file = fmt::format("{}/{}_{:06}.vtu", name_, body, frame);
  write_vtu(folder_ + "/" + file, deformed, {{"velocity", v}, {"displacement", x - rest.vertices}});
  frames_.push_back({time, {body, file}});
  write_collection();
}

void VtuSeries::write_collection() const {
  std::vector<std::string> bodies;  // a part number each, in order of appearance
  std::string out =
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n"
      "  <Collection>\n";
  for (const auto& [time, entry] : frames_) {
    const auto found = std::find(bodies.begin(), bodies.end(), entry.first);
    const auto part = found - bodies.begin();
    if (found == bodies.end()) bodies.push_back(entry.first);
    out += fmt::format("    <DataSet timestep=\"{}\" part=\"{}\" name=\"{}\" file=\"{}\"/>\n", time, part,
                       xml_escape(entry.first), xml_escape(entry.second));
  }
  write_file(folder_ + "/" + name_ + ".pvd", out + "  </Collection>\n</VTKFile>\n");
}

}  // namespace resilin
