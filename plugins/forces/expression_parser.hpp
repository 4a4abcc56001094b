// Recursive descent from text to the nodes of an Expression.
//   sum = product {("+" | "-") product}         product = signed {("*" | "/") signed}
//   signed = ("+" | "-") signed | power         power = primary ["^" signed]
//   primary = number | input | "pi" | function "(" sum ["," sum] ")" | "(" sum ")"
#pragma once

#include "plugins/forces/expression.hpp"

#include <string_view>

namespace resilin {

class ExpressionParser {
 public:
  ExpressionParser(const std::string& text, const std::vector<std::string>& inputs)
      : text_(text), inputs_(inputs) {}
  std::vector<Expression::Node> parse();
  /// Of all functions, and pi.
  static std::vector<std::string> function_names();

 private:
  using Op = Expression::Op;
  std::size_t sum();
  std::size_t product();
  std::size_t with_sign();
  std::size_t power();
  std::size_t primary();
  std::size_t number();
  std::size_t name();
  std::size_t call(std::string_view function, std::size_t at);

  std::size_t add(Op op, std::size_t a, std::size_t b);
  void skip_blanks();
  bool take(char c);
  void expect(char c, std::string_view after);
  /// What stands at the current place, for messages.
  std::string found() const;
  [[noreturn]] void fail(std::size_t at, const std::string& message) const;

  const std::string& text_;
  const std::vector<std::string>& inputs_;
  std::vector<Expression::Node> nodes_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace resilin
