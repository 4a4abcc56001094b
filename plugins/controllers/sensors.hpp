// What controllers can see. q is the position [m] or the velocity [m/s] of vertices, c a scale.
//     centroid_motion   c times the mean of q over the selected vertices
//     vertex_motion     c (q_i - mean of q over the whole body) of each selected vertex, or c q_i
//     clock             c sin(2 pi t / T), c cos(2 pi t / T)
// Of vectors the chosen axes are given, vertex by vertex in the order of their numbers.
#pragma once

#include "core/control/controller.hpp"
#include "core/mesh/selector.hpp"

#include <string>
#include <vector>

namespace resilin {

/// Keys `body`, `nodes`, `quantity`, `axes` and `scale`.
struct MotionOptions {
  std::string body;
  Selector nodes;
  std::string quantity = "position";
  std::vector<std::string> axes{"x", "y", "z"};
  double scale = 1;
  void visit(ParamVisitor& v);
};

/// What the sensors of motion have in common.
class MotionSensor : public Sensor {
 protected:
  MotionSensor(const MotionOptions& options, const BuildContext& context);
  const VecX& quantity(const State& s) const { return velocity_ ? s.v : s.x; }
  MutVec& quantity(MutVec& dx, MutVec& dv) const { return velocity_ ? dv : dx; }

  std::vector<Index> nodes_;  ///< among all nodes
  std::vector<Index> axes_;   ///< 0, 1, 2
  double scale_;
  bool velocity_;
};

class CentroidMotion final : public MotionSensor {
 public:
  using Options = MotionOptions;
  CentroidMotion(const Options& options, const BuildContext& context) : MotionSensor(options, context) {}
  Index size() const override { return static_cast<Index>(axes_.size()); }
  void read(const State& state, MutVec out) const override;
  void add_vjp(const State& state, ConstVec z, MutVec dx, MutVec dv) const override;
};

class VertexMotion final : public MotionSensor {
 public:
  struct Options {
    MotionOptions motion;
    bool relative = true;
    void visit(ParamVisitor& v);
  };
  VertexMotion(const Options& options, const BuildContext& context);
  Index size() const override { return static_cast<Index>(axes_.size() * nodes_.size()); }
  void read(const State& state, MutVec out) const override;
  void add_vjp(const State& state, ConstVec z, MutVec dx, MutVec dv) const override;

 private:
  bool relative_;
  Index first_node_, num_nodes_;  ///< of the body
};

class Clock final : public Sensor {
 public:
  struct Options {
    double period = 1;
    double scale = 1;
    void visit(ParamVisitor& v);
  };
  Clock(const Options& options, const BuildContext&) : options_(options) {}
  Index size() const override { return 2; }
  void read(const State& state, MutVec out) const override;
  void add_vjp(const State&, ConstVec, MutVec, MutVec) const override {}  // the time is no variable

 private:
  Options options_;
};

}  // namespace resilin
