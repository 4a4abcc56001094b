// s(t) = sum_k c_k B(t / T - k + 1), B the cubic B-spline on [-2, 2] and T the interval: n control values
// span (n - 3) T from time zero on; s keeps its last value after that. Control value k + 1 acts most at k T.
#pragma once

#include "core/energy/signal.hpp"

#include <array>

namespace resilin::signals {

class BSpline final : public Signal {
 public:
  struct Options {
    double interval = 0.1;
    Index count = 0;
    Field values = four_ones();
    void visit(ParamVisitor& v);
  };
  BSpline(const Options& options, const BuildContext& context);

  void visit_parameters(ParamVisitor& v) override { options_.visit(v); }
  double value(double t) const override;
  Index num_parameters() const override { return options_.values.size(); }
  void add_param_vjp(double t, double z, MutVec dtheta) const override;

 private:
  static Field four_ones();
  /// Weights of control values first .. first + 3.
  struct Weights {
    Index first = 0;
    std::array<double, 4> w{};
  };
  Weights weights(double t) const;
  Options options_;
};

}  // namespace resilin::signals
