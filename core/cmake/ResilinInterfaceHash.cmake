# One hash over all headers, generated as core/plugin/interface_hash.hpp: a plugin that was built against other
# headers is refused by name instead of crashing. A changed header configures anew.
file(GLOB_RECURSE interface_headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/core/*.hpp)
list(FILTER interface_headers EXCLUDE REGEX "/core/app/")
list(SORT interface_headers)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${interface_headers})
set(interface_hashes "")
foreach(header ${interface_headers})
  file(SHA256 ${header} header_hash)
  string(APPEND interface_hashes ${header_hash})
endforeach()
string(SHA256 RESILIN_INTERFACE_HASH "${interface_hashes}")
string(SUBSTRING ${RESILIN_INTERFACE_HASH} 0 16 RESILIN_INTERFACE_HASH)
configure_file(${PROJECT_SOURCE_DIR}/core/cmake/interface_hash.hpp.in
  ${PROJECT_BINARY_DIR}/generated/core/plugin/interface_hash.hpp @ONLY)
