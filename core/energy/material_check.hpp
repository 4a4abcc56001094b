// Derivative checks that every material has to pass, with numbers.
#pragma once

#include "core/energy/material.hpp"

#include <string>
#include <vector>

namespace resilin {

struct CheckResult {
  std::string name;
  double value = 0;  ///< what was measured
  double limit = 0;  ///< what is allowed
  bool passed = false;
};

/// At deformations near rest and far from it (no inversion), of each dimension that the material acts on:
/// stress against differences of the energy, tangent against differences of the stress, parameter derivatives
/// against differences in the parameters, guards that none of them is identically zero, objectivity psi(R F)
/// = psi(F), and for a projective material that P = F Q - B(F) never underestimates: psi(G) <= psi(F) +
/// P(F):(G - F) + tr((G-F) Q (G-F)^T)/2.
RESILIN_API std::vector<CheckResult> check_material(const Material& material);

}  // namespace resilin
