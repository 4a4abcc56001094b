// A file of records of one size that survives a kill.
#pragma once

#include "core/base/types.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace resilin {

/// What kind of journal it is.
struct JournalKind {
  const char* magic;   ///< its first 8 bytes
  const char* record;  ///< what messages call a record: "evaluation"
};

/// File: magic, problem hash, dimension (8 bytes each), then records of `words` numbers of 8 bytes, as in
/// memory, each with the FNV-1a checksum of its bytes behind it.
class RESILIN_API RecordFile {
 public:
  enum class Open { Fresh, Resume };

  /// Fresh starts an empty file, replacing one of that name. Resume reads all whole records and cuts off a
  /// torn one at the end; without a file, or with one torn in its header, it starts an empty one. Throws
  /// Error(Input) if the file belongs to another problem, is damaged before its end, or is in use by another
  /// run; Error(Io) if it cannot be read or written.
  RecordFile(std::string path, const JournalKind& kind, std::uint64_t problem, Index dimension,
             std::size_t words, Open mode);
  ~RecordFile();
  RecordFile(const RecordFile&) = delete;
  RecordFile& operator=(const RecordFile&) = delete;

  const std::string& path() const { return path_; }
  /// The record that append() writes or read_next() has read: its words and their checksum.
  char* record() { return buffer_.data(); }
  /// On the disk when it returns; throws Error(Io), after which the file is as it was before. Not before all
  /// recorded ones have been replayed, else Error(Internal).
  void append();
  /// Reads the next of the records that were there at first; false when all have been replayed.
  bool read_next();
  /// It is the answer to what was asked.
  void accept() { ++num_replayed_; }
  /// It is not. Throws Error(Internal).
  [[noreturn]] void diverged() const;
  Index num_records() const { return num_old_ + num_new_; }  ///< in the file, old and new
  Index num_replayed() const { return num_replayed_; }       ///< that were accepted

 private:
  [[noreturn]] void fail(const char* action) const;
  void open();
  void start(std::uint64_t problem, std::uint64_t dimension);
  void check_header(std::uint64_t problem, std::uint64_t dimension) const;
  void scan(std::size_t file_size);
  std::size_t read_at(std::size_t offset, char* out, std::size_t size) const;
  bool read_record(Index index);
  void write_whole(const char* bytes, std::size_t size);
  std::size_t offset_of(Index index) const;

  std::string path_;
  JournalKind kind_;
  int descriptor_ = -1;
  Index num_old_ = 0, num_new_ = 0, num_replayed_ = 0;
  std::vector<char> buffer_;
};

}  // namespace resilin
