// Functions for optimizers, which remember where they were asked.
#pragma once

#include "core/optim/optimizer.hpp"
#include "tests/support/components.hpp"

#include <functional>
#include <utility>

namespace resilin::test {

/// A function without a gradient: to ask for one is a failure.
class ValueFunction final : public Objective {
 public:
  using Function = std::function<double(const VecX& u)>;
  ValueFunction(Function f, Index n, double lower, double upper)
      : lower_(VecX::Constant(n, lower)), upper_(VecX::Constant(n, upper)), f_(std::move(f)) {}
  Index size() const override { return lower_.size(); }
  const VecX& lower() const { return lower_; }
  const VecX& upper() const { return upper_; }
  double evaluate(ConstVec, MutVec) override {
    ADD_FAILURE() << "asked for a gradient";
    throw Error(Errc::Internal, "no gradient");
  }
  double value(ConstVec u) override {
    asked.push_back(u);
    values.push_back(std::numeric_limits<double>::quiet_NaN());
    return values.back() = f_(u);
  }
  std::vector<VecX> asked;
  std::vector<double> values;

 private:
  VecX lower_, upper_;
  Function f_;
};

/// The optimizer that YAML asks for.
inline std::unique_ptr<Optimizer> read_optimizer(const std::string& yaml) {
  ComponentSpec spec;
  Diagnostics diagnostics;
  PlaceMap places;
  read_options(
      parse_tree("optimizer: " + yaml, "test.yaml"),
      [&](ParamVisitor& v) { v.component("optimizer", "optimizer", spec, {.doc = "a"}); }, registry(),
      diagnostics, places);
  diagnostics.throw_if_any();
  BuildContext context;
  context.registry = &registry();
  context.places = &places;
  return registry().make<Optimizer>(spec, context);
}

template <class Function>
OptimizerReport minimize(const std::string& type, Function& f, VecX& u,
                         const std::map<std::string, double>& options) {
  BuildContext context;
  context.registry = &registry();
  return make_component<Optimizer>(type, context, options)->minimize(f, f.lower(), f.upper(), u);
}

}  // namespace resilin::test
