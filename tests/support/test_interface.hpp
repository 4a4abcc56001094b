// A small interface of its own kind, for tests of the plugin machinery in the test program and in test
// plugins.
#pragma once

#include "core/plugin/registry.hpp"

namespace resilin::test {

class Gadget : public Component {
 public:
  virtual double value() const = 0;
  virtual std::string path() const = 0;  ///< what the constructor was told
};

/// value() is `factor` times the number that its maker gave.
template <int kNumber>
class ScaledGadget final : public Gadget {
 public:
  struct Options {
    double factor = 2;
    void visit(ParamVisitor& v) { v.real("factor", factor, {.doc = "factor of the value", .min = 0}); }
  };

  ScaledGadget(const Options& options, const BuildContext& context)
      : factor_(options.factor), path_(context.path) {}
  double value() const override { return factor_ * kNumber; }
  std::string path() const override { return path_; }

 private:
  double factor_;
  std::string path_;
};

}  // namespace resilin::test

namespace resilin {
RESILIN_KIND(test::Gadget, "gadget");
}  // namespace resilin
