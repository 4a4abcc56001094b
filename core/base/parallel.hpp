// Loops over threads whose results do not depend on the number of threads.
#pragma once

#include "core/base/types.hpp"

#include <functional>
#include <type_traits>
#include <vector>

namespace resilin {

/// A function passed by reference: no allocation, lives as long as the call.
template <class Signature>
class FunctionRef;
template <class R, class... A>
class FunctionRef<R(A...)> {
 public:
  template <class F, class = std::enable_if_t<!std::is_same_v<std::decay_t<F>, FunctionRef>>>
  FunctionRef(F&& f)  // NOLINT(google-explicit-constructor): stands in for a lambda argument
      : object_(const_cast<void*>(static_cast<const void*>(&f))), call_([](void* o, A... a) -> R {
          return (*static_cast<std::remove_reference_t<F>*>(o))(static_cast<A&&>(a)...);
        }) {}
  R operator()(A... a) const { return call_(object_, static_cast<A&&>(a)...); }

 private:
  void* object_;
  R (*call_)(void*, A...);
};

/// Threads that parallel_for may use; 0 takes the number of cores. Not to be called from inside a loop.
RESILIN_API void set_num_threads(int threads);
RESILIN_API int num_threads();

/// Calls body(begin, end) for consecutive chunks of at most `grain` items of [0, count). The chunks depend on
/// `grain` alone, never on the number of threads, so a body that writes only what belongs to its chunk gives
/// the same bits for any number of threads. The first exception (by chunk) is rethrown in the caller.
RESILIN_API void parallel_for(Index count, Index grain, FunctionRef<void(Index begin, Index end)> body);

/// Sum of body(begin, end) over the chunks, added in the order of the chunks.
RESILIN_API double parallel_sum(Index count, Index grain, FunctionRef<double(Index begin, Index end)> body);

}  // namespace resilin
