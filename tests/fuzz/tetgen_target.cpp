// A target for TetGen's pair of files: the bytes up to the first zero are the nodes, the rest the elements.
#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/log.hpp"
#include "core/mesh/io.hpp"
#include "tests/fuzz/seeds.hpp"
#include "tests/support/mesh_files.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace {

/// Of this process, removed at its end.
struct Stem {
  std::string path =
      (std::filesystem::temp_directory_path() / ("resilin-fuzz-" + std::to_string(::getpid()))).string();
  ~Stem() {
    std::remove((path + ".node").c_str());
    std::remove((path + ".ele").c_str());
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace resilin;
  static const Stem stem;
  set_log_level(LogLevel::Off);
  const std::string all(reinterpret_cast<const char*>(data), size);
  const std::size_t zero = std::min(all.find('\0'), all.size());
  std::ofstream(stem.path + ".node", std::ios::binary) << all.substr(0, zero);
  std::ofstream(stem.path + ".ele", std::ios::binary) << all.substr(std::min(zero + 1, all.size()));
  try {
    const Mesh mesh = read_mesh(stem.path + ".node");
    if (mesh.elements.minCoeff() < 0 || mesh.elements.maxCoeff() >= mesh.num_vertices()) std::abort();
  } catch (const Error& e) {
    if (e.code() != Errc::Input || e.where().empty()) std::abort();
  }
  return 0;
}

std::vector<std::string> fuzz_seeds() {
  const auto [nodes, elements] = resilin::test::sample_tetgen_files();
  return {nodes + '\0' + elements};
}
