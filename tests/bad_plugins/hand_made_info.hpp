// A plugin whose info is not what its compiler would say, and whose code must never run.
#pragma once

#include "core/plugin/plugin.hpp"

#include <cstdlib>

/// Exports `info` as that of the plugin; reaching the registration ends the process.
#define RESILIN_HAND_MADE_PLUGIN(info)                                \
  extern "C" {                                                        \
  extern RESILIN_API const ::resilin::PluginInfo resilin_plugin_info; \
  const ::resilin::PluginInfo resilin_plugin_info = info;             \
  RESILIN_API void resilin_plugin_register(::resilin::Registry&);     \
  void resilin_plugin_register(::resilin::Registry&) {                \
    std::abort();                                                     \
  }                                                                   \
  }
