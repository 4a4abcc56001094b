// resilin plugins: what is there, whether it is sound, and how to start a new one.
#include "core/app/command.hpp"
#include "core/app/plugin_check.hpp"
#include "core/app/reference.hpp"
#include "core/app/table.hpp"
#include "core/output/json.hpp"
#include "core/plugin/new_plugin.hpp"
#include "core/plugin/paths.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <set>

namespace resilin::app {
namespace {

namespace fs = std::filesystem;

/// Words after `plugins LIST`; throws Error(Input) with the usage if their number is wrong.
void expect_words(const Context& context, std::size_t count, const char* usage) {
  if (context.arguments.words().size() != count + 1)
    throw Error(Errc::Input, fmt::format("usage: resilin plugins {}", usage));
}

int list(const Context& context) {
  if (!context.arguments.words().empty()) expect_words(context, 0, "list");
  Registry registry;
  load_standard_plugins(registry);
  Table table({"kind", "type", "summary", "library"});
  JsonWriter out;
  out.begin_object().key("types").begin_array();
  for (const Registry::Entry* e : registry.entries()) {
    // The file is of use to programs; for people it only widens the table.
    const std::string library = e->library.substr(0, e->library.find(" ("));
    table.add({e->kind, e->type + (e->is_default ? " *" : ""), e->summary, library});
    out.begin_object().field("kind", e->kind).field("type", e->type).field("summary", e->summary);
    out.field("library", e->library).field("default", e->is_default).end_object();
  }
  out.end_array().end_object();
  print(context.json ? out.text() + "\n"
                     : table.text() + "* is taken where a scene names none of the kind\n");
  return kGood;
}

void write_json(const std::vector<const Registry::Entry*>& found, const Registry& registry) {
  JsonWriter out;
  out.begin_object().key("types").begin_array();
  for (const Registry::Entry* e : found) {
    const auto options = e->make_options();
    out.begin_object().field("kind", e->kind).field("type", e->type).field("summary", e->summary);
    out.field("library", e->library).field("default", e->is_default);
    out.key("schema").raw(json_schema([&](ParamVisitor& v) { options->visit(v); }, registry)).end_object();
  }
  print(out.end_array().end_object().text() + "\n");
}

int show(const Context& context) {
  expect_words(context, 1, "show NAME|KIND/NAME");
  Registry registry;
  load_standard_plugins(registry);
  const std::string& name = context.arguments.words()[1];
  std::vector<const Registry::Entry*> found;
  std::set<std::string> known;
  for (const Registry::Entry* e : registry.entries()) {
    known.insert(e->type);
    if (name == e->type || name == e->kind + "/" + e->type) found.push_back(e);
  }
  if (found.empty())
    throw Error(Errc::Input,
                fmt::format("no type '{}'{}", name, suggest(name, {known.begin(), known.end()})));
  if (context.json) {
    write_json(found, registry);
    return kGood;
  }
  for (std::size_t i = 0; i < found.size(); ++i)
    print(fmt::format("{}{}\nof {}\n", i == 0 ? "" : "\n", describe_type(*found[i], "## " + found[i]->kind),
                      found[i]->library));
  return kGood;
}

int check(const Context& context) {
  expect_words(context, 1, "check LIBRARY");
  Registry registry;
  load_standard_plugins(registry);
  const std::string& file = context.arguments.words()[1];
  registry.load(file);
  const std::vector<PluginCheck> checks = check_plugin(registry, fs::canonical(file).string());
  if (checks.empty()) throw Error(Errc::Plugin, "the library brings no types", file);

  Table table({"type", "check", ">value", ">limit", ""});
  JsonWriter out;
  Index failed = 0;
  out.begin_object().field("library", file).key("checks").begin_array();
  for (const PluginCheck& c : checks) {
    failed += c.passed ? 0 : 1;
    table.add({c.type, c.name, c.value, c.limit, c.passed ? "ok" : "FAILED"});
    out.begin_object().field("type", c.type).field("check", c.name).field("value", c.value);
    out.field("limit", c.limit).field("passed", c.passed).end_object();
  }
  out.end_array().field("failed", failed).end_object();
  const std::string verdict = failed == 0 ? fmt::format("all {} checks passed\n", checks.size())
                                          : fmt::format("{} of {} checks FAILED\n", failed, checks.size());
  print(context.json ? out.text() + "\n" : table.text() + verdict);
  return failed == 0 ? kGood : kCheckFailed;
}

/// How CMake finds the package of the running program.
std::string build_hint() {
  const fs::path library_folder = fs::path(first_party_plugin_folder()).parent_path().parent_path();
  if (fs::exists(library_folder / "cmake" / "Resilin" / "ResilinConfig.cmake"))
    return fmt::format("-DResilin_DIR={}", (library_folder / "cmake" / "Resilin").string());
  return "-DCMAKE_PREFIX_PATH=PREFIX";
}

int create(const Context& context) {
  expect_words(context, 2, "new KIND NAME [-o DIR]");
  const std::string &kind = context.arguments.words()[1], &name = context.arguments.words()[2];
  const std::string folder = context.arguments.text("-o", name);
  Registry registry;
  load_standard_plugins(registry);
  if (registry.knows(kind, name))
    throw Error(Errc::Input, fmt::format("there is a {} '{}' already: choose another name", kind, name));
  write_plugin_project(kind, name, folder, plugin_template_folder());
  const std::string hint = build_hint();
  if (context.json) {
    JsonWriter out;
    out.begin_object().field("kind", kind).field("name", name).field("folder", folder).end_object();
    print(out.text() + "\n");
    return kGood;
  }
  std::string text =
      fmt::format("wrote {}/{{CMakeLists.txt, {}.cpp, README.md, scene.yaml}}. Next:\n\n", folder, name);
  if (hint.find("PREFIX_PATH") != std::string::npos)
    text +=
        fmt::format("  cmake --install {} --prefix PREFIX\n",
                    fs::path(first_party_plugin_folder()).parent_path().parent_path().parent_path().string());
  text += fmt::format("  cmake -S {0} -B {0}/build {1}\n  cmake --build {0}/build\n", folder, hint);
  text +=
      fmt::format("  resilin plugins check {0}/build/{1}.so\n  resilin run {0}/scene.yaml\n", folder, name);
  print(text);
  return kGood;
}

int reference(const Context& context) {
  expect_words(context, 0, "reference");
  Registry registry;
  // Only what the program comes with, whatever RESILIN_PLUGIN_PATH adds here.
  registry.load_folder(first_party_plugin_folder());
  print(reference_manual(registry));
  return kGood;
}

int execute(const Context& context) {
  const std::vector<std::string>& words = context.arguments.words();
  const std::string what = words.empty() ? "list" : words[0];
  if (context.arguments.has("-o") && what != "new")
    throw Error(Errc::Input, "-o goes with `plugins new` only");
  if (what == "list") return list(context);
  if (what == "show") return show(context);
  if (what == "check") return check(context);
  if (what == "new") return create(context);
  if (what == "reference") return reference(context);
  throw Error(Errc::Input,
              fmt::format("unknown: plugins {}{}", what, suggest(what, {"list", "show", "check", "new"})));
}

}  // namespace

Command plugins_command() {
  return {"plugins",
          "[list | show NAME | check LIBRARY | new KIND NAME]",
          "what types there are; check or begin a plugin",
          "list: all types with their kind. show: the parameters of a type (KIND/NAME where several kinds "
          "have it).\n"
          "check: loads a library and tests each type that it brings; for materials all derivatives. Exit "
          "code 1 if one\n"
          "fails. new: writes a project that builds one plugin. Types come from the program's own plugin "
          "folder and from\n"
          "the folders and libraries in RESILIN_PLUGIN_PATH.",
          {"resilin plugins list", "resilin plugins show my_rubber", "resilin plugins new material my_rubber",
           "resilin plugins check my_rubber/build/my_rubber.so"},
          {{"-o", "DIR", "folder of the new project; not given: NAME"}},
          0,
          3,
          execute};
}

}  // namespace resilin::app
