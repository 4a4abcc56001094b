// Curves through or along values at given times.
#pragma once

#include "core/params/visitor.hpp"
#include "core/plugin/component.hpp"

namespace resilin {

/// c(t) = sum_k w_k(t) c_k: linear in the values at the keys. Constant before the first key and after the
/// last.
class Curve {
 public:
  enum class Kind {
    Linear,   ///< straight lines from value to value
    Cubic,    ///< natural spline through the values: second derivative continuous, zero at both ends
    BSpline,  ///< cubic B-spline: the values are control points, only the first and the last are met. Its
              ///< clamped knots lie at the mean of each three inner times that follow each other.
  };
  Curve() = default;
  /// times [s], rising, at least one; at least four for a B-spline.
  Curve(VecX times, Kind kind);
  Index num_keys() const { return times_.size(); }

  /// action(k, w_k) for every key that counts at t; the weights add up to 1.
  template <class Action>
  void for_each_weight(double t, Action&& action) const {
    for_each(t, false, action);
  }
  /// action(k, dw_k/dt) [1/s] likewise; they add up to 0. At a key the derivative of what follows.
  template <class Action>
  void for_each_rate(double t, Action&& action) const {
    for_each(t, true, action);
  }

 private:
  /// Weights of the keys at both ends of a piece, and of the second derivatives there.
  struct Weights {
    double begin = 0, end = 0, curvature_begin = 0, curvature_end = 0;
  };
  /// a and b = 1 - a: place between the keys of a piece of length h.
  static Weights value_weights(double a, double b, double h);
  static Weights rate_weights(double a, double b, double h);
  /// The piece that t lies in; -1 before the first key, num_keys() - 1 from the last one on.
  Index piece(double t) const;
  /// Weights of four control points of a B-spline from `first` on.
  struct Basis {
    Index first = 0;
    double weights[4] = {0, 0, 0, 0};
  };
  Basis basis(double t, bool rate) const;

  template <class Action>
  void for_each(double t, bool rate, Action& action) const {
    const Index n = num_keys(), k = piece(t);
    if (k < 0 || k + 1 >= n) {
      action(k < 0 ? Index{0} : n - 1, rate ? 0.0 : 1.0);
      return;
    }
    if (knots_.size() > 0) {
      const Basis found = basis(t, rate);
      for (Index j = 0; j < 4; ++j) action(found.first + j, found.weights[j]);
      return;
    }
    const double h = times_[k + 1] - times_[k], b = (t - times_[k]) / h;
    const Weights w = rate ? rate_weights(1 - b, b, h) : value_weights(1 - b, b, h);
    if (curvature_.size() == 0) {
      action(k, w.begin);
      action(k + 1, w.end);
      return;
    }
    for (Index j = 0; j < n; ++j)
      action(j, (j == k ? w.begin : 0) + (j == k + 1 ? w.end : 0) + w.curvature_begin * curvature_(k, j) +
                    w.curvature_end * curvature_(k + 1, j));
  }

  VecX times_;
  MatX curvature_;  ///< second derivatives at the keys for unit values; only of a natural spline
  VecX knots_;      ///< of a B-spline only
};

/// Names the option `interpolation`.
void visit_interpolation(ParamVisitor& v, std::string& interpolation);

/// The curve of these options. Throws the place's error unless the times are rising and fit the number of
/// values.
Curve make_curve(const BuildContext& context, const VecX& times, const Field& values, const char* key,
                 const std::string& interpolation);

}  // namespace resilin
