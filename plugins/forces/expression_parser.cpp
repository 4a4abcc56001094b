#include "plugins/forces/expression_parser.hpp"

#include "core/base/error.hpp"
#include "core/params/tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace resilin {
namespace {

struct Function {
  const char* name;
  Expression::Op op;
  int arguments;
};
constexpr Function kFunctions[] = {
    {"sin", Expression::Op::Sin, 1},   {"cos", Expression::Op::Cos, 1}, {"tan", Expression::Op::Tan, 1},
    {"tanh", Expression::Op::Tanh, 1}, {"exp", Expression::Op::Exp, 1}, {"log", Expression::Op::Log, 1},
    {"sqrt", Expression::Op::Sqrt, 1}, {"abs", Expression::Op::Abs, 1}, {"min", Expression::Op::Min, 2},
    {"max", Expression::Op::Max, 2},   {"pow", Expression::Op::Pow, 2}};

/// Deeper ones are no text of a person, and each level takes a piece of the stack.
constexpr int kMaxDepth = 200;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool begins_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

}  // namespace

std::vector<std::string> ExpressionParser::function_names() {
  std::vector<std::string> names;
  for (const Function& f : kFunctions) names.emplace_back(f.name);
  names.emplace_back("pi");
  return names;
}

std::vector<Expression::Node> ExpressionParser::parse() {
  sum();
  if (at_ < text_.size()) fail(at_, "expected an operator or the end, not " + found());
  return std::move(nodes_);
}

std::size_t ExpressionParser::sum() {
  std::size_t left = product();
  for (;;) {
    if (take('+'))
      left = add(Op::Add, left, product());
    else if (take('-'))
      left = add(Op::Sub, left, product());
    else
      return left;
  }
}

std::size_t ExpressionParser::product() {
  std::size_t left = with_sign();
  for (;;) {
    if (take('*'))
      left = add(Op::Mul, left, with_sign());
    else if (take('/'))
      left = add(Op::Div, left, with_sign());
    else
      return left;
  }
}

std::size_t ExpressionParser::with_sign() {
  skip_blanks();
  if (++depth_ > kMaxDepth) fail(at_, fmt::format("more than {} levels of nesting", kMaxDepth));
  std::size_t result = 0;
  if (take('-')) {
    const std::size_t inner = with_sign();
    result = add(Op::Neg, inner, inner);
  } else {
    result = take('+') ? with_sign() : power();
  }
  --depth_;
  return result;
}

std::size_t ExpressionParser::power() {
  const std::size_t base = primary();
  return take('^') ? add(Op::Pow, base, with_sign()) : base;
}

std::size_t ExpressionParser::primary() {
  skip_blanks();
  const char c = at_ < text_.size() ? text_[at_] : '\0';
  if (is_digit(c) || c == '.') return number();
  if (begins_name(c)) return name();
  if (!take('(')) fail(at_, "expected a number, a name or '(', not " + found());
  const std::size_t inner = sum();
  expect(')', "the parenthesis");
  return inner;
}

std::size_t ExpressionParser::number() {
  double value = 0;
  const char* begin = text_.data() + at_;
  const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
  if (error != std::errc()) fail(at_, "not a number that can be represented: " + found());
  at_ += static_cast<std::size_t>(end - begin);
  skip_blanks();
  nodes_.push_back({Op::Number, 0, 0, value, false});
  return nodes_.size() - 1;
}

std::size_t ExpressionParser::name() {
  const std::size_t begin = at_;
  while (at_ < text_.size() && (begins_name(text_[at_]) || is_digit(text_[at_]))) ++at_;
  const std::string word = text_.substr(begin, at_ - begin);
  skip_blanks();
  if (at_ < text_.size() && text_[at_] == '(') return call(word, begin);
  const auto input = std::find(inputs_.begin(), inputs_.end(), word);
  if (input != inputs_.end()) {
    nodes_.push_back({Op::Input, static_cast<std::size_t>(input - inputs_.begin()), 0, 0, true});
  } else if (word == "pi") {
    nodes_.push_back({Op::Number, 0, 0, M_PI, false});
  } else {
    std::vector<std::string> known = inputs_;
    for (const std::string& f : function_names()) known.push_back(f);
    if (std::find(known.begin(), known.end(), word) != known.end())
      fail(at_, fmt::format("expected '(' after the function {}, not {}", word, found()));
    fail(begin, fmt::format("unknown name '{}'{}", word, suggest(word, known)));
  }
  return nodes_.size() - 1;
}

std::size_t ExpressionParser::call(std::string_view function, std::size_t at) {
  const auto f = std::find_if(std::begin(kFunctions), std::end(kFunctions),
                              [&](const Function& k) { return function == k.name; });
  if (f == std::end(kFunctions)) {
    std::vector<std::string> known = function_names();
    known.pop_back();  // pi is no function
    const std::string word(function);
    fail(at, fmt::format("unknown function '{}'{}", word, suggest(word, known)));
  }
  take('(');
  const std::size_t a = sum();
  std::size_t b = a;
  const std::string arguments =
      fmt::format("the {} of {}", f->arguments == 1 ? "argument" : "two arguments", function);
  if (f->arguments == 2) {
    expect(',', fmt::format("the first of {}", arguments));
    b = sum();
  }
  expect(')', arguments);
  return add(f->op, a, b);
}

std::size_t ExpressionParser::add(Op op, std::size_t a, std::size_t b) {
  nodes_.push_back({op, a, b, 0, nodes_[a].varies || nodes_[b].varies});
  return nodes_.size() - 1;
}

void ExpressionParser::skip_blanks() {
  while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n')) ++at_;
}

bool ExpressionParser::take(char c) {
  skip_blanks();
  if (at_ >= text_.size() || text_[at_] != c) return false;
  ++at_;
  skip_blanks();
  return true;
}

void ExpressionParser::expect(char c, std::string_view after) {
  if (!take(c)) fail(at_, fmt::format("expected '{}' after {}, not {}", c, after, found()));
}

std::string ExpressionParser::found() const {
  if (at_ >= text_.size()) return "the end";
  const char c = text_[at_];
  if (c > ' ' && c <= '~') return fmt::format("'{}'", c);
  return fmt::format("the byte 0x{:02x}", static_cast<unsigned char>(c));
}

void ExpressionParser::fail(std::size_t at, const std::string& message) const {
  throw Error(Errc::Input, fmt::format("at character {}: {}", at + 1, message));
}

}  // namespace resilin
