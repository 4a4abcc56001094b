#include "core/base/file.hpp"

#include "core/base/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <climits>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace resilin {
namespace {

[[noreturn]] void throw_io(const char* action, const std::string& file, int error) {
  throw Error(Errc::Io, fmt::format("cannot {} '{}': {}", action, file, std::strerror(error)));
}

/// Owns a descriptor, and a file name that is removed again unless it was kept.
class OpenFile {
 public:
  explicit OpenFile(int descriptor, std::string remove_on_failure = {})
      : descriptor_(descriptor), remove_(std::move(remove_on_failure)) {}
  ~OpenFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
    if (!remove_.empty()) ::unlink(remove_.c_str());
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  int get() const { return descriptor_; }
  void keep() { remove_.clear(); }
  /// Network file systems report a full disk only here.
  bool close() { return ::close(std::exchange(descriptor_, -1)) == 0; }

 private:
  int descriptor_;
  std::string remove_;
};

bool write_all(int descriptor, std::string_view content) {
  while (!content.empty()) {
    const ssize_t n = ::write(descriptor, content.data(), content.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    content.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

/// Renaming onto a symbolic link would replace the link; the file behind it is meant.
std::string behind_links(const std::string& file) {
  char resolved[PATH_MAX];
  return ::realpath(file.c_str(), resolved) != nullptr ? std::string(resolved) : file;
}

/// Another process or thread may write the same file at the same time, so the name holds both.
std::string temporary_name(const std::string& file) {
  static std::atomic<unsigned> counter{0};
  return fmt::format("{}.tmp-{}-{}", file, ::getpid(), counter++);
}

void write_device(const std::string& file, std::string_view content) {
  OpenFile out(::open(file.c_str(), O_WRONLY | O_CLOEXEC));
  if (out.get() < 0 || !write_all(out.get(), content) || !out.close()) throw_io("write", file, errno);
}

}  // namespace

void sync_folder_of(const std::string& file) {
  const std::filesystem::path parent = std::filesystem::path(file).parent_path();
  const std::string folder = parent.empty() ? "." : parent.string();
  const OpenFile handle(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // A folder that may be written but not listed cannot be opened; its entry is then synced by the system
  // alone.
  if (handle.get() < 0 && errno == EACCES) return;
  if (handle.get() < 0) throw_io("open folder", folder, errno);
  // EINVAL: this kind of file system has nothing to sync for a folder.
  if (::fsync(handle.get()) != 0 && errno != EINVAL) throw_io("sync folder", folder, errno);
}

void write_file(const std::string& file, std::string_view content) {
  const std::string target = behind_links(file);
  struct stat status {};
  const bool exists = ::stat(target.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) throw_io("write", file, EISDIR);
  // Renaming onto /dev/stdout or a pipe would replace the device by a file.
  if (exists && !S_ISREG(status.st_mode)) return write_device(file, content);
  const std::string temporary = temporary_name(target);
  const int descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor < 0) throw_io("write", file, errno);
  OpenFile out(descriptor, temporary);
  if (exists && ::fchmod(descriptor, status.st_mode & 07777) != 0) throw_io("write", file, errno);
  // Without the sync a crash of the machine could leave the new name with the old, or no, content.
  if (!write_all(descriptor, content) || ::fsync(descriptor) != 0 || !out.close())
    throw_io("write", file, errno);
  if (std::rename(temporary.c_str(), target.c_str()) != 0) throw_io("write", file, errno);
  out.keep();
  sync_folder_of(target);
}

std::string read_file(const std::string& file) {
  const OpenFile in(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (in.get() < 0) throw_io("read", file, errno);
  struct stat status {};
  if (::fstat(in.get(), &status) != 0) throw_io("read", file, errno);
  // Pipes and /proc files say size 0, so the size is only a first guess; one byte more finds the end in one
  // read.
  std::string content(static_cast<std::size_t>(status.st_size) + 1, '\0');
  std::size_t size = 0;
  while (true) {
    const ssize_t n = ::read(in.get(), content.data() + size, content.size() - size);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw_io("read", file, errno);
    if (n == 0) break;
    size += static_cast<std::size_t>(n);
    if (size == content.size()) content.resize(std::max<std::size_t>(2 * size, 4096));
  }
  content.resize(size);
  return content;
}

void make_folder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw_io("create folder", folder, error.value());
}

namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

/// Reads the numbers of one line, and names the place of the first thing that is none.
class RowParser {
 public:
  RowParser(const std::string& file, int line, std::string_view text)
      : file_(file), line_(line), text_(text) {}

  bool is_data() {
    skip_blanks();
    return at_ < text_.size() && text_[at_] != '#';
  }

  /// Appends the numbers to `out` and returns how many.
  Index append_to(std::vector<double>& out) {
    Index count = 0;
    for (bool more = true; more; ++count) {
      skip_blanks();
      out.push_back(number());
      skip_blanks();
      const bool comma = at_ < text_.size() && text_[at_] == ',';
      if (comma) ++at_;
      more = comma || at_ < text_.size();
    }
    return count;
  }

 private:
  void skip_blanks() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
  }

  double number() {
    std::size_t end = at_;
    while (end < text_.size() && text_[end] != ',' && !is_blank(text_[end])) ++end;
    const std::string_view token = text_.substr(at_, end - at_);
    if (token.empty()) fail("expected a number, found an empty field");
    // from_chars takes no plus sign, which other programs do write.
    const bool plus = token.size() > 1 && token[0] == '+' && token[1] != '-';
    double value = 0;
    const auto [stop, error] =
        std::from_chars(token.data() + (plus ? 1 : 0), token.data() + token.size(), value);
    if (error == std::errc::invalid_argument || stop != token.data() + token.size())
      fail(fmt::format("expected a number, found '{}'", token));
    if (error == std::errc::result_out_of_range)
      fail(fmt::format("expected a number that a double can hold, found '{}'", token));
    if (!std::isfinite(value)) fail(fmt::format("expected a finite number, found '{}'", token));
    at_ = end;
    return value;
  }

  [[noreturn]] void fail(const std::string& message) const {
    throw Error(Errc::Input, message, to_string(Place{file_, line_, static_cast<int>(at_) + 1}));
  }

  const std::string& file_;
  int line_;
  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

MatX read_table(const std::string& file) {
  const std::string content = read_file(file);
  std::string_view rest = content;
  if (rest.starts_with("\xEF\xBB\xBF")) rest.remove_prefix(3);  // the mark that spreadsheets put first
  std::vector<double> numbers;
  Index rows = 0, columns = 0;
  for (int line = 1; !rest.empty(); ++line) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    RowParser row(file, line, rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (!row.is_data()) continue;
    const Index found = row.append_to(numbers);
    if (rows++ == 0) columns = found;
    if (found != columns)
      throw Error(Errc::Input, fmt::format("expected {} columns, found {}", columns, found),
                  to_string(Place{file, line, 0}));
  }
  if (rows == 0) throw Error(Errc::Input, "expected at least one row of numbers, found none", file);
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  return Eigen::Map<const RowMajor>(numbers.data(), rows, columns);
}

void require_unused(const std::string& file) {
  const int descriptor = ::open(file.c_str(), O_RDWR | O_CLOEXEC);
  if (descriptor < 0) return;  // not there, or not writable: creating it says why
  const bool is_used = ::flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  ::close(descriptor);
  if (is_used)
    throw Error(Errc::Io, "is in use by another program (a run that writes it, or a reader that has it open)",
                file);
}

}  // namespace resilin
