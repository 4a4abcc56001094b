#include "core/base/error.hpp"
#include "core/output/hdf5_util.hpp"
#include "core/output/trajectory_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace resilin {

using hdf5::Handle;

struct TrajectoryReader::Impl {
  explicit Impl(const std::string& file_path);
  void check_frame(Index frame) const;
  template <class T>
  T scalar(const Handle& dataset, Index frame, hid_t type) const;
  VecX nodes(const Handle& dataset, Index frame) const;
  std::string text(const char* attribute) const;

  std::string path;
  Index num_frames = 0, num_nodes = 0;
  Handle file;  // first, so that it is closed last
  Handle time, step, positions, velocities;

 private:
  [[noreturn]] void fail() const { hdf5::fail("read", path, Errc::Input); }
  void check(herr_t status) const {
    if (status < 0) fail();
  }
  Handle own(hid_t id, herr_t (*closer)(hid_t)) const {
    if (id < 0) fail();
    return Handle(id, closer);
  }
  Handle open_file() const;
  Handle open_dataset(const char* name, const std::vector<hsize_t>& frame_shape) const;
  std::vector<hsize_t> shape_of(const Handle& dataset) const;
};

TrajectoryReader::Impl::Impl(const std::string& file_path) : path(file_path) {
  file = open_file();
  if (H5Aexists(file.get(), "format") <= 0)
    throw Error(Errc::Input,
                fmt::format("'{}' is no Resilin trajectory: it has no attribute 'format'", path));
  const std::string format = text("format");
  if (format != kTrajectoryFormat)
    throw Error(Errc::Input,
                fmt::format("'{}' has the format '{}', expected '{}'", path, format, kTrajectoryFormat));
  num_frames = 1;  // of the count itself
  const Handle count = open_dataset("num_frames", {});
  const auto committed = scalar<std::int64_t>(count, 0, H5T_NATIVE_INT64);
  if (committed < 0) throw Error(Errc::Input, fmt::format("'{}': {} frames", path, committed));
  num_frames = static_cast<Index>(committed);
  positions = own(H5Dopen2(file.get(), "positions", H5P_DEFAULT), H5Dclose);
  const std::vector<hsize_t> shape = shape_of(positions);
  const hsize_t nodes_in_file = shape.size() == 3 ? shape[1] : 0;
  num_nodes = static_cast<Index>(nodes_in_file);
  positions = open_dataset("positions", {nodes_in_file, 3});
  velocities = open_dataset("velocities", {nodes_in_file, 3});
  time = open_dataset("time", {});
  step = open_dataset("step", {});
}

/// Without a lock, since the run may still be writing; what it has committed is not touched again.
Handle TrajectoryReader::Impl::open_file() const {
  const Handle access = own(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  check(H5Pset_file_locking(access.get(), false, true));
  return own(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get()), H5Fclose);
}

std::vector<hsize_t> TrajectoryReader::Impl::shape_of(const Handle& dataset) const {
  const Handle space = own(H5Dget_space(dataset.get()), H5Sclose);
  const int rank = H5Sget_simple_extent_ndims(space.get());
  if (rank < 0) fail();
  std::vector<hsize_t> shape(static_cast<std::size_t>(rank));
  if (H5Sget_simple_extent_dims(space.get(), shape.data(), nullptr) < 0) fail();
  return shape;
}

Handle TrajectoryReader::Impl::open_dataset(const char* name, const std::vector<hsize_t>& frame_shape) const {
  Handle dataset = own(H5Dopen2(file.get(), name, H5P_DEFAULT), H5Dclose);
  const std::vector<hsize_t> shape = shape_of(dataset);
  const bool fits =
      !shape.empty() && std::equal(shape.begin() + 1, shape.end(), frame_shape.begin(), frame_shape.end());
  if (!fits || static_cast<Index>(shape[0]) < num_frames)
    throw Error(Errc::Input, fmt::format("'{}': the shape of /{} does not fit {} frames of {} nodes", path,
                                         name, num_frames, num_nodes));
  return dataset;
}

void TrajectoryReader::Impl::check_frame(Index frame) const {
  if (frame < 0 || frame >= num_frames)
    throw Error(Errc::Input,
                fmt::format("'{}' has {} frames, there is no frame {}", path, num_frames, frame));
}

template <class T>
T TrajectoryReader::Impl::scalar(const Handle& dataset, Index frame, hid_t type) const {
  check_frame(frame);
  const auto start = static_cast<hsize_t>(frame);
  const hsize_t count = 1;
  const Handle source = own(H5Dget_space(dataset.get()), H5Sclose);
  const Handle memory = own(H5Screate(H5S_SCALAR), H5Sclose);
  check(H5Sselect_hyperslab(source.get(), H5S_SELECT_SET, &start, nullptr, &count, nullptr));
  T value{};
  check(H5Dread(dataset.get(), type, memory.get(), source.get(), H5P_DEFAULT, &value));
  return value;
}

VecX TrajectoryReader::Impl::nodes(const Handle& dataset, Index frame) const {
  check_frame(frame);
  const std::array<hsize_t, 3> start{static_cast<hsize_t>(frame), 0, 0},
      count{1, static_cast<hsize_t>(num_nodes), 3};
  const Handle source = own(H5Dget_space(dataset.get()), H5Sclose);
  const Handle memory = own(H5Screate_simple(3, count.data(), nullptr), H5Sclose);
  check(H5Sselect_hyperslab(source.get(), H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr));
  VecX values(3 * num_nodes);
  check(H5Dread(dataset.get(), H5T_NATIVE_DOUBLE, memory.get(), source.get(), H5P_DEFAULT, values.data()));
  return values;
}

std::string TrajectoryReader::Impl::text(const char* name) const {
  const Handle attribute = own(H5Aopen(file.get(), name, H5P_DEFAULT), H5Aclose);
  const Handle type = own(H5Aget_type(attribute.get()), H5Tclose);
  if (H5Tis_variable_str(type.get()) <= 0)
    throw Error(Errc::Input, fmt::format("'{}': attribute '{}' is no text of variable length", path, name));
  char* pointer = nullptr;
  check(H5Aread(attribute.get(), type.get(), &pointer));
  const std::string result = pointer == nullptr ? "" : pointer;
  H5free_memory(pointer);
  return result;
}

TrajectoryReader::TrajectoryReader(const std::string& file) {
  const hdf5::Session session;
  impl_ = std::make_unique<Impl>(file);
}

TrajectoryReader::~TrajectoryReader() {
  const hdf5::Session session;
  impl_.reset();
}

Index TrajectoryReader::num_frames() const {
  return impl_->num_frames;
}
Index TrajectoryReader::num_nodes() const {
  return impl_->num_nodes;
}

Index TrajectoryReader::step(Index frame) const {
  const hdf5::Session session;
  return static_cast<Index>(impl_->scalar<std::int64_t>(impl_->step, frame, H5T_NATIVE_INT64));
}

State TrajectoryReader::state(Index frame) const {
  const hdf5::Session session;
  State state;
  state.x = impl_->nodes(impl_->positions, frame);
  state.v = impl_->nodes(impl_->velocities, frame);
  state.t = impl_->scalar<double>(impl_->time, frame, H5T_NATIVE_DOUBLE);
  return state;
}

std::string TrajectoryReader::scene() const {
  const hdf5::Session session;
  return impl_->text("scene");
}

}  // namespace resilin
