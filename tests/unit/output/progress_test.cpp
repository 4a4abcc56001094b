#include "core/output/progress.hpp"

#include "tests/unit/output/temp_folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fcntl.h>
#include <limits>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace resilin {
namespace {

TEST(ProgressLine, ShowsBarRateAndTimeLeft) {
  EXPECT_EQ(progress_line("step", 120, 200, 0, 2.0, "residual 1e-9"),
            "step  120/200 [##########------] 60.0/s  1.3 s left  residual 1e-9");
  EXPECT_EQ(progress_line("step", 0, 200, 0, 0.0, ""), "step    0/200 [----------------]");
  EXPECT_EQ(progress_line("step", 200, 200, 0, 4.0, ""), "step  200/200 [################] 50.0/s");
}

TEST(ProgressLine, SlowAndLongJobs) {
  EXPECT_EQ(progress_line("it", 2, 100, 0, 5.0, ""),
            "it    2/100 [----------------] 2.5 s each  4 min 05 s left");
  EXPECT_EQ(progress_line("it", 1, 1001, 0, 10.0, ""),
            "it     1/1001 [----------------] 10.0 s each  2 h 46 min left");
}

TEST(ProgressLine, EarlierRunsDoNotCountForTheRate) {
  EXPECT_EQ(progress_line("it", 60, 100, 50, 10.0, ""), "it   60/100 [##########------] 1.0/s  40.0 s left");
}

TEST(ProgressLine, UnknownTotal) {
  EXPECT_EQ(progress_line("it", 7, 0, 0, 1.0, "m"), "it  7 7.0/s  m");
}

Index lines_in(const std::string& text) {
  return std::count(text.begin(), text.end(), '\n');
}

TEST(Progress, PlainLineAtEveryTenthWhereNoTerminalIs) {
  testing::internal::CaptureStderr();
  {
    Progress progress("step", 200, true);
    for (Index i = 1; i <= 200; ++i) progress.update(i);
  }
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_EQ(lines_in(text), 11) << text;
  EXPECT_EQ(text.find('\r'), std::string::npos);
  EXPECT_NE(text.find("step   20/200 [##--------------]"), std::string::npos) << text;
  EXPECT_NE(text.find("step  200/200 [################]"), std::string::npos) << text;
}

TEST(Progress, SilentIfNotEnabled) {
  testing::internal::CaptureStderr();
  {
    Progress progress("step", 2, false);
    progress.update(1);
    progress.update(2);
    progress.finish();
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

/// What `action` writes to standard error if that is a terminal of `columns` columns.
template <class Action>
std::string on_terminal(unsigned short columns, Action&& action) {
  const int control = ::posix_openpt(O_RDWR | O_NOCTTY);
  if (control < 0 || ::grantpt(control) != 0 || ::unlockpt(control) != 0) return {};
  const int terminal = ::open(::ptsname(control), O_RDWR | O_NOCTTY);
  const winsize size{24, columns, 0, 0};
  ::ioctl(terminal, TIOCSWINSZ, &size);
  const int before = ::dup(STDERR_FILENO);
  ::dup2(terminal, STDERR_FILENO);
  action();
  ::dup2(before, STDERR_FILENO);
  ::close(before);
  std::string text;
  char buffer[4096];
  // What was written arrives in parts.
  for (pollfd ready{control, POLLIN, 0}; ::poll(&ready, 1, 200) > 0 && (ready.revents & POLLIN) != 0;) {
    const ssize_t n = ::read(control, buffer, sizeof buffer);
    if (n <= 0) break;
    text.append(buffer, static_cast<std::size_t>(n));
  }
  ::close(terminal);
  ::close(control);
  return text;
}

TEST(Progress, TerminalLineIsRedrawnSeldomAndEnded) {
  const std::string text = on_terminal(200, [] {
    Progress progress("step", 1000, true);
    for (Index i = 1; i <= 1000; ++i) progress.update(i, "m");
    progress.finish();
  });
  if (text.empty()) GTEST_SKIP() << "no pseudo terminal";
  EXPECT_EQ(text.find("\rstep     1/1000 ["), 0u) << text;
  EXPECT_NE(text.find("\rstep  1000/1000 [################]"), std::string::npos) << text;
  EXPECT_LE(std::count(text.begin(), text.end(), '['), 2 * 10);  // a bar and an erase each
  EXPECT_EQ(lines_in(text), 1);
  EXPECT_EQ(text.back(), '\n');
}

TEST(Progress, LineIsCutAtTheWidthOfTheTerminal) {
  const std::string text = on_terminal(20, [] { Progress("step", 10, true).update(10, "message"); });
  if (text.empty()) GTEST_SKIP() << "no pseudo terminal";
  EXPECT_EQ(text, "\rstep  10/10 [######\x1b[K\r\n");
}

TEST(PlotCurve, LogarithmicIfAllArePositive) {
  EXPECT_EQ(plot_curve({1000, 100, 10, 1}, 4, 21),
            "    1e+03 |*\n"
            "      100 |   *\n"
            "          |      *\n"
            "        1 |         *\n"
            "          +----------\n"
            "           0        3\n");
}

TEST(PlotCurve, LinearIfSomeAreNotPositive) {
  EXPECT_EQ(plot_curve({-2, 0, 2}, 3, 20),
            "        2 |        *\n"
            "        0 |    *\n"
            "       -2 |*\n"
            "          +---------\n"
            "           0       2\n");
}

TEST(PlotCurve, EqualValuesOneValueNoValue) {
  EXPECT_EQ(plot_curve({5, 5}, 3, 20),
            "          |\n"
            "        5 |*       *\n"
            "          |\n"
            "          +---------\n"
            "           0       1\n");
  EXPECT_EQ(plot_curve({5}, 2, 20),
            "        5 |*\n"
            "          |\n"
            "          +---------\n"
            "           0\n");
  EXPECT_EQ(plot_curve({}), "(no values)\n");
}

TEST(PlotCurve, CountsWhatIsNotFinite) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(plot_curve({1, nan, 10}, 2, 20),
            "       10 |        *\n"
            "        1 |*\n"
            "          +---------\n"
            "           0       2\n"
            "(1 of 3 not finite)\n");
  EXPECT_EQ(plot_curve({nan}), "(1 of 1 not finite)\n");
}

TEST(PlotCurve, KeepsToItsSizeForLongAndExtremeCurves) {
  std::vector<double> values(5000, 1.0);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = std::pow(10.0, 300 - 0.12 * static_cast<double>(i));
  values.push_back(-1.7e308);
  values.push_back(1.7e308);
  const std::string plot = plot_curve(values);
  EXPECT_EQ(lines_in(plot), 12);
  std::size_t longest = 0;
  for (std::size_t at = 0; at < plot.size();) {
    const std::size_t end = plot.find('\n', at);
    longest = std::max(longest, end - at);
    at = end + 1;
  }
  EXPECT_EQ(longest, 60u);
}

TEST(PlotCurve, RefusesSizesThatHoldNoAxis) {
  expect_error(Errc::Internal, "at least 2 rows and 20 columns, got 1 and 60", [] { plot_curve({1}, 1); });
  expect_error(Errc::Internal, "got 5 and 19", [] { plot_curve({1}, 5, 19); });
}

}  // namespace
}  // namespace resilin
