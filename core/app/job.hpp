// What run, optimize and gradcheck have in common: a scene that was read, and a summary at the end.
#pragma once

#include "core/app/command.hpp"
#include "core/model/scene.hpp"
#include "core/output/json.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace resilin::app {

/// Plugins are loaded and the scene is read; nothing is written yet.
class Job {
 public:
  /// Reads the scene that the first word names, with the overrides of --set. Throws Error.
  explicit Job(const Context& context);

  const Context& context() const { return context_; }
  const Registry& registry() const { return registry_; }
  const SceneFile& file() const { return file_; }
  const std::string& folder() const { return folder_; }  ///< where results go
  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  std::uint64_t hash() const { return hash_; }  ///< of the resolved scene, the files it names and the version
  double seconds() const;                       ///< since the start

  /// Creates the output folder with scene.yaml, and removes the summary and `others` of an earlier job.
  void begin_output(const std::vector<std::string>& others = {}) const;
  /// Members that every summary begins with: status, version, command, scene, threads, plugins, time.
  void write_head(JsonWriter& out, const std::string& status, const std::string& message) const;
  /// Writes summary.json, and to standard output if JSON was asked for.
  void write_summary(const JsonWriter& out) const;

 private:
  Context context_;
  Registry registry_;
  SceneFile file_;
  std::string source_, folder_;
  std::uint64_t hash_ = 0;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Reads a scene; its `plugins` become absolute, so that the resolved text means the same in any folder.
SceneFile read_scene(const std::string& file, const std::vector<std::string>& overrides, Registry& registry);

void write_texts(JsonWriter& out, const std::string& key, const std::vector<std::string>& texts);

}  // namespace resilin::app
