// The tangent that St. Venant-Kirchhoff's law has in solids and in membranes alike.
#pragma once

#include "core/energy/material.hpp"

namespace resilin {

/// Adds C_(ij)(kl) = d_ik S_jl + mu (F F^T)_ik d_jl + mu F_il F_kj + lambda F_ij F_kl [Pa], S the second
/// Piola-Kirchhoff stress at F. In a membrane F is of rank two and lambda that of plane stress.
RESILIN_INLINE void add_stvk_tangent(const Mat3Pack& f, const Mat3Pack& s, const LamePack& l,
                                     TangentPack& c) {
  const Mat3Pack left = times_transposed(f, f);
  for (int j = 0; j < 3; ++j)
    for (int q = j; q < 3; ++q)
      for (int i = 0; i < 3; ++i)
        for (int o = 0; o < 3; ++o) {
          if (j == q && o < i) continue;  // upper triangle only
          Pack h = l.mu * f(i, q) * f(o, j) + l.lambda * f(i, j) * f(o, q);
          if (i == o) h += s(j, q);
          if (j == q) h += l.mu * left(i, o);
          c(3 * j + i, 3 * q + o) += h;
        }
}

}  // namespace resilin
