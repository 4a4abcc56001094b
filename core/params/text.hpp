// Words and numbers as text, shared by the readers and writers of parameters; internal to core/params.
#pragma once

#include "core/params/visitor.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace resilin::detail {

/// Text of a user made fit for a one-line message: control characters escaped, cut after 80 bytes with "...".
std::string printable(std::string_view text);
/// The same in single quotes.
std::string in_quotes(std::string_view text);
std::string join(const std::vector<std::string>& words, std::string_view separator = ", ");
/// "parent.name", or "name" at the root.
std::string join_path(const std::string& parent, std::string_view name);
std::string indexed(const std::string& path, std::size_t i);

/// The shortest text that reads back to the same double.
std::string number_text(double value);
/// "[0, 1]", "(0, inf)"; empty if there are no limits.
std::string range_text(const Spec& spec);
bool in_range(double value, const Spec& spec);
/// `value` and the unit with a blank between, if there is one.
std::string with_unit(const std::string& value, const Spec& spec);

enum class NumberError { None, NotANumber, NotFinite, TooLargeOrSmall };
/// Reads a decimal number whatever the locale; the whole text must be the number.
NumberError parse_real(std::string_view text, double& value);
/// The same for an integer; 1e3 and 2.0 are integers, 1.5 is NotANumber.
NumberError parse_integer(std::string_view text, Index& value);

/// A scalar that YAML reads back as exactly this text: as it is where that is safe, else in double quotes.
std::string yaml_text(std::string_view text);
std::string yaml_double_quoted(std::string_view text);
std::string json_text(std::string_view text);
/// Puts `blanks` before every line but the first.
std::string indent(std::string_view text, int blanks);

}  // namespace resilin::detail
