#include "tasks/mean_along/mean_along.hpp"

namespace resilin {

void MeanAlong::Options::visit(ParamVisitor& v) {
  selection.visit(v);
  v.choice("of", of, {"centroid", "center_of_mass"},
           {.doc = "the mean over the vertices, or that weighted by the volume around each"});
  v.choice("quantity", quantity, {"position", "velocity"}, {.doc = "what is measured"});
  v.vec3("direction", direction, {.doc = "factors of its components; [-1, 0, 0] rewards the way along x"});
  v.integers("frames", frames, {.doc = "frames that count (0 is the start); the last if empty"});
}

MeanAlong::MeanAlong(const Options& options, const BuildContext& context)
    : options_(options),
      nodes_(options.selection.vertices(context)),
      velocity_(options.quantity == "velocity") {
  check_frames(options.frames, context);
  const auto count = static_cast<Index>(nodes_.size());
  weights_ = VecX::Ones(count);
  if (options.of == "center_of_mass") {
    const VecX measures = vertex_measures(context);
    for (Index i = 0; i < count; ++i) weights_[i] = measures[nodes_[static_cast<std::size_t>(i)]];
  }
  weights_ /= weights_.sum();
}

bool MeanAlong::counts(Index k, Index last) const {
  return options_.frames.empty() ? k == last : place_of(options_.frames, k) >= 0;
}

double MeanAlong::frame_value(const State& s, Index) const {
  const VecX& q = velocity_ ? s.v : s.x;
  double sum = 0;
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    sum += weights_[static_cast<Index>(i)] * options_.direction.dot(q.segment<3>(3 * nodes_[i]));
  return sum;
}

void MeanAlong::add_frame_gradient(const State&, Index, double weight, Adjoint& a) const {
  VecX& out = velocity_ ? a.v : a.x;
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    out.segment<3>(3 * nodes_[i]) += weight * weights_[static_cast<Index>(i)] * options_.direction;
}

}  // namespace resilin
