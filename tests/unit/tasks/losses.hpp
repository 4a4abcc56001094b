// Losses read from YAML, on a trajectory for which their value is known.
#pragma once

#include "core/optim/loss.hpp"
#include "tests/support/components.hpp"

namespace resilin::test {

/// A box of 2 x 1 x 1 m, three steps; frame k is the rest shape moved by k (0.1, 0, 0), velocity (k, 0, 2).
class Losses : public ::testing::Test {
 protected:
  Losses() : body_(make_box({2, 1, 1}, {2, 1, 1}, ElementType::Hex8)) {
    const Index n = body_.mesh.num_vertices();
    for (Index k = 0; k <= 3; ++k) {
      State s{VecX(3 * n), VecX(3 * n), 0.01 * static_cast<double>(k)};
      for (Index i = 0; i < n; ++i) {
        s.x.segment<3>(3 * i) = body_.mesh.vertices.col(i) + static_cast<double>(k) * Vec3(0.1, 0, 0);
        s.v.segment<3>(3 * i) = Vec3(static_cast<double>(k), 0, 2);
      }
      tape_.states.push_back(s);
      tape_.frames.push_back(k);
    }
  }
  std::unique_ptr<Loss> loss(const std::string& yaml) const {
    ComponentSpec spec;
    Diagnostics diagnostics;
    PlaceMap places;
    read_options(
        parse_tree("loss: " + yaml, "test.yaml"),
        [&](ParamVisitor& v) { v.component("loss", "loss", spec, {.doc = "a"}); }, registry(), diagnostics,
        places);
    diagnostics.throw_if_any();
    BuildContext context = body_.context();
    context.places = &places;
    return registry().make<Loss>(spec, context);
  }
  double value_of(const Loss& l) const { return observed(l, tape_)->value(); }
  double value(const std::string& yaml) const { return value_of(*loss(yaml)); }
  std::string error(const std::string& yaml) const {
    try {
      (void)loss(yaml);
    } catch (const Error& e) {
      return e.what();
    }
    return "no error";
  }
  SampleBody body_;
  Tape tape_;
};

}  // namespace resilin::test
