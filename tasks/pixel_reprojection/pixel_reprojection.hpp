// L = sum over frames of 1/2 sum over markers of |pixel - pixel_ref|^2 / (width height): how far the centres
// of tracked bodies are, in the picture of a camera (see camera.hpp), from where they were seen in a film.
// The camera's pose, focal length, principal point and distortion are parameters of the task, with paths such
// as losses[0].loss.camera.position, so that they can be found together with those of the scene.
//
// Without a file of observations the camera, as it is written, films the scene as it is written: with noise
// and the distortion of its lens a stand-in for a film, which `write` keeps as a file for other tasks.
//
// Frame m of the film is the end of step first_step + steps_per_frame m of the scene; frames beyond the last
// step do not count. A centre that gets behind the camera is Error(Numerics) naming marker and step.
#pragma once

#include "core/base/random.hpp"
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
    double noise = 0;
    Index noise_seed = 0;
    std::string write;
    void visit(ParamVisitor& v);
  };
  PixelReprojection(const Options& options, const BuildContext& context);

  bool needs_reference() const override { return options_.observations.empty(); }
  void observe_reference(Index k, Index last, const State& s) override;
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
  void write_film() const;
  /// The pixel of a centre, after a look at whether it is in front of the camera.
  Eigen::Vector2d pixel(const Camera& camera, std::size_t marker, const Vec3& centre, Index k) const;
  /// Pixel less reference.
  Eigen::Vector2d gap(const Seen& seen, const Vec3& centre, Index k) const;

  Options options_;
  Camera written_;  ///< before any parameter changes
  std::vector<std::string> names_;
  std::vector<NodeMean> means_;              ///< of each marker
  std::map<Index, std::vector<Seen>> seen_;  ///< by step
  Random noise_{0};                          ///< of a film of the scene itself
  double scale_ = 1;                         ///< 1 / (width height)
};

}  // namespace resilin
