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
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <limits>
#include <sys/file.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace resilin {
namespace {

using hdf5::Handle;

hid_t element_type_of(const double&) {
  return H5T_NATIVE_DOUBLE;
}
hid_t element_type_of(const int&) {
  return H5T_NATIVE_INT;
}

/// The parts of a frame, in the order in which they are written.
enum Part {
  kTime,
  kStep,
  kPositions,
  kVelocities,
  kKinetic,
  kElastic,
  kGravitational,
  kResidual,
  kIterations,
  kControls,
  kNumParts
};
constexpr std::array<const char*, kNumParts> kPartNames = {"time",
                                                           "step",
                                                           "positions",
                                                           "velocities",
                                                           "energies/kinetic",
                                                           "energies/elastic",
                                                           "energies/gravitational",
                                                           "residual",
                                                           "iterations",
                                                           "controls"};

/// Where the values of a frame stand in the file.
struct Layout {
  std::array<std::uint64_t, kNumParts> offset{};
  std::uint64_t count_offset = 0;
};

/// Creates the file with HDF5: texts, meshes, and room for all frames.
class Head {
 public:
  Head(const std::string& path, const TrajectoryHeader& header, Index num_nodes);
  Layout layout;

 private:
  [[noreturn]] void fail() const { hdf5::fail("write", path_, Errc::Io); }
  void check(herr_t status) const {
    if (status < 0) fail();
  }
  Handle own(hid_t id, herr_t (*closer)(hid_t)) const {
    if (id < 0) fail();
    return Handle(id, closer);
  }
  Handle create_file() const;
  Handle create_group(hid_t parent, const std::string& name) const;
  std::uint64_t create_room(hid_t parent, const char* name, hid_t type,
                            const std::vector<hsize_t>& shape) const;
  void write_text(hid_t object, const char* name, const std::string& text) const;
  void write_count(hid_t object, const char* name, std::int64_t value) const;
  template <class T>
  void write_array(hid_t group, const char* name, const std::array<hsize_t, 2>& shape, const T* values) const;
  void write_body(hid_t bodies, const TrajectoryHeader::Body& body) const;

  std::string path_;
};

Head::Head(const std::string& path, const TrajectoryHeader& header, Index num_nodes) : path_(path) {
  Handle file = create_file();
  const hid_t root = file.get();
  write_text(root, "format", kTrajectoryFormat);
  write_text(root, "version", header.version);
  write_text(root, "command", header.command);
  write_text(root, "scene", header.scene);
  {
    const Handle bodies = create_group(root, "bodies");
    for (const auto& body : header.bodies) write_body(bodies.get(), body);
    const Handle energies = create_group(root, "energies");
  }
  layout.count_offset = create_room(root, "num_frames", H5T_NATIVE_INT64, {1});
  const auto frames = static_cast<hsize_t>(header.num_frames), n = static_cast<hsize_t>(num_nodes);
  for (const Part part :
       {kTime, kStep, kKinetic, kElastic, kGravitational, kResidual, kIterations, kPositions, kVelocities}) {
    const bool per_node = part == kPositions || part == kVelocities;
    const bool integer = part == kStep || part == kIterations;
    layout.offset[part] =
        create_room(root, kPartNames[part], integer ? H5T_NATIVE_INT64 : H5T_NATIVE_DOUBLE,
                    per_node ? std::vector<hsize_t>{frames, n, 3} : std::vector<hsize_t>{frames});
  }
  if (!header.controls.empty()) {
    layout.offset[kControls] = create_room(root, kPartNames[kControls], H5T_NATIVE_DOUBLE,
                                           {frames, static_cast<hsize_t>(header.controls.size())});
    write_text(root, "control_names", fmt::format("{}", fmt::join(header.controls, "\n")));
  }
  if (!file.close()) fail();
}

Handle Head::create_file() const {
  require_unused(path_);
  const Handle access = own(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  check(H5Pset_fapl_sec2(access.get()));  // one plain file, whatever the environment chooses
  check(H5Pset_libver_bounds(access.get(), H5F_LIBVER_EARLIEST, H5F_LIBVER_V18));
  return own(H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.get()), H5Fclose);
}

Handle Head::create_group(hid_t parent, const std::string& name) const {
  return own(H5Gcreate2(parent, name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
}

/// A contiguous dataset whose room is there from the start, unwritten; returns its offset in the file.
std::uint64_t Head::create_room(hid_t parent, const char* name, hid_t type,
                                const std::vector<hsize_t>& shape) const {
  const Handle space = own(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr), H5Sclose);
  const Handle creation = own(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  check(H5Pset_alloc_time(creation.get(), H5D_ALLOC_TIME_EARLY));
  check(H5Pset_fill_time(creation.get(), H5D_FILL_TIME_NEVER));
  const Handle dataset =
      own(H5Dcreate2(parent, name, type, space.get(), H5P_DEFAULT, creation.get(), H5P_DEFAULT), H5Dclose);
  const haddr_t offset = H5Dget_offset(dataset.get());
  if (offset == HADDR_UNDEF && shape[0] > 0) fail();
  return static_cast<std::uint64_t>(offset);
}

/// Variable length, for a text above 64 KiB does not fit an attribute of this format.
void Head::write_text(hid_t object, const char* name, const std::string& text) const {
  const Handle type = own(H5Tcopy(H5T_C_S1), H5Tclose);
  check(H5Tset_size(type.get(), H5T_VARIABLE));
  check(H5Tset_cset(type.get(), H5T_CSET_UTF8));
  const Handle space = own(H5Screate(H5S_SCALAR), H5Sclose);
  const Handle attribute =
      own(H5Acreate2(object, name, type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  const char* pointer = text.c_str();
  check(H5Awrite(attribute.get(), type.get(), &pointer));
}

void Head::write_count(hid_t object, const char* name, std::int64_t value) const {
  const Handle space = own(H5Screate(H5S_SCALAR), H5Sclose);
  const Handle attribute =
      own(H5Acreate2(object, name, H5T_NATIVE_INT64, space.get(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  check(H5Awrite(attribute.get(), H5T_NATIVE_INT64, &value));
}

template <class T>
void Head::write_array(hid_t group, const char* name, const std::array<hsize_t, 2>& shape,
                       const T* values) const {
  const Handle space = own(H5Screate_simple(2, shape.data(), nullptr), H5Sclose);
  const hid_t type = element_type_of(T{});
  const Handle dataset =
      own(H5Dcreate2(group, name, type, space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose);
  if (shape[0] > 0) check(H5Dwrite(dataset.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
}

void Head::write_body(hid_t bodies, const TrajectoryHeader::Body& body) const {
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

Index count_nodes(const TrajectoryHeader& header, const std::string& path) {
  Index nodes = 0;
  for (const auto& body : header.bodies) {
    if (body.name.empty() || body.name == "." || body.name.find('/') != std::string::npos)
      throw Error(Errc::Input, fmt::format("expected a body name without '/', found '{}'", body.name));
    nodes = std::max(nodes, body.first_node + body.mesh->num_vertices());
  }
  if (nodes == 0) throw Error(Errc::Input, fmt::format("trajectory '{}' would have no nodes", path));
  return nodes;
}

}  // namespace

/// Frames are written behind HDF5's back at the places that it gave them: nothing of its structure changes
/// any more, so that no moment of a kill and no full disk can damage the file.
struct TrajectoryWriter::Impl {
  Impl(const std::string& file_path, const TrajectoryHeader& head);
  ~Impl() {
    if (descriptor >= 0) ::close(descriptor);
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  void write_frame(Index step, const State& state, const FrameEnergies& energies, const SolveReport& report,
                   const VecX& controls);
  void close();

  std::string path;
  TrajectoryHeader header;
  Index num_nodes = 0;
  Index num_frames = 0;  ///< written
  int descriptor = -1;
  Layout layout;

 private:
  [[noreturn]] void fail(int error) const {
    throw Error(Errc::Io, fmt::format("cannot write '{}': {}", path, std::strerror(error)));
  }
  std::uint64_t bytes_of(Part part) const {
    if (part == kControls) return 8 * static_cast<std::uint64_t>(header.controls.size());
    return part == kPositions || part == kVelocities ? 24 * static_cast<std::uint64_t>(num_nodes) : 8;
  }
  void write_at(std::uint64_t offset, const void* data, std::uint64_t bytes) const;
  void write_part(Part part, Index frame, const void* data) const {
    write_at(layout.offset[part] + static_cast<std::uint64_t>(frame) * bytes_of(part), data, bytes_of(part));
  }
  void read_part(Part part, Index frame, void* data) const;
  void write_count(std::int64_t count) const { write_at(layout.count_offset, &count, sizeof count); }
  void warn_if_too_large() const;
  void drop_room_left();
};

TrajectoryWriter::Impl::Impl(const std::string& file_path, const TrajectoryHeader& head)
    : path(file_path), header(head), num_nodes(count_nodes(head, file_path)) {
  if (header.num_frames < 0)
    throw Error(Errc::Internal, fmt::format("trajectory '{}' of {} frames", path, header.num_frames));
  layout = Head(path, header, num_nodes).layout;
  descriptor = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (descriptor < 0) fail(errno);
  // Tells others, by the lock that HDF5 uses itself, that the file is being written.
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) require_unused(path);
  write_count(0);
  // What a killed run leaves unwritten reads as zeros, but its time as NaN.
  const std::vector<double> never(static_cast<std::size_t>(header.num_frames),
                                  std::numeric_limits<double>::quiet_NaN());
  if (!never.empty()) write_at(layout.offset[kTime], never.data(), 8 * never.size());
  warn_if_too_large();
}

void TrajectoryWriter::Impl::warn_if_too_large() const {
  struct statvfs disk {};
  if (::fstatvfs(descriptor, &disk) != 0) return;  // some file systems cannot tell
  const double free = static_cast<double>(disk.f_bavail) * static_cast<double>(disk.f_frsize);
  const double needed =
      static_cast<double>(header.num_frames) * 2.0 * static_cast<double>(bytes_of(kPositions));
  if (needed > free)
    log_warn(
        fmt::format("{}: all {} frames take {:.3g} GB, the disk has {:.3g} GB free; record.every writes "
                    "fewer",
                    path, header.num_frames, 1e-9 * needed, 1e-9 * free));
}

void TrajectoryWriter::Impl::write_at(std::uint64_t offset, const void* data, std::uint64_t bytes) const {
  const char* from = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t written = ::pwrite(descriptor, from, bytes, static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) fail(written == 0 ? ENOSPC : errno);
    from += written;
    offset += static_cast<std::uint64_t>(written);
    bytes -= static_cast<std::uint64_t>(written);
  }
}

void TrajectoryWriter::Impl::read_part(Part part, Index frame, void* data) const {
  const std::uint64_t bytes = bytes_of(part);
  const auto offset = static_cast<off_t>(layout.offset[part] + static_cast<std::uint64_t>(frame) * bytes);
  if (::pread(descriptor, data, bytes, offset) != static_cast<ssize_t>(bytes))
    throw Error(Errc::Io, fmt::format("cannot read '{}': {}", path, std::strerror(errno)));
}

void TrajectoryWriter::Impl::write_frame(Index step, const State& state, const FrameEnergies& energies,
                                         const SolveReport& report, const VecX& controls) {
  const auto step_number = static_cast<std::int64_t>(step),
             iterations = static_cast<std::int64_t>(report.iterations);
  const std::array<const void*, kNumParts> data = {
      &state.t,          &step_number,      state.x.data(),          state.v.data(),
      &energies.kinetic, &energies.elastic, &energies.gravitational, &report.residual,
      &iterations,       controls.data()};
  for (int part = 0; part < kNumParts; ++part)
    write_part(static_cast<Part>(part), num_frames, data[static_cast<std::size_t>(part)]);
  // Only now the frame counts: a kill before this line leaves the number of frames that are whole.
  write_count(num_frames + 1);
  ++num_frames;
}

/// A run that ended early has fewer frames than there is room for: they move to a file of their own size.
void TrajectoryWriter::Impl::drop_room_left() {
  TrajectoryHeader shorter = header;
  shorter.num_frames = num_frames;
  const std::string part_file = path + ".part";
  Impl out(part_file, shorter);
  VecX buffer(std::max<Index>(3 * num_nodes, static_cast<Index>(header.controls.size())));
  for (Index frame = 0; frame < num_frames; ++frame)
    for (int part = 0; part < kNumParts; ++part) {
      read_part(static_cast<Part>(part), frame, buffer.data());
      out.write_part(static_cast<Part>(part), frame, buffer.data());
    }
  out.write_count(num_frames);
  if (::fsync(out.descriptor) != 0) out.fail(errno);
  if (::rename(part_file.c_str(), path.c_str()) != 0) fail(errno);
}

void TrajectoryWriter::Impl::close() {
  if (descriptor < 0) return;
  // Some file systems report a full disk only when asked to sync.
  const int error = ::fsync(descriptor) != 0 ? errno : 0;
  if (error == 0 && num_frames < header.num_frames) {
    try {
      drop_room_left();
    } catch (const Error& e) {  // the file is whole and says how many of its frames count
      std::remove((path + ".part").c_str());
      log_warn(
          fmt::format("{}: only the first {} of {} frames are written; the room of the others could not "
                      "be given back: {}",
                      path, num_frames, header.num_frames, e.what()));
    }
  }
  ::close(std::exchange(descriptor, -1));
  if (error != 0) fail(error);
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
                              const SolveReport& report, const VecX& controls) {
  Impl& out = *impl_;
  if (out.descriptor < 0) throw Error(Errc::Internal, fmt::format("trajectory '{}' is closed", out.path));
  if (state.x.size() != 3 * out.num_nodes || state.v.size() != 3 * out.num_nodes)
    throw Error(Errc::Internal,
                fmt::format("trajectory '{}' has {} nodes, but a state of {} positions and {} "
                            "velocities was given",
                            out.path, out.num_nodes, state.x.size() / 3, state.v.size() / 3));
  if (controls.size() != static_cast<Index>(out.header.controls.size()))
    throw Error(Errc::Internal, fmt::format("trajectory '{}' has {} controls, but {} were given", out.path,
                                            out.header.controls.size(), controls.size()));
  if (out.num_frames == out.header.num_frames)
    throw Error(Errc::Internal,
                fmt::format("trajectory '{}' has room for {} frames only", out.path, out.header.num_frames));
  out.write_frame(step, state, energies, report, controls);
}

void TrajectoryWriter::close() {
  const hdf5::Session session;
  impl_->close();
}

}  // namespace resilin
