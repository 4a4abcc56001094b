// Singular values of deformation gradients, in batches; the only 3x3 SVD of the project.
#pragma once

#include "core/energy/pack.hpp"

namespace resilin {

/// F = U diag(s) V^T with U and V rotations (det = +1): s[0] >= s[1] >= |s[2]|, and s[2] < 0 exactly where
/// det F < 0. So U V^T is the rotation nearest to F.
struct Svd3Pack {
  Mat3Pack u, v;
  Pack s[3];
};

/// One-sided Jacobi rotations (Hestenes 1958) on the columns of F V, swept until converged:
/// singular values are accurate to a few units in the last place of s[0]. NaN in, NaN out.
RESILIN_API void batched_svd(const Mat3Pack* f, Svd3Pack* out, Index packs);

}  // namespace resilin
