// The one line by which a library becomes a plugin, and the plain data that guards the border.
#pragma once

#include "core/plugin/interface_hash.hpp"
#include "core/plugin/registry.hpp"

#define RESILIN_STRING_(x) #x
#define RESILIN_STRING(x) RESILIN_STRING_(x)

/// Raised with every change of a public header that existing plugins would not survive.
#define RESILIN_API_NUMBER 1

namespace resilin {

/// What must agree between core and plugin, as plain data: compared before any C++ of the plugin is called.
/// Eigen's alignment decides which free() it calls, so a mismatch would corrupt the heap.
struct PluginInfo {
  int api;
  const char* eigen;      ///< version
  int max_align;          ///< EIGEN_MAX_ALIGN_BYTES, after -march
  int max_static_align;   ///< EIGEN_MAX_STATIC_ALIGN_BYTES
  int malloc_aligned;     ///< EIGEN_MALLOC_ALREADY_ALIGNED
  int cxx11_abi;          ///< _GLIBCXX_USE_CXX11_ABI
  int debug_containers;   ///< _GLIBCXX_DEBUG
  const char* compiler;   ///< family: gcc or clang
  unsigned long layout;   ///< sizes of the structs that cross the border
  const char* interface;  ///< hash over the headers that it was compiled with
  const char* name;
  const char* version;
};

#if defined(__clang__)
#define RESILIN_COMPILER "clang"
#else
#define RESILIN_COMPILER "gcc"
#endif
#ifdef _GLIBCXX_DEBUG
#define RESILIN_DEBUG_CONTAINERS 1
#else
#define RESILIN_DEBUG_CONTAINERS 0
#endif

inline constexpr unsigned long kLayout = sizeof(Field) + 131UL * sizeof(Spec) +
                                         137UL * sizeof(ComponentSpec) + 139UL * sizeof(BuildContext) +
                                         149UL * sizeof(Registry::Entry);

/// The info that this translation unit would carry as a plugin.
constexpr PluginInfo plugin_info(const char* name, const char* version) {
  return {RESILIN_API_NUMBER,
          RESILIN_STRING(EIGEN_WORLD_VERSION) "." RESILIN_STRING(EIGEN_MAJOR_VERSION) "." RESILIN_STRING(
              EIGEN_MINOR_VERSION),
          EIGEN_DEFAULT_ALIGN_BYTES,
          EIGEN_MAX_STATIC_ALIGN_BYTES,
          EIGEN_MALLOC_ALREADY_ALIGNED,
          _GLIBCXX_USE_CXX11_ABI,
          RESILIN_DEBUG_CONTAINERS,
          RESILIN_COMPILER,
          kLayout,
          RESILIN_INTERFACE_HASH,
          name,
          version};
}

}  // namespace resilin

/// RESILIN_PLUGIN("name", "version", registry) { registry.add<Material, Rubber>("rubber", "one sentence"); }
#define RESILIN_PLUGIN(name, version, registry)                            \
  extern "C" RESILIN_API const ::resilin::PluginInfo resilin_plugin_info = \
      ::resilin::plugin_info(name, version);                               \
  extern "C" RESILIN_API void resilin_plugin_register(::resilin::Registry& registry)
