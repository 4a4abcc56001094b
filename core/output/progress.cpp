#include "core/output/progress.hpp"

#include "core/base/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <sys/ioctl.h>
#include <unistd.h>
#include <utility>

namespace resilin {
namespace {

constexpr Index kBarWidth = 16;
constexpr auto kRedrawInterval = std::chrono::milliseconds(100);

std::string duration_text(double seconds) {
  if (seconds < 99.95) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<long long>(std::llround(seconds));
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

/// A line that wraps cannot be redrawn in place, so it is cut at the width of the terminal.
std::string fit_terminal(std::string line) {
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return line;
  std::size_t columns = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool continues_character = (static_cast<unsigned char>(line[i]) & 0xC0) == 0x80;
    if (!continues_character && ++columns >= size.ws_col) {
      line.resize(i);
      break;
    }
  }
  return line;
}

}  // namespace

std::string progress_line(const std::string& label, Index done, Index total, Index already_done,
                          double seconds, const std::string& message) {
  std::string line = label;
  if (total > 0) {
    const std::string of = std::to_string(total);
    const Index filled = std::min(kBarWidth, (2 * kBarWidth * done + total) / (2 * total));
    line += fmt::format("  {:>{}}/{} [{:-<{}}]", done, of.size(), of,
                        std::string(static_cast<std::size_t>(filled), '#'), kBarWidth);
  } else {
    line += fmt::format("  {}", done);
  }
  const Index fresh = done - already_done;
  if (fresh > 0 && seconds > 0) {
    const double rate = static_cast<double>(fresh) / seconds;
    line += rate >= 1 ? fmt::format(" {:.1f}/s", rate) : fmt::format(" {:.1f} s each", 1 / rate);
    if (done < total)
      line += fmt::format("  {} left", duration_text(static_cast<double>(total - done) / rate));
  }
  if (!message.empty()) line += "  " + message;
  return line;
}

Progress::Progress(std::string label, Index total, bool enabled, Index already_done)
    : label_(std::move(label)),
      total_(total),
      already_done_(already_done),
      enabled_(enabled),
      terminal_(::isatty(STDERR_FILENO) == 1),
      start_(std::chrono::steady_clock::now()),
      last_(start_ - kRedrawInterval) {}

Progress::~Progress() {
  finish();
}

std::string Progress::line(Index done, const std::string& message) const {
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
  return progress_line(label_, done, total_, already_done_, elapsed.count(), message);
}

void Progress::redraw(Index done, const std::string& message) {
  const auto now = std::chrono::steady_clock::now();
  if (now - last_ < kRedrawInterval && done != total_) return;
  last_ = now;
  // One call, so that a log line of another thread cannot come between the parts.
  std::fputs(fmt::format("\r{}\x1b[K", fit_terminal(line(done, message))).c_str(), stderr);
  open_ = true;
}

void Progress::update(Index done, const std::string& message) {
  if (!enabled_) return;
  if (terminal_) return redraw(done, message);
  const Index tenth = total_ > 0 ? 10 * done / total_ : done;
  if (tenth <= last_tenth_) return;
  last_tenth_ = tenth;
  std::fputs((line(done, message) + '\n').c_str(), stderr);
}

void Progress::finish() {
  if (std::exchange(open_, false)) std::fputs("\n", stderr);
}

namespace {

constexpr Index kLabelWidth = 9;

/// Maps values to lines, 0 at the bottom.
struct Axis {
  bool logarithmic = true;
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  explicit Axis(const std::vector<double>& values) {
    for (const double v : values)
      if (std::isfinite(v) && v <= 0) logarithmic = false;
    for (const double v : values) {
      if (!std::isfinite(v)) continue;
      low = std::min(low, scaled(v));
      high = std::max(high, scaled(v));
    }
  }
  double scaled(double v) const { return logarithmic ? std::log10(v) : v; }
  Index row(double v, Index rows) const {
    if (high == low) return rows / 2;
    // Halves before the difference: it overflows for values near the largest double.
    const double fraction = (scaled(v) / 2 - low / 2) / (high / 2 - low / 2);
    return static_cast<Index>(std::lround(fraction * static_cast<double>(rows - 1)));
  }
  std::string label(Index row, Index rows) const {
    const double fraction = static_cast<double>(row) / static_cast<double>(rows - 1);
    const double at = low * (1 - fraction) + high * fraction;
    return fmt::format("{:.3g}", logarithmic ? std::pow(10, at) : at);
  }
};

std::string trimmed(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line + '\n';
}

std::vector<std::string> draw_points(const std::vector<double>& values, const Axis& axis, Index rows,
                                     Index width) {
  std::vector<std::string> canvas(static_cast<std::size_t>(rows),
                                  std::string(static_cast<std::size_t>(width), ' '));
  const Index last = static_cast<Index>(values.size()) - 1;
  for (Index i = 0; i <= last; ++i) {
    const double v = values[static_cast<std::size_t>(i)];
    if (!std::isfinite(v)) continue;
    const Index column = last == 0 ? 0 : (2 * i * (width - 1) + last) / (2 * last);
    canvas[static_cast<std::size_t>(axis.row(v, rows))][static_cast<std::size_t>(column)] = '*';
  }
  return canvas;
}

}  // namespace

std::string plot_curve(const std::vector<double>& values, Index rows, Index columns) {
  if (rows < 2 || columns < 20)
    throw Error(Errc::Internal,
                fmt::format("a plot needs at least 2 rows and 20 columns, got {} and {}", rows, columns));
  const auto num_finite =
      std::count_if(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
  const auto num_lost = static_cast<Index>(values.size()) - num_finite;
  const std::string lost =
      num_lost == 0 ? "" : fmt::format("({} of {} not finite)\n", num_lost, values.size());
  if (num_finite == 0) return values.empty() ? "(no values)\n" : lost;

  const Axis axis(values);
  const Index width = columns - kLabelWidth - 2;
  const std::vector<std::string> canvas = draw_points(values, axis, rows, width);
  std::string out;
  for (Index row = rows - 1; row >= 0; --row) {
    const bool labelled =
        axis.high == axis.low ? row == rows / 2 : row == 0 || row == rows / 2 || row == rows - 1;
    out += trimmed(fmt::format("{:>{}} |{}", labelled ? axis.label(row, rows) : "", kLabelWidth,
                               canvas[static_cast<std::size_t>(row)]));
  }
  out += fmt::format("{:>{}}{:-<{}}\n", "+", kLabelWidth + 2, "", width);
  const std::string last = values.size() > 1 ? std::to_string(values.size() - 1) : "";
  out += trimmed(fmt::format("{:>{}}{:>{}}", "0", kLabelWidth + 3, last, width - 1));
  return out + lost;
}

}  // namespace resilin
