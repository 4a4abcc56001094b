#include "core/energy/svd.hpp"

#include <algorithm>
#include <cstring>

namespace resilin {
namespace {

// As many lanes as a register holds: the state of an iteration fills the registers as it is.
#if defined(__AVX512F__)
constexpr int kWidth = 8;
#elif defined(__AVX__)
constexpr int kWidth = 4;
#else
constexpr int kWidth = 2;
#endif
constexpr Index kParts = kLanes / kWidth;
using Real = double __attribute__((vector_size(8 * kWidth)));
using Mask = long long __attribute__((vector_size(8 * kWidth)));

RESILIN_INLINE Real all(double a) {
  return Real{} + a;
}
RESILIN_INLINE Real magnitude(Real a) {
  return a < 0.0 ? -a : a;
}
RESILIN_INLINE Real larger(Real a, Real b) {
  return a > b ? a : b;
}
RESILIN_INLINE bool any_lane(Mask m) {
  long long r = 0;
  for (int i = 0; i < kWidth; ++i) r |= m[i];
  return r != 0;
}
RESILIN_INLINE Real load(const Pack& a, Index part) {
  Real r;
  std::memcpy(&r, reinterpret_cast<const double*>(&a) + part * kWidth, sizeof r);
  return r;
}
RESILIN_INLINE void store(Pack& a, Index part, Real r) {
  std::memcpy(reinterpret_cast<double*>(&a) + part * kWidth, &r, sizeof r);
}

struct Column {
  Real x, y, z;
};
RESILIN_INLINE Real dot(const Column& a, const Column& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
RESILIN_INLINE Column cross(const Column& a, const Column& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
RESILIN_INLINE Column scaled(const Column& a, Real s) {
  return {a.x * s, a.y * s, a.z * s};
}
RESILIN_INLINE void rotate(Column& p, Column& q, Real c, Real s) {
  const Column a = p;
  p = {c * a.x - s * q.x, c * a.y - s * q.y, c * a.z - s * q.z};
  q = {s * a.x + c * q.x, s * a.y + c * q.y, s * a.z + c * q.z};
}

/// 1/sqrt(a), a > 0 and not denormal, from an estimate whose error each Newton step squares; 5 steps are
/// exact to rounding. Divisions and roots would be what a rotation costs. Finite where a = 0.
template <int kSteps>
RESILIN_INLINE Real rsqrt(Real a) {
#if defined(__AVX512F__)
  const __m512d bounded = _mm512_max_pd(reinterpret_cast<__m512d>(a), _mm512_set1_pd(1e-300));
  Real y = reinterpret_cast<Real>(_mm512_maskz_rsqrt14_pd(0xFF, bounded));
  constexpr int kFirst = 2;  // two steps make its 14 bits of the other estimate
#else
  // Half the exponent, and the mantissa by a straight line [Lomont 2003]: 5 bits.
  using Bits = unsigned long long __attribute__((vector_size(8 * kWidth)));
  Real y = reinterpret_cast<Real>(0x5FE6EB50C7B537A9ULL - (reinterpret_cast<Bits>(a) >> 1));
  constexpr int kFirst = 0;
#endif
  for (int i = kFirst; i < kSteps; ++i) y += 0.5 * y * (1.0 - a * y * y);
  return y;
}

/// A matrix F V = B on its way to orthogonal columns. A lane that is done rests, so that its result does not
/// depend on the lanes beside it.
struct Iterate {
  Column b[3], v[3];
  Mask active;
  Real gamma2[3], scale[3];  ///< of the pairs of this sweep: squared cosine = gamma2 / scale
  Real sine2;                ///< the largest squared sine of a rotation of this sweep
};

RESILIN_INLINE void begin(const Mat3Pack& f, Index part, Iterate& it) {
  const Real zero = all(0.0), one = all(1.0);
  for (int j = 0; j < 3; ++j) {
    it.b[j] = {load(f(0, j), part), load(f(1, j), part), load(f(2, j), part)};
    it.v[j] = {j == 0 ? one : zero, j == 1 ? one : zero, j == 2 ? one : zero};
  }
  it.active = zero == 0.0;
}

/// Makes columns p and q of B orthogonal in active lanes; `pair` numbers them.
RESILIN_INLINE void jacobi(Iterate& it, int p, int q, int pair) {
  const Real alpha = dot(it.b[p], it.b[p]), beta = dot(it.b[q], it.b[q]), gamma = dot(it.b[p], it.b[q]);
  // tan of the angle is 2 gamma / h with h = d + sign(d) sqrt(d^2 + 4 gamma^2), d = beta - alpha. The size of
  // the angle is not critical, the next sweep corrects it; that the rotation is one, is.
  const Real d = beta - alpha, opposite = 2.0 * gamma, square = d * d + opposite * opposite;
  const Real root = square * rsqrt<3>(square);
  const Real h = d < 0.0 ? d - root : d + root;
  const Real inverse = rsqrt<4>(h * h + opposite * opposite);
  const Mask turns = it.active & (square > 0.0);
  const Real c = turns ? magnitude(h) * inverse : all(1.0);
  const Real s = turns ? (h < 0.0 ? -opposite : opposite) * inverse : all(0.0);
  rotate(it.b[p], it.b[q], c, s);
  rotate(it.v[p], it.v[q], c, s);
  it.gamma2[pair] = gamma * gamma;
  it.scale[pair] = alpha * beta;
  it.sine2 = pair == 0 ? s * s : larger(it.sine2, s * s);
}

/// A rotation by s of two columns leaves s times their cosines with the third column in its place: a sweep is
/// the last one where that product is at rounding level. (Small cosines alone do not do: where singular
/// values are close, small cosines go with large rotations.)
RESILIN_INLINE void end_sweep(Iterate& it) {
  Mask more = it.gamma2[0] * it.sine2 > 5e-31 * it.scale[0];
  for (int k = 1; k < 3; ++k) more |= it.gamma2[k] * it.sine2 > 5e-31 * it.scale[k];
  it.active &= more;
}

/// Swaps a and b where their squared lengths are in the wrong order, negating one so that det stays +1.
RESILIN_INLINE void order(Column& a, Column& b, Column& va, Column& vb, Real& la, Real& lb) {
  const Mask swap = la < lb;
  const auto exchange = [&](Real& p, Real& q) {
    const Real keep = p;
    p = swap ? q : p;
    q = swap ? -keep : q;
  };
  exchange(a.x, b.x), exchange(a.y, b.y), exchange(a.z, b.z);
  exchange(va.x, vb.x), exchange(va.y, vb.y), exchange(va.z, vb.z);
  const Real keep = la;
  la = swap ? lb : la;
  lb = swap ? keep : lb;
}

/// A unit vector orthogonal to unit u.
RESILIN_INLINE Column orthogonal(const Column& u) {
  const Mask flat = magnitude(u.x) > 0.6;
  const Column r{flat ? u.y : all(0.0), flat ? -u.x : u.z, flat ? all(0.0) : -u.y};
  return scaled(r, rsqrt<5>(dot(r, r)));
}

/// U and the singular values from orthogonal columns.
RESILIN_INLINE void finish(Iterate& it, Index part, Svd3Pack& out) {
  Column(&b)[3] = it.b, (&v)[3] = it.v;
  Real l[3] = {dot(b[0], b[0]), dot(b[1], b[1]), dot(b[2], b[2])};
  order(b[0], b[1], v[0], v[1], l[0], l[1]);
  order(b[0], b[2], v[0], v[2], l[0], l[2]);
  order(b[1], b[2], v[1], v[2], l[1], l[2]);
  const Real i0 = rsqrt<5>(l[0]), s0 = l[0] * i0;
  Column u0 = scaled(b[0], i0);
  u0.x = l[0] == 0.0 ? all(1.0) : u0.x;
  // The second direction is re-orthogonalised, so that U is a rotation even where s1 is tiny.
  // Twice, for of a column that is rounding noise along u0 the first time leaves noise along it.
  Column w = b[1];
  for (int pass = 0; pass < 2; ++pass) {
    const Real along = dot(u0, w);
    w = {w.x - along * u0.x, w.y - along * u0.y, w.z - along * u0.z};
  }
  const Real square = dot(w, w), i1 = rsqrt<5>(square);
  const Mask degenerate = square <= 1e-300;
  const Column spare = orthogonal(u0);
  const Column u1{degenerate ? spare.x : w.x * i1, degenerate ? spare.y : w.y * i1,
                  degenerate ? spare.z : w.z * i1};
  const Column u2 = cross(u0, u1);
  const Column u[3] = {u0, u1, u2};
  for (int j = 0; j < 3; ++j) {
    store(out.u(0, j), part, u[j].x), store(out.u(1, j), part, u[j].y), store(out.u(2, j), part, u[j].z);
    store(out.v(0, j), part, v[j].x), store(out.v(1, j), part, v[j].y), store(out.v(2, j), part, v[j].z);
  }
  store(out.s[0], part, s0);
  store(out.s[1], part, dot(u1, b[1]));
  store(out.s[2], part, dot(u2, b[2]));  // its sign is that of det F
}

}  // namespace

void batched_svd(const Mat3Pack* f, Svd3Pack* out, Index packs) {
  // Two at a time: a rotation is a long chain of operations that wait for each other.
  const Index count = packs * kParts;
  for (Index first = 0; first < count; first += 2) {
    const Index second = std::min(first + 1, count - 1);
    Iterate a, b;
    begin(f[first / kParts], first % kParts, a);
    begin(f[second / kParts], second % kParts, b);
    for (int sweep = 0; sweep < 12; ++sweep) {
      jacobi(a, 0, 1, 0), jacobi(b, 0, 1, 0);
      jacobi(a, 0, 2, 1), jacobi(b, 0, 2, 1);
      jacobi(a, 1, 2, 2), jacobi(b, 1, 2, 2);
      end_sweep(a), end_sweep(b);
      if (!any_lane(a.active | b.active)) break;
    }
    finish(a, first % kParts, out[first / kParts]);
    finish(b, second % kParts, out[second / kParts]);
  }
}

}  // namespace resilin
