// Entries under 'steps' of a field: one for each time step, or values at key times.
#pragma once

#include "core/energy/energy.hpp"

namespace resilin {

/// (1 - weight) * entry `from` + weight * entry `to`.
struct KeyBlend {
  Index from = 0, to = 0;
  double weight = 0;
};

/// Without key times the entry of the step; with them linear in the time of the step's end [s], constant
/// before the first and after the last.
RESILIN_API KeyBlend blend_at(const VecX& key_times, const StepContext& c);

/// Throws the place's error at `key` unless `field` has one item or `items` of them, each a `meaning`, and
/// one entry in time or one for each step of the scene; or, if there are any, for each of the rising key
/// times.
RESILIN_API void check_entries(const Field& field, const char* key, const VecX& key_times, Index items,
                               const char* meaning, const BuildContext& context);

/// Names the option `key_times`.
RESILIN_API void visit_key_times(ParamVisitor& v, VecX& key_times);

}  // namespace resilin
