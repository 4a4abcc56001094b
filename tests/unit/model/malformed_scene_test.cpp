// Broken scenes: each ends in one Error with a place, in no time and with little memory.
#include "core/base/log.hpp"
#include "core/model/scene.hpp"
#include "tests/support/limited_child.hpp"
#include "tests/support/mutate.hpp"
#include "tests/support/scenes.hpp"

#include <algorithm>
#include <cctype>
#include <fstream>

namespace resilin::test {
namespace {

constexpr unsigned long kMegabytes = 512;
constexpr unsigned kSeconds = 60;

const std::string kSound =
    "name: small\n"
    "time: {step: 0.02, steps: 7}\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  beam:\n"
    "    mesh: {generator: {type: box, size: [2, 1, 1], cells: [2, 1, 1], element: tet4}}\n"
    "    density: 1e3\n"
    "    materials:\n"
    "      - {type: corotated, youngs_modulus: 3e5, poissons_ratio: 0.4}\n"
    "      - volume\n"
    "    pins: [{nodes: {box: {min: [0, 0, 0], max: [0, 1, 1]}}}]\n";

/// Reads broken scenes and keeps what went otherwise than it should.
class SceneJudge {
 public:
  explicit SceneJudge(const TestFolder& folder) : folder_(folder), level_(log_level()) {
    set_log_level(LogLevel::Off);
  }
  ~SceneJudge() { set_log_level(level_); }
  SceneJudge(const SceneJudge&) = delete;
  SceneJudge& operator=(const SceneJudge&) = delete;

  void read(const std::string& text, const std::string& what, bool must_fail) {
    const std::string file = folder_.file("scene.yaml");
    std::ofstream(file, std::ios::binary) << text;  // thousands of files need not survive a power failure
    read_file_named(file, what, must_fail);
  }
  void read_file_named(const std::string& file, const std::string& what, bool must_fail) {
    try {
      load_scene(file, {}, registry());
      if (must_fail) complain(what, "was read");
    } catch (const Error& e) {
      ++errors_;
      if (e.code() != Errc::Input || !has_place(e.what())) complain(what, e.what());
    }
  }
  std::string verdict(int fewest) const {
    return complaints_.empty() && errors_ < fewest ? std::to_string(errors_) + " errors" : complaints_;
  }

 private:
  /// Every mistake stands on a line of its own, which begins with FILE:LINE; a file that holds nothing has no
  /// lines.
  bool has_place(const std::string& text) const {
    const std::string start = folder_.file("");
    const std::size_t colon = text.find(".yaml:");
    if (text.rfind(start, 0) != 0 || colon == std::string::npos) return false;
    return std::isdigit(static_cast<unsigned char>(text.at(colon + 6))) != 0 ||
           text.compare(colon, 29, ".yaml: missing required key '") == 0;
  }
  void complain(const std::string& what, const std::string& how) {
    if (complaints_.size() < 4000) complaints_ += what + ": " + how.substr(0, 300) + "\n";
  }
  const TestFolder& folder_;
  LogLevel level_;
  int errors_ = 0;
  std::string complaints_;
};

/// Runs `body(judge)` under limits; the first-party types are loaded before.
std::string judged(int fewest, const std::function<void(SceneJudge&, const TestFolder&)>& body) {
  registry();
  const TestFolder folder;
  return in_limited_child(kMegabytes, kSeconds, [&] {
    SceneJudge judge(folder);
    body(judge, folder);
    return judge.verdict(fewest);
  });
}

TEST(MalformedScene, TheSoundOneIsRead) {
  EXPECT_EQ(read_scene(kSound).options.scene.time.steps, 7);
}

TEST(MalformedScene, BrokenOffAnywhere) {
  EXPECT_EQ(judged(100,
                   [](SceneJudge& judge, const TestFolder&) {
                     for (std::size_t n = 0; n < kSound.size(); n += 2)
                       judge.read(kSound.substr(0, n), "cut at " + std::to_string(n),
                                  n < kSound.find("bodies"));
                   }),
            "");
}

TEST(MalformedScene, EveryWordReplaced) {
  EXPECT_EQ(judged(500,
                   [](SceneJudge& judge, const TestFolder&) {
                     const std::string ends = " \n:,{}[]";
                     for (const char* word :
                          {".nan", ".inf", "-1", "1e999", "99999999999999999999", "''", "~", "[]", "{}",
                           "true", "*a", "&a", "!x", "\"", "\t", "\xFF", "? ", "word"})
                       for (std::size_t at = 0; at < kSound.size();) {
                         const std::size_t begin = kSound.find_first_not_of(ends, at);
                         if (begin == std::string::npos) break;
                         at = std::min(kSound.find_first_of(ends, begin), kSound.size());
                         std::string broken = kSound;
                         broken.replace(begin, at - begin, word);
                         judge.read(broken, kSound.substr(begin, at - begin) + " is " + word, false);
                       }
                   }),
            "");
}

TEST(MalformedScene, ValuesThatMakeNoSense) {
  EXPECT_EQ(
      judged(20,
             [](SceneJudge& judge, const TestFolder&) {
               const auto replace = [&](const std::string& from, const std::string& to) {
                 std::string broken = kSound;
                 broken.replace(broken.find(from), from.size(), to);
                 judge.read(broken, from + " becomes " + to, true);
               };
               for (const char* step : {".nan", ".inf", "-0.1", "0", "1e999", "'0.1'", "[0.1]", "0.1 s"})
                 replace("step: 0.02", std::string("step: ") + step);
               for (const char* steps : {"-1", "1.5", "99999999999999999999", "many", "{}"})
                 replace("steps: 7", std::string("steps: ") + steps);
               for (const char* cells : {"[2, 1]", "[2, 1, 1, 1]", "[2, -1, 1]", "[2, 1, a]"})
                 replace("cells: [2, 1, 1]", std::string("cells: ") + cells);
               replace("element: tet4", "element: hex20");
               replace("type: corotated", "type: corotatd");
               replace("poissons_ratio: 0.4", "poissons_ratio: 0.5");
               replace("density: 1e3", "density: -1");
               replace("density: 1e3", "densty: 1");
               replace("density: 1e3", "density: 1\n    density: 2");
             }),
      "");
}

TEST(MalformedScene, ExtendsThatNeverEndsOrLeadsNowhere) {
  EXPECT_EQ(
      judged(
          8,
          [](SceneJudge& judge, const TestFolder& folder) {
            folder.write("a.yaml", "extends: b.yaml\n");
            folder.write("b.yaml", "extends: [c.yaml]\n");
            folder.write("c.yaml", "extends: a.yaml\n");
            judge.read_file_named(folder.file("a.yaml"), "a cycle of three", true);
            judge.read("extends: scene.yaml\n", "itself", true);
            judge.read("extends: ./../" +
                           std::filesystem::path(folder.file("")).parent_path().filename().string() +
                           "/scene.yaml\n",
                       "itself by another name", true);
            for (const char* target : {"none.yaml", ".", "/", "/dev/null/x", "[]x", "{a: b}", "[[a.yaml]]"})
              judge.read(std::string("extends: ") + target + "\n", std::string("extends ") + target, true);
            // Each file twice names the one before: 2^30 readings, were they all made.
            folder.write("d0.yaml", kSound);
            for (int i = 1; i <= 30; ++i) {
              const std::string before = "d" + std::to_string(i - 1) + ".yaml";
              folder.write("d" + std::to_string(i) + ".yaml", "extends: [" + before + ", " + before + "]\n");
            }
            judge.read_file_named(folder.file("d30.yaml"), "doubled thirty times", false);
            for (int i = 0; i < 200; ++i)
              folder.write("e" + std::to_string(i) + ".yaml",
                           "extends: e" + std::to_string(i + 1) + ".yaml\n");
            folder.write("e200.yaml", kSound);
            judge.read_file_named(folder.file("e0.yaml"), "two hundred in a row", false);
          }),
      "");
}

TEST(MalformedScene, DeepNestingAndAliasBombs) {
  EXPECT_EQ(judged(10,
                   [](SceneJudge& judge, const TestFolder&) {
                     for (const std::size_t depth : {101, 1000, 100000}) {
                       judge.read("a: " + std::string(depth, '['), "open lists", true);
                       judge.read("a: " + std::string(depth, '[') + std::string(depth, ']'), "lists", true);
                       std::string maps = "a: ";
                       for (std::size_t i = 0; i < depth; ++i) maps += "{a: ";
                       judge.read(maps, "open maps", true);
                     }
                     std::string indented;
                     for (std::size_t i = 0; i < 300; ++i) indented += std::string(i, ' ') + "a:\n";
                     judge.read(indented, "indented maps", true);
                     judge.read(std::string(200, '-') + " x\n", "dashes", true);
                     std::string dashes;
                     for (int i = 0; i < 1000; ++i) dashes += "- ";
                     judge.read("a:\n  " + dashes + "x\n", "lists in a line", true);
                     std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
                     for (int i = 1; i < 12; ++i) {
                       const std::string alias = "*a" + std::to_string(i - 1);
                       bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + alias;
                       for (int k = 1; k < 10; ++k) bomb += ", " + alias;
                       bomb += "]\n";
                     }
                     judge.read(bomb, "a bomb of lists", true);
                     std::string merged = "m0: &m0 {k0: 1}\n";
                     for (int i = 1; i < 40; ++i)
                       merged += "m" + std::to_string(i) + ": &m" + std::to_string(i) + " {<<: [*m" +
                                 std::to_string(i - 1) + ", *m" + std::to_string(i - 1) + "], k" +
                                 std::to_string(i) + ": *m" + std::to_string(i - 1) + "}\n";
                     judge.read(merged, "a bomb of merges", true);
                     judge.read("a: &a {b: *a}\n", "an alias of itself", true);
                     judge.read("a: *nothing\n", "an alias of nothing", true);
                   }),
            "");
}

TEST(MalformedScene, Garbage) {
  EXPECT_EQ(judged(60,
                   [](SceneJudge& judge, const TestFolder&) {
                     Mutator random(5);
                     for (const std::size_t size : {1, 2, 3, 10, 100, 1000, 10000})
                       for (int round = 0; round < 4; ++round) {
                         std::string noise(size, '\0');
                         judge.read(noise, "zeros", true);
                         for (char& c : noise) c = static_cast<char>(random.below(256));
                         judge.read(noise, "noise", true);
                         for (char& c : noise) c = static_cast<char>(' ' + random.below(95));
                         judge.read(noise, "printable noise", true);
                       }
                     judge.read(
                         "\x7F"
                         "ELF" +
                             std::string(100, '\1'),
                         "a program", true);
                     judge.read("{\"json\": [1, 2}", "broken JSON", true);
                     judge.read("%YAML 9.9\n---\n" + kSound, "a version to come", false);
                     judge.read(kSound + "...\n---\n" + kSound, "two documents", true);
                   }),
            "");
}

TEST(MalformedScene, RandomDamage) {
  EXPECT_EQ(judged(500,
                   [](SceneJudge& judge, const TestFolder&) {
                     Mutator damage(6);
                     for (int round = 0; round < 1000; ++round)
                       judge.read(damage(kSound), "round " + std::to_string(round), false);
                   }),
            "");
}

}  // namespace
}  // namespace resilin::test
