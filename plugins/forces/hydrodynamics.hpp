// Drag and thrust of a fluid on a body's surface [Min et al. 2019, eq. 6; DiffPD 2021, section 7.4]. On each
// side of a face that is wet, with its area A, its unit normal n that points into the fluid, and the velocity
// w of the fluid relative to the mean of the face's vertices:
//     f = rho/2 A |w|^2 (C_d(phi) w/|w| - C_t(phi) n),
// one equal part on each vertex. The angle of attack phi = asin(-n . w/|w|) is pi/2 where the face moves
// straight into the fluid, 0 where the flow runs along it, -pi/2 on its lee. C_d is a cubic Bezier curve over
// |phi|/(pi/2) in [0, 1], C_t over phi/(pi/2) in [-1, 1]. With C_t of the sign of phi both act against the
// motion. The normal of a quadrilateral is that of its vector area.
//
// The force is a continuous function of places and velocities, and quadratic in w: at w = 0 force and
// derivatives are zero. Where the flow meets a face head on, phi has a tip, phi = pi/2 - |angle of n and w|,
// as C_d has along the flow unless its first two ordinates agree. At such a point the derivative here is the
// mean over all directions, zero for this part, which is what central differences give.
#pragma once

#include "core/energy/energy.hpp"
#include "core/mesh/selector.hpp"

namespace resilin {

class Hydrodynamics final : public Force {
 public:
  struct Options {
    Options();
    std::string body;
    Selector faces;
    double density = 1000;
    Vec3 velocity = Vec3::Zero();
    Field drag, thrust;
    std::string sides = "auto";
    bool lee = true;
    void visit(ParamVisitor& v);
  };
  Hydrodynamics(const Options& options, const BuildContext& context);

  void visit_parameters(ParamVisitor& v) override { options_.visit(v); }
  void add_force(const StepContext& c, ConstVec x, ConstVec v, MutVec f) const override;
  Index num_parameters() const override { return kNumParameters; }
  void add_vjp(const StepContext& c, ConstVec x, ConstVec v, ConstVec z, MutVec dx, MutVec dv,
               MutVec dtheta) const override;

 private:
  /// Where each parameter begins, in the order of the options.
  enum Parameter : int { kDensity = 0, kVelocity = 1, kDrag = 4, kThrust = 8, kNumParameters = 12 };
  struct Side;
  Side side(const Vec3& area, const Vec3& flow, double sign) const;
  static void pull(const Side& s, double sign, const Vec3& flow, const Vec3& z, Vec3& d_area, Vec3& d_flow,
                   MutVec dtheta);
  Vec3 relative_flow(Index face, const ConstVec& v) const;  ///< w

  Options options_;
  Mesh::Elements faces_;  ///< nodes of the system, 3 or 4 a face
  int sides_ = 1;
};

}  // namespace resilin
