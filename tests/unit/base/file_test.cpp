#include "core/base/file.hpp"

#include "tests/unit/output/temp_folder.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <random>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace resilin {
namespace {

Index files_in(const std::string& folder) {
  return std::distance(std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator());
}

TEST(WriteFile, KeepsEveryByteAndLeavesNoTemporary) {
  const TempFolder folder;
  const std::string content("a\0b\r\n\xff", 6);
  write_file(folder / "x", content);
  EXPECT_EQ(read_file(folder / "x"), content);
  write_file(folder / "x", "");
  EXPECT_EQ(read_file(folder / "x"), "");
  EXPECT_EQ(files_in(folder.path()), 1);
}

TEST(WriteFile, KeepsModeOfExistingFileAndFollowsLinks) {
  const TempFolder folder;
  write_file(folder / "real", "old");
  ASSERT_EQ(::chmod((folder / "real").c_str(), 0640), 0);
  std::filesystem::create_symlink("real", folder / "link");
  write_file(folder / "link", "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(read_file(folder / "real"), "new");
  struct stat status {};
  ASSERT_EQ(::stat((folder / "real").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777u, 0640u);
}

TEST(WriteFile, NamesFileAndReason) {
  const TempFolder folder;
  expect_error(Errc::Io, "no/x': No such file or directory", [&] { write_file(folder / "no/x", "1"); });
  expect_error(Errc::Io, folder.path() + "': Is a directory", [&] { write_file(folder.path(), "1"); });
}

TEST(WriteFile, FullDeviceIsAnErrorAndStaysADevice) {
  struct stat status {};
  if (::stat("/dev/full", &status) != 0 || !S_ISCHR(status.st_mode)) GTEST_SKIP() << "no /dev/full";
  expect_error(Errc::Io, "/dev/full': No space left on device", [] { write_file("/dev/full", "1"); });
  ASSERT_EQ(::stat("/dev/full", &status), 0);
  EXPECT_TRUE(S_ISCHR(status.st_mode));
}

TEST(WriteFile, FailureHalfwayLeavesTheOldFile) {
  const TempFolder folder;
  write_file(folder / "x", "old");
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit tight{1000, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &tight), 0);
  expect_error(Errc::Io, "x': File too large", [&] { write_file(folder / "x", std::string(5000, 'n')); });
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(read_file(folder / "x"), "old");
  EXPECT_EQ(files_in(folder.path()), 1);
}

TEST(WriteFile, ReaderNeverSeesHalfAFile) {
  const TempFolder folder;
  const std::string a(300'000, 'a'), b(200'000, 'b');
  write_file(folder / "x", a);
  std::thread writer([&] {
    for (int i = 0; i < 20; ++i) write_file(folder / "x", i % 2 == 0 ? b : a);
  });
  int whole = 0;
  for (int i = 0; i < 200; ++i) {
    const std::string seen = read_file(folder / "x");
    whole += seen == a || seen == b;
  }
  writer.join();
  EXPECT_EQ(whole, 200);
}

TEST(ReadFile, MissingFileAndFolder) {
  const TempFolder folder;
  expect_error(Errc::Io, "no': No such file or directory", [&] { read_file(folder / "no"); });
  expect_error(Errc::Io, "': Is a directory", [&] { read_file(folder.path()); });
}

TEST(ReadFile, ReadsFilesThatTellNoSize) {
  EXPECT_GT(read_file("/proc/self/maps").size(), 100u);
}

TEST(MakeFolder, MakesParentsAndAcceptsExisting) {
  const TempFolder folder;
  make_folder(folder / "a/b/c");
  make_folder(folder / "a/b/c");
  EXPECT_TRUE(std::filesystem::is_directory(folder / "a/b/c"));
  write_file(folder / "f", "");
  expect_error(Errc::Io, "cannot create folder", [&] { make_folder(folder / "f/g"); });
  expect_error(Errc::Io, "cannot create folder", [&] { make_folder(folder / "f"); });
}

class ReadTable : public testing::Test {
 protected:
  MatX read(const std::string& content) {
    write_file(folder_ / "t.csv", content);
    return read_table(folder_ / "t.csv");
  }
  void expect_input_error(const std::string& content, const std::string& part) {
    expect_error(Errc::Input, part, [&] { read(content); });
  }
  TempFolder folder_;
};

TEST_F(ReadTable, CommasSpacesCommentsAndBlankLines) {
  const MatX table = read("\xEF\xBB\xBF# t, x\n1, 2\t,3\r\n\n   \n  # more\n+4 -5 6e-1\n  7,8,.5  ");
  MatX expected(3, 3);
  expected << 1, 2, 3, 4, -5, 0.6, 7, 8, 0.5;
  EXPECT_EQ(table, expected);
}

TEST_F(ReadTable, DoublesKeepTheirBits) {
  std::mt19937_64 random(7);
  std::vector<double> values;
  std::string text;
  while (values.size() < 2000) {
    const double v = std::bit_cast<double>(random());
    if (!std::isfinite(v)) continue;
    char buffer[40];
    std::snprintf(buffer, sizeof buffer, "%.17g\n", v);
    values.push_back(v);
    text += buffer;
  }
  const MatX table = read(text);
  ASSERT_EQ(table.rows(), 2000);
  for (Index i = 0; i < 2000; ++i)
    EXPECT_EQ(std::bit_cast<std::uint64_t>(table(i, 0)),
              std::bit_cast<std::uint64_t>(values[static_cast<std::size_t>(i)]));
}

TEST_F(ReadTable, RaggedRowIsNamed) {
  expect_input_error("1 2\n\n3 4 5\n", "t.csv:3: expected 2 columns, found 3");
  expect_input_error("1 2\n3\n", "t.csv:2: expected 2 columns, found 1");
}

TEST_F(ReadTable, WhatIsNoNumberIsNamedWithItsColumn) {
  expect_input_error("t,x\n1,2\n", "t.csv:1:1: expected a number, found 't'");
  expect_input_error("1,2\n1, 2x\n", "t.csv:2:4: expected a number, found '2x'");
  expect_input_error("1,,2\n", "t.csv:1:3: expected a number, found an empty field");
  expect_input_error("1,2,\n", "t.csv:1:5: expected a number, found an empty field");
  expect_input_error(",1\n", "t.csv:1:1: expected a number, found an empty field");
  expect_input_error("+-1\n", "found '+-1'");
  expect_input_error("+\n", "found '+'");
  expect_input_error("0x10\n", "found '0x10'");
}

TEST_F(ReadTable, OnlyFiniteNumbers) {
  expect_input_error("1 nan\n", "t.csv:1:3: expected a finite number, found 'nan'");
  expect_input_error("-inf\n", "expected a finite number, found '-inf'");
  expect_input_error("1e999\n", "found '1e999'");
}

TEST_F(ReadTable, EmptyAndMissing) {
  expect_input_error("# nothing\n\n", "t.csv: expected at least one row of numbers");
  expect_error(Errc::Io, "No such file", [&] { read_table(folder_ / "no.csv"); });
}

TEST_F(ReadTable, OneMegabyteIsFast) {
  std::string text;
  while (text.size() < 1'000'000) text += "0.12345678901234567, -1.2345678901234567e-5, 12345.678901234567\n";
  write_file(folder_ / "big.csv", text);
  double best = 1e9;  // of three, for the machine may be busy
  for (int i = 0; i < 3; ++i) {
    const auto start = std::chrono::steady_clock::now();
    EXPECT_EQ(read_table(folder_ / "big.csv").cols(), 3);
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  EXPECT_LT(best, 0.05);
}

TEST(RequireUnused, ALockedFileIsInUse) {
  const std::string file =
      (std::filesystem::temp_directory_path() / ("resilin_lock_" + std::to_string(::getpid()))).string();
  require_unused(file);  // not there: unused
  write_file(file, "x");
  require_unused(file);
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_EQ(::flock(descriptor, LOCK_SH), 0);  // as a reader holds it
  EXPECT_THROW(require_unused(file), Error);
  ::close(descriptor);
  require_unused(file);
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace resilin
