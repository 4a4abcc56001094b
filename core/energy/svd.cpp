#include "core/energy/svd.hpp"

namespace resilin {
namespace {

struct ColumnPack {
  Pack x, y, z;
};
RESILIN_INLINE Pack dot(const ColumnPack& a, const ColumnPack& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
RESILIN_INLINE ColumnPack cross(const ColumnPack& a, const ColumnPack& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
RESILIN_INLINE void rotate(ColumnPack& p, ColumnPack& q, Pack c, Pack s) {
  const ColumnPack a = p;
  p = {c * a.x - s * q.x, c * a.y - s * q.y, c * a.z - s * q.z};
  q = {s * a.x + c * q.x, s * a.y + c * q.y, s * a.z + c * q.z};
}

/// What a sweep did: the largest cosine between two columns that it met and the largest tangent of a
/// rotation, both squared.
struct Sweep {
  Pack cosine, tangent;
};

/// Makes columns p and q of b orthogonal in active lanes.
RESILIN_INLINE void jacobi(ColumnPack& bp, ColumnPack& bq, ColumnPack& vp, ColumnPack& vq, PackMask active,
                           Sweep& sweep) {
  const Pack alpha = dot(bp, bp), beta = dot(bq, bq), gamma = dot(bp, bq);
  const Pack scale = alpha * beta;
  const Pack cos2 = scale > 0.0 ? gamma * gamma / (scale > 0.0 ? scale : splat(1.0)) : splat(0.0);
  // tan of the angle: t = 2 gamma / (d + sign(d) sqrt(d^2 + 4 gamma^2)), d = beta - alpha; 0 where gamma = 0.
  const Pack d = beta - alpha, root = sqrt(d * d + 4.0 * gamma * gamma);
  const Pack denominator = d < 0.0 ? d - root : d + root;
  const Pack t = (active & (gamma != 0.0)) ? 2.0 * gamma / denominator : splat(0.0);
  const Pack c = 1.0 / sqrt(1.0 + t * t);
  rotate(bp, bq, c, c * t);
  rotate(vp, vq, c, c * t);
  sweep.cosine = max(sweep.cosine, cos2);
  sweep.tangent = max(sweep.tangent, t * t);
}

/// Swaps a and b where their squared lengths are in the wrong order, negating one so that det stays +1.
RESILIN_INLINE void order(ColumnPack& a, ColumnPack& b, ColumnPack& va, ColumnPack& vb, Pack& la, Pack& lb) {
  const PackMask swap = la < lb;
  const auto exchange = [&](Pack& p, Pack& q) {
    const Pack keep = p;
    p = swap ? q : p;
    q = swap ? -keep : q;
  };
  exchange(a.x, b.x), exchange(a.y, b.y), exchange(a.z, b.z);
  exchange(va.x, vb.x), exchange(va.y, vb.y), exchange(va.z, vb.z);
  const Pack keep = la;
  la = swap ? lb : la;
  lb = swap ? keep : lb;
}

/// A unit vector orthogonal to unit u.
RESILIN_INLINE ColumnPack orthogonal(const ColumnPack& u) {
  const PackMask flat = abs(u.x) > 0.6;
  ColumnPack r{flat ? u.y : splat(0.0), flat ? -u.x : u.z, flat ? splat(0.0) : -u.y};
  const Pack n = 1.0 / sqrt(dot(r, r));
  return {r.x * n, r.y * n, r.z * n};
}

RESILIN_INLINE void svd_one(const Mat3Pack& f, Svd3Pack& out) {
  ColumnPack b[3], v[3];
  const Pack zero = splat(0.0), one = splat(1.0);
  for (int j = 0; j < 3; ++j) {
    b[j] = {f(0, j), f(1, j), f(2, j)};
    v[j] = {j == 0 ? one : zero, j == 1 ? one : zero, j == 2 ? one : zero};
  }
  // A rotation by t of two columns leaves t times their cosines with the third column in its place: a sweep
  // is the last one where that product is at rounding level. (Small cosines alone do not do: where singular
  // values are close, small cosines go with large rotations.) A lane that is done rests, so that its result
  // does not depend on the lanes beside it.
  PackMask active = zero == 0.0;
  for (int sweep = 0; sweep < 12; ++sweep) {
    Sweep done{zero, zero};
    jacobi(b[0], b[1], v[0], v[1], active, done);
    jacobi(b[0], b[2], v[0], v[2], active, done);
    jacobi(b[1], b[2], v[1], v[2], active, done);
    active &= done.cosine * done.tangent > 1e-30;
    if (!any(active)) break;
  }
  Pack l[3] = {dot(b[0], b[0]), dot(b[1], b[1]), dot(b[2], b[2])};
  order(b[0], b[1], v[0], v[1], l[0], l[1]);
  order(b[0], b[2], v[0], v[2], l[0], l[2]);
  order(b[1], b[2], v[1], v[2], l[1], l[2]);
  const Pack s0 = sqrt(l[0]);
  const Pack i0 = s0 > 0.0 ? 1.0 / (s0 > 0.0 ? s0 : one) : zero;
  ColumnPack u0{s0 > 0.0 ? b[0].x * i0 : (s0 == 0.0 ? one : s0), b[0].y * i0, b[0].z * i0};
  // The second direction is re-orthogonalised, so that U is a rotation even where s1 is tiny.
  const Pack along = dot(u0, b[1]);
  ColumnPack w{b[1].x - along * u0.x, b[1].y - along * u0.y, b[1].z - along * u0.z};
  const Pack n1 = sqrt(dot(w, w));
  const PackMask degenerate = n1 <= 1e-150;
  const Pack i1 = 1.0 / (degenerate ? one : n1);
  const ColumnPack spare = orthogonal(u0);
  const ColumnPack u1{degenerate ? spare.x : w.x * i1, degenerate ? spare.y : w.y * i1,
                      degenerate ? spare.z : w.z * i1};
  const ColumnPack u2 = cross(u0, u1);
  const ColumnPack u[3] = {u0, u1, u2};
  for (int j = 0; j < 3; ++j) {
    out.u(0, j) = u[j].x, out.u(1, j) = u[j].y, out.u(2, j) = u[j].z;
    out.v(0, j) = v[j].x, out.v(1, j) = v[j].y, out.v(2, j) = v[j].z;
  }
  out.s[0] = s0;
  out.s[1] = dot(u1, b[1]);
  out.s[2] = dot(u2, b[2]);  // its sign is that of det F
}

}  // namespace

void batched_svd(const Mat3Pack* f, Svd3Pack* out, Index packs) {
  for (Index p = 0; p < packs; ++p) svd_one(f[p], out[p]);
}

}  // namespace resilin
