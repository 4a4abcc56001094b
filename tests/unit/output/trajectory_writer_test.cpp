#include "core/base/file.hpp"
#include "core/output/hdf5_util.hpp"
#include "tests/unit/output/child_process.hpp"
#include "tests/unit/output/temp_folder.hpp"
#include "tests/unit/output/trajectory_samples.hpp"

#include <gtest/gtest.h>
#include <hdf5.h>

#include <bit>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

namespace resilin {
namespace {

constexpr Index kNodes = 50;

TrajectoryHeader header_of(const Mesh& mesh, Index frames, const std::string& scene = "name: ball\n") {
  return {scene, "resilin run ball.yaml", "0.1.0", {{"ball", 0, &mesh}}, frames};
}

TEST(TrajectoryWriter, EveryBitComesBack) {
  const TempFolder folder;
  const Mesh mesh = sample_tets(kNodes);
  TrajectoryWriter writer(folder / "t.h5", header_of(mesh, 100));
  for (Index f = 0; f < 5; ++f) append_sample(writer, f, kNodes);
  State odd = sample_state(5, kNodes);
  odd.x[0] = -0.0;
  odd.x[1] = std::bit_cast<double>(std::uint64_t{0x7ff8dead00000001});
  odd.x[2] = 5e-324;
  writer.append(50, odd, {}, {});
  writer.close();
  const TrajectoryReader reader(folder / "t.h5");
  ASSERT_EQ(reader.num_frames(), 6);
  EXPECT_EQ(reader.num_nodes(), kNodes);
  EXPECT_EQ(reader.step(5), 50);
  const State back = reader.state(5);
  for (Index i = 0; i < 3 * kNodes; ++i)
    EXPECT_EQ(std::bit_cast<std::uint64_t>(back.x[i]), std::bit_cast<std::uint64_t>(odd.x[i])) << i;
  EXPECT_EQ(reader.state(3).v, sample_state(3, kNodes).v);
  EXPECT_EQ(reader.state(3).t, sample_state(3, kNodes).t);
}

/// The layout as another program sees it.
std::vector<double> read_numbers(const std::string& file, const char* dataset, std::vector<hsize_t>& shape) {
  const hdf5::Session session;
  const hid_t handle = H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  const hid_t data = H5Dopen2(handle, dataset, H5P_DEFAULT), space = H5Dget_space(data);
  shape.resize(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space)));
  H5Sget_simple_extent_dims(space, shape.data(), nullptr);
  std::vector<double> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
  H5Dread(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  H5Sclose(space);
  H5Dclose(data);
  H5Fclose(handle);
  return values;
}

TEST(TrajectoryWriter, LayoutIsAsDocumented) {
  const TempFolder folder;
  const std::string file = folder / "t.h5";
  const Mesh first = sample_tets(4), second = sample_tets(6);
  TrajectoryHeader header{"", "", "", {{"a", 0, &first}, {"b c", 4, &second}}, 300};
  TrajectoryWriter writer(file, header);
  for (Index f = 0; f < 300; ++f) append_sample(writer, f, 10);
  writer.close();
  std::vector<hsize_t> shape;
  EXPECT_EQ(read_numbers(file, "/positions", shape).size(), 300u * 30u);
  EXPECT_EQ(shape, (std::vector<hsize_t>{300, 10, 3}));
  const auto elastic = read_numbers(file, "/energies/elastic", shape);
  const auto gravitational = read_numbers(file, "/energies/gravitational", shape);
  const auto kinetic = read_numbers(file, "/energies/kinetic", shape);
  const auto residual = read_numbers(file, "/residual", shape),
             iterations = read_numbers(file, "/iterations", shape);
  EXPECT_EQ(shape, (std::vector<hsize_t>{300}));
  for (std::size_t f = 0; f < 300; ++f) {
    const double x = static_cast<double>(f);
    ASSERT_EQ(kinetic[f], x);
    ASSERT_EQ(elastic[f], 2 * x);
    ASSERT_EQ(gravitational[f], 3 * x);
    ASSERT_EQ(residual[f], 1e-9 / (1 + x));
    ASSERT_EQ(iterations[f], x + 3);
  }
  const auto rest = read_numbers(file, "/bodies/b c/rest_positions", shape);
  EXPECT_EQ(shape, (std::vector<hsize_t>{6, 3}));
  EXPECT_EQ(rest[4], second.vertices(1, 1));
  EXPECT_EQ(read_numbers(file, "/bodies/a/elements", shape), (std::vector<double>{0, 1, 2, 3}));
  EXPECT_EQ(shape, (std::vector<hsize_t>{1, 4}));
}

TEST(TrajectoryWriter, ControlsHaveAColumnEach) {
  const TempFolder folder;
  const std::string file = folder / "t.h5";
  const Mesh mesh = sample_tets(4);
  TrajectoryHeader header = header_of(mesh, 5);
  header.controls = {"a", "b[1]", "c"};
  TrajectoryWriter writer(file, header);
  for (Index f = 0; f < 3; ++f)
    writer.append(f, sample_state(f, 4), {}, {}, VecX::LinSpaced(3, static_cast<double>(f), 10.0));
  EXPECT_THROW(writer.append(3, sample_state(3, 4), {}, {}), Error);
  writer.close();  // with fewer frames than there was room for
  std::vector<hsize_t> shape;
  const auto values = read_numbers(file, "/controls", shape);
  EXPECT_EQ(shape, (std::vector<hsize_t>{3, 3}));
  EXPECT_EQ(values, (std::vector<double>{0, 5, 10, 1, 5.5, 10, 2, 6, 10}));
  EXPECT_EQ(TrajectoryReader(file).state(2).x, sample_state(2, 4).x);
}

TEST(TrajectoryWriter, SceneMayBeLarge) {
  const TempFolder folder;
  const Mesh mesh = sample_tets(4);
  const std::string scene(300'000, 's');
  TrajectoryWriter(folder / "t.h5", header_of(mesh, 0, scene)).close();
  EXPECT_EQ(TrajectoryReader(folder / "t.h5").scene(), scene);
}

TEST(TrajectoryWriter, FramesBeforeAKillAreWhole) {
  const TempFolder folder;
  const Mesh mesh = sample_tets(kNodes);
  for (int round = 0; round < 8; ++round) {
    StepPipe steps;
    ASSERT_TRUE(steps.is_open());
    const pid_t child = start_child([&] {
      TrajectoryWriter writer(folder / "t.h5", header_of(mesh, 200'000));
      for (Index f = 0;; ++f) {
        append_sample(writer, f, kNodes);
        if (!steps.tell()) return 1;
      }
    });
    steps.only_wait();
    Index appended = 0;
    while (appended < 10 + 40 * round && steps.wait()) ++appended;
    ::usleep(static_cast<useconds_t>(137 * round));  // somewhere within a later frame
    ::kill(child, SIGKILL);
    while (steps.wait()) ++appended;
    EXPECT_EQ(exit_code_of(child), -1);
    const Index kept = verified_frames(folder / "t.h5", kNodes);
    EXPECT_GE(kept, appended);
    EXPECT_LE(kept, appended + 1);  // killed after the frame and before its word to the parent
  }
}

TEST(TrajectoryWriter, ExitWithoutClosingLosesNothing) {
  const TempFolder folder;
  const Mesh mesh = sample_tets(kNodes);
  EXPECT_EQ(exit_code_of(start_child([&] {
              TrajectoryWriter writer(folder / "t.h5", header_of(mesh, 100));
              for (Index f = 0; f < 7; ++f) append_sample(writer, f, kNodes);
              ::_exit(9);
              return 0;
            })),
            9);
  EXPECT_EQ(verified_frames(folder / "t.h5", kNodes), 7);
}

TEST(TrajectoryWriter, CanBeReadWhileAnotherProcessWritesIt) {
  const TempFolder folder;
  const Mesh mesh = sample_tets(kNodes);
  StepPipe order, done;
  ASSERT_TRUE(order.is_open() && done.is_open());
  const pid_t child = start_child([&] {
    order.only_wait();
    TrajectoryWriter writer(folder / "t.h5", header_of(mesh, 100));
    for (Index f = 0; done.tell() && order.wait(); ++f) append_sample(writer, f, kNodes);
    return 0;
  });
  done.only_wait();
  order.only_tell();
  for (Index frames = 0; frames < 4; ++frames) {
    ASSERT_TRUE(done.wait());
    EXPECT_EQ(verified_frames(folder / "t.h5", kNodes), frames);
    ASSERT_TRUE(order.tell());
  }
  ::kill(child, SIGKILL);
  EXPECT_EQ(exit_code_of(child), -1);
}

/// Runs in a child, whose limit on the size of files does not touch this process.
template <class Action>
int with_tight_files(Action&& action) {
  return exit_code_of(start_child([&] {
    std::signal(SIGXFSZ, SIG_IGN);
    return action();
  }));
}

bool limit_file_size(rlim_t bytes) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_FSIZE, &limit) != 0) return false;
  limit.rlim_cur = bytes;
  return ::setrlimit(RLIMIT_FSIZE, &limit) == 0;
}

/// Appends frames from `frame` on until one fails as it should; the number of that frame, or 100 if none
/// does.
Index append_until_full(TrajectoryWriter& writer, Index frame, const std::string& file) {
  try {
    for (; frame < 100; ++frame) append_sample(writer, frame, kNodes);
  } catch (const Error& error) {
    if (error.code() != Errc::Io || error.what() != "cannot write '" + file + "': File too large") return 100;
  }
  return frame;
}

constexpr rlim_t kFrameBytes = 24 * kNodes;

TEST(TrajectoryWriter, FullDiskIsAnErrorAndKeepsTheFramesBefore) {
  const TempFolder folder;
  const Mesh mesh = sample_tets(kNodes);
  const std::string file = folder / "full.h5";
  for (const rlim_t room : {3, 40, 90}) {  // frames whose velocities, at the end of the file, fit
    const int frames = with_tight_files([&] {
      TrajectoryWriter writer(file, header_of(mesh, 100));
      if (!limit_file_size(std::filesystem::file_size(file) - (100 - room) * kFrameBytes + 500)) return 101;
      const Index frame = append_until_full(writer, 0, file);
      if (append_until_full(writer, frame, file) != frame) return 102;
      writer.close();
      return static_cast<int>(frame);
    });
    EXPECT_EQ(frames, static_cast<int>(room));
    EXPECT_EQ(verified_frames(file, kNodes), frames);
  }
}

TEST(TrajectoryWriter, GoesOnOnceThereIsRoomAgain) {
  const TempFolder folder;
  const Mesh mesh = sample_tets(kNodes);
  const std::string file = folder / "full.h5";
  EXPECT_EQ(with_tight_files([&] {
              TrajectoryWriter writer(file, header_of(mesh, 4));
              if (!limit_file_size(std::filesystem::file_size(file) - 4 * kFrameBytes)) return 101;
              if (append_until_full(writer, 0, file) != 0) return 102;
              if (!limit_file_size(RLIM_INFINITY)) return 103;
              for (Index f = 0; f < 4; ++f) append_sample(writer, f, kNodes);
              return 0;
            }),
            0);
  EXPECT_EQ(verified_frames(file, kNodes), 4);
}

TEST(TrajectoryWriter, RoomThatWasNotUsedIsGivenBack) {
  const TempFolder folder;
  const Mesh mesh = sample_tets(kNodes);
  const std::string file = folder / "t.h5";
  std::uintmax_t whole = 0;
  {
    TrajectoryWriter writer(file, header_of(mesh, 100));
    for (Index f = 0; f < 5; ++f) append_sample(writer, f, kNodes);
    whole = std::filesystem::file_size(file);
    writer.close();
  }
  EXPECT_LT(std::filesystem::file_size(file), whole - 94 * 2 * kFrameBytes);
  EXPECT_EQ(verified_frames(file, kNodes), 5);
  std::vector<hsize_t> shape;
  read_numbers(file, "/velocities", shape);
  EXPECT_EQ(shape, (std::vector<hsize_t>{5, kNodes, 3}));
  EXPECT_FALSE(std::filesystem::exists(file + ".part"));
}

TEST(TrajectoryWriter, FramesThatAKilledRunDidNotWriteHaveNoTime) {
  const TempFolder folder;
  const Mesh mesh = sample_tets(kNodes);
  exit_code_of(start_child([&] {
    TrajectoryWriter writer(folder / "t.h5", header_of(mesh, 6));
    for (Index f = 0; f < 2; ++f) append_sample(writer, f, kNodes);
    ::_exit(0);
    return 0;
  }));
  std::vector<hsize_t> shape;
  const auto time = read_numbers(folder / "t.h5", "/time", shape);
  ASSERT_EQ(time.size(), 6u);
  EXPECT_EQ(time[1], sample_state(1, kNodes).t);
  for (std::size_t f = 2; f < 6; ++f) EXPECT_TRUE(std::isnan(time[f])) << f;
}

TEST(TrajectoryWriter, DiskFullFromTheStart) {
  const TempFolder folder;
  const Mesh mesh = sample_tets(kNodes);
  for (const rlim_t limit : {0, 500, 5000, 100'000}) {
    EXPECT_EQ(with_tight_files([&] {
                if (!limit_file_size(limit)) return 101;
                try {
                  const TrajectoryWriter writer(folder / "t.h5", header_of(mesh, 100));
                } catch (const Error& error) {
                  return error.code() == Errc::Io ? 7 : 102;
                }
                return 103;
              }),
              7)
        << limit;
  }
}

TEST(TrajectoryWriter, MissingFolderIsNamedAndNothingIsPrinted) {
  const Mesh mesh = sample_tets(4);
  testing::internal::CaptureStderr();
  expect_error(Errc::Io, "cannot write '/no/such/t.h5': No such file or directory",
               [&] { TrajectoryWriter("/no/such/t.h5", header_of(mesh, 100)); });
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(TrajectoryWriter, RefusesWhatDoesNotFit) {
  const TempFolder folder;
  const Mesh mesh = sample_tets(4);
  expect_error(Errc::Input, "found 'a/b'", [&] {
    TrajectoryWriter(folder / "t.h5", {"", "", "", {{"a/b", 0, &mesh}}, 1});
  });
  expect_error(Errc::Input, "no nodes", [&] { TrajectoryWriter(folder / "t.h5", {"", "", "", {}, 1}); });
  TrajectoryWriter writer(folder / "t.h5", header_of(mesh, 100));
  expect_error(Errc::Internal, "has 4 nodes, but a state of 5 positions",
               [&] { writer.append(0, sample_state(0, 5), {}, {}); });
  append_sample(writer, 0, 4);
  writer.close();
  expect_error(Errc::Internal, "is closed", [&] { append_sample(writer, 1, 4); });
  EXPECT_EQ(verified_frames(folder / "t.h5", 4), 1);
  TrajectoryWriter small(folder / "s.h5", header_of(mesh, 1));
  append_sample(small, 0, 4);
  expect_error(Errc::Internal, "has room for 1 frames only", [&] { append_sample(small, 1, 4); });
}

Index resident_kilobytes() {
  const std::string status = read_file("/proc/self/status");
  return std::atol(status.c_str() + status.find("VmRSS:") + 6);
}

TEST(TrajectoryWriter, MemoryDoesNotGrowWithTheFrames) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizer keeps freed memory";
#endif
  const TempFolder folder;
  const Index nodes = 2000;
  const Mesh mesh = sample_tets(nodes);
  TrajectoryWriter writer(folder / "t.h5", header_of(mesh, 350));
  for (Index f = 0; f < 50; ++f) append_sample(writer, f, nodes);
  const Index before = resident_kilobytes();
  for (Index f = 50; f < 350; ++f) append_sample(writer, f, nodes);
  EXPECT_LT(resident_kilobytes() - before, 3000);  // the frames themselves are 29 MB
}

}  // namespace
}  // namespace resilin
