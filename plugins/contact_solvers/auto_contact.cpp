#include "plugins/contact_solvers/auto_contact.hpp"

#include "core/contact/pair_law.hpp"

#include <cmath>

namespace resilin {

const ContactSolver& AutoContact::choose(const System& system) const {
  for (const auto& model : system.contacts())
    if (std::isfinite(model->friction()) || dynamic_cast<const PairLaw*>(model) != nullptr) return sliding_;
  return sticking_;
}

}  // namespace resilin
