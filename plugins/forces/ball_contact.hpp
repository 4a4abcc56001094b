// Contact between deformable balls, each a body of its own, as a spring between their centres with friction
// [DiffPD 2021, section 7.5, tennis balls]. For a pair (i, j) with the centres c (mean of the vertices),
// their velocities and the angular velocities w (of the rigid motion that fits the vertices' velocities
// best):
//     d = c_i - c_j,  n = d/|d|,  N = k max(2r - |d|, 0)
//     u = c_i' - c_j' - 1/2 (w_i + w_j) x d    velocity of ball i against ball j where they touch
//     t = u - n (n . u)                        its part along the contact
//     F = N (n - mu t / sqrt(|t|^2 + u_0^2))   force on ball i; -F acts on ball j
// An equal part of F acts on each vertex of a ball. k and mu of a pair are the means of those of its balls.
//
// Friction grows smoothly from zero at rest to mu N well above the speed u_0: at rest it does not hold.
// `spin: false` leaves w out; with `friction_plane: horizontal` friction has no vertical part, as published.
// The published code takes k_i for the force on ball i and k_j for that on ball j, which keeps no momentum
// unless they agree, and a friction that jumps with the sign of the relative velocity of the centres.
//
// Linear momentum is kept exactly. The pair's angular momentum changes at the rate d x F, by friction only
// and at a right angle to d: the part along the line of centres is kept. As F is spread evenly, friction
// does not change the spin of a ball.
//
// The force is explicit: the spring is stable for steps h < 2/omega, omega^2 = k (1/m_i + 1/m_j). Friction
// overshoots, and the sliding velocity chatters about zero, where u_0 < h/2 mu N (1/m_i + 1/m_j). At the
// start of a touch the force has a kink, where the derivative is that of free flight.
#pragma once

#include "core/energy/energy.hpp"

namespace resilin {

class BallContact final : public Force {
 public:
  struct Options {
    std::vector<std::string> bodies;
    double radius = 1;
    Field stiffness{100.0}, friction{0.5};
    double regularisation_velocity = 0.05;
    bool spin = true;
    std::string friction_plane = "contact";
    void visit(ParamVisitor& v);
  };
  BallContact(const Options& options, const BuildContext& context);

  void visit_parameters(ParamVisitor& v) override { options_.visit(v); }
  /// Error(Numerics) if two centres coincide or if the vertices of a ball lie on a line, where it has no
  /// spin.
  void add_force(const StepContext& c, ConstVec x, ConstVec v, MutVec f) const override;
  Index num_parameters() const override { return 1 + options_.stiffness.size() + options_.friction.size(); }
  void add_vjp(const StepContext& c, ConstVec x, ConstVec v, ConstVec z, MutVec dx, MutVec dv,
               MutVec dtheta) const override;

 private:
  struct Ball {
    std::string name;
    Index first_node = 0, num_nodes = 0;
  };
  struct Motion;  ///< centre, velocity and spin of a ball
  struct Touch;   ///< of two balls
  struct Pull;    ///< cotangents of a Motion
  void add_ball(const BodyView& body, const BuildContext& context);
  std::vector<Motion> motions(const ConstVec& x, const ConstVec& v) const;
  void add_spin(const Ball& ball, const ConstVec& x, const ConstVec& v, Motion& m) const;
  Touch touch(std::size_t i, std::size_t j, const std::vector<Motion>& motions) const;
  void pull_touch(const Touch& t, const Vec3& z, Pull& of_i, Pull& of_j, MutVec dtheta) const;
  void pull_motion(const Ball& ball, const Motion& m, const Pull& p, const ConstVec& x, const ConstVec& v,
                   MutVec dx, MutVec dv) const;
  double pair_mean(const Field& f, std::size_t i, std::size_t j) const;

  Options options_;
  std::string path_;
  std::vector<Ball> balls_;
};

}  // namespace resilin
