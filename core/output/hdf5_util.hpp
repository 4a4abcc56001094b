// What the HDF5 C API lacks in C++: handles that close themselves, and errors as exceptions. Internal to the
// core: only files that link HDF5 include it.
#pragma once

#include "core/base/error.hpp"

#include <hdf5.h>

#include <mutex>
#include <string>
#include <utility>

namespace resilin::hdf5 {

/// Held around every group of HDF5 calls: the library prints its error stack to the terminal unless told not
/// to, and not every build of it may be called by two threads. Restores what it found.
class RESILIN_API Session {
 public:
  Session();
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

 private:
  std::unique_lock<std::recursive_mutex> lock_;
  H5E_auto2_t print_ = nullptr;
  void* print_data_ = nullptr;
};

/// Throws "cannot ACTION 'FILE': REASON" from HDF5's innermost error: Error(Io) with the system's words if
/// the system refused something, else Error(`otherwise`) with HDF5's own.
[[noreturn]] RESILIN_API void fail(const std::string& action, const std::string& file, Errc otherwise);

/// An identifier and the function that closes it.
class Handle {
 public:
  Handle() = default;
  Handle(hid_t id, herr_t (*closer)(hid_t)) : id_(id), close_(closer) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~Handle() { close(); }
  hid_t get() const { return id_; }
  bool valid() const { return id_ >= 0; }
  /// False if HDF5 could not close it, for a file because the last bytes could not be written.
  bool close() { return id_ < 0 || close_(std::exchange(id_, -1)) >= 0; }

 private:
  hid_t id_ = -1;
  herr_t (*close_)(hid_t) = nullptr;
};

}  // namespace resilin::hdf5
