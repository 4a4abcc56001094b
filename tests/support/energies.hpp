// Bodies that potential energies act on, for tests of every registered type alike.
#pragma once

#include "tests/support/components.hpp"

namespace resilin::test {

/// A box of solid elements, or the surface of one for what acts on surfaces alone.
inline Mesh sample_mesh(const std::string& type) {
  const Mesh solid = make_box({1, 1, 1}, {2, 1, 1}, ElementType::Hex8);
  const SampleBody body(solid);
  try {
    make_component<Energy>(type, body.context());
    return solid;
  } catch (const Error& e) {
    EXPECT_NE(e.message().find("only surfaces"), std::string::npos) << e.message();
  }
  Mesh surface = distorted_mesh({2, 1, 1}, ElementType::Tri3);
  surface.vertices *= 10;
  return surface;
}

}  // namespace resilin::test
