// A target for the reader of the format FUZZ_EXTENSION (".vtk"): whatever the bytes, it ends with a mesh
// whose indices are in range or with an Error that has a place.
#include "core/base/error.hpp"
#include "core/base/log.hpp"
#include "core/mesh/io.hpp"
#include "tests/fuzz/seeds.hpp"
#include "tests/support/mesh_files.hpp"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace resilin;
  set_log_level(LogLevel::Off);
  try {
    const Mesh mesh =
        parse_mesh(std::string(reinterpret_cast<const char*>(data), size), "fuzz" FUZZ_EXTENSION);
    if (mesh.num_elements() == 0 || mesh.elements.minCoeff() < 0 ||
        mesh.elements.maxCoeff() >= mesh.num_vertices() || !mesh.vertices.allFinite())
      std::abort();
  } catch (const Error& e) {
    if (e.code() != Errc::Input || e.where().empty()) std::abort();
  }
  return 0;
}

std::vector<std::string> fuzz_seeds() {
  std::vector<std::string> seeds;
  for (const resilin::test::SampleFile& file : resilin::test::sample_mesh_files())
    if (file.name.ends_with(FUZZ_EXTENSION)) seeds.push_back(file.content);
  return seeds;
}
