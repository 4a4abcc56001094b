// Eight numbers at a time: the unit in which energies are evaluated over elements.
//
// A Pack holds one quantity of eight elements (a lane each); the compiler maps it to the widest vectors of
// the machine. Its size and alignment do not depend on the machine, so packs cross library borders, but only
// by pointer: passing them by value depends on the vector registers, so all functions here are forced inline.
#pragma once

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include "core/base/types.hpp"

#include <cmath>

namespace resilin {

inline constexpr int kLanes = 8;
using Pack = double __attribute__((vector_size(8 * kLanes)));
/// Result of comparing packs: all bits set in lanes where it holds. `mask ? a : b` selects by lane.
using PackMask = long long __attribute__((vector_size(8 * kLanes)));

#define RESILIN_INLINE [[gnu::always_inline]] inline

RESILIN_INLINE Pack splat(double a) {
  return Pack{a, a, a, a, a, a, a, a};
}

RESILIN_INLINE Pack sqrt(Pack a) {
#if defined(__AVX512F__)
  return reinterpret_cast<Pack>(_mm512_maskz_sqrt_pd(0xFF, reinterpret_cast<__m512d>(a)));
#elif defined(__AVX__)
  union {
    Pack p;
    __m256d h[2];
  } u{a};
  u.h[0] = _mm256_sqrt_pd(u.h[0]);
  u.h[1] = _mm256_sqrt_pd(u.h[1]);
  return u.p;
#elif defined(__SSE2__)
  union {
    Pack p;
    __m128d h[4];
  } u{a};
  for (auto& h : u.h) h = _mm_sqrt_pd(h);
  return u.p;
#else
  for (int i = 0; i < kLanes; ++i) a[i] = std::sqrt(a[i]);
  return a;
#endif
}
RESILIN_INLINE Pack log(Pack a) {
  for (int i = 0; i < kLanes; ++i) a[i] = std::log(a[i]);
  return a;
}
RESILIN_INLINE Pack exp(Pack a) {
  for (int i = 0; i < kLanes; ++i) a[i] = std::exp(a[i]);
  return a;
}
RESILIN_INLINE Pack abs(Pack a) {
  return a < 0.0 ? -a : a;
}
RESILIN_INLINE Pack max(Pack a, Pack b) {
  return a > b ? a : b;
}
RESILIN_INLINE Pack min(Pack a, Pack b) {
  return a < b ? a : b;
}
RESILIN_INLINE bool any(PackMask m) {
  long long r = 0;
  for (int i = 0; i < kLanes; ++i) r |= m[i];
  return r != 0;
}
/// Sum over the lanes, always in the same order.
RESILIN_INLINE double sum(Pack a) {
  return ((a[0] + a[4]) + (a[2] + a[6])) + ((a[1] + a[5]) + (a[3] + a[7]));
}

/// Eight 3x3 matrices; entry (i, j) of all of them is m[3 * j + i] (column-major like Eigen).
struct Mat3Pack {
  Pack m[9];
  RESILIN_INLINE Pack& operator()(int i, int j) { return m[3 * j + i]; }
  RESILIN_INLINE const Pack& operator()(int i, int j) const { return m[3 * j + i]; }
};

RESILIN_INLINE Mat3 lane(const Mat3Pack& a, int l) {
  Mat3 r;
  for (int k = 0; k < 9; ++k) r.data()[k] = a.m[k][l];
  return r;
}
RESILIN_INLINE void set_lane(Mat3Pack& a, int l, const Mat3& b) {
  for (int k = 0; k < 9; ++k) a.m[k][l] = b.data()[k];
}
RESILIN_INLINE Mat3Pack zero_mat3() {
  Mat3Pack r;
  for (auto& p : r.m) p = splat(0.0);
  return r;
}
RESILIN_INLINE Pack det(const Mat3Pack& a) {
  return a(0, 0) * (a(1, 1) * a(2, 2) - a(1, 2) * a(2, 1)) -
         a(0, 1) * (a(1, 0) * a(2, 2) - a(1, 2) * a(2, 0)) +
         a(0, 2) * (a(1, 0) * a(2, 1) - a(1, 1) * a(2, 0));
}
/// Cofactor matrix: d(det a)/da.
RESILIN_INLINE Mat3Pack cofactor(const Mat3Pack& a) {
  Mat3Pack c;
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 3; ++i) {
      const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      c(i, j) = a(i1, j1) * a(i2, j2) - a(i1, j2) * a(i2, j1);
    }
  return c;
}
RESILIN_INLINE Pack dot(const Mat3Pack& a, const Mat3Pack& b) {
  Pack r = a.m[0] * b.m[0];
  for (int k = 1; k < 9; ++k) r += a.m[k] * b.m[k];
  return r;
}
/// a b^T
RESILIN_INLINE Mat3Pack times_transposed(const Mat3Pack& a, const Mat3Pack& b) {
  Mat3Pack r;
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 3; ++i) r(i, j) = a(i, 0) * b(j, 0) + a(i, 1) * b(j, 1) + a(i, 2) * b(j, 2);
  return r;
}
/// a^T b
RESILIN_INLINE Mat3Pack transposed_times(const Mat3Pack& a, const Mat3Pack& b) {
  Mat3Pack r;
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 3; ++i) r(i, j) = a(0, i) * b(0, j) + a(1, i) * b(1, j) + a(2, i) * b(2, j);
  return r;
}

}  // namespace resilin
