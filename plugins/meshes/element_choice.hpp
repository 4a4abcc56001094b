// The choice of element type that all generators of volume meshes offer.
#pragma once

#include "core/mesh/mesh.hpp"
#include "core/params/visitor.hpp"

#include <string>

namespace resilin::meshes {

inline void visit_element(ParamVisitor& v, std::string& element) {
  v.choice("element", element, {"hex8", "tet4"},
           {.doc = "element type: hexahedra, or six tetrahedra per cell"});
}
/// `element` is one of the words offered by visit_element.
inline ElementType element_type(const std::string& element) {
  return element == "tet4" ? ElementType::Tet4 : ElementType::Hex8;
}

}  // namespace resilin::meshes
