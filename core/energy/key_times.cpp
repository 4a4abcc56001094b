#include "core/energy/key_times.hpp"

#include "core/mesh/regions.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace resilin {

KeyBlend blend_at(const VecX& key_times, const StepContext& c) {
  const Index count = key_times.size();
  if (count == 0) return {c.step, c.step, 0};
  const Index next = std::upper_bound(key_times.begin(), key_times.end(), c.time) - key_times.begin();
  if (next == 0) return {0, 0, 0};
  if (next == count) return {count - 1, count - 1, 0};
  return {next - 1, next, (c.time - key_times[next - 1]) / (key_times[next] - key_times[next - 1])};
}

void check_entries(const Field& field, const char* key, const VecX& key_times, Index items,
                   const char* meaning, const BuildContext& context) {
  require_no_regions(field, key, context);
  if (field.items != 1 && field.items != items)
    throw context.input_error(
        key, fmt::format("{} values given; one or {} ({} each) are expected", field.items, items, meaning));
  if (key_times.size() == 0) {
    if (field.steps != 1 && field.steps != context.steps)
      throw context.input_error(
          key, fmt::format("values for {} steps given; the scene has {} steps (or give key_times)",
                           field.steps, context.steps));
    return;
  }
  if (field.steps != key_times.size())
    throw context.input_error("key_times", fmt::format("{} times given; {} has {} entries under 'steps'",
                                                       key_times.size(), key, field.steps));
  for (Index k = 1; k < key_times.size(); ++k)
    if (!(key_times[k] > key_times[k - 1]))
      throw context.input_error("key_times", fmt::format("time {} ({} s) is not after the one before ({} s)",
                                                         k + 1, key_times[k], key_times[k - 1]));
}

void visit_key_times(ParamVisitor& v, VecX& key_times) {
  v.numbers("key_times", key_times,
            {.doc = "times of the entries under 'steps', which are per time step without it; linear in "
                    "between, constant outside, taken at the end of each step",
             .unit = "s"});
}

}  // namespace resilin
