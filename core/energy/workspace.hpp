// Scratch memory and caches of one simulation, passed to whoever needs them, so that components stay const.
#pragma once

#include "core/base/types.hpp"

#include <map>
#include <memory>
#include <typeindex>
#include <utility>

namespace resilin {

/// One slot per owner and type, made on first use and kept: nothing is allocated in later steps. A cache that
/// depends on parameters stores System::revision() (and the step size) beside its data and compares.
/// Not to be shared by two simulations that run at the same time.
class RESILIN_API Workspace {
 public:
  Workspace();
  ~Workspace();
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  template <class T>
  T& slot(const void* owner) {
    auto& s = slots_[{owner, std::type_index(typeid(T))}];
    if (!s) s = std::make_unique<Holder<T>>();
    return static_cast<Holder<T>&>(*s).value;
  }

 private:
  struct RESILIN_API SlotBase {
    virtual ~SlotBase();
  };
  template <class T>
  struct Holder final : SlotBase {
    T value{};
  };
  std::map<std::pair<const void*, std::type_index>, std::unique_ptr<SlotBase>> slots_;
};

}  // namespace resilin
