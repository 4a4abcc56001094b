#include "tasks/pixel_reprojection/pixel_reprojection.hpp"

#include "core/base/file.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace resilin {

void PixelReprojection::Options::visit(ParamVisitor& v) {
  v.path(
      "observations", observations,
      {.doc = "CSV file with the header frame,marker,u,v: where each marker is seen in the frames of a film, "
              "in px; rows may be missing. None: what the camera, as written, sees of the scene as written"});
  v.map(
      "markers", markers,
      {.doc =
           "what is tracked, by name: the selected vertices of a body; every body by its own name if empty"});
  v.choice("of", of, {"center_of_mass", "centroid"},
           {.doc = "which point of a marker is seen: the mean of its vertices weighted by the volume around "
                   "each, or their plain mean"});
  v.section("camera", camera, {.doc = "the camera that made the film"});
  v.integer("width", width, {.doc = "of the picture", .unit = "px", .min = 1, .max = 1e6, .required = true});
  v.integer("height", height,
            {.doc = "of the picture", .unit = "px", .min = 1, .max = 1e6, .required = true});
  v.integer("first_step", first_step,
            {.doc = "step at whose end frame 0 of the film was taken; 0: the start", .min = 0, .max = 1e9});
  v.integer("steps_per_frame", steps_per_frame,
            {.doc = "steps from one frame of the film to the next", .min = 1, .max = 1e9});
  v.real("noise", noise,
         {.doc = "without observations: standard deviation of normal noise on each coordinate of the film",
          .unit = "px",
          .min = 0,
          .max = 1e6});
  v.integer("noise_seed", noise_seed, {.doc = "seed of that noise", .min = 0, .max = 1e15});
  v.text(
      "write", write,
      {.doc = "without observations: CSV file to which the film is written, once it is made; relative to the "
              "folder in which the program runs"});
}

PixelReprojection::PixelReprojection(const Options& options, const BuildContext& context)
    : options_(options),
      written_(options.camera),
      scale_(1 / static_cast<double>(options.width * options.height)) {
  add_markers(context);
  if (!options.observations.empty())
    add_observations(context);
  else if (options.first_step > context.steps)
    throw context.input_error("first_step", fmt::format("the scene has {} steps only", context.steps));
}

void PixelReprojection::add_markers(const BuildContext& context) {
  NamedList<NodeSelection> markers = options_.markers;
  if (markers.empty())
    for (const BodyView& body : *context.bodies) markers.push_back({body.name, {body.name, {}}});
  for (const auto& [name, selection] : markers) {
    BuildContext here = context;
    if (!options_.markers.empty()) here.path = context.path + ".markers." + name;
    names_.push_back(name);
    means_.emplace_back(selection.vertices(here), options_.of, here);
  }
}

void PixelReprojection::add_observations(const BuildContext& context) {
  if (!options_.write.empty()) throw context.input_error("write", "does not go with observations");
  if (options_.noise > 0) throw context.input_error("noise", "does not go with observations");
  for (const Observation& o : read_observations(options_.observations, names_)) {
    const Index step = options_.first_step + o.frame * options_.steps_per_frame;
    if (step <= context.steps) seen_[step].push_back({o.marker, o.pixel});
  }
  if (seen_.empty())
    throw context.input_error(
        "observations",
        fmt::format("no frame of the film lies within the {} steps of the scene", context.steps));
}

bool PixelReprojection::counts(Index k, Index) const {
  return seen_.count(k) > 0;
}

void PixelReprojection::observe_reference(Index k, Index last, const State& s) {
  if (k == 0) {
    seen_.clear();
    noise_ = Random(static_cast<std::uint64_t>(options_.noise_seed));
  }
  if (k >= options_.first_step && (k - options_.first_step) % options_.steps_per_frame == 0)
    for (std::size_t m = 0; m < means_.size(); ++m) {
      const VecX noise = options_.noise * noise_.normals(2);
      seen_[k].push_back({m, pixel(written_, m, means_[m](s.x), k) + noise});
    }
  if (k == last && !options_.write.empty()) write_film();
}

void PixelReprojection::write_film() const {
  std::string text = "frame,marker,u,v\n";
  for (const auto& [step, all] : seen_)
    for (const Seen& seen : all)
      text += fmt::format("{},{},{:.3f},{:.3f}\n", (step - options_.first_step) / options_.steps_per_frame,
                          names_[seen.marker], seen.pixel.x(), seen.pixel.y());
  write_file(options_.write, text);
}

Eigen::Vector2d PixelReprojection::pixel(const Camera& camera, std::size_t marker, const Vec3& centre,
                                         Index k) const {
  const double depth = camera.local(centre).z();
  if (!(depth > 0))
    throw Error(Errc::Numerics,
                fmt::format("marker '{}' is not in front of the camera after step {}: its depth "
                            "is {:.6g} m",
                            names_[marker], k, depth));
  return camera.project(centre);
}

Eigen::Vector2d PixelReprojection::gap(const Seen& seen, const Vec3& centre, Index k) const {
  return pixel(options_.camera, seen.marker, centre, k) - seen.pixel;
}

double PixelReprojection::frame_value(const State& s, Index k) const {
  double sum = 0;
  for (const Seen& seen : seen_.at(k)) sum += 0.5 * gap(seen, means_[seen.marker](s.x), k).squaredNorm();
  return scale_ * sum;
}

void PixelReprojection::add_frame_gradient(const State& s, Index k, double weight, Adjoint& a) const {
  for (const Seen& seen : seen_.at(k)) {
    const NodeMean& mean = means_[seen.marker];
    const Vec3 centre = mean(s.x);
    Vec3 of_centre = Vec3::Zero();
    options_.camera.add_vjp(centre, weight * scale_ * gap(seen, centre, k), of_centre);
    mean.add_vjp(of_centre, a.x);
  }
}

void PixelReprojection::add_frame_parameter_gradient(const State& s, Index k, double weight,
                                                     MutVec dtheta) const {
  for (const Seen& seen : seen_.at(k)) {
    const Vec3 centre = means_[seen.marker](s.x);
    options_.camera.add_parameter_vjp(centre, weight * scale_ * gap(seen, centre, k), dtheta);
  }
}

}  // namespace resilin
