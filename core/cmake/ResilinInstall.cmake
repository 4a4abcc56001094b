# Installs program, core, headers, templates and the package that find_package(Resilin) finds. Included last, when
# all targets are known. Nothing in the installed tree holds an absolute path: it works under any prefix.
include(CMakePackageConfigHelpers)

set(resilin_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Resilin)

set_target_properties(resilin_core PROPERTIES INSTALL_RPATH "$ORIGIN")
install(TARGETS resilin_core EXPORT ResilinTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET resilin)
  file(RELATIVE_PATH bin_to_lib ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
  set_target_properties(resilin PROPERTIES INSTALL_RPATH "$ORIGIN/${bin_to_lib}")
  install(TARGETS resilin RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

# Headers keep their "core/..." names below include/resilin.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/core DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/resilin
  FILES_MATCHING PATTERN "*.hpp" PATTERN "app" EXCLUDE PATTERN "cmake" EXCLUDE)
install(FILES ${PROJECT_BINARY_DIR}/generated/core/plugin/interface_hash.hpp
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/resilin/core/plugin)

# The core looks for templates beside its own library, in the build tree as well.
file(GLOB template_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/plugins/template/*.in)
foreach(file ${template_files})
  get_filename_component(name ${file} NAME)
  configure_file(${file} ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/resilin/template/${name} COPYONLY)
endforeach()
install(FILES ${template_files} DESTINATION ${CMAKE_INSTALL_LIBDIR}/resilin/template)

configure_package_config_file(${PROJECT_SOURCE_DIR}/core/cmake/ResilinConfig.cmake.in
  ${PROJECT_BINARY_DIR}/ResilinConfig.cmake INSTALL_DESTINATION ${resilin_package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/ResilinConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/ResilinConfig.cmake ${PROJECT_BINARY_DIR}/ResilinConfigVersion.cmake
  ${PROJECT_SOURCE_DIR}/core/cmake/ResilinAddPlugin.cmake DESTINATION ${resilin_package_dir})
install(EXPORT ResilinTargets NAMESPACE Resilin:: DESTINATION ${resilin_package_dir})
