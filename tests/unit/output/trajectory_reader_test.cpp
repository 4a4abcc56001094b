#include "core/base/file.hpp"
#include "core/output/hdf5_util.hpp"
#include "tests/unit/output/temp_folder.hpp"
#include "tests/unit/output/trajectory_samples.hpp"

#include <gtest/gtest.h>
#include <hdf5.h>

namespace resilin {
namespace {

class TrajectoryReaderTest : public testing::Test {
 protected:
  void SetUp() override {
    mesh_ = sample_tets(8);
    TrajectoryWriter writer(file_, {"scene: \xC3\xA4\n", "", "", {{"ball", 0, &mesh_}}, 4});
    for (Index f = 0; f < 4; ++f) append_sample(writer, f, 8);
    writer.close();
  }
  TempFolder folder_;
  std::string file_ = folder_ / "t.h5";
  Mesh mesh_;
};

TEST_F(TrajectoryReaderTest, ReadsFramesInAnyOrder) {
  const TrajectoryReader reader(file_);
  EXPECT_EQ(reader.scene(), "scene: \xC3\xA4\n");
  ASSERT_EQ(reader.num_frames(), 4);
  for (const Index f : {3, 0, 2, 2}) {
    EXPECT_EQ(reader.state(f).x, sample_state(f, 8).x);
    EXPECT_EQ(reader.step(f), 10 * f);
  }
}

TEST_F(TrajectoryReaderTest, FrameOutOfRangeIsNamed) {
  const TrajectoryReader reader(file_);
  expect_error(Errc::Input, "has 4 frames, there is no frame 4", [&] { reader.state(4); });
  expect_error(Errc::Input, "has 4 frames, there is no frame -1", [&] { reader.step(-1); });
}

void set_count(const std::string& file_name, long long count) {
  const hdf5::Session session;
  const hid_t file = H5Fopen(file_name.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  const hid_t dataset = H5Dopen2(file, "num_frames", H5P_DEFAULT);
  H5Dwrite(dataset, H5T_NATIVE_LLONG, H5S_ALL, H5S_ALL, H5P_DEFAULT, &count);
  H5Dclose(dataset);
  H5Fclose(file);
}

TEST_F(TrajectoryReaderTest, FramesThatWereNotCommittedAreLeftOut) {
  set_count(file_, 2);
  EXPECT_EQ(verified_frames(file_, 8), 2);
}

TEST_F(TrajectoryReaderTest, CountsThatDoNotFitAreRefused) {
  set_count(file_, 5);
  expect_error(Errc::Input, "the shape of /positions does not fit 5 frames of 8 nodes",
               [&] { TrajectoryReader{file_}; });
  set_count(file_, -1);
  expect_error(Errc::Input, "-1 frames", [&] { TrajectoryReader{file_}; });
}

TEST_F(TrajectoryReaderTest, ShapesThatDoNotFitAreRefused) {
  const hdf5::Session session;
  const hid_t file = H5Fopen(file_.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  H5Ldelete(file, "time", H5P_DEFAULT);
  const hsize_t three = 3;
  const hid_t space = H5Screate_simple(1, &three, nullptr);
  const hid_t times =
      H5Dcreate2(file, "time", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  H5Sclose(space);
  H5Dclose(times);
  H5Fclose(file);
  expect_error(Errc::Input, "the shape of /time does not fit 4 frames of 8 nodes",
               [&] { TrajectoryReader{file_}; });
}

TEST_F(TrajectoryReaderTest, OtherFilesAreRefusedWithoutPrinting) {
  write_file(folder_ / "text", "no HDF5 in here");
  const hdf5::Session session;
  const hid_t other = H5Fcreate((folder_ / "other.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  H5Fclose(other);
  testing::internal::CaptureStderr();
  expect_error(Errc::Io, "cannot read '" + (folder_ / "no.h5") + "': No such file or directory",
               [&] { TrajectoryReader{folder_ / "no.h5"}; });
  expect_error(Errc::Input, "file signature not found", [&] { TrajectoryReader{folder_ / "text"}; });
  expect_error(Errc::Input, "no Resilin trajectory", [&] { TrajectoryReader{folder_ / "other.h5"}; });
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST_F(TrajectoryReaderTest, DamagedFilesAreErrorsNeverCrashes) {
  const std::string whole = read_file(file_);
  int errors = 0;
  for (std::size_t size = 1; size < whole.size(); size += 1009) {
    write_file(file_, whole.substr(0, size));
    try {
      verified_frames(file_, 8);
    } catch (const Error&) {
      ++errors;
    }
  }
  EXPECT_EQ(static_cast<std::size_t>(errors), (whole.size() - 1 + 1008) / 1009);
}

}  // namespace
}  // namespace resilin
