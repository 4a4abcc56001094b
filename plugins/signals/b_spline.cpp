#include "plugins/signals/b_spline.hpp"

#include "plugins/signals/list.hpp"

#include <algorithm>
#include <cmath>

namespace resilin::signals {

Field BSpline::four_ones() {
  Field f(1.0);
  f.items = 4;
  f.values = VecX::Ones(4);
  return f;
}

void BSpline::Options::visit(ParamVisitor& v) {
  v.real("interval", interval,
         {.doc = "time between control values", .unit = "s", .min = 0, .max = 1e6, .open = true});
  visit_list(v, count, values,
             "control values, at least 4: n of them span n - 3 intervals; one for all of them or a list");
}

BSpline::BSpline(const Options& options, const BuildContext& context) : options_(options) {
  spread_list(options_.values, options.count, context);
  if (options_.values.size() < 4)
    throw context.input_error(
        "values", fmt::format("{} control values given; a cubic spline needs 4", options_.values.size()));
}

BSpline::Weights BSpline::weights(double t) const {
  const Index spans = options_.values.size() - 3;
  const double place = std::clamp(t / options_.interval, 0.0, static_cast<double>(spans));
  const Index first = std::min(static_cast<Index>(std::floor(place)), spans - 1);
  const double u = place - static_cast<double>(first), r = 1 - u;
  return {first,
          {r * r * r / 6, (3 * u * u * u - 6 * u * u + 4) / 6, (3 * r * r * r - 6 * r * r + 4) / 6,
           u * u * u / 6}};
}

double BSpline::value(double t) const {
  const Weights s = weights(t);
  double sum = 0;
  for (int j = 0; j < 4; ++j) sum += s.w[static_cast<std::size_t>(j)] * options_.values.values[s.first + j];
  return sum;
}

void BSpline::add_param_vjp(double t, double z, MutVec dtheta) const {
  const Weights s = weights(t);
  for (int j = 0; j < 4; ++j) dtheta[s.first + j] += z * s.w[static_cast<std::size_t>(j)];
}

}  // namespace resilin::signals
