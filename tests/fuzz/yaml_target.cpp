// A target for the reader of scene files, up to the tree of text; and for overrides of it.
#include "core/base/error.hpp"
#include "core/params/tree.hpp"
#include "tests/fuzz/seeds.hpp"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace resilin;
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    TreeNode root = parse_tree(text, "fuzz.yaml");
    apply_override(root, text.substr(0, text.find('\n')));
  } catch (const Error& e) {
    if (e.code() != Errc::Input || std::string(e.what()).empty()) std::abort();
  }
  return 0;
}

std::vector<std::string> fuzz_seeds() {
  return {
      "bodies.beam.density=[1, 2]\nname: small\n",
      "name: small\ntime: {step: 0.02, steps: 7}\nbodies:\n  beam: &beam\n    mesh: {generator: {type: "
      "box}}\n"
      "    materials:\n      - {type: corotated, E: 3e5}\n      - volume\n  other:\n    <<: *beam\n    "
      "density: 10\n",
      "a: [1, \"two\\n\", 'three', {b: null}]\nc: |\n  text\n  more\nd: >-\n  folded\n? e\n: f\n# comment\n",
      "x[*].y[3].z=*a\n- &a [*a]\n--- \n..."};
}
