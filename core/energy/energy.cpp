#include "core/energy/energy.hpp"

namespace resilin {

Workspace::Workspace() = default;
Workspace::~Workspace() = default;
Workspace::SlotBase::~SlotBase() = default;

std::string Energy::diagnose(const StepContext&, ConstVec) const {
  return {};
}
void Energy::add_param_vjp(const StepContext&, ConstVec, ConstVec, MutVec, Workspace&) const {}
void Energy::add_start_vjp(const StepContext&, ConstVec, ConstVec, MutVec, Workspace&) const {}

}  // namespace resilin
