#include "plugins/signals/key_frames.hpp"

#include "core/mesh/regions.hpp"
#include "plugins/signals/list.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace resilin::signals {
namespace {

// Step k of length h starts at a rounded k h, which is to count as the key frame at that time.
constexpr double kRounding = 1e-9;  ///< relative to the interval that ends there

}  // namespace

void KeyFrames::Options::visit(ParamVisitor& v) {
  v.real(
      "interval", interval,
      {.doc = "between key frames, the first at time zero", .unit = "s", .min = 0, .max = 1e6, .open = true});
  v.numbers("times", times, {.doc = "rising times of the key frames, in place of an interval", .unit = "s"});
  visit_list(v, count, values, "value at each key frame, one for all of them or a list");
  v.choice("interpolation", interpolation, {"linear", "held"},
           {.doc = "between key frames: straight lines, or the value of the last one"});
}

KeyFrames::KeyFrames(const Options& options, const BuildContext& context)
    : options_(options), is_held_(options.interpolation == "held") {
  const bool has_times = options.times.size() > 0;
  spread_list(options_.values, has_times ? options.times.size() : options.count, context);
  const Index count = options_.values.size();
  times_ = has_times ? options.times
                     : VecX(options.interval * VecX::LinSpaced(count, 0, static_cast<double>(count - 1)));
  if (times_.size() != count)
    throw context.input_error("values", fmt::format("{} values given for {} times", count, times_.size()));
  for (Index k = 1; k < count; ++k)
    if (!(times_[k] > times_[k - 1]))
      throw context.input_error("times", fmt::format("time {} ({} s) is not after the one before ({} s)",
                                                     k + 1, times_[k], times_[k - 1]));
}

KeyFrames::Place KeyFrames::place(double t) const {
  const Index last = times_.size() - 1;
  if (last == 0 || t <= times_[0]) return {0, 0};
  Index k = std::upper_bound(times_.begin(), times_.end(), t) - times_.begin() - 1;
  if (k < last && times_[k + 1] - t <= kRounding * (times_[k + 1] - times_[k])) ++k;
  if (k >= last) return {last, 0};
  return {k, is_held_ ? 0 : std::max(0.0, (t - times_[k]) / (times_[k + 1] - times_[k]))};
}

double KeyFrames::value(double t) const {
  const Place p = place(t);
  const VecX& c = options_.values.values;
  return p.weight == 0 ? c[p.k] : (1 - p.weight) * c[p.k] + p.weight * c[p.k + 1];
}

void KeyFrames::add_param_vjp(double t, double z, MutVec dtheta) const {
  const Place p = place(t);
  dtheta[p.k] += (1 - p.weight) * z;
  if (p.weight != 0) dtheta[p.k + 1] += p.weight * z;
}

}  // namespace resilin::signals
