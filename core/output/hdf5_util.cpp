#include "core/output/hdf5_util.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>

namespace resilin::hdf5 {
namespace {

std::recursive_mutex& library_mutex() {
  static std::recursive_mutex mutex;
  return mutex;
}

herr_t keep_first(unsigned position, const H5E_error2_t* error, void* description) {
  if (position == 0 && error->desc != nullptr) *static_cast<std::string*>(description) = error->desc;
  return 0;
}

}  // namespace

Session::Session() : lock_(library_mutex()) {
  // A file that could not be closed is left half freed; HDF5's clean-up at exit would trip over it.
  [[maybe_unused]] static const herr_t no_cleanup = H5dont_atexit();
  H5Eget_auto2(H5E_DEFAULT, &print_, &print_data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Session::~Session() {
  H5Eset_auto2(H5E_DEFAULT, print_, print_data_);
}

void fail(const std::string& action, const std::string& file, Errc otherwise) {
  std::string description = "HDF5 gave no reason";
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_first, &description);
  // The file drivers report a refusal of the system as "... errno = 28, error message = ...", over a whole
  // line.
  const std::string mark = "errno = ";
  const std::size_t at = description.find(mark);
  const int system_error = at == std::string::npos ? 0 : std::atoi(description.c_str() + at + mark.size());
  const std::string reason = system_error != 0 ? std::strerror(system_error) : description;
  throw Error(system_error != 0 ? Errc::Io : otherwise,
              fmt::format("cannot {} '{}': {}", action, file, reason));
}

}  // namespace resilin::hdf5
