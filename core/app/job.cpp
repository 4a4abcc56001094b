#include "core/app/job.hpp"

#include "core/base/file.hpp"
#include "core/base/hash.hpp"
#include "core/base/parallel.hpp"
#include "core/params/passive_visitor.hpp"
#include "core/plugin/interface_hash.hpp"
#include "core/plugin/paths.hpp"

#include <fmt/format.h>

#include <filesystem>

namespace resilin::app {
namespace {

namespace fs = std::filesystem;

void make_plugins_absolute(SceneFile& scene) {
  std::vector<std::string>& plugins = scene.options.scene.plugins;
  if (plugins.empty()) return;
  fs::path base;
  // A list in an override is relative to the current folder.
  if (const auto place = scene.places.find("plugins"); place != scene.places.end())
    if (place->second.file.rfind("--set", 0) != 0) base = fs::path(place->second.file).parent_path();
  for (std::string& plugin : plugins) plugin = fs::absolute(base / plugin).lexically_normal().string();
  scene.resolved = dump_yaml([&](ParamVisitor& v) { scene.options.visit(v); });
}

/// The name becomes that of the ParaView series.
void check_name(const SceneFile& scene) {
  const std::string& name = scene.options.scene.name;
  if (!name.empty() && name != "." && name != ".." && name.find('/') == std::string::npos) return;
  const auto place = scene.places.find("name");
  throw Error(Errc::Input, fmt::format("name: expected one that can be a file name, found '{}'", name),
              place == scene.places.end() ? "" : to_string(place->second));
}

}  // namespace

SceneFile read_scene(const std::string& file, const std::vector<std::string>& overrides, Registry& registry) {
  SceneFile scene = load_scene(file, overrides, registry);
  make_plugins_absolute(scene);
  check_name(scene);
  return scene;
}

void write_texts(JsonWriter& out, const std::string& key, const std::vector<std::string>& texts) {
  out.key(key).begin_array();
  for (const std::string& text : texts) out.value(text);
  out.end_array();
}

namespace {

/// Names of all files that the options refer to.
class FileNames final : public PassiveVisitor {
 public:
  std::vector<std::string> files;
  void path(const char*, std::string& value, const Spec&) override {
    if (!value.empty()) files.push_back(value);
  }
  void component(const char*, const char*, ComponentSpec& value, const Spec&) override { walk(value); }
  void components(const char*, const char*, std::vector<ComponentSpec>& value, const Spec&) override {
    for (ComponentSpec& c : value) walk(c);
  }
  void component_map(const char*, const char*, NamedList<ComponentSpec>& value, const Spec&) override {
    for (auto& entry : value) walk(entry.second);
  }
  void sequence(const char*, SequenceAccess& value, const Spec&) override {
    for (Index i = 0; i < value.size(); ++i) value.visit(i, *this);
  }
  void named(const char*, SequenceAccess& value, const Spec&) override {
    for (Index i = 0; i < value.size(); ++i) value.visit(i, *this);
  }

 private:
  void walk(ComponentSpec& c) {
    if (c.options) c.options->visit(*this);
  }
};

/// All that decides what an evaluation gives: the resolved scene, the files that it names, and who computes.
std::uint64_t problem_hash(const SceneFile& scene, const Registry& registry) {
  std::string all = scene.resolved + "\n" RESILIN_VERSION " " RESILIN_INTERFACE_HASH;
  for (const auto& library : registry.libraries()) all += "\n" + library.name + " " + library.version;
  FileNames names;
  TaskOptions options = scene.options;
  options.visit(names);
  for (const std::string& file : names.files) {
    const std::string content = read_file(file);
    all += "\n" + hex64(fnv1a64(content.data(), content.size()));
  }
  return fnv1a64(all.data(), all.size());
}

}  // namespace

Job::Job(const Context& context) : context_(context), source_(context.arguments.words().at(0)) {
  load_standard_plugins(registry_);
  file_ = read_scene(source_, context_.arguments.all("--set"), registry_);
  folder_ = context_.arguments.text("-o", "results/" + fs::path(source_).stem().string());
  if (folder_.empty()) throw Error(Errc::Input, "-o needs the name of a folder");
  hash_ = problem_hash(file_, registry_);
}

double Job::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

void Job::begin_output(const std::vector<std::string>& others) const {
  make_folder(folder_);
  require_unused(path("trajectory.h5"));
  // A job that is killed must not leave the results of another one beside its own.
  std::vector<std::string> old = others;
  old.emplace_back("summary.json");
  for (const std::string& name : old) {
    std::error_code failure;
    fs::remove(path(name), failure);
    if (failure) throw Error(Errc::Io, "cannot remove the old file: " + failure.message(), path(name));
  }
  write_file(path("scene.yaml"), file_.resolved);
}

void Job::write_head(JsonWriter& out, const std::string& status, const std::string& message) const {
  out.begin_object().field("status", status);
  if (!message.empty()) out.field("message", message);
  out.field("version", RESILIN_VERSION).field("command", context_.command_line);
  out.field("scene", source_).field("name", file_.options.scene.name).field("scene_hash", hex64(hash_));
  out.field("threads", num_threads()).field("wall_time", seconds());
  out.key("plugins").begin_array();
  for (const Registry::Library& l : registry_.libraries())
    out.begin_object().field("name", l.name).field("version", l.version).field("file", l.file).end_object();
  out.end_array();
}

void Job::write_summary(const JsonWriter& out) const {
  write_file(path("summary.json"), out.text() + "\n");
  if (context_.json) print(out.text() + "\n");
}

}  // namespace resilin::app
