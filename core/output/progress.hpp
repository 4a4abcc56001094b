// A progress line on a terminal, plain lines elsewhere; always on standard error.
#pragma once

#include "core/base/types.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace resilin {

/// On a terminal one line that is redrawn at most ten times a second:
///   step  120/200 [##########------] 54.1/s  1.5 s left  message
/// elsewhere a plain line at every tenth of the work. Silent if `enabled` is false.
class RESILIN_API Progress {
 public:
  /// `already_done` of the `total` steps were made by an earlier run: they do not count for the rate.
  Progress(std::string label, Index total, bool enabled, Index already_done = 0);
  ~Progress();  ///< ends the line
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void update(Index done, const std::string& message = {});
  void finish();

 private:
  void redraw(Index done, const std::string& message);
  std::string line(Index done, const std::string& message) const;

  std::string label_;
  Index total_, already_done_;
  bool enabled_, terminal_, open_ = false;
  Index last_tenth_ = -1;
  std::chrono::steady_clock::time_point start_, last_;
};

/// The line that Progress draws: `done` of `total` steps, `done - already_done` of them in `seconds`. A total
/// of 0 is an unknown one: no bar and no time left.
RESILIN_API std::string progress_line(const std::string& label, Index done, Index total, Index already_done,
                                      double seconds, const std::string& message);

/// A small plot for the terminal: values over their index on a logarithmic axis (linear if some are <= 0),
/// `rows` lines of at most `columns` characters with axis labels, then two lines for the index axis and, if
/// there are NaN or infinite values, one that counts them. `rows` >= 2 and `columns` >= 20, else
/// Error(Internal).
RESILIN_API std::string plot_curve(const std::vector<double>& values, Index rows = 10, Index columns = 60);

}  // namespace resilin
