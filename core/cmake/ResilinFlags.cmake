# How every first-party target is compiled. Nothing here changes values: no -ffast-math.
add_library(resilin_flags INTERFACE)
target_compile_options(resilin_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Woverloaded-virtual -Wno-psabi
  # False positives of GCC 12 at -O3: inside AVX-512 intrinsics (bug 105593), in the standard library's strings and
  # vectors (bugs 105329, 105651, 107852).
  $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow>
  $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overread>
  $<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds>
  -fno-math-errno -fno-trapping-math
  $<$<BOOL:${RESILIN_WERROR}>:-Werror>
  $<$<BOOL:${RESILIN_NATIVE}>:-march=native>)
set(CMAKE_CXX_FLAGS_RELEASE "-O3")
