#include "core/app/scene_kinds.hpp"

#include "core/params/passive_visitor.hpp"

#include <set>

namespace resilin::app {
namespace {

class KindCollector final : public PassiveVisitor {
 public:
  std::vector<std::string> kinds() const { return {kinds_.begin(), kinds_.end()}; }

  void optional_section(const char*, bool&, Body body, const Spec&) override { body(*this); }
  void component(const char*, const char* kind, ComponentSpec&, const Spec&) override { kinds_.insert(kind); }
  void components(const char*, const char* kind, std::vector<ComponentSpec>&, const Spec&) override {
    kinds_.insert(kind);
  }
  void component_map(const char*, const char* kind, NamedList<ComponentSpec>&, const Spec&) override {
    kinds_.insert(kind);
  }
  void sequence(const char*, SequenceAccess& value, const Spec&) override { value.visit_default(*this); }
  void named(const char*, SequenceAccess& value, const Spec&) override { value.visit_default(*this); }

 private:
  std::set<std::string> kinds_;
};

}  // namespace

std::vector<std::string> scene_kinds(ParamVisitor::Body visit) {
  KindCollector collector;
  visit(collector);
  return collector.kinds();
}

}  // namespace resilin::app
