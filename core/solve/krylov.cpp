#include "core/solve/krylov.hpp"

#include "core/base/parallel.hpp"
#include "core/solve/step_problem.hpp"

#include <cmath>
#include <limits>

namespace resilin {
namespace {

constexpr Index kGrain = 1 << 12;  // entries of a vector per chunk

}  // namespace

KrylovReport conjugate_gradients(LinearMap h, LinearMap precondition, const LinearMap* exact, ConstVec b,
                                 MutVec x, bool warm, double tolerance, Index max_iterations,
                                 KrylovScratch& s) {
  KrylovReport report;
  const Index n = b.size();
  s.q.resize(n), s.z.resize(n), s.r.resize(n);
  s.p.setZero(n);
  if (warm) {
    (exact != nullptr ? *exact : h)(x, s.q);
    s.r = b - s.q;
  } else {
    x.setZero();
    s.r = b;
  }
  report.residual = norm(s.r);
  double rz = 0, checked = std::numeric_limits<double>::infinity();
  bool restart = true;
  for (;;) {
    if (report.residual <= tolerance) {
      if (exact == nullptr) break;
      // The recurrence drifts from the true residual, which is what was promised.
      (*exact)(x, s.q);
      s.r = b - s.q;
      report.residual = norm(s.r);
      if (report.residual <= tolerance) break;
      if (!(report.residual < 0.5 * checked)) {
        report.stop = KrylovReport::Stop::Breakdown;  // rounding allows no better
        return report;
      }
      checked = report.residual;
      restart = true;
    }
    if (report.iterations == max_iterations) return report;
    precondition(s.r, s.z);
    const double rz_new = dot(s.r, s.z);
    if (!std::isfinite(rz_new) || rz_new <= 0) {
      report.stop = KrylovReport::Stop::Breakdown;
      return report;
    }
    const double beta = restart ? 0 : rz_new / rz;
    parallel_for(n, kGrain, [&](Index i, Index j) {
      s.p.segment(i, j - i) = s.z.segment(i, j - i) + beta * s.p.segment(i, j - i);
    });
    restart = false;
    rz = rz_new;
    h(s.p, s.q);
    const double curvature = dot(s.p, s.q);
    ++report.iterations;
    if (!(curvature > 0)) {
      report.stop = KrylovReport::Stop::NegativeCurvature;
      return report;
    }
    const double alpha = rz / curvature;
    report.residual = std::sqrt(parallel_sum(n, kGrain, [&](Index i, Index j) {
      x.segment(i, j - i) += alpha * s.p.segment(i, j - i);
      s.r.segment(i, j - i) -= alpha * s.q.segment(i, j - i);
      return s.r.segment(i, j - i).squaredNorm();
    }));
  }
  report.stop = KrylovReport::Stop::Converged;
  return report;
}

KrylovReport minres(LinearMap h, LinearMap precondition, ConstVec b, MutVec x, double tolerance,
                    Index max_iterations, KrylovScratch& s) {
  KrylovReport report;
  const Index n = b.size();
  s.y.resize(n), s.v.resize(n), s.q.resize(n);
  x.setZero();
  s.r1 = b;
  precondition(s.r1, s.y);
  double beta = dot(s.r1, s.y);
  report.residual = norm(b);
  if (report.residual <= tolerance) {
    report.stop = KrylovReport::Stop::Converged;
    return report;
  }
  if (!(beta > 0)) {
    report.stop = KrylovReport::Stop::Breakdown;
    return report;
  }
  beta = std::sqrt(beta);
  s.r2 = s.r1;
  s.d.setZero(n), s.d1.setZero(n), s.d2.setZero(n);
  double old_beta = 0, dbar = 0, epsilon = 0, phibar = beta, cs = -1, sn = 0;
  const double beta0 = beta;
  for (report.iterations = 1; report.iterations <= max_iterations; ++report.iterations) {
    s.v = s.y / beta;
    h(s.v, s.y);
    if (report.iterations >= 2) s.y -= (beta / old_beta) * s.r1;
    const double alpha = dot(s.v, s.y);
    s.y -= (alpha / beta) * s.r2;
    std::swap(s.r1, s.r2);
    s.r2 = s.y;
    precondition(s.r2, s.y);
    old_beta = beta;
    beta = dot(s.r2, s.y);
    if (!(beta >= 0)) {
      report.stop = KrylovReport::Stop::Breakdown;
      return report;
    }
    beta = std::sqrt(beta);
    const double old_epsilon = epsilon, delta = cs * dbar + sn * alpha, gbar = sn * dbar - cs * alpha;
    epsilon = sn * beta;
    dbar = -cs * beta;
    const double gamma = std::hypot(gbar, beta);
    if (gamma == 0) {
      report.stop = KrylovReport::Stop::Breakdown;
      return report;
    }
    cs = gbar / gamma;
    sn = beta / gamma;
    const double phi = cs * phibar;
    phibar *= sn;
    std::swap(s.d1, s.d2);
    std::swap(s.d2, s.d);
    s.d = (s.v - old_epsilon * s.d1 - delta * s.d2) / gamma;
    x += phi * s.d;
    // phibar measures the residual in the preconditioner's norm; the test itself is on the true one.
    if (phibar <= 10 * beta0 * tolerance / report.residual || report.iterations % 20 == 0 || beta == 0) {
      h(x, s.q);
      s.q = b - s.q;
      const double actual = norm(s.q);
      if (actual <= tolerance) {
        report.residual = actual;
        report.stop = KrylovReport::Stop::Converged;
        return report;
      }
      if (beta == 0) {
        report.residual = actual;
        report.stop = KrylovReport::Stop::Breakdown;
        return report;
      }
    }
  }
  report.iterations = max_iterations;
  h(x, s.q);
  s.q = b - s.q;
  report.residual = norm(s.q);
  return report;
}

}  // namespace resilin
