// Wind on a surface: drag and lift of thin plates. On each face, of area A and unit normal n (either side:
// the law does not see which), with w the velocity of the air relative to the mean of the face's vertices,
//     f = rho/2 A (n.w) [ C_D (n.w) w/|w| + C_L (|w| n - (n.w) w/|w|) ],
// one equal part on each vertex. With alpha the angle between flow and face this is a drag coefficient
// C_D sin^2 alpha along the flow and a lift coefficient C_L sin alpha cos alpha across it: all of C_D where
// the flow meets the face head on, nothing where it runs along it. With C_D = C_L the force is normal to the
// face. f is quadratic in w with a continuous derivative everywhere, which at w = 0 is zero.
//
// The air moves at
//     u(x, t) = velocity(t) + speed r((x - center)/length, t/time; theta),
// r a tanh network of place and time with three outputs within -1 and 1, if there is one. Force and air are
// those of the start of the step, x the middle of the face. Explicit: a face of mass m is stable while
// rho A C |w| h < m.
#pragma once

#include "core/control/tanh_network.hpp"
#include "core/energy/energy.hpp"
#include "core/mesh/selector.hpp"

namespace resilin {

class Wind final : public Force {
 public:
  struct Network {
    std::vector<Index> hidden;
    double speed = 1;
    Vec3 center = Vec3::Zero();
    double length = 1, time = 1;
    Index seed = 0;
    Field weights;
    Network() { weights.items = 0; }
    void visit(ParamVisitor& v);
  };
  struct Options {
    std::string body;
    Selector faces;
    double density = 1.2, drag = 1.3, lift = 1;
    Field velocity{Vec3(0, 0, 0)};
    Network network;
    void visit(ParamVisitor& v);
  };
  Wind(const Options& options, const BuildContext& context);

  void visit_parameters(ParamVisitor& v) override { options_.visit(v); }
  void add_force(const StepContext& c, ConstVec x, ConstVec v, MutVec f) const override;
  Index num_parameters() const override;
  void add_vjp(const StepContext& c, ConstVec x, ConstVec v, ConstVec z, MutVec dx, MutVec dv,
               MutVec dtheta) const override;

 private:
  /// Where each parameter begins, in the order of the options.
  enum Parameter : int { kDensity = 0, kDrag = 1, kLift = 2, kVelocity = 3 };
  bool has_network() const { return !options_.network.hidden.empty(); }
  void make_network(const BuildContext& context);
  Eigen::Vector4d network_input(const Vec3& place, double time) const;
  Vec3 mean(Index face, const ConstVec& q) const;
  /// u - mean of v
  Vec3 relative_flow(Index face, const StepContext& c, const ConstVec& x, const ConstVec& v) const;
  void pull_air(const StepContext& c, const Vec3& place, const Vec3& d_air, Vec3& d_place,
                MutVec dtheta) const;

  Options options_;
  Mesh::Elements faces_;  ///< nodes of the system, 3 or 4 a face
  TanhNetwork network_;
};

}  // namespace resilin
