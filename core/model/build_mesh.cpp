#include "core/base/log.hpp"
#include "core/geometry/rotation.hpp"
#include "core/mesh/generators.hpp"
#include "core/mesh/io.hpp"
#include "core/mesh/mesh_generator.hpp"
#include "core/mesh/quality.hpp"
#include "core/model/system.hpp"

#include <fmt/format.h>

namespace resilin {
namespace {

Mesh raw_mesh(const MeshOptions& options, const BuildContext& context) {
  if (!options.file.empty()) {
    if (!options.generator.type.empty())
      log_info(fmt::format("{}.mesh: {} takes the place of the generator '{}'", context.path, options.file,
                           options.generator.type));
    return read_mesh(options.file);
  }
  if (options.generator.type.empty()) throw context.input_error("mesh", "a mesh needs a generator or a file");
  BuildContext child = context;
  child.path = options.generator.path;
  child.place = options.generator.place;
  return context.registry->make<MeshGenerator>(options.generator, child)->generate();
}

void report_findings(const Mesh& mesh, const MeshOptions& options, const BuildContext& context) {
  std::string errors;
  for (const MeshFinding& f : check_mesh(mesh)) {
    const std::string text = fmt::format("{}: {}", f.name, f.message);
    if (f.is_error)
      errors += (errors.empty() ? "" : "; ") + text;
    else
      log_warn(fmt::format("{}: mesh: {}", context.path, text));
  }
  if (errors.empty()) return;
  const std::string what = options.file.empty() ? "the generated mesh" : options.file;
  throw context.input_error(options.file.empty() ? "mesh" : "mesh.file", what + " cannot be used: " + errors);
}

}  // namespace

namespace {

Mesh made_mesh(const MeshOptions& options, const BuildContext& context) {
  Mesh mesh = raw_mesh(options, context);
  mesh.vertices *= options.scale;
  if (options.rotation.norm() > 0) mesh.vertices = rotation_matrix(options.rotation) * mesh.vertices;
  mesh.vertices.colwise() += options.translation;
  if (options.voxel_size > 0) {
    if (mesh.type != ElementType::Tri3)
      throw context.input_error(
          "mesh.voxel_size", fmt::format("only a closed triangle surface can be voxelised; the mesh has {}",
                                         name_of(mesh.type)));
    mesh = voxelize(mesh, options.voxel_size, ElementType::Hex8);
  }
  report_findings(mesh, options, context);
  return mesh;
}

}  // namespace

Mesh build_mesh(const MeshOptions& options, const BuildContext& context) {
  try {
    return made_mesh(options, context);
  } catch (const Error& e) {
    if (!e.where().empty()) throw;  // says where already
    const bool from_file = !options.file.empty();
    throw context.input_error(from_file ? "mesh.file" : "mesh",
                              (from_file ? options.file + ": " : std::string()) + e.message());
  }
}

}  // namespace resilin
