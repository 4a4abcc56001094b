// R(u) = w V^(-2/3) sum over the faces f between two elements of A_f (sqrt((u_i - u_j)^2 + s^2) - s): the
// total variation [Rudin, Osher, Fatemi 1992], integral of |grad u|, of a field that is constant in each
// element; A_f the area of the face, V the volume of the body. It favours fields with few sharp jumps. u is
// in the scale of the variable; jumps below the smoothing s count quadratically.
#pragma once

#include "core/mesh/adjacency.hpp"
#include "core/optim/regularizer.hpp"

namespace resilin {

class TotalVariation final : public Regularizer {
 public:
  struct Options {
    double weight = 1;
    double smoothing = 0.01;
    void visit(ParamVisitor& v);
  };
  TotalVariation(const Options& options, const BuildContext& context);

  void attach(const RegularizedVariable& variable) override;
  double value(ConstVec u) const override;
  void add_gradient(ConstVec u, MutVec gradient) const override;

 private:
  Options options_;
  std::vector<SharedFace> faces_;  ///< areas in units of V^(2/3)
  Index elements_ = 0;
};

}  // namespace resilin
