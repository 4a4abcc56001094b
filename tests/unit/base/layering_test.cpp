// The order of the folders of core, and that core knows no plugin: read from the sources themselves.
#include "core/base/file.hpp"
#include "core/plugin/registry.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <sstream>

namespace resilin {
namespace {

namespace fs = std::filesystem;

// A folder may include itself and what stands before it.
const std::vector<std::string> kOrder = {"base",    "params",  "plugin", "mesh",  "geometry",
                                         "contact", "control", "energy", "model", "solve",
                                         "optim",   "output",  "app"};

struct Source {
  std::string name;    ///< "core/mesh/mesh.cpp"
  std::string folder;  ///< "mesh"; empty right in core
  std::string text;
};

std::vector<Source> core_sources() {
  const fs::path root = RESILIN_SOURCE_DIR;
  std::vector<Source> sources;
  for (const auto& entry : fs::recursive_directory_iterator(root / "core")) {
    const std::string ending = entry.path().extension().string();
    if (!entry.is_regular_file() || (ending != ".hpp" && ending != ".cpp")) continue;
    const fs::path relative = fs::relative(entry.path(), root);
    const fs::path inside = fs::relative(entry.path().parent_path(), root / "core");
    const std::string folder = inside == "." ? "" : inside.begin()->string();
    sources.push_back({relative.generic_string(), folder, read_file(entry.path().string())});
  }
  std::sort(sources.begin(), sources.end(), [](const Source& a, const Source& b) { return a.name < b.name; });
  return sources;
}

/// A string literal and what stands right before it.
struct Literal {
  std::string text, before;
  int line = 0;
};

/// The text of a raw string that begins at `at` (the quote after R), which is moved behind it.
std::string raw_string(const std::string& s, std::size_t& at) {
  const std::size_t open = s.find('(', at);
  const std::string end = ")" + s.substr(at + 1, open - at - 1) + "\"";
  const std::size_t close = s.find(end, open);
  const std::string text = s.substr(open + 1, close - open - 1);
  at = close + end.size();
  return text;
}
std::string plain_string(const std::string& s, std::size_t& at, char quote) {
  std::string text;
  for (++at; at < s.size() && s[at] != quote; ++at) {
    const bool escaped = s[at] == '\\';
    if (escaped) ++at;
    text += escaped && s[at] == 'n' ? '\n' : s[at];
  }
  ++at;
  return text;
}

/// All string literals outside comments and #include lines.
std::vector<Literal> literals(const std::string& s) {
  std::vector<Literal> found;
  for (std::size_t at = 0; at < s.size();) {
    if (s.compare(at, 2, "//") == 0) {
      at = std::min(s.size(), s.find('\n', at));
    } else if (s.compare(at, 2, "/*") == 0) {
      at = s.find("*/", at) + 2;
    } else if (s.compare(at, 8, "#include") == 0) {
      at = std::min(s.size(), s.find('\n', at));
    } else if (s[at] == '\'' && (at == 0 || !std::isalnum(static_cast<unsigned char>(s[at - 1])))) {
      plain_string(s, at, '\'');
    } else if (s[at] == '"') {
      Literal l;
      const std::size_t begin = at;
      l.line = static_cast<int>(std::count(s.begin(), s.begin() + static_cast<std::ptrdiff_t>(at), '\n')) + 1;
      l.before = s.substr(begin < 60 ? 0 : begin - 60, std::min<std::size_t>(begin, 60));
      l.text = at > 0 && s[at - 1] == 'R' ? raw_string(s, at) : plain_string(s, at, '"');
      found.push_back(l);
    } else {
      ++at;
    }
  }
  return found;
}

TEST(Literals, AreFoundOutsideCommentsOnly) {
  const auto found = literals(
      "// \"no\"\n#include \"no\"\n f(\"a\\\"b\", '\"', R\"x(raw \"text\")x\"); /* \"no\" */ 1'000 \"c\"");
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].text, "a\"b");
  EXPECT_EQ(found[0].line, 3);
  EXPECT_EQ(found[1].text, "raw \"text\"");
  EXPECT_EQ(found[2].text, "c");
}

TEST(Layering, FoldersOfCoreIncludeLowerOnesOnly) {
  const auto level = [](const std::string& folder) {
    return std::find(kOrder.begin(), kOrder.end(), folder) - kOrder.begin();
  };
  std::size_t checked = 0;
  for (const Source& s : core_sources()) {
    if (s.folder.empty()) continue;  // core/resilin.hpp, the collection for plugins
    ASSERT_LT(level(s.folder), static_cast<std::ptrdiff_t>(kOrder.size()))
        << s.name << ": a folder without a place in the order";
    std::istringstream lines(s.text);
    for (std::string line; std::getline(lines, line);) {
      if (line.rfind("#include \"", 0) != 0) continue;
      const std::string included = line.substr(10, line.find('"', 10) - 10);
      EXPECT_EQ(included.rfind("core/", 0), 0u) << s.name << " includes " << included;
      const std::string folder = included.substr(5, included.find('/', 5) - 5);
      EXPECT_LE(level(folder), level(s.folder)) << s.name << " includes " << included;
      ++checked;
    }
  }
  EXPECT_GT(checked, 200u);
}

TEST(Layering, CoreNeverIncludesAPluginNotEvenInBrackets) {
  for (const Source& s : core_sources())
    for (const char* folder :
         {"plugins/", "materials/", "tasks/", "optimizers/", "tests/", "\"../", "<../"}) {
      EXPECT_EQ(s.text.find(std::string("#include \"") + folder), std::string::npos) << s.name;
      EXPECT_EQ(s.text.find(std::string("#include <") + folder), std::string::npos) << s.name;
    }
}

/// True if `word` stands in `text` as a whole word.
bool has_word(const std::string& text, const std::string& word) {
  const auto part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !part(text[at - 1])) && (end == text.size() || !part(text[end]))) return true;
  }
  return false;
}

/// Names the first-party type that a literal means, or "". Types that are English words too (box, volume,
/// direct) count where they stand alone or after "type:"; a literal that names a parameter is its key, no
/// type.
std::string type_in(const Literal& l, const Registry& registry) {
  static const std::vector<std::string> visits = {"section(", "real(",    "integer(", "flag(",  "text(",
                                                  "path(",    "vec3(",    "choice(",  "field(", "numbers(",
                                                  "texts(",   "choices(", "integers("};
  for (const std::string& v : visits)
    if (l.before.size() >= v.size() && l.before.compare(l.before.size() - v.size(), v.size(), v) == 0)
      return {};
  for (const Registry::Entry* e : registry.entries()) {
    const bool coined = e->type.find('_') != std::string::npos || e->type == "cholmod" ||
                        e->type == "corotated" || e->type == "lbfgsb" || e->type == "pd";
    if (l.text == e->type || (coined && has_word(l.text, e->type)) || has_word(l.text, "type: " + e->type))
      return e->kind + " " + e->type;
  }
  return {};
}

TEST(Layering, CoreNamesNoFirstPartyType) {
  Registry registry;
  registry.load_folder(RESILIN_PLUGIN_DIR);
  ASSERT_GT(registry.entries().size(), 15u);
  EXPECT_EQ(type_in({"neo_hookean", "make(", 1}, registry), "material neo_hookean");
  EXPECT_EQ(type_in({"Try {type: direct}", "", 1}, registry), "backward_solver direct");
  EXPECT_EQ(type_in({"box", "v.optional_section(", 1}, registry), "");
  EXPECT_EQ(type_in({"no direct way, no volume", "", 1}, registry), "");
  for (const Source& s : core_sources())
    for (const Literal& l : literals(s.text))
      EXPECT_EQ(type_in(l, registry), "") << s.name << ":" << l.line << ": \"" << l.text << "\"";
}

}  // namespace
}  // namespace resilin
