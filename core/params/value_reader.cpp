#include "core/params/value_reader.hpp"

#include "core/params/text.hpp"
#include "core/params/yaml.hpp"

#include <fmt/format.h>

namespace resilin::detail {
namespace {

std::string describe(const TreeNode& node) {
  switch (node.kind) {
    case TreeNode::Kind::Null:
      return "nothing";
    case TreeNode::Kind::Scalar:
      return node.quoted ? fmt::format("the text \"{}\" (quotes make it text)", printable(node.scalar))
                         : in_quotes(node.scalar);
    case TreeNode::Kind::Sequence:
      return fmt::format("a list of {}", node.items.size());
    case TreeNode::Kind::Map:
      return "a map";
  }
  return {};
}

std::string number_in(const char* what, const Spec& spec) {
  return *spec.unit == '\0' ? what : fmt::format("{} in {}", what, spec.unit);
}

}  // namespace

bool ValueReader::fail(const TreeNode& node, const std::string& path, const std::string& message) const {
  diagnostics_.error(node.place, path, message);
  return false;
}

bool ValueReader::expected(const TreeNode& node, const std::string& path, const std::string& what) const {
  return fail(node, path, "expected " + what + ", got " + describe(node));
}

bool ValueReader::real(const TreeNode& node, const std::string& path, const Spec& spec, double& value) const {
  const std::string what = number_in("a number", spec);
  if (node.kind != TreeNode::Kind::Scalar || node.quoted) return expected(node, path, what);
  double parsed = 0;
  switch (parse_real(node.scalar, parsed)) {
    case NumberError::NotANumber:
      return expected(node, path, what);
    case NumberError::NotFinite:
      return expected(node, path, number_in("a finite number", spec));
    case NumberError::TooLargeOrSmall:
      return expected(node, path, "a number that a double can hold");
    case NumberError::None:
      break;
  }
  if (!in_range(parsed, spec)) {
    return fail(node, path,
                fmt::format("{} is outside of the range {}", with_unit(number_text(parsed), spec),
                            with_unit(range_text(spec), spec)));
  }
  value = parsed;
  return true;
}

bool ValueReader::integer(const TreeNode& node, const std::string& path, const Spec& spec,
                          Index& value) const {
  const std::string what = number_in("an integer", spec);
  if (node.kind != TreeNode::Kind::Scalar || node.quoted) return expected(node, path, what);
  Index parsed = 0;
  switch (parse_integer(node.scalar, parsed)) {
    case NumberError::NotANumber:
      return expected(node, path, what);
    case NumberError::NotFinite:
      return expected(node, path, what);
    case NumberError::TooLargeOrSmall:
      return expected(node, path, "an integer that 64 bits can hold");
    case NumberError::None:
      break;
  }
  if (!in_range(static_cast<double>(parsed), spec)) {
    return fail(node, path,
                fmt::format("{} is outside of the range {}", with_unit(std::to_string(parsed), spec),
                            with_unit(range_text(spec), spec)));
  }
  value = parsed;
  return true;
}

bool ValueReader::flag(const TreeNode& node, const std::string& path, bool& value) const {
  const bool plain = node.kind == TreeNode::Kind::Scalar && !node.quoted;
  if (!plain || (node.scalar != "true" && node.scalar != "false")) {
    return expected(node, path, "true or false (in these words only, not yes, no, on or off)");
  }
  value = node.scalar == "true";
  return true;
}

bool ValueReader::text(const TreeNode& node, const std::string& path, std::string& value) const {
  if (node.kind != TreeNode::Kind::Scalar) return expected(node, path, "text");
  value = node.scalar;
  return true;
}

bool ValueReader::word(const TreeNode& node, const std::string& path, const std::vector<std::string>& options,
                       std::string& value) const {
  if (node.kind != TreeNode::Kind::Scalar) return expected(node, path, "one of " + join(options));
  for (const std::string& option : options) {
    if (node.scalar != option) continue;
    value = option;
    return true;
  }
  return fail(node, path, "unknown value " + in_quotes(node.scalar) + suggest(node.scalar, options));
}

bool ValueReader::file(const TreeNode& node, const std::string& path, std::string& value) const {
  if (node.kind != TreeNode::Kind::Scalar) return expected(node, path, "the name of a file");
  if (node.scalar.empty()) {
    value.clear();  // "" means none
    return true;
  }
  std::string reason;
  const std::string resolved = resolve_file(node.scalar, node.place.file, reason);
  if (resolved.empty()) return fail(node, path, reason);
  value = resolved;
  return true;
}

bool ValueReader::reals(const TreeNode& node, const std::string& path, const Spec& spec, Index count,
                        VecX& value) const {
  const bool list = node.kind == TreeNode::Kind::Sequence;
  const auto size = static_cast<Index>(node.items.size());
  if (!list || (count >= 0 && size != count)) {
    const std::string what = count < 0 ? "a list of numbers" : fmt::format("a list of {} numbers", count);
    return expected(node, path, number_in(what.c_str(), spec));
  }
  VecX read(size);
  bool ok = true;
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    double number = 0;
    if (!real(node.items[i], indexed(path, i), spec, number)) ok = false;
    read[static_cast<Index>(i)] = number;
  }
  if (ok) value = std::move(read);
  return ok;
}

}  // namespace resilin::detail
