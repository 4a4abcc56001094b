#include "core/base/error.hpp"

namespace resilin {

std::string to_string(const Place& place) {
  std::string s = place.file;
  if (place.line > 0) s += ":" + std::to_string(place.line);
  if (place.line > 0 && place.column > 0) s += ":" + std::to_string(place.column);
  return s;
}

Error::Error(Errc code, const std::string& message, const std::string& where)
    : std::runtime_error(where.empty() ? message : where + ": " + message),
      code_(code),
      message_(message),
      where_(where),
      place_{where, 0, 0} {}
Error::Error(Errc code, const std::string& message, const Place& place)
    : Error(code, message, to_string(place)) {
  place_ = place;
}
Error::~Error() = default;

}  // namespace resilin
