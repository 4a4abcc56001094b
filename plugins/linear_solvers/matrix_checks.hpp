// What a factorisation has to look at by itself, because the library behind it does not.
#pragma once

#include "core/base/types.hpp"

namespace resilin {

inline bool all_finite(const SpMat& a) {
  return Eigen::Map<const VecX>(a.valuePtr(), a.nonZeros()).allFinite();
}

/// A column without a number other than zero: a symmetric matrix with one is singular.
inline bool has_zero_column(const SpMat& a) {
  for (Index c = 0; c < a.cols(); ++c) {
    const Index begin = a.outerIndexPtr()[c], size = a.outerIndexPtr()[c + 1] - begin;
    if (!(Eigen::Map<const VecX>(a.valuePtr() + begin, size).array() != 0.0).any()) return true;
  }
  return false;
}

/// Sum over the columns of a triangular factor of f(entries of the column).
template <class F>
double sum_over_columns(const SpMat& factor, const F& f) {
  double sum = 0;
  for (Index c = 0; c < factor.cols(); ++c)
    sum += f(static_cast<double>(factor.outerIndexPtr()[c + 1] - factor.outerIndexPtr()[c]));
  return sum;
}

}  // namespace resilin
