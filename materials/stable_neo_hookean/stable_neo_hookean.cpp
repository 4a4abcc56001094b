#include "materials/stable_neo_hookean/stable_neo_hookean.hpp"

namespace resilin {

void StableNeoHookean::Options::visit(ParamVisitor& v) {
  ElasticModuli::visit(v);
  v.section("elements", region, {.doc = "elements that it acts on; all if empty"});
}

}  // namespace resilin
