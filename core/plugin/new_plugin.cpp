#include "core/plugin/new_plugin.hpp"

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/params/tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <utility>
#include <vector>

namespace resilin {
namespace {

namespace fs = std::filesystem;

/// A kind has a template if the folder has KIND.cpp.in.
std::vector<std::string> kinds_with_template(const std::string& template_folder) {
  const std::string ending = ".cpp.in";
  std::error_code failure;
  std::vector<std::string> kinds;
  fs::directory_iterator files(template_folder, failure);
  if (failure) throw Error(Errc::Io, "cannot read the templates: " + failure.message(), template_folder);
  for (const fs::directory_entry& entry : files) {
    const std::string file = entry.path().filename().string();
    if (file.size() > ending.size() && file.compare(file.size() - ending.size(), ending.size(), ending) == 0)
      kinds.push_back(file.substr(0, file.size() - ending.size()));
  }
  std::sort(kinds.begin(), kinds.end());
  return kinds;
}

bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_lower_snake_case(const std::string& name) {
  if (name.empty() || !is_lower(name.front()) || name.back() == '_') return false;
  if (name.find("__") != std::string::npos) return false;
  return std::all_of(name.begin(), name.end(), [](char c) { return is_lower(c) || is_digit(c) || c == '_'; });
}

void check_name(const std::string& name) {
  if (!is_lower_snake_case(name))
    throw Error(Errc::Input,
                fmt::format("'{}' is no name for a plugin; expected lower_snake_case: words of a-z "
                            "and 0-9, joined by single underscores, such as my_rubber",
                            name));
  const std::vector<std::string> kept = {"all",  "clean",   "edit_cache",    "false", "help", "install",
                                         "null", "package", "rebuild_cache", "test",  "true"};
  if (std::find(kept.begin(), kept.end(), name) != kept.end())
    throw Error(Errc::Input,
                fmt::format("'{}' is no name for a plugin: CMake or YAML give it a meaning", name));
  // Its class would hide one that the template uses.
  const std::vector<std::string> used = {"field",   "matrix3",       "material",
                                         "options", "build_context", "param_visitor"};
  if (std::find(used.begin(), used.end(), name) != used.end())
    throw Error(Errc::Input,
                fmt::format("'{}' is no name for a plugin: Resilin has a class of that name", name));
}

std::string camel_case(const std::string& name) {
  std::string result;
  bool upper = true;
  for (const char c : name) {
    if (c != '_') result += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    upper = c == '_';
  }
  return result;
}

std::string replace_all(std::string text, const std::string& from, const std::string& to) {
  for (auto i = text.find(from); i != std::string::npos; i = text.find(from, i + to.size()))
    text.replace(i, from.size(), to);
  return text;
}

}  // namespace

void write_plugin_project(const std::string& kind, const std::string& name, const std::string& folder,
                          const std::string& template_folder) {
  const std::vector<std::string> kinds = kinds_with_template(template_folder);
  if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end())
    throw Error(Errc::Input,
                fmt::format("no template for a plugin of kind '{}'{}", kind, suggest(kind, kinds)));
  check_name(name);
  if (fs::symlink_status(folder).type() != fs::file_type::not_found)
    throw Error(Errc::Input, "exists already; a new plugin needs a new folder", folder);

  // All templates are read before anything is written.
  const std::string sources[][2] = {{kind + ".cpp.in", name + ".cpp"},
                                    {"CMakeLists.txt.in", "CMakeLists.txt"},
                                    {"scene.yaml.in", "scene.yaml"},
                                    {"README.md.in", "README.md"}};
  std::vector<std::pair<std::string, std::string>> files;
  for (const auto& [from, to] : sources) {
    const std::string text = read_file((fs::path(template_folder) / from).string());
    files.emplace_back(to, replace_all(replace_all(text, "@NAME@", name), "@CLASS@", camel_case(name)));
  }
  try {
    make_folder(folder);
    for (const auto& [file, text] : files) write_file((fs::path(folder) / file).string(), text);
  } catch (...) {
    std::error_code already_failing;
    fs::remove_all(folder, already_failing);
    throw;
  }
}

}  // namespace resilin
