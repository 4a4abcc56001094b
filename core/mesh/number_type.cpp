#include "core/mesh/number_type.hpp"

#include "core/base/error.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <limits>

namespace resilin::mesh_detail {

Index size_of(NumberType number) {
  switch (number) {
    case NumberType::Int8:
    case NumberType::UInt8:
      return 1;
    case NumberType::Int16:
    case NumberType::UInt16:
      return 2;
    case NumberType::Float:
    case NumberType::Int32:
    case NumberType::UInt32:
      return 4;
    case NumberType::Double:
    case NumberType::Int64:
    case NumberType::UInt64:
      return 8;
  }
  throw Error(Errc::Internal, "unknown number type");
}

double binary_real(FileCursor& in, NumberType type, bool swap, const char* what) {
  if (type == NumberType::Float) return static_cast<double>(in.binary<float>(swap, what));
  if (type == NumberType::Double) return in.binary<double>(swap, what);
  constexpr long long lowest = std::numeric_limits<long long>::min();
  constexpr long long highest = std::numeric_limits<long long>::max();
  return static_cast<double>(binary_integer(in, type, swap, what, lowest, highest));
}

long long binary_integer(FileCursor& in, NumberType type, bool swap, const char* what, long long low,
                         long long high) {
  const auto value = [&]() -> long long {
    switch (type) {
      case NumberType::Int8:
        return in.binary<std::int8_t>(swap, what);
      case NumberType::UInt8:
        return in.binary<std::uint8_t>(swap, what);
      case NumberType::Int16:
        return in.binary<std::int16_t>(swap, what);
      case NumberType::UInt16:
        return in.binary<std::uint16_t>(swap, what);
      case NumberType::Int32:
        return in.binary<std::int32_t>(swap, what);
      case NumberType::UInt32:
        return in.binary<std::uint32_t>(swap, what);
      case NumberType::Int64:
        return in.binary<std::int64_t>(swap, what);
      case NumberType::UInt64:
        return static_cast<long long>(in.binary<std::uint64_t>(swap, what));
      case NumberType::Float:
      case NumberType::Double:
        break;
    }
    in.fail(fmt::format("{} is stored as a real number; expected an integer type", what));
  }();
  return in.in_range(value, what, low, high);
}

}  // namespace resilin::mesh_detail
