// Opening plugin libraries: plain data is compared first, C++ of the plugin runs only if all of it agrees.
#include "core/plugin/plugin.hpp"
#include "core/plugin/registry.hpp"

#include <boost/dll/shared_library.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <exception>
#include <filesystem>
#include <fstream>
#include <mutex>

namespace resilin {
namespace {

namespace fs = std::filesystem;
using boost::dll::shared_library;

constexpr const char* kInfoSymbol = "resilin_plugin_info";
constexpr const char* kRegisterSymbol = "resilin_plugin_register";

[[noreturn]] void refuse(const std::string& file, const std::string& why) {
  throw Error(Errc::Plugin, why, file);
}

/// The reason of dlopen() without the wrapping of Boost and without the path, which the error names anyway.
std::string reason(const std::exception& error, const std::string& path) {
  std::string text = error.what();
  const std::string mark = "dlerror system message: ";
  if (const auto begin = text.find(mark); begin != std::string::npos) {
    const auto end = text.rfind(')');
    text = text.substr(begin + mark.size(), end - begin - mark.size());
  }
  if (text.compare(0, path.size() + 2, path + ": ") == 0) text.erase(0, path.size() + 2);
  if (text.find("undefined symbol: _ZN") != std::string::npos && text.find("7resilin") != std::string::npos)
    text += "; it may have been built against another version of Resilin";
  return text;
}

bool has_elf_header(const fs::path& path) {
  char magic[4] = {};
  std::ifstream(path, std::ios::binary).read(magic, sizeof magic);
  return std::memcmp(magic, "\177ELF", sizeof magic) == 0;
}

/// The file that a name stands for, so that a link to a library is the library.
fs::path canonical_file(const std::string& file) {
  std::error_code failure;
  const fs::path path = fs::canonical(file, failure);
  if (failure == std::errc::no_such_file_or_directory)
    refuse(file, "no such file; expected a plugin library");
  if (failure) refuse(file, "cannot be reached: " + failure.message());
  if (!fs::is_regular_file(path)) refuse(file, "is not a file; expected a plugin library");
  return path;
}

/// Opens a library for the rest of the process: objects, exceptions and constants of a plugin may outlive
/// whoever loaded it, and so may the static objects of one that was refused.
const shared_library& open_forever(const fs::path& path, const std::string& file) {
  static std::mutex mutex;
  static auto* const opened = new std::deque<shared_library>;  // not destroyed at exit either
  if (!has_elf_header(path)) refuse(file, "is not a shared library");
  const std::lock_guard lock(mutex);
  try {
    using namespace boost::dll::load_mode;
    return opened->emplace_back(path.string(), rtld_now | rtld_local);
  } catch (const std::exception& e) {
    refuse(file, "cannot be opened: " + reason(e, path.string()));
  }
}

/// Sentences on what differs between a plugin and the core.
class Differences {
 public:
  template <class T>
  void compare(const char* what, const T& plugin, const T& core, const std::string& remedy = {}) {
    if (plugin == core) return;
    text_ += fmt::format("{}{} {}, expected {}", text_.empty() ? "" : "; ", what, plugin, core);
    if (!remedy.empty()) text_ += " (" + remedy + ")";
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

std::string recompile_with(const char* setting) {
  return fmt::format("compile with {}, or use resilin_add_plugin", setting);
}

/// Everything that differs; empty if the plugin fits. Reads nothing behind `api` if that differs: the rest of
/// the struct may then have another layout.
std::string differences(const PluginInfo& plugin) {
  const PluginInfo core = plugin_info("core", "");
  Differences d;
  d.compare("api number", plugin.api, core.api, "compile against the headers of this core");
  if (!d.text().empty()) return d.text();
  d.compare("Eigen", std::string(plugin.eigen), std::string(core.eigen));
  d.compare("alignment", plugin.max_align, core.max_align,
            recompile_with("EIGEN_MAX_ALIGN_BYTES=" RESILIN_STRING(EIGEN_MAX_ALIGN_BYTES)));
  d.compare("static alignment", plugin.max_static_align, core.max_static_align,
            recompile_with("EIGEN_MAX_STATIC_ALIGN_BYTES=" RESILIN_STRING(EIGEN_MAX_STATIC_ALIGN_BYTES)));
  d.compare("EIGEN_MALLOC_ALREADY_ALIGNED", plugin.malloc_aligned, core.malloc_aligned);
  d.compare("_GLIBCXX_USE_CXX11_ABI", plugin.cxx11_abi, core.cxx11_abi);
  d.compare("_GLIBCXX_DEBUG", plugin.debug_containers, core.debug_containers);
  d.compare("layout", plugin.layout, core.layout, "compile against the headers of this core");
  d.compare("interface", std::string(plugin.interface), std::string(core.interface),
            "compile against the headers of this core");
  d.compare("compiler", std::string(plugin.compiler), std::string(core.compiler));
  return d.text();
}

const PluginInfo& checked_info(const shared_library& library, const std::string& file) {
  if (!library.has(kInfoSymbol) || !library.has(kRegisterSymbol))
    refuse(file, "is a library but no plugin: RESILIN_PLUGIN(...) is missing");
  const auto& info = library.get<const PluginInfo>(kInfoSymbol);
  if (const std::string text = differences(info); !text.empty())
    refuse(file, "built for another core: " + text);
  if (*info.name == '\0' || *info.version == '\0')
    refuse(file, "RESILIN_PLUGIN(...) lacks a name or a version");
  return info;
}

}  // namespace

void Registry::load(const std::string& file) {
  const fs::path path = canonical_file(file);
  const auto same_file = [&](const Library& l) { return l.file == path.string(); };
  if (std::any_of(libraries_.begin(), libraries_.end(), same_file)) return;

  const shared_library& library = open_forever(path, file);
  const PluginInfo& info = checked_info(library, file);

  // Registration may throw half-way, or load other libraries: what was there is put back as a whole.
  auto entries = entries_;
  auto libraries = libraries_;
  const std::string outer_library = current_library_;
  const auto undo = [&] {
    entries_.swap(entries);
    libraries_.swap(libraries);
    current_library_ = outer_library;
  };
  libraries_.push_back({info.name, info.version, path.string()});
  current_library_ = fmt::format("{} {} ({})", info.name, info.version, path.string());
  try {
    library.get<void(Registry&)>(kRegisterSymbol)(*this);
  } catch (const std::exception& e) {
    undo();
    refuse(file, fmt::format("registration of plugin '{}' failed: {}", info.name, e.what()));
  } catch (...) {
    undo();
    refuse(file, fmt::format("registration of plugin '{}' failed with an exception that is no std::exception",
                             info.name));
  }
  current_library_ = outer_library;
}

void Registry::load_folder(const std::string& folder) {
  std::error_code failure;
  std::vector<std::string> files;
  fs::directory_iterator entries(folder, failure);
  if (failure) throw Error(Errc::Plugin, "cannot read the plugin folder: " + failure.message(), folder);
  for (const fs::directory_entry& entry : entries)
    if (entry.path().extension() == ".so") files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  for (const std::string& file : files) load(file);
}

}  // namespace resilin
