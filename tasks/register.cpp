#include "core/plugin/plugin.hpp"
#include "tasks/apex_angle/apex_angle.hpp"
#include "tasks/bounce_apex/bounce_apex.hpp"
#include "tasks/forward_velocity/forward_velocity.hpp"
#include "tasks/key_points/key_points.hpp"
#include "tasks/kinetic_energy/kinetic_energy.hpp"
#include "tasks/linear_functional/linear_functional.hpp"
#include "tasks/match_trajectory/match_trajectory.hpp"
#include "tasks/pixel_reprojection/pixel_reprojection.hpp"
#include "tasks/reach_target/reach_target.hpp"
#include "tasks/smooth_maximum/smooth_maximum.hpp"
#include "tasks/tikhonov/tikhonov.hpp"
#include "tasks/total_variation/total_variation.hpp"

RESILIN_PLUGIN("tasks", "0.1.0", registry) {
  using namespace resilin;
  registry.add<Loss, ApexAngle>("apex_angle",
                                "Squared distance of the apex angle of a hanging cone to a target");
  registry.add<Loss, BounceApex>("bounce_apex",
                                 "Squared distance of a centre to a target at its highest point");
  registry.add<Loss, ForwardVelocity>("forward_velocity",
                                      "Mean velocity along a direction, with a penalty across it");
  registry.add<Loss, PixelReprojection>(
      "pixel_reprojection", "Squared distance of centres in a camera picture to where they were seen");
  registry.add<Loss, KeyPoints>(
      "key_points", "Squared distances of the farthest vertices of sets to places at given frames");
  registry.add<Loss, KineticEnergy>("kinetic_energy", "Kinetic energy at given frames");
  registry.add<Loss, LinearFunctional>("linear_functional",
                                       "Linear functional of positions and velocities at given frames");
  registry.add<Loss, MatchTrajectory>("match_trajectory", "Squared distance to a trajectory");
  registry.add<Loss, ReachTarget>("reach_target",
                                  "Squared distance of points or of a centre to targets at given frames");
  registry.add<Loss, SmoothMaximum>("smooth_maximum", "Smoothed maximum over frames of another loss");
  registry.add<Regularizer, Tikhonov>("tikhonov", "Squared distance of a variable to its expected value");
  registry.add<Regularizer, TotalVariation>("total_variation",
                                            "Jumps of a field between neighbouring elements");
}
