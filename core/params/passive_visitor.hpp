// A visitor that does nothing but walk: base for visitors that care about a few kinds of parameters.
#pragma once

#include "core/params/visitor.hpp"

namespace resilin {

/// Ignores every parameter; walks into sections (present ones only), lists and maps, and tells
/// enter()/leave().
class RESILIN_API PassiveVisitor : public ParamVisitor {
 public:
  void real(const char*, double&, const Spec&) override {}
  void integer(const char*, Index&, const Spec&) override {}
  void flag(const char*, bool&, const Spec&) override {}
  void text(const char*, std::string&, const Spec&) override {}
  void path(const char*, std::string&, const Spec&) override {}
  void vec3(const char*, Vec3&, const Spec&) override {}
  void choice(const char*, std::string&, std::initializer_list<const char*>, const Spec&) override {}
  void numbers(const char*, VecX&, const Spec&) override {}
  void integers(const char*, std::vector<Index>&, const Spec&) override {}
  void texts(const char*, std::vector<std::string>&, const Spec&) override {}
  void choices(const char*, std::vector<std::string>&, std::initializer_list<const char*>,
               const Spec&) override {}
  void field(const char*, Field&, const Spec&) override {}
  using ParamVisitor::optional_section;
  using ParamVisitor::section;
  void section(const char* name, Body body, const Spec&) override {
    enter(name);
    body(*this);
    leave();
  }
  void optional_section(const char* name, bool& present, Body body, const Spec&) override {
    if (!present) return;
    enter(name);
    body(*this);
    leave();
  }
  void component(const char*, const char*, ComponentSpec&, const Spec&) override {}
  void components(const char*, const char*, std::vector<ComponentSpec>&, const Spec&) override {}
  void component_map(const char*, const char*, NamedList<ComponentSpec>&, const Spec&) override {}
  void sequence(const char*, SequenceAccess&, const Spec&) override {}
  void named(const char*, SequenceAccess&, const Spec&) override {}
  void assignments(const char*, NamedList<std::string>&, const Spec&) override {}
  void check(bool, const char*) override {}

 protected:
  virtual void enter(const char* /*name*/) {}
  virtual void leave() {}
};

}  // namespace resilin
