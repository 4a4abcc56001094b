// Files that are either whole or not there.
#pragma once

#include "core/base/types.hpp"

#include <string>
#include <string_view>

namespace resilin {

/// Writes to a temporary name in the same folder, syncs and renames. Throws Error(Io) with the system's
/// reason (a full disk, a missing folder), leaving an existing file untouched. A symbolic link is followed; a
/// device or a pipe is written as it is.
RESILIN_API void write_file(const std::string& file, std::string_view content);
/// The whole file; throws Error(Io) naming the file and the reason.
RESILIN_API std::string read_file(const std::string& file);
/// Creates a folder with its parents; throws Error(Io).
RESILIN_API void make_folder(const std::string& folder);
/// Makes the entry of a new or renamed file survive a power failure; throws Error(Io).
RESILIN_API void sync_folder_of(const std::string& file);
/// A CSV (or white-space) table of numbers without header, one row a line; throws Error(Input) with
/// file:line. Blank lines and lines that start with '#' are skipped. All rows have the same length, all
/// numbers are finite, and there is at least one row.
RESILIN_API MatX read_table(const std::string& file);

/// Throws Error(Io) if another program holds a lock on the file, as one does that writes a trajectory or a
/// journal, or reads a trajectory (HDF5 locks every file that it has open). To be asked before the file or
/// anything beside it is replaced. A file that is not there is unused.
RESILIN_API void require_unused(const std::string& file);

}  // namespace resilin
