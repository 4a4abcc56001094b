#include "core/plugin/plugin.hpp"
#include "plugins/signals/b_spline.hpp"
#include "plugins/signals/constant.hpp"
#include "plugins/signals/key_frames.hpp"
#include "plugins/signals/sinusoid.hpp"

RESILIN_PLUGIN("signals", "0.1.0", registry) {
  using namespace resilin::signals;
  using resilin::Signal;
  registry.add<Signal, Constant>("constant", "One value, shared by all that follows it");
  registry.add<Signal, Sinusoid>("sinusoid", "A sinusoid of given amplitude, frequency and phase");
  registry.add<Signal, KeyFrames>("key_frames", "Values at given times, joined by lines or held");
  registry.add<Signal, BSpline>("b_spline", "A uniform cubic B-spline, twice continuously differentiable");
}
