// Values c_k at times t_k: s is linear between them, or c_k is held from t_k on; constant before the first
// and after the last. The t_k are equally spaced from zero, or given.
#pragma once

#include "core/energy/signal.hpp"

namespace resilin::signals {

class KeyFrames final : public Signal {
 public:
  struct Options {
    double interval = 0.1;
    VecX times = VecX(0);
    Index count = 0;
    Field values{1.0};
    std::string interpolation = "linear";
    void visit(ParamVisitor& v);
  };
  KeyFrames(const Options& options, const BuildContext& context);

  void visit_parameters(ParamVisitor& v) override { options_.visit(v); }
  double value(double t) const override;
  Index num_parameters() const override { return options_.values.size(); }
  void add_param_vjp(double t, double z, MutVec dtheta) const override;

 private:
  /// (1 - weight) c_k + weight c_(k+1)
  struct Place {
    Index k = 0;
    double weight = 0;
  };
  Place place(double t) const;

  Options options_;
  VecX times_;
  bool is_held_ = false;
};

}  // namespace resilin::signals
