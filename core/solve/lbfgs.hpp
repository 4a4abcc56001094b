// Limited-memory BFGS around a given approximate inverse Hessian.
#pragma once

#include "core/solve/krylov.hpp"

namespace resilin {

/// The inverse BFGS update of P ~ H^-1 by the last pairs s = x+ - x, y = R(x+) - R(x), applied by the
/// two-loop recursion [Nocedal and Wright 2006, algorithm 7.4; with the matrix of Projective Dynamics as P:
/// Liu, Bouaziz and Kavan 2017]. Allocates in reset() only, and there only if it grows.
class RESILIN_API LbfgsHistory {
 public:
  /// Forgets all pairs; from now on at most `pairs` of vectors with n entries are kept.
  void reset(Index n, Index pairs);
  /// Takes a pair in for the oldest one. Refuses those without positive curvature, s^T y <= 0 (or lost in
  /// rounding), which would make the update indefinite, and returns false.
  bool add(ConstVec s, ConstVec y);
  /// out = (updated P) r, positive definite if P is. `out` and `r` must not overlap.
  void apply(LinearMap precondition, ConstVec r, MutVec out);
  Index size() const { return count_; }

 private:
  Index slot(Index age) const { return (newest_ - age + capacity_) % capacity_; }

  MatX s_, y_;
  VecX curvature_, alpha_, q_;  ///< s^T y of each pair; scratch of the recursion
  Index capacity_ = 0, count_ = 0, newest_ = 0;
};

}  // namespace resilin
