// Scalar functions given as text: "-c * vx + 2 * sin(pi * t)".
#pragma once

#include "core/base/types.hpp"

#include <string>
#include <vector>

namespace resilin {

/// A function of named inputs. Numbers, names, pi, + - * / ^ (binds tighter than a sign, to the right),
/// parentheses, sin cos tan tanh exp log sqrt abs(a), min max pow(a, b).
class Expression {
 public:
  /// Throws Error(Input) "at character 7: ..." (counted from 1) with the nearest known name where it helps.
  Expression(const std::string& text, const std::vector<std::string>& inputs);

  /// Numbers that an evaluation keeps, `values` and `slopes` below.
  Index size() const { return static_cast<Index>(nodes_.size()); }
  /// Fills `values` and returns the last of them, the value.
  double evaluate(const double* inputs, double* values) const;
  /// out[i] += seed * d value/d input_i, after evaluate() has filled `values`; `slopes` is work space. At a
  /// kink: 0 for abs, the first argument for min and max. Parts that do not count (a slope of 0) bring
  /// nothing, even where they have no derivative.
  void add_gradient(double seed, const double* values, double* slopes, double* out) const;

  /// The words that inputs may not be called.
  static std::vector<std::string> reserved();

  enum class Op {
    Number,
    Input,
    Add,
    Sub,
    Mul,
    Div,
    Pow,
    Neg,
    Sin,
    Cos,
    Tan,
    Tanh,
    Exp,
    Log,
    Sqrt,
    Abs,
    Min,
    Max
  };
  struct Node {
    Op op = Op::Number;
    std::size_t a = 0, b = 0;  ///< nodes of the arguments; a of an input: its number
    double number = 0;
    bool varies = false;  ///< depends on an input
  };

 private:
  std::vector<Node> nodes_;  ///< arguments before what they go into; the last one is the whole
};

}  // namespace resilin
