#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/log.hpp"
#include "core/output/hdf5_util.hpp"
#include "core/output/trajectory_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace resilin {
namespace {

using hdf5::Handle;

constexpr unsigned kDeflateLevel = 4;
/// Numbers of a frame share a chunk, which is not compressed so that it is rewritten in place.
constexpr hsize_t kScalarChunk = 256;
/// Above what a frame can add beside its positions and velocities: new index nodes (3 KiB for each of these,
/// 2 KiB for the 7 others; one a level at a split) and the chunks of the others (2 KiB each).
constexpr std::uint64_t kFrameOverhead = 128 * 1024;

hid_t element_type_of(const double&) {
  return H5T_NATIVE_DOUBLE;
}
hid_t element_type_of(const std::int64_t&) {
  return H5T_NATIVE_INT64;
}
hid_t element_type_of(const int&) {
  return H5T_NATIVE_INT;
}

/// Bytes that the head of the file takes at most: texts, meshes and one first node of each index.
std::uint64_t size_of_head(const TrajectoryHeader& header) {
  std::uint64_t bytes = kFrameOverhead + header.scene.size() + header.command.size() + header.version.size();
  for (const auto& body : header.bodies)
    bytes += 8192 + body.name.size() +
             sizeof(double) * static_cast<std::uint64_t>(body.mesh->vertices.size()) +
             sizeof(int) * static_cast<std::uint64_t>(body.mesh->elements.size());
  return bytes;
}

}  // namespace

struct TrajectoryWriter::Impl {
  Impl(const std::string& file_path, const TrajectoryHeader& header);
  void write_frame(Index step, const State& state, const FrameEnergies& energies, const SolveReport& report);
  void reserve(std::uint64_t bytes) const;
  void close();

  std::string path;
  Index num_nodes = 0;
  hsize_t num_frames = 0;
  bool failed = false;                ///< HDF5 could not write although there was room
  Handle file, num_frames_attribute;  // first, so that it is closed last
  Handle time, step, positions, velocities, kinetic, elastic, gravitational, residual, iterations;

 private:
  [[noreturn]] void fail() const { hdf5::fail("write", path, Errc::Io); }
  void check(herr_t status) const {
    if (status < 0) fail();
  }
  Handle own(hid_t id, herr_t (*closer)(hid_t)) const {
    if (id < 0) fail();
    return Handle(id, closer);
  }
  int descriptor() const;
  Handle create_file() const;
  Handle create_group(hid_t parent, const std::string& name) const;
  Handle create_frames(hid_t parent, const char* name, hid_t type, bool per_node) const;
  void write_text(hid_t object, const char* name, const std::string& text) const;
  Handle write_count(hid_t object, const char* name, std::int64_t value) const;
  template <class T>
  void write_array(hid_t group, const char* name, const std::array<hsize_t, 2>& shape, const T* values) const;
  void write_body(hid_t bodies, const TrajectoryHeader::Body& body) const;
  template <class T>
  void append_scalar(const Handle& dataset, T value) const;
  void append_nodes(const Handle& dataset, const VecX& values) const;
  void flush() const;
};

TrajectoryWriter::Impl::Impl(const std::string& file_path, const TrajectoryHeader& header) : path(file_path) {
  for (const auto& body : header.bodies) {
    if (body.name.empty() || body.name == "." || body.name.find('/') != std::string::npos)
      throw Error(Errc::Input, fmt::format("expected a body name without '/', found '{}'", body.name));
    num_nodes = std::max(num_nodes, body.first_node + body.mesh->num_vertices());
  }
  if (num_nodes == 0) throw Error(Errc::Input, fmt::format("trajectory '{}' would have no nodes", path));
  file = create_file();
  reserve(size_of_head(header));
  const hid_t root = file.get();
  write_text(root, "format", "resilin-trajectory 1");
  write_text(root, "version", header.version);
  write_text(root, "command", header.command);
  write_text(root, "scene", header.scene);
  num_frames_attribute = write_count(root, "num_frames", 0);
  const Handle bodies = create_group(root, "bodies");
  for (const auto& body : header.bodies) write_body(bodies.get(), body);
  time = create_frames(root, "time", H5T_NATIVE_DOUBLE, false);
  step = create_frames(root, "step", H5T_NATIVE_INT64, false);
  positions = create_frames(root, "positions", H5T_NATIVE_DOUBLE, true);
  velocities = create_frames(root, "velocities", H5T_NATIVE_DOUBLE, true);
  const Handle group = create_group(root, "energies");
  kinetic = create_frames(group.get(), "kinetic", H5T_NATIVE_DOUBLE, false);
  elastic = create_frames(group.get(), "elastic", H5T_NATIVE_DOUBLE, false);
  gravitational = create_frames(group.get(), "gravitational", H5T_NATIVE_DOUBLE, false);
  residual = create_frames(root, "residual", H5T_NATIVE_DOUBLE, false);
  iterations = create_frames(root, "iterations", H5T_NATIVE_INT64, false);
  flush();
}

Handle TrajectoryWriter::Impl::create_file() const {
  require_unused(path);
  const Handle access = own(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  check(H5Pset_fapl_sec2(access.get()));  // descriptor() relies on it, whatever the environment chooses
  check(H5Pset_libver_bounds(access.get(), H5F_LIBVER_EARLIEST, H5F_LIBVER_V18));
  // Large index nodes: one is split, which a kill does not survive, every 1024 frames instead of every 64.
  const Handle creation = own(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
  check(H5Pset_istore_k(creation.get(), 512));
  return own(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation.get(), access.get()), H5Fclose);
}

Handle TrajectoryWriter::Impl::create_group(hid_t parent, const std::string& name) const {
  return own(H5Gcreate2(parent, name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
}

Handle TrajectoryWriter::Impl::create_frames(hid_t parent, const char* name, hid_t type,
                                             bool per_node) const {
  const int rank = per_node ? 3 : 1;
  const auto n = static_cast<hsize_t>(num_nodes);
  const std::array<hsize_t, 3> start{0, n, 3}, limit{H5S_UNLIMITED, n, 3},
      chunk{per_node ? 1 : kScalarChunk, n, 3};
  const Handle space = own(H5Screate_simple(rank, start.data(), limit.data()), H5Sclose);
  const Handle creation = own(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  check(H5Pset_chunk(creation.get(), rank, chunk.data()));
  if (per_node) {
    check(H5Pset_shuffle(creation.get()));
    check(H5Pset_deflate(creation.get(), kDeflateLevel));
    // What a damaged index has lost must not read as zeros.
    const double lost = std::numeric_limits<double>::quiet_NaN();
    check(H5Pset_fill_value(creation.get(), H5T_NATIVE_DOUBLE, &lost));
  }
  // Without a chunk cache no data wait in memory for their frame to be over.
  const Handle access = own(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose);
  check(H5Pset_chunk_cache(access.get(), 0, 0, 0));
  return own(H5Dcreate2(parent, name, type, space.get(), H5P_DEFAULT, creation.get(), access.get()),
             H5Dclose);
}

/// Variable length, for a text above 64 KiB does not fit an attribute of this format.
void TrajectoryWriter::Impl::write_text(hid_t object, const char* name, const std::string& text) const {
  const Handle type = own(H5Tcopy(H5T_C_S1), H5Tclose);
  check(H5Tset_size(type.get(), H5T_VARIABLE));
  check(H5Tset_cset(type.get(), H5T_CSET_UTF8));
  const Handle space = own(H5Screate(H5S_SCALAR), H5Sclose);
  const Handle attribute =
      own(H5Acreate2(object, name, type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  const char* pointer = text.c_str();
  check(H5Awrite(attribute.get(), type.get(), &pointer));
}

Handle TrajectoryWriter::Impl::write_count(hid_t object, const char* name, std::int64_t value) const {
  const Handle space = own(H5Screate(H5S_SCALAR), H5Sclose);
  Handle attribute =
      own(H5Acreate2(object, name, H5T_NATIVE_INT64, space.get(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  check(H5Awrite(attribute.get(), H5T_NATIVE_INT64, &value));
  return attribute;
}

template <class T>
void TrajectoryWriter::Impl::write_array(hid_t group, const char* name, const std::array<hsize_t, 2>& shape,
                                         const T* values) const {
  const Handle space = own(H5Screate_simple(2, shape.data(), nullptr), H5Sclose);
  const hid_t type = element_type_of(T{});
  const Handle dataset =
      own(H5Dcreate2(group, name, type, space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose);
  if (shape[0] > 0) check(H5Dwrite(dataset.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
}

void TrajectoryWriter::Impl::write_body(hid_t bodies, const TrajectoryHeader::Body& body) const {
  const Handle group = create_group(bodies, body.name);
  const Mesh& mesh = *body.mesh;
  write_text(group.get(), "element_type", name_of(mesh.type));
  write_count(group.get(), "first_node", body.first_node);
  // Columns in memory are rows in the file.
  write_array(group.get(), "rest_positions", {static_cast<hsize_t>(mesh.num_vertices()), 3},
              mesh.vertices.data());
  write_array(group.get(), "elements",
              {static_cast<hsize_t>(mesh.num_elements()), static_cast<hsize_t>(mesh.elements.rows())},
              mesh.elements.data());
}

template <class T>
void TrajectoryWriter::Impl::append_scalar(const Handle& dataset, T value) const {
  const hsize_t size = num_frames + 1, count = 1;
  check(H5Dset_extent(dataset.get(), &size));
  const Handle target = own(H5Dget_space(dataset.get()), H5Sclose);
  const Handle memory = own(H5Screate(H5S_SCALAR), H5Sclose);
  check(H5Sselect_hyperslab(target.get(), H5S_SELECT_SET, &num_frames, nullptr, &count, nullptr));
  check(H5Dwrite(dataset.get(), element_type_of(value), memory.get(), target.get(), H5P_DEFAULT, &value));
}

void TrajectoryWriter::Impl::append_nodes(const Handle& dataset, const VecX& values) const {
  const auto n = static_cast<hsize_t>(num_nodes);
  const std::array<hsize_t, 3> size{num_frames + 1, n, 3}, start{num_frames, 0, 0}, count{1, n, 3};
  check(H5Dset_extent(dataset.get(), size.data()));
  const Handle target = own(H5Dget_space(dataset.get()), H5Sclose);
  const Handle memory = own(H5Screate_simple(3, count.data(), nullptr), H5Sclose);
  check(H5Sselect_hyperslab(target.get(), H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr));
  check(H5Dwrite(dataset.get(), H5T_NATIVE_DOUBLE, memory.get(), target.get(), H5P_DEFAULT, values.data()));
}

int TrajectoryWriter::Impl::descriptor() const {
  void* handle = nullptr;
  check(H5Fget_vfd_handle(file.get(), H5P_DEFAULT, &handle));
  return *static_cast<int*>(handle);
}

/// HDF5 does not recover from a full disk: on closing it would write an index of things that are not there,
/// and the frames before would be lost with it. So the room for all that it may write is taken beforehand.
void TrajectoryWriter::Impl::reserve(std::uint64_t bytes) const {
  haddr_t end = 0;
  check(H5Fget_eoa(file.get(), &end));
  struct stat status {};
  int error = ::fstat(descriptor(), &status) == 0 ? 0 : errno;
  const auto size = static_cast<off_t>(end + bytes);
  // From the end of the file on: what lies before is there already.
  if (error == 0 && size > status.st_size)
    error = ::posix_fallocate(descriptor(), status.st_size, size - status.st_size);
  if (error != 0) throw Error(Errc::Io, fmt::format("cannot write '{}': {}", path, std::strerror(error)));
}

void TrajectoryWriter::Impl::flush() const {
  check(H5Fflush(file.get(), H5F_SCOPE_GLOBAL));
}

void TrajectoryWriter::Impl::write_frame(Index step_number, const State& state, const FrameEnergies& energies,
                                         const SolveReport& report) {
  append_nodes(positions, state.x);
  append_nodes(velocities, state.v);
  append_scalar(time, state.t);
  append_scalar(step, static_cast<std::int64_t>(step_number));
  append_scalar(kinetic, energies.kinetic);
  append_scalar(elastic, energies.elastic);
  append_scalar(gravitational, energies.gravitational);
  append_scalar(residual, report.residual);
  append_scalar(iterations, static_cast<std::int64_t>(report.iterations));
  flush();
  // Only now the frame counts: a kill before this line leaves the number of frames that are whole.
  const auto committed = static_cast<std::int64_t>(num_frames + 1);
  check(H5Awrite(num_frames_attribute.get(), H5T_NATIVE_INT64, &committed));
  flush();
  ++num_frames;
}

void TrajectoryWriter::Impl::close() {
  if (!file.valid()) return;
  int error = 0;
  if (!failed) {
    flush();
    haddr_t end = 0;
    check(H5Fget_eoa(file.get(), &end));
    // Gives back what reserve() took in vain; and some file systems report a full disk only when asked to
    // sync.
    if (::ftruncate(descriptor(), static_cast<off_t>(end)) != 0 || ::fsync(descriptor()) != 0) error = errno;
  }
  bool closed = true;
  for (Handle* handle : {&time, &step, &positions, &velocities, &kinetic, &elastic, &gravitational, &residual,
                         &iterations, &num_frames_attribute, &file})
    closed = handle->close() && closed;
  if (failed) return;  // reported when it happened
  if (error != 0) throw Error(Errc::Io, fmt::format("cannot write '{}': {}", path, std::strerror(error)));
  if (!closed) fail();
}

TrajectoryWriter::TrajectoryWriter(const std::string& file, const TrajectoryHeader& header) {
  const hdf5::Session session;
  impl_ = std::make_unique<Impl>(file, header);
}

TrajectoryWriter::~TrajectoryWriter() {
  const hdf5::Session session;
  try {
    impl_->close();
  } catch (const std::exception& error) {
    log(LogLevel::Error, error.what());
  }
  impl_.reset();
}

void TrajectoryWriter::append(Index step, const State& state, const FrameEnergies& energies,
                              const SolveReport& report) {
  Impl& out = *impl_;
  if (out.failed) throw Error(Errc::Io, fmt::format("cannot write '{}': an earlier frame failed", out.path));
  if (!out.file.valid()) throw Error(Errc::Internal, fmt::format("trajectory '{}' is closed", out.path));
  if (state.x.size() != 3 * out.num_nodes || state.v.size() != 3 * out.num_nodes)
    throw Error(Errc::Internal,
                fmt::format("trajectory '{}' has {} nodes, but a state of {} positions and {} "
                            "velocities was given",
                            out.path, out.num_nodes, state.x.size() / 3, state.v.size() / 3));
  const hdf5::Session session;
  out.reserve(sizeof(double) * static_cast<std::uint64_t>(state.x.size() + state.v.size()) + kFrameOverhead);
  try {
    out.write_frame(step, state, energies, report);
  } catch (const Error&) {
    out.failed = true;
    throw;
  }
}

void TrajectoryWriter::close() {
  const hdf5::Session session;
  impl_->close();
}

}  // namespace resilin
