// L = sum over frames of 1/2 sum over markers of |pixel - pixel_ref|^2 / (width height): how far the centres
// of tracked bodies are, in the picture of a camera (see camera.hpp), from where they were seen in a film.
// The camera's pose, focal length, principal point and distortion are parameters of the task, with paths such
// as losses[0].loss.camera.position, so that they can be found together with those of the scene.
//
// Frame m of the film is the end of step first_step + steps_per_frame m of the scene; frames beyond the last
// step do not count. A centre that gets behind the camera is Error(Numerics) naming marker and step.
#pragma once

#include "core/optim/frame_loss.hpp"
#include "tasks/pixel_reprojection/camera.hpp"
#include "tasks/pixel_reprojection/observations.hpp"
#include "tasks/selection.hpp"

#include <map>

namespace resilin {

class PixelReprojection final : public FrameLoss {
 public:
  struct Options {
    std::string observations;
    NamedList<NodeSelection> markers;
    std::string of = "center_of_mass";
    Camera camera;
    Index width = 1280, height = 720;
    Index first_step = 0, steps_per_frame = 1;
    void visit(ParamVisitor& v);
  };
  PixelReprojection(const Options& options, const BuildContext& context);

  bool counts(Index k, Index last) const override;
  double frame_value(const State& s, Index k) const override;
  void add_frame_gradient(const State& s, Index k, double weight, Adjoint& a) const override;
  void add_frame_parameter_gradient(const State& s, Index k, double weight, MutVec dtheta) const override;
  Index num_parameters() const override { return Camera::kNumParameters; }
  void visit_parameters(ParamVisitor& v) override { options_.visit(v); }

 private:
  struct Seen {
    std::size_t marker;
    Eigen::Vector2d pixel;
  };
  void add_markers(const BuildContext& context);
  void add_observations(const BuildContext& context);
  /// Pixel less reference, after a look at whether the centre is in front of the camera.
  Eigen::Vector2d gap(const Seen& seen, const Vec3& centre, Index k) const;

  Options options_;
  std::vector<std::string> names_;
  std::vector<NodeMean> means_;              ///< of each marker
  std::map<Index, std::vector<Seen>> seen_;  ///< by step
  double scale_ = 1;                         ///< 1 / (width height)
};

}  // namespace resilin
