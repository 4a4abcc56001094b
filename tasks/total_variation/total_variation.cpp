#include "tasks/total_variation/total_variation.hpp"

#include <fmt/format.h>

#include <cmath>

namespace resilin {

void TotalVariation::Options::visit(ParamVisitor& v) {
  v.real("weight", weight, {.doc = "factor w, in the unit of the loss over that of the variable", .min = 0});
  v.real(
      "smoothing", smoothing,
      {.doc = "jump s below which the norm is smooth, in the scale of the variable (0.01: one per cent with "
              "scale: log)",
       .min = 0,
       .open = true});
}

TotalVariation::TotalVariation(const Options& options, const BuildContext& context) : options_(options) {
  if (context.mesh == nullptr)
    throw context.input_error("",
                              "the parameter belongs to no body, so that it has no neighbouring elements");
  faces_ = shared_faces(*context.mesh);
  elements_ = context.mesh->num_elements();
  const double unit = std::pow(element_measures(*context.mesh).sum(), 2.0 / 3.0);
  for (SharedFace& face : faces_) face.area /= unit;
}

void TotalVariation::attach(const RegularizedVariable& variable) {
  if (variable.size != elements_)
    throw Error(Errc::Input, fmt::format("needs a parameter with one value per element: this one has {}, the "
                                         "body {} elements",
                                         variable.size, elements_));
}

double TotalVariation::value(ConstVec u) const {
  const double s = options_.smoothing;
  double sum = 0;
  for (const SharedFace& f : faces_) {
    const double jump = u[f.first] - u[f.second];
    sum +=
        f.area * jump * jump / (std::hypot(jump, s) + s);  // = sqrt(jump^2 + s^2) - s, without cancellation
  }
  return options_.weight * sum;
}

void TotalVariation::add_gradient(ConstVec u, MutVec gradient) const {
  for (const SharedFace& f : faces_) {
    const double jump = u[f.first] - u[f.second];
    const double slope = options_.weight * f.area * jump / std::hypot(jump, options_.smoothing);
    gradient[f.first] += slope;
    gradient[f.second] -= slope;
  }
}

}  // namespace resilin
