# resilin_add_plugin(<name> <sources>...): one loadable library; the same function in the tree and out of it.
function(resilin_add_plugin name)
  add_library(${name} MODULE ${ARGN})
  target_link_libraries(${name} PRIVATE Resilin::core)
  set_target_properties(${name} PROPERTIES
    PREFIX "" CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON CXX_EXTENSIONS OFF)
  target_link_options(${name} PRIVATE -Wl,--no-undefined)
  # Packs cross borders by pointer only, so how they would be passed by value does not matter.
  target_compile_options(${name} PRIVATE -Wno-psabi)
  if(TARGET resilin_core)  # in the tree
    target_link_libraries(${name} PRIVATE resilin_flags fmt::fmt)
    set_target_properties(${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${RESILIN_PLUGIN_DIR} INSTALL_RPATH "$ORIGIN/../..")
    set_property(GLOBAL APPEND PROPERTY RESILIN_FIRST_PARTY_PLUGINS ${name})
    install(TARGETS ${name} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/resilin/plugins)
  endif()
endfunction()
