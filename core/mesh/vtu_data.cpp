#include "core/mesh/vtu_data.hpp"

#include "core/base/error.hpp"
#include "core/mesh/xml_tags.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>
#include <zlib.h>

namespace resilin::mesh_detail {
namespace {

[[noreturn]] void fail(const std::string& message) {
  throw Error(Errc::Input, message);
}

class VtuData {
 public:
  VtuData(std::string_view source, const VtuEncoding& encoding)
      : encoding_(encoding), raw_(source), stream_(encoding.base64 ? source : std::string_view()) {}

  std::string read(std::size_t expected) {
    return encoding_.compressed ? inflated(expected) : take(size("the size"));
  }

 private:
  std::string take(std::size_t count) {
    std::string bytes;
    const bool enough = encoding_.base64 ? stream_.take(count, bytes) : count <= raw_.size();
    if (!enough) fail(fmt::format("the data end before {} bytes, or are no base64", count));
    if (encoding_.base64) return bytes;
    bytes = raw_.substr(0, count);
    raw_.remove_prefix(count);
    return bytes;
  }
  /// A number of the header.
  std::size_t size(const char* what);
  std::string inflated(std::size_t expected);

  VtuEncoding encoding_;
  std::string_view raw_;
  Base64Stream stream_;
};

std::size_t VtuData::size(const char* what) {
  std::string bytes = take(encoding_.wide_header ? 8 : 4);
  if (encoding_.swap) std::reverse(bytes.begin(), bytes.end());
  std::uint64_t wide = 0;
  std::uint32_t narrow = 0;
  if (encoding_.wide_header)
    std::memcpy(&wide, bytes.data(), sizeof(wide));
  else
    std::memcpy(&narrow, bytes.data(), sizeof(narrow));
  const std::uint64_t value = encoding_.wide_header ? wide : narrow;
  // Far beyond any file, and safe to multiply.
  if (value > std::numeric_limits<std::uint64_t>::max() >> 24U) fail(fmt::format("{} is {}", what, value));
  return static_cast<std::size_t>(value);
}

/// The number of blocks, the size of a whole block and of the last one (0: whole too), the size of each block
/// as it is stored; then the blocks.
std::string VtuData::inflated(std::size_t expected) {
  const std::size_t blocks = size("the number of blocks"), whole = size("the size of a block"),
                    last = size("the size of the last block");
  std::vector<std::size_t> stored;
  std::size_t total = 0;
  for (std::size_t b = 0; b < blocks; ++b) {
    stored.push_back(size("the size of a stored block"));  // ends with the source
    const std::size_t length = b + 1 == blocks && last > 0 ? last : whole;
    // zlib packs by a factor of 1032 at most.
    constexpr std::size_t factor = 1032;
    if (length > expected || length / factor > stored.back())
      fail(fmt::format("a block of {} bytes cannot come from {} stored ones, or is too long", length,
                       stored.back()));
    total += length;
    if (total > expected) break;
  }
  if (total != expected) fail(fmt::format("the blocks hold {} bytes; expected {}", total, expected));
  std::string bytes;
  for (std::size_t b = 0; b < blocks; ++b) {
    const std::size_t begin = bytes.size(), length = b + 1 == blocks && last > 0 ? last : whole;
    const std::string packed = take(stored[b]);
    bytes.resize(begin + length);
    uLongf made = length;
    const int code = ::uncompress(reinterpret_cast<Bytef*>(bytes.data() + begin), &made,
                                  reinterpret_cast<const Bytef*>(packed.data()), packed.size());
    if (code != Z_OK || made != length) fail(fmt::format("block {} cannot be uncompressed", b));
  }
  return bytes;
}

}  // namespace

std::string vtu_bytes(std::string_view source, const VtuEncoding& encoding, Index count, Index width) {
  const auto expected = static_cast<std::size_t>(count * width);
  std::string bytes = VtuData(source, encoding).read(expected);
  if (bytes.size() != expected)
    fail(fmt::format("holds {} bytes; expected {} values of {} bytes", bytes.size(), count, width));
  return bytes;
}

}  // namespace resilin::mesh_detail
