// A field of force by formulas: f_i = scale w_i a(x_i, v_i, t; constants), x_i and v_i of the start of the
// step, t of its end. With V_i the vertex's share of the rest volume, w_i is
//     per mass:   density V_i, so that a is an acceleration [m/s^2]
//     per volume: V_i, so that a is a force per rest volume [N/m^3]
//     per vertex: 1, so that a is a force [N]
// A force does not see the masses of the system: the density is an option of its own.
#pragma once

#include "core/energy/energy.hpp"
#include "core/mesh/selector.hpp"
#include "plugins/forces/expression.hpp"

namespace resilin {

class BodyForce final : public Force {
 public:
  struct Options {
    std::string body;
    Selector nodes;
    std::string fx = "0", fy = "0", fz = "0";
    NamedList<std::string> constants;
    std::string per = "mass";
    double scale = 1;
    double density = 1000;
    void visit(ParamVisitor& v);
  };
  BodyForce(const Options& options, const BuildContext& context);

  /// Its options and the values of the constants, which are differentiable.
  void visit_parameters(ParamVisitor& v) override;
  void add_force(const StepContext& c, ConstVec x, ConstVec v, MutVec f) const override;
  Index num_parameters() const override { return 2 + constants_.size(); }  // scale, density, constants
  void add_vjp(const StepContext& c, ConstVec x, ConstVec v, ConstVec z, MutVec dx, MutVec dv,
               MutVec dtheta) const override;

 private:
  /// Room for the evaluations of one call.
  struct Work {
    VecX inputs, values, slopes, gradient;
  };
  void read_constants(const BuildContext& context);
  void read_formulas(const BuildContext& context);
  Work make_work(const StepContext& c) const;
  void place(Index node, ConstVec x, ConstVec v, Work& work) const;
  [[noreturn]] void fail(const char* what, std::size_t axis, double value, std::size_t i,
                         const Work& work) const;

  Options options_;
  std::string path_;
  Index first_node_ = 0;
  std::vector<Index> nodes_;  ///< of the system
  VecX volume_;               ///< V_i of each of them [m^3], or 1 per vertex
  VecX constants_;            ///< live values
  std::vector<Expression> formulas_;
  Index largest_ = 0;  ///< size of the largest formula
};

}  // namespace resilin
