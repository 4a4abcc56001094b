#include "core/optim/record_file.hpp"

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/hash.hpp"
#include "core/base/log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace resilin {
namespace {

constexpr std::size_t kWord = 8;
constexpr std::size_t kHeaderSize = 3 * kWord;

std::uint64_t word_at(const char* bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, kWord);
  return word;
}

}  // namespace

RecordFile::RecordFile(std::string path, const JournalKind& kind, std::uint64_t problem, Index dimension,
                       std::size_t words, Open mode)
    : path_(std::move(path)), kind_(kind), buffer_((words + 1) * kWord) {
  open();
  try {
    struct stat status {};
    if (::fstat(descriptor_, &status) != 0) fail("read");
    const auto size = static_cast<std::size_t>(status.st_size);
    const auto n = static_cast<std::uint64_t>(dimension);
    if (mode == Open::Resume) check_header(problem, n);
    if (mode == Open::Fresh || size < kHeaderSize)
      start(problem, n);
    else
      scan(size);
  } catch (...) {  // there will be no destructor
    ::close(descriptor_);
    throw;
  }
}

RecordFile::~RecordFile() {
  ::close(descriptor_);
}

void RecordFile::fail(const char* action) const {
  throw Error(Errc::Io, fmt::format("cannot {} journal '{}': {}", action, path_, std::strerror(errno)));
}

void RecordFile::open() {
  descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail("open");
  // Where a file system has no locks the journal works as well, only unguarded.
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    ::close(descriptor_);
    throw Error(Errc::Input, fmt::format("journal '{}' is in use by another run", path_));
  }
}

void RecordFile::start(std::uint64_t problem, std::uint64_t dimension) {
  std::array<char, kHeaderSize> header;
  std::memcpy(header.data(), kind_.magic, kWord);
  std::memcpy(header.data() + kWord, &problem, kWord);
  std::memcpy(header.data() + 2 * kWord, &dimension, kWord);
  if (::ftruncate(descriptor_, 0) != 0) fail("empty");
  write_whole(header.data(), header.size());
  sync_folder_of(path_);
}

std::size_t RecordFile::read_at(std::size_t offset, char* out, std::size_t size) const {
  std::size_t done = 0;
  while (done < size) {
    const ssize_t got = ::pread(descriptor_, out + done, size - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail("read");
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

void RecordFile::check_header(std::uint64_t problem, std::uint64_t dimension) const {
  std::array<char, kHeaderSize> found{};
  const std::size_t size = read_at(0, found.data(), found.size());
  if (std::memcmp(found.data(), kind_.magic, std::min(size, kWord)) != 0)
    throw Error(Errc::Input, fmt::format("'{}' is no {} journal of this version", path_, kind_.record));
  if (size < kHeaderSize) return;
  if (const std::uint64_t other = word_at(found.data() + 2 * kWord); other != dimension)
    throw Error(Errc::Input,
                fmt::format("journal '{}' was written for another problem: it has {} parameters, "
                            "this one has {}",
                            path_, other, dimension));
  if (const std::uint64_t other = word_at(found.data() + kWord); other != problem)
    throw Error(Errc::Input, fmt::format("journal '{}' was written for another problem: its hash is {}, this "
                                         "one's is {}",
                                         path_, hex64(other), hex64(problem)));
}

std::size_t RecordFile::offset_of(Index index) const {
  return kHeaderSize + static_cast<std::size_t>(index) * buffer_.size();
}

bool RecordFile::read_record(Index index) {
  if (read_at(offset_of(index), buffer_.data(), buffer_.size()) != buffer_.size()) return false;
  const std::size_t covered = buffer_.size() - kWord;
  return fnv1a64(buffer_.data(), covered) == word_at(buffer_.data() + covered);
}

/// Counts the whole records and cuts off what a kill has left of the last one.
void RecordFile::scan(std::size_t file_size) {
  while (offset_of(num_old_) < file_size && read_record(num_old_)) ++num_old_;
  const std::size_t whole = offset_of(num_old_);
  if (whole == file_size) return;
  // Each record was synced before the next was begun, so only the last one can be torn.
  if (file_size - whole > buffer_.size())
    throw Error(Errc::Input, fmt::format("journal '{}' is damaged: {} {} is not what was written", path_,
                                         kind_.record, num_old_));
  log_warn(fmt::format("journal '{}': the last {} was not finished and is dropped", path_, kind_.record));
  if (::ftruncate(descriptor_, static_cast<off_t>(whole)) != 0) fail("truncate");
}

void RecordFile::write_whole(const char* bytes, std::size_t size) {
  const off_t before = ::lseek(descriptor_, 0, SEEK_END);
  if (before < 0) fail("write");
  const ssize_t written = ::write(descriptor_, bytes, size);
  if (written == static_cast<ssize_t>(size) && ::fdatasync(descriptor_) == 0) return;
  // A short write says no reason; it is nearly always a disk that has become full.
  const int error = written >= 0 && written < static_cast<ssize_t>(size) ? ENOSPC : errno;
  const bool restored = ::ftruncate(descriptor_, before) == 0;
  throw Error(Errc::Io, fmt::format("cannot write journal '{}': {}{}", path_, std::strerror(error),
                                    restored ? "" : ", and its torn end cannot be cut off"));
}

void RecordFile::append() {
  if (num_replayed_ < num_old_)
    throw Error(Errc::Internal, fmt::format("journal '{}': a new {} before all {} recorded ones are replayed",
                                            path_, kind_.record, num_old_));
  const std::size_t covered = buffer_.size() - kWord;
  const std::uint64_t checksum = fnv1a64(buffer_.data(), covered);
  std::memcpy(buffer_.data() + covered, &checksum, kWord);
  write_whole(buffer_.data(), buffer_.size());
  ++num_new_;
}

bool RecordFile::read_next() {
  if (num_replayed_ == num_old_) return false;
  if (!read_record(num_replayed_))
    throw Error(Errc::Io, fmt::format("journal '{}': {} {} has changed since it was opened", path_,
                                      kind_.record, num_replayed_));
  return true;
}

void RecordFile::diverged() const {
  throw Error(Errc::Internal,
              fmt::format("journal '{}': replay diverged at {} {}", path_, kind_.record, num_replayed_));
}

}  // namespace resilin
