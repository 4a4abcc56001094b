// Assisted dressing [Li et al. 2022, DiffCloth]: key points of a garment that have to be at places at times,
//     L = 1/K sum_k max_{i in set k} |x_i(t_k) - g_k|^2,
// K the number of key points: all of a set is near when the farthest of its vertices is. The maximum is the
// exact one: the gradient is that of the farthest vertex, a subgradient where several are equally far (of
// them that of the lowest number), and vertices that are farthest in several sets get the sum.
#pragma once

#include "core/optim/frame_loss.hpp"
#include "tasks/selection.hpp"

namespace resilin {

class KeyPoints final : public FrameLoss {
 public:
  struct Point {
    Selector nodes;
    Vec3 target = Vec3::Zero();
    Index frame = -1;
    void visit(ParamVisitor& v);
  };
  struct Options {
    std::string body;
    std::vector<Point> points = std::vector<Point>(1);
    void visit(ParamVisitor& v);
  };
  KeyPoints(const Options& options, const BuildContext& context);

  bool counts(Index k, Index last) const override;
  double frame_value(const State& s, Index k) const override;
  void add_frame_gradient(const State& s, Index k, double weight, Adjoint& a) const override;

 private:
  struct Set {
    std::vector<Index> nodes;  ///< of the system, rising
    Vec3 target = Vec3::Zero();
    Index frame = 0;
  };
  static Index farthest(const Set& set, const State& s);
  std::vector<Set> sets_;
};

}  // namespace resilin
