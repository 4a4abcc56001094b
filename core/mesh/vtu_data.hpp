// The binary data of .vtu files: base64 or raw, as they are or compressed by zlib.
#pragma once

#include "core/base/types.hpp"

#include <string>
#include <string_view>

namespace resilin::mesh_detail {

struct VtuEncoding {
  bool base64 = true;
  bool compressed = false;   ///< in blocks, each by zlib
  bool swap = false;         ///< the byte order is not this machine's
  bool wide_header = false;  ///< sizes have 8 bytes, not 4
};

/// The `count` values of `width` bytes that `source` begins with. Throws Error(Input), without a place,
/// unless they are exactly that many; no memory is taken for data that the source cannot hold.
std::string vtu_bytes(std::string_view source, const VtuEncoding& encoding, Index count, Index width);

}  // namespace resilin::mesh_detail
