// Where tracked points were seen in a film.
#pragma once

#include "core/base/types.hpp"

#include <string>
#include <vector>

namespace resilin {

struct Observation {
  Index frame = 0;         ///< of the film
  std::size_t marker = 0;  ///< place in the list of names
  Eigen::Vector2d pixel = Eigen::Vector2d::Zero();
};

/// A CSV file with the columns frame, marker, u, v in this order, named so in its first line; `markers` are
/// the names that may stand in it. Blank lines and lines that begin with '#' are skipped. Any marker may be
/// missing in any frame. Sorted by frame, then marker. Throws Error(Io) if it cannot be read and Error(Input)
/// with file:line for a wrong header, a row that does not have four entries, a frame that is no number from 0
/// on, an unknown marker, coordinates that are not finite numbers, and a marker twice in a frame.
std::vector<Observation> read_observations(const std::string& file, const std::vector<std::string>& markers);

}  // namespace resilin
