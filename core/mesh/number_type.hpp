// The types of numbers that binary mesh files hold, and how one of them is read.
#pragma once

#include "core/mesh/file_cursor.hpp"

namespace resilin::mesh_detail {

enum class NumberType { Float, Double, Int8, UInt8, Int16, UInt16, Int32, UInt32, Int64, UInt64 };

Index size_of(NumberType type);  ///< bytes
inline bool is_real(NumberType type) {
  return type == NumberType::Float || type == NumberType::Double;
}

/// The next number; `swap` if the file's byte order is not this machine's. Integers become reals.
double binary_real(FileCursor& in, NumberType type, bool swap, const char* what);
/// Fails for a type of real numbers and outside low..high.
long long binary_integer(FileCursor& in, NumberType type, bool swap, const char* what, long long low,
                         long long high);

}  // namespace resilin::mesh_detail
