// resilin mesh: looks at meshes, makes them and turns them into others.
#include "core/app/command.hpp"
#include "core/app/mesh_info.hpp"
#include "core/app/tetrahedralize.hpp"
#include "core/base/error.hpp"
#include "core/mesh/generators.hpp"
#include "core/mesh/io.hpp"
#include "core/mesh/mesh_format.hpp"
#include "core/mesh/mesh_generator.hpp"
#include "core/output/json.hpp"
#include "core/params/tree.hpp"
#include "core/plugin/paths.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace resilin::app {
namespace {

constexpr double kLargest = std::numeric_limits<double>::max();
constexpr double kSmallest = std::numeric_limits<double>::min();

/// Throws Error(Input) unless exactly (or, for `more`, at least) `count` words follow the action's name, and
/// for an option that does not go with the action.
void expect_words(const Context& context, std::size_t count, bool more, const char* usage,
                  const std::vector<std::string>& options = {}) {
  const std::size_t given = context.arguments.words().size() - 1;
  if (given < count || (!more && given > count))
    throw Error(Errc::Input, fmt::format("usage: resilin mesh {}", usage));
  for (const char* option : {"--cell", "--size", "--element", "--mesher"})
    if (context.arguments.has(option) && std::find(options.begin(), options.end(), option) == options.end())
      throw Error(Errc::Input,
                  fmt::format("{} does not go with this; usage: resilin mesh {}", option, usage));
}

/// One of `words`, the first if the option is not given.
std::string one_of(const Context& context, const std::string& option, const std::vector<std::string>& words) {
  const std::string word = context.arguments.text(option, words.front());
  if (std::find(words.begin(), words.end(), word) == words.end())
    throw Error(Errc::Input, fmt::format("{}: unknown '{}'{}", option, word, suggest(word, words)));
  return word;
}

int write(const Context& context, const std::string& file, const Mesh& mesh) {
  write_mesh(file, mesh);
  if (context.json) {
    JsonWriter out;
    out.begin_object().field("file", file).field("type", name_of(mesh.type));
    out.field("vertices", mesh.num_vertices()).field("elements", mesh.num_elements()).end_object();
    print(out.text() + "\n");
  } else {
    print(fmt::format("{}: {} {} elements, {} vertices\n", file, mesh.num_elements(), name_of(mesh.type),
                      mesh.num_vertices()));
  }
  return kGood;
}

int info(const Context& context) {
  expect_words(context, 1, false, "info FILE");
  const std::string& file = context.arguments.words()[1];
  const MeshInfo facts = mesh_info(read_mesh(file));
  print(context.json ? info_json(file, facts) + "\n" : info_text(file, facts));
  return facts.good() ? kGood : kCheckFailed;
}

int convert(const Context& context) {
  expect_words(context, 2, false, "convert FILE OUT");
  const std::vector<std::string>& words = context.arguments.words();
  require_writable_mesh(words[2]);
  return write(context, words[2], read_mesh(words[1]));
}

bool is_yaml(const std::string& word) {
  return word.ends_with(".yaml") || word.ends_with(".yml");
}

/// The tree of options, with the type among them: from a file, or empty.
TreeNode option_tree(const std::string& word) {
  if (!is_yaml(word)) {
    TreeNode root;
    root.kind = TreeNode::Kind::Map;
    return root;
  }
  TreeNode root = load_tree(word);
  if (root.kind != TreeNode::Kind::Map)
    throw Error(Errc::Input, "expected a map: the type of a mesh generator and its options", word);
  return root;
}

/// What a scene would say under `generator:`.
ComponentSpec generator_spec(const std::vector<std::string>& words, const Registry& registry,
                             PlaceMap& places) {
  const std::string kind = Kind<MeshGenerator>::kName;
  TreeNode root = option_tree(words[1]);
  for (std::size_t i = 3; i < words.size(); ++i) apply_override(root, words[i]);
  ComponentSpec spec;
  spec.place = root.place;
  spec.type = words[1];
  if (is_yaml(words[1])) {
    const TreeNode* type = root.find("type");
    if (type == nullptr || type->kind != TreeNode::Kind::Scalar)
      throw Error(Errc::Input, "expected the key type: the name of a mesh generator", words[1]);
    spec.type = type->scalar;
  }
  if (!registry.knows(kind, spec.type))
    throw Error(Errc::Input,
                fmt::format("no mesh generator '{}'{}", spec.type, suggest(spec.type, registry.types(kind))));
  spec.options = registry.make_options(kind, spec.type);
  Diagnostics diagnostics;
  read_options(root, [&](ParamVisitor& v) { spec.options->visit(v); }, registry, diagnostics, places, {},
               {"type"});
  diagnostics.throw_if_any();
  return spec;
}

int generate(const Context& context) {
  expect_words(context, 2, true, "generate TYPE|FILE.yaml OUT [KEY=VALUE...]");
  const std::vector<std::string>& words = context.arguments.words();
  require_writable_mesh(words[2]);
  Registry registry;
  load_standard_plugins(registry);
  PlaceMap places;
  const ComponentSpec spec = generator_spec(words, registry, places);
  BuildContext build;
  build.registry = &registry;
  build.places = &places;
  build.place = spec.place;
  return write(context, words[2], registry.make<MeshGenerator>(spec, build)->generate());
}

/// Mistakes that a surface turns out to have name its file.
template <class Fill>
int fill_surface(const Context& context, Fill fill) {
  const std::vector<std::string>& words = context.arguments.words();
  require_writable_mesh(words[2]);
  const Mesh surface = read_mesh(words[1]);
  try {
    return write(context, words[2], fill(surface));
  } catch (const Error& e) {
    if (!e.where().empty() || e.code() != Errc::Input) throw;
    throw Error(e.code(), e.message(), words[1]);
  }
}

int voxels(const Context& context) {
  const char* usage = "voxelize SURFACE OUT --cell EDGE [--element hex8|tet4]";
  expect_words(context, 2, false, usage, {"--cell", "--element"});
  if (!context.arguments.has("--cell"))
    throw Error(Errc::Input, fmt::format("usage: resilin mesh {}", usage));
  const double cell = context.arguments.real("--cell", 0, kSmallest, kLargest);
  const bool tet = one_of(context, "--element", {"hex8", "tet4"}) == "tet4";
  return fill_surface(context, [&](const Mesh& surface) {
    return voxelize(surface, cell, tet ? ElementType::Tet4 : ElementType::Hex8);
  });
}

int tetrahedra(const Context& context) {
  expect_words(context, 2, false, "tetrahedralize SURFACE OUT [--size EDGE] [--mesher gmsh|tetgen]",
               {"--size", "--mesher"});
  const double size = context.arguments.real("--size", 0, kSmallest, kLargest);
  const std::string mesher =
      context.arguments.has("--mesher") ? one_of(context, "--mesher", {"gmsh", "tetgen"}) : std::string();
  return fill_surface(context, [&](const Mesh& surface) { return tetrahedralize(surface, size, mesher); });
}

int execute(const Context& context) {
  const std::string& what = context.arguments.words()[0];
  if (what == "info") return info(context);
  if (what == "convert") return convert(context);
  if (what == "generate") return generate(context);
  if (what == "voxelize") return voxels(context);
  if (what == "tetrahedralize") return tetrahedra(context);
  throw Error(Errc::Input,
              fmt::format("unknown: mesh {}{}", what,
                          suggest(what, {"info", "convert", "generate", "voxelize", "tetrahedralize"})));
}

}  // namespace

Command mesh_command() {
  return {
      "mesh",
      "info FILE | convert FILE OUT | generate TYPE OUT [KEY=VALUE...] | voxelize SURFACE OUT | "
      "tetrahedralize SURFACE OUT",
      "look at meshes, make and convert them",
      "info: counts, bounds, volume and what is wrong with the mesh; exit code 1 if it cannot be "
      "simulated.\n"
      "convert: the same mesh in another format. generate: a mesh of any generator that `resilin plugins "
      "list`\n"
      "names, with its options as KEY=VALUE; or TYPE is a YAML file with the keys type and options. "
      "voxelize:\n"
      "fills a closed surface with equal cubes. tetrahedralize: fills it with tetrahedra by the program "
      "gmsh or\n"
      "tetgen, whichever is installed; the surface stays as it is.\n"
      "Reads .vtk .vtu .obj .off .ply .stl .msh .mesh .node/.ele, writes .vtk .vtu .msh .obj .ply .stl "
      ".glb.\n"
      "Lengths are metres.",
      {"resilin mesh info bunny.stl", "resilin mesh convert bunny.msh bunny.vtu",
       "resilin mesh generate my_shape beam.vtk 'size=[0.4, 0.1, 0.1]'",
       "resilin mesh voxelize bunny.stl bunny.vtk --cell 0.01",
       "resilin mesh tetrahedralize bunny.stl bunny.msh --size 0.02"},
      {{"--cell", "EDGE", "voxelize: edge of a cube [m]"},
       {"--element", "TYPE", "voxelize: hex8, or tet4 (six for a cube); not given: hex8"},
       {"--size", "EDGE", "tetrahedralize: longest edge wanted inside [m]; not given: the mesher's choice"},
       {"--mesher", "NAME", "tetrahedralize: gmsh or tetgen; not given: the first that is there"}},
      1,
      -1,
      execute};
}

}  // namespace resilin::app
