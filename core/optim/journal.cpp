#include "core/optim/journal.hpp"

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
#include <vector>

namespace resilin {
namespace {

constexpr char kMagic[] = "RSLNJRN3";
constexpr std::size_t kWord = 8;
constexpr std::size_t kHeaderSize = 3 * kWord;
constexpr std::size_t kNumWords = 5;  // of a record behind its gradient and before its checksum
using Header = std::array<char, kHeaderSize>;

Header make_header(std::uint64_t problem, std::uint64_t dimension) {
  Header header;
  std::memcpy(header.data(), kMagic, kWord);
  std::memcpy(header.data() + kWord, &problem, kWord);
  std::memcpy(header.data() + 2 * kWord, &dimension, kWord);
  return header;
}

std::uint64_t word_at(const char* bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, kWord);
  return word;
}

}  // namespace

struct EvaluationJournal::Impl {
  Impl(const std::string& file, Index dimension);
  ~Impl() {
    if (descriptor >= 0) ::close(descriptor);
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  [[noreturn]] void fail(const char* action) const {
    throw Error(Errc::Io, fmt::format("cannot {} journal '{}': {}", action, path, std::strerror(errno)));
  }
  void open();
  void start(const Header& header);
  void check_header(const Header& header) const;
  void scan(std::size_t file_size);
  std::size_t read_at(std::size_t offset, char* out, std::size_t size) const;
  bool read_record(Index index);
  void write_whole(const char* bytes, std::size_t size);
  std::size_t offset_of(Index index) const {
    return kHeaderSize + static_cast<std::size_t>(index) * buffer.size();
  }

  std::string path;
  Index n = 0;
  int descriptor = -1;
  Index num_old = 0, num_new = 0, num_replayed = 0;
  std::vector<char> buffer;  ///< one record as in the file
  Record current;
};

EvaluationJournal::Impl::Impl(const std::string& file, Index dimension)
    : path(file), n(dimension), buffer((2 * static_cast<std::size_t>(dimension) + 2 + kNumWords) * kWord) {
  current.theta.resize(n);
  current.gradient.resize(n);
}

void EvaluationJournal::Impl::open() {
  descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor < 0) fail("open");
  // Where a file system has no locks the journal works as well, only unguarded.
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    throw Error(Errc::Input, fmt::format("journal '{}' is in use by another run", path));
}

void EvaluationJournal::Impl::start(const Header& header) {
  if (::ftruncate(descriptor, 0) != 0) fail("empty");
  write_whole(header.data(), header.size());
  sync_folder_of(path);
}

std::size_t EvaluationJournal::Impl::read_at(std::size_t offset, char* out, std::size_t size) const {
  std::size_t done = 0;
  while (done < size) {
    const ssize_t got = ::pread(descriptor, out + done, size - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail("read");
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

void EvaluationJournal::Impl::check_header(const Header& expected) const {
  Header found{};
  const std::size_t size = read_at(0, found.data(), found.size());
  if (std::memcmp(found.data(), kMagic, std::min(size, kWord)) != 0)
    throw Error(Errc::Input, fmt::format("'{}' is no evaluation journal of this version", path));
  if (size < kHeaderSize) return;
  const std::uint64_t dimension = word_at(found.data() + 2 * kWord), problem = word_at(found.data() + kWord);
  if (dimension != word_at(expected.data() + 2 * kWord))
    throw Error(Errc::Input,
                fmt::format("journal '{}' was written for another problem: it has {} parameters, "
                            "this one has {}",
                            path, dimension, n));
  if (problem != word_at(expected.data() + kWord))
    throw Error(Errc::Input, fmt::format("journal '{}' was written for another problem: its hash is {}, this "
                                         "one's is {}",
                                         path, hex64(problem), hex64(word_at(expected.data() + kWord))));
}

bool EvaluationJournal::Impl::read_record(Index index) {
  if (read_at(offset_of(index), buffer.data(), buffer.size()) != buffer.size()) return false;
  const std::size_t covered = buffer.size() - kWord, vector_bytes = static_cast<std::size_t>(n) * kWord;
  if (fnv1a64(buffer.data(), covered) != word_at(buffer.data() + covered)) return false;
  const char* at = buffer.data();
  std::memcpy(current.theta.data(), at, vector_bytes);
  std::memcpy(&current.loss, at + vector_bytes, kWord);
  std::memcpy(current.gradient.data(), at + vector_bytes + kWord, vector_bytes);
  const char* word = at + 2 * vector_bytes + kWord;
  std::memcpy(&current.noise, word + kWord, kWord);
  current.iteration = word_at(word);
  current.forward_steps = word_at(word + 2 * kWord);
  current.backward_steps = word_at(word + 3 * kWord);
  current.with_gradient = word_at(word + 4 * kWord);
  return true;
}

/// Counts the whole records and cuts off what a kill has left of the last one.
void EvaluationJournal::Impl::scan(std::size_t file_size) {
  while (offset_of(num_old) < file_size && read_record(num_old)) ++num_old;
  const std::size_t whole = offset_of(num_old);
  if (whole == file_size) return;
  // Each record was synced before the next was begun, so only the last one can be torn.
  if (file_size - whole > buffer.size())
    throw Error(Errc::Input,
                fmt::format("journal '{}' is damaged: evaluation {} is not what was written", path, num_old));
  log_warn(fmt::format("journal '{}': the last evaluation was not finished and is dropped", path));
  if (::ftruncate(descriptor, static_cast<off_t>(whole)) != 0) fail("truncate");
}

void EvaluationJournal::Impl::write_whole(const char* bytes, std::size_t size) {
  const off_t before = ::lseek(descriptor, 0, SEEK_END);
  if (before < 0) fail("write");
  const ssize_t written = ::write(descriptor, bytes, size);
  if (written == static_cast<ssize_t>(size) && ::fdatasync(descriptor) == 0) return;
  // A short write says no reason; it is nearly always a disk that has become full.
  const int error = written >= 0 && written < static_cast<ssize_t>(size) ? ENOSPC : errno;
  const bool restored = ::ftruncate(descriptor, before) == 0;
  throw Error(Errc::Io, fmt::format("cannot write journal '{}': {}{}", path, std::strerror(error),
                                    restored ? "" : ", and its torn end cannot be cut off"));
}

EvaluationJournal::EvaluationJournal(const std::string& file, std::uint64_t problem, Index dimension,
                                     Open mode)
    : impl_(std::make_unique<Impl>(file, std::max<Index>(dimension, 0))) {
  if (dimension < 1)
    throw Error(Errc::Internal, fmt::format("journal '{}' for {} parameters", file, dimension));
  Impl& in = *impl_;
  const Header header = make_header(problem, static_cast<std::uint64_t>(dimension));
  in.open();
  struct stat status {};
  if (::fstat(in.descriptor, &status) != 0) in.fail("read");
  const auto size = static_cast<std::size_t>(status.st_size);
  if (mode == Open::Resume) in.check_header(header);
  if (mode == Open::Fresh || size < kHeaderSize)
    in.start(header);
  else
    in.scan(size);
}

EvaluationJournal::~EvaluationJournal() = default;

void EvaluationJournal::append(const Record& record) {
  Impl& out = *impl_;
  if (record.theta.size() != out.n || record.gradient.size() != out.n)
    throw Error(Errc::Internal,
                fmt::format("journal '{}' has {} parameters, but {} values and {} slopes were given",
                            out.path, out.n, record.theta.size(), record.gradient.size()));
  if (out.num_replayed < out.num_old)
    throw Error(Errc::Internal,
                fmt::format("journal '{}': a new evaluation before all {} recorded ones are replayed",
                            out.path, out.num_old));
  const std::size_t covered = out.buffer.size() - kWord,
                    vector_bytes = static_cast<std::size_t>(out.n) * kWord;
  char* at = out.buffer.data();
  std::memcpy(at, record.theta.data(), vector_bytes);
  std::memcpy(at + vector_bytes, &record.loss, kWord);
  std::memcpy(at + vector_bytes + kWord, record.gradient.data(), vector_bytes);
  char* word = at + 2 * vector_bytes + kWord;
  std::memcpy(word, &record.iteration, kWord);
  std::memcpy(word + kWord, &record.noise, kWord);
  std::memcpy(word + 2 * kWord, &record.forward_steps, kWord);
  std::memcpy(word + 3 * kWord, &record.backward_steps, kWord);
  std::memcpy(word + 4 * kWord, &record.with_gradient, kWord);
  const std::uint64_t checksum = fnv1a64(at, covered);
  std::memcpy(at + covered, &checksum, kWord);
  out.write_whole(at, out.buffer.size());
  ++out.num_new;
}

const EvaluationJournal::Record* EvaluationJournal::next(const ConstVec& theta, bool with_gradient) {
  Impl& in = *impl_;
  if (in.num_replayed == in.num_old) return nullptr;
  if (!in.read_record(in.num_replayed))
    throw Error(Errc::Io, fmt::format("journal '{}': evaluation {} has changed since it was opened", in.path,
                                      in.num_replayed));
  // Bits, not values: 0 and -0 lead to different iterates, and a NaN is equal to itself here.
  const auto bytes = static_cast<std::size_t>(in.n) * kWord;
  if (theta.size() != in.n || std::memcmp(theta.data(), in.current.theta.data(), bytes) != 0 ||
      with_gradient != (in.current.with_gradient != 0))
    throw Error(Errc::Internal,
                fmt::format("journal '{}': replay diverged at evaluation {}", in.path, in.num_replayed));
  ++in.num_replayed;
  return &in.current;
}

Index EvaluationJournal::num_records() const {
  return impl_->num_old + impl_->num_new;
}
Index EvaluationJournal::num_replayed() const {
  return impl_->num_replayed;
}

}  // namespace resilin
