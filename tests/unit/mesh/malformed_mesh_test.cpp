// Broken meshes of every format: each ends in one Error with a place, in no time and with little memory.
#include "core/base/error.hpp"
#include "core/base/log.hpp"
#include "core/mesh/io.hpp"
#include "tests/support/limited_child.hpp"
#include "tests/support/mesh_files.hpp"
#include "tests/support/mutate.hpp"
#include "tests/unit/mesh/mesh_samples.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace resilin {
namespace {

using test::Mutator;
using test::SampleFile;

constexpr unsigned long kMegabytes = 256;
constexpr unsigned kSeconds = 60;

/// Reads broken files and keeps what went otherwise than it should.
class Judge {
 public:
  Judge() : level_(log_level()) { set_log_level(LogLevel::Off); }
  ~Judge() { set_log_level(level_); }
  Judge(const Judge&) = delete;
  Judge& operator=(const Judge&) = delete;

  /// `must_fail`: reading it well is wrong; otherwise any end is good but a crash or an Error without a
  /// place.
  void read(const SampleFile& file, const std::string& what, bool must_fail) {
    ++files_;
    try {
      const Mesh mesh = parse_mesh(file.content, file.name);
      if (must_fail) complain(file, what, "was read");
      if (!mesh.vertices.allFinite() || mesh.num_elements() == 0 || mesh.elements.minCoeff() < 0 ||
          mesh.elements.maxCoeff() >= mesh.num_vertices())
        complain(file, what, "gave a broken mesh");
    } catch (const Error& e) {
      ++errors_;
      if (e.code() != Errc::Input || e.where().rfind(file.name, 0) != 0 || e.message().empty() ||
          e.message().size() > 400)
        complain(file, what, e.what());
    }
  }
  /// "" if all was well and there were at least `fewest` errors.
  std::string verdict(int fewest) const {
    if (complaints_.empty() && errors_ < fewest)
      return std::to_string(errors_) + " errors of " + std::to_string(files_) + " files";
    return complaints_;
  }

 private:
  void complain(const SampleFile& file, const std::string& what, const std::string& how) {
    if (complaints_.size() < 4000) complaints_ += file.name + ", " + what + ": " + how + "\n";
  }
  LogLevel level_;
  int files_ = 0, errors_ = 0;
  std::string complaints_;
};

TEST(MalformedMesh, TheSamplesThemselvesAreSound) {
  for (const SampleFile& file : test::sample_mesh_files()) {
    SCOPED_TRACE(file.name);
    const Mesh mesh = parse_mesh(file.content, file.name);
    EXPECT_EQ(mesh.num_vertices(), 5);
    EXPECT_EQ(mesh.num_elements(), is_volume(mesh.type) ? 2 : 6);
    EXPECT_EQ(mesh.vertices.col(mesh.elements.maxCoeff()), Vec3(1, 1, 1));
  }
}

TEST(MalformedMesh, BrokenOffAnywhere) {
  EXPECT_EQ(
      test::in_limited_child(
          kMegabytes, kSeconds,
          [] {
            Judge judge;
            for (const SampleFile& file : test::sample_mesh_files())
              for (std::size_t n = 0; n < file.content.size(); n += 1 + n / 30) {
                // A list of faces without a count may end anywhere; the last number
                // of a text may lose digits.
                const bool must_fail = n < (file.name == "text.obj" ? 150 : file.content.size() * 4 / 5);
                judge.read({file.name, file.content.substr(0, n)}, "cut at " + std::to_string(n), must_fail);
              }
            return judge.verdict(200);
          }),
      "");
}

/// The samples that are text, with word number `i` replaced.
bool replace_word(std::string& text, std::size_t i, const std::string& by) {
  std::size_t at = 0;
  for (;; --i) {
    const std::size_t begin = text.find_first_not_of(" \n", at);
    if (begin == std::string::npos) return false;
    at = std::min(text.find_first_of(" \n", begin), text.size());
    if (i > 0) continue;
    text.replace(begin, at - begin, by);
    return true;
  }
}

TEST(MalformedMesh, EveryWordOfTextReplaced) {
  EXPECT_EQ(test::in_limited_child(
                kMegabytes, kSeconds,
                [] {
                  Judge judge;
                  for (const SampleFile& file : test::sample_mesh_files()) {
                    if (file.name.find("text") == std::string::npos && file.name != "version5.vtk") continue;
                    for (const char* word :
                         {"2000000000", "99999999999999999999", "-7", "nan", "-inf", "1e999", "?", "0x1"})
                      for (std::size_t i = 0;; ++i) {
                        SampleFile broken = file;
                        if (!replace_word(broken.content, i, word)) break;
                        judge.read(broken, "word " + std::to_string(i) + " is " + word, false);
                      }
                  }
                  return judge.verdict(2000);
                }),
            "");
}

TEST(MalformedMesh, NumbersThatAreNoneAreNeverRead) {
  EXPECT_EQ(test::in_limited_child(kMegabytes, kSeconds,
                                   [] {
                                     Judge judge;
                                     for (const SampleFile& file : test::sample_mesh_files())
                                       for (const char* word : {"nan", "inf", "1e999", "1.0.0"}) {
                                         SampleFile broken = file;
                                         const std::size_t at = broken.content.find("1.000000");
                                         if (at == std::string::npos) continue;  // binary
                                         broken.content.replace(at, 8, word);
                                         judge.read(broken, std::string("a coordinate is ") + word, true);
                                       }
                                     return judge.verdict(32);
                                   }),
            "");
}

TEST(MalformedMesh, TheOtherByteOrder) {
  EXPECT_EQ(test::in_limited_child(
                kMegabytes, kSeconds,
                [] {
                  Judge judge;
                  for (const SampleFile& file : test::sample_mesh_files()) {
                    SampleFile lie = file;
                    const auto replace = [&](const std::string& from, const std::string& to) {
                      lie.content.replace(lie.content.find(from), from.size(), to);
                      judge.read(lie, "byte order", true);
                    };
                    if (file.name == "little.ply") replace("little", "big");
                    if (file.name == "big.ply") replace("big", "little");
                    if (file.name == "raw.vtu") replace("LittleEndian", "BigEndian");
                    if (file.name.rfind("little", 0) == 0 && file.name.find(".msh") != std::string::npos)
                      replace(std::string("\1\0\0\0", 4), std::string("\0\0\0\1", 4));
                    if (file.name.rfind("big", 0) == 0 && file.name.find(".msh") != std::string::npos)
                      replace(std::string("\0\0\0\1", 4), std::string("\1\0\0\0", 4));
                  }
                  return judge.verdict(7);
                }),
            "");
}

TEST(MalformedMesh, Garbage) {
  EXPECT_EQ(test::in_limited_child(
                kMegabytes, kSeconds,
                [] {
                  Judge judge;
                  Mutator random(1);
                  for (const SampleFile& file : test::sample_mesh_files())
                    for (const std::size_t size : {0, 1, 10, 84, 1000, 100000}) {
                      std::string noise(size, '\0');
                      judge.read({file.name, noise}, "zeros", true);
                      judge.read({file.name, std::string(size, '\xFF')}, "ones", true);
                      for (char& c : noise) c = static_cast<char>(random.below(256));
                      judge.read({file.name, noise}, "noise", true);
                      judge.read({file.name, file.content.substr(0, 60) + noise}, "half noise", size >= 10);
                    }
                  return judge.verdict(400);
                }),
            "");
}

TEST(MalformedMesh, RandomDamage) {
  EXPECT_EQ(test::in_limited_child(
                kMegabytes, kSeconds,
                [] {
                  Judge judge;
                  Mutator damage(2);
                  for (int round = 0; round < 300; ++round)
                    for (const SampleFile& file : test::sample_mesh_files())
                      judge.read({file.name, damage(file.content)}, "round " + std::to_string(round), false);
                  return judge.verdict(3000);
                }),
            "");
}

/// Counts that would need far more memory than the file can fill.
TEST(MalformedMesh, HugeCounts) {
  const std::string vtu =
      "<VTKFile type=\"UnstructuredGrid\"><UnstructuredGrid><Piece NumberOfPoints=\"2147483647\" "
      "NumberOfCells=\"2147483647\"><Points><DataArray type=\"Float32\" NumberOfComponents=\"3\">0 0 "
      "0</DataArray>"
      "</Points></Piece></UnstructuredGrid></VTKFile>";
  const std::vector<SampleFile> files = {
      {"a.vtk", "# vtk DataFile Version 3.0\nt\nBINARY\nDATASET POLYDATA\nPOINTS 2147483647 char\n\n"},
      {"b.vtk",
       "# vtk DataFile Version 5.1\nt\nASCII\nDATASET POLYDATA\nPOINTS 1 float\n0 0 0\nPOLYGONS 2147483647 "
       "2147483647\nOFFSETS vtktypeint64\n0 1\n"},
      {"a.vtu", vtu},
      {"a.off", "OFF\n2147483647 2147483647 0\n"},
      {"b.off", "OFF\n1 1 0\n0 0 0\n2147483647 0\n"},
      {"a.ply",
       "ply\nformat ascii 1.0\nelement a 2147483647\nproperty list int int b\nend_header\n2147483647 1\n"},
      {"b.ply",
       "ply\nformat binary_little_endian 1.0\nelement a 1\nproperty list uint double "
       "b\nend_header\n\xFF\xFF\xFF\x7F"},
      {"c.ply", "ply\nformat ascii 1.0\nelement a 2147483647\nend_header\n"},
      {"a.stl", std::string(80, ' ') + "\xFF\xFF\xFF\xFF"},
      {"a.msh", "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n2147483647 2147483647 1 1\n"},
      {"b.msh", "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n2147483647 0 1 1\n3 1 0 0\n"},
      {"c.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n2147483647\n"},
      {"a.mesh", "MeshVersionFormatted 1\nDimension 3\nVertices 2147483647\n0 0 0 0\n"},
      {"b.mesh",
       "MeshVersionFormatted 1\nDimension 3\nVertices 1\n0 0 0 0\nHexahedra 2147483647\n1 1 1\nEnd\n"}};
  EXPECT_EQ(test::in_limited_child(64, 10,
                                   [&] {
                                     Judge judge;
                                     for (const SampleFile& file : files)
                                       judge.read(file, "huge count", true);
                                     return judge.verdict(static_cast<int>(files.size()));
                                   }),
            "");
}

TEST(MalformedMesh, MixedAndUnknownElements) {
  Judge judge;
  const std::string head =
      "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n8\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 0 0 "
      "1\n6 1 0 1\n7 1 1 1\n8 0 1 1\n$EndNodes\n$Elements\n";
  judge.read({"a.msh", head + "2\n1 4 0 1 2 3 5\n2 5 0 1 2 3 4 5 6 7 8\n$EndElements\n"}, "tet4 and hex8",
             true);
  for (const int type : {0, 6, 7, 8, 9, 11, 16, 92, 137})
    judge.read({"a.msh", head + "1\n1 " + std::to_string(type) + " 0 1 2 3 4 5 6 7 8\n$EndElements\n"},
               "type", true);
  judge.read({"b.msh", head + "1\n1 15 0 1\n$EndElements\n"}, "points alone", true);
  EXPECT_EQ(judge.verdict(11), "");
}

TEST(MalformedMesh, TetgenPairs) {
  const testing::Folder folder;
  const auto [nodes, elements] = test::sample_tetgen_files();
  folder.write("a.node", nodes);
  folder.write("a.ele", elements);
  EXPECT_EQ(read_mesh(folder.file("a.node")).num_elements(), 2);
  EXPECT_EQ(test::in_limited_child(kMegabytes, kSeconds,
                                   [&, n = nodes, e = elements]() -> std::string {
                                     Mutator damage(3);
                                     for (int round = 0; round < 300; ++round) {
                                       folder.write("a.node", round % 2 == 0 ? damage(n) : n);
                                       folder.write("a.ele", round % 3 != 0 ? damage(e) : e);
                                       try {
                                         const Mesh mesh = read_mesh(folder.file("a.ele"));
                                         if (mesh.elements.maxCoeff() >= mesh.num_vertices())
                                           return "out of range";
                                       } catch (const Error& error) {
                                         if (error.where().rfind(folder.file("a."), 0) != 0)
                                           return error.what();
                                       }
                                     }
                                     return {};
                                   }),
            "");
}

}  // namespace
}  // namespace resilin
