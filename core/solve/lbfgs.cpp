#include "core/solve/lbfgs.hpp"

#include "core/solve/step_problem.hpp"

#include <limits>

namespace resilin {

void LbfgsHistory::reset(Index n, Index pairs) {
  if (s_.rows() != n || s_.cols() != pairs) {
    s_.resize(n, pairs);
    y_.resize(n, pairs);
    curvature_.resize(pairs);
    alpha_.resize(pairs);
    q_.resize(n);
  }
  capacity_ = pairs;
  count_ = newest_ = 0;
}

bool LbfgsHistory::add(ConstVec s, ConstVec y) {
  const double curvature = dot(s, y);
  if (!(curvature > std::numeric_limits<double>::epsilon() * norm(s) * norm(y))) return false;
  if (capacity_ == 0) return true;
  newest_ = (newest_ + 1) % capacity_;
  s_.col(newest_) = s;
  y_.col(newest_) = y;
  curvature_[newest_] = curvature;
  if (count_ < capacity_) ++count_;
  return true;
}

void LbfgsHistory::apply(LinearMap precondition, ConstVec r, MutVec out) {
  q_ = r;
  for (Index age = 0; age < count_; ++age) {
    const Index k = slot(age);
    alpha_[k] = dot(s_.col(k), q_) / curvature_[k];
    q_ -= alpha_[k] * y_.col(k);
  }
  precondition(q_, out);
  for (Index age = count_ - 1; age >= 0; --age) {
    const Index k = slot(age);
    out += (alpha_[k] - dot(y_.col(k), out) / curvature_[k]) * s_.col(k);
  }
}

}  // namespace resilin
