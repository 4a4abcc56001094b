#include "plugins/forces/expression.hpp"

#include "core/base/error.hpp"
#include "plugins/forces/expression_parser.hpp"

#include <algorithm>
#include <cmath>

namespace resilin {
namespace {

using Op = Expression::Op;

/// Of min and max; a NaN among the arguments is the result, whichever it is.
bool takes_first(Op op, double a, double b) {
  return std::isnan(a) || (op == Op::Min ? a <= b : a >= b);
}

double apply(Op op, double a, double b) {
  switch (op) {
    case Op::Add:
      return a + b;
    case Op::Sub:
      return a - b;
    case Op::Mul:
      return a * b;
    case Op::Div:
      return a / b;
    case Op::Pow:
      return std::pow(a, b);
    case Op::Neg:
      return -a;
    case Op::Sin:
      return std::sin(a);
    case Op::Cos:
      return std::cos(a);
    case Op::Tan:
      return std::tan(a);
    case Op::Tanh:
      return std::tanh(a);
    case Op::Exp:
      return std::exp(a);
    case Op::Log:
      return std::log(a);
    case Op::Sqrt:
      return std::sqrt(a);
    case Op::Abs:
      return std::abs(a);
    case Op::Min:
    case Op::Max:
      return takes_first(op, a, b) ? a : b;
    case Op::Number:
    case Op::Input:
      break;
  }
  throw Error(Errc::Internal, "an expression applies what is no operation");
}

/// Derivative with respect to the first argument; r is the value.
double slope_in_first(Op op, double a, double b, double r) {
  switch (op) {
    case Op::Add:
    case Op::Sub:
      return 1;
    case Op::Mul:
      return b;
    case Op::Div:
      return 1 / b;
    case Op::Pow:
      return b == 0 ? 0 : b * std::pow(a, b - 1);
    case Op::Neg:
      return -1;
    case Op::Sin:
      return std::cos(a);
    case Op::Cos:
      return -std::sin(a);
    case Op::Tan:
      return 1 + r * r;
    case Op::Tanh:
      return 1 - r * r;
    case Op::Exp:
      return r;
    case Op::Log:
      return 1 / a;
    case Op::Sqrt:
      return 0.5 / r;
    case Op::Abs:
      return a > 0 ? 1 : a < 0 ? -1 : 0;
    case Op::Min:
    case Op::Max:
      return takes_first(op, a, b) ? 1 : 0;
    case Op::Number:
    case Op::Input:
      break;
  }
  throw Error(Errc::Internal, "an expression differentiates what is no operation");
}

/// The same for the second argument; 0 for functions of one.
double slope_in_second(Op op, double a, double b, double r) {
  switch (op) {
    case Op::Add:
      return 1;
    case Op::Sub:
      return -1;
    case Op::Mul:
      return a;
    case Op::Div:
      return -r / b;
    case Op::Pow:
      return a == 0 && b > 0 ? 0 : std::log(a) * r;
    case Op::Min:
    case Op::Max:
      return takes_first(op, a, b) ? 0 : 1;
    default:
      return 0;
  }
}

}  // namespace

Expression::Expression(const std::string& text, const std::vector<std::string>& inputs)
    : nodes_(ExpressionParser(text, inputs).parse()) {}

double Expression::evaluate(const double* inputs, double* values) const {
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const Node& n = nodes_[i];
    if (n.op == Op::Number)
      values[i] = n.number;
    else
      values[i] = n.op == Op::Input ? inputs[n.a] : apply(n.op, values[n.a], values[n.b]);
  }
  return values[nodes_.size() - 1];
}

void Expression::add_gradient(double seed, const double* values, double* slopes, double* out) const {
  std::fill_n(slopes, nodes_.size(), 0.0);
  slopes[nodes_.size() - 1] = seed;
  for (std::size_t i = nodes_.size(); i-- > 0;) {
    const Node& n = nodes_[i];
    if (slopes[i] == 0 || !n.varies) continue;
    if (n.op == Op::Input) {
      out[n.a] += slopes[i];
      continue;
    }
    const double a = values[n.a], b = values[n.b];
    if (nodes_[n.a].varies) slopes[n.a] += slopes[i] * slope_in_first(n.op, a, b, values[i]);
    // Functions of one argument name it twice. What does not vary is left out, as the exponent of a negative
    // base, where there is no derivative.
    if (n.b != n.a && nodes_[n.b].varies) slopes[n.b] += slopes[i] * slope_in_second(n.op, a, b, values[i]);
  }
}

std::vector<std::string> Expression::reserved() {
  return ExpressionParser::function_names();
}

}  // namespace resilin
