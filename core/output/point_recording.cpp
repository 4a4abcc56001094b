#include "core/output/point_recording.hpp"

#include "core/base/file.hpp"
#include "core/geometry/rotation.hpp"
#include "core/mesh/io.hpp"
#include "core/output/trajectory_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

namespace resilin {
namespace {

/// What a file holds, before it is scaled, turned and moved.
struct Frames {
  std::vector<double> times;
  std::vector<Mat3X> places;
};

/// Reads for the selected vertices of a body; mistakes are strings that are thrown by whoever knows the key.
class FrameReader {
 public:
  FrameReader(const RecordingOptions& options, const BodyView& body, const std::vector<Index>& nodes,
              Index num_nodes)
      : options_(options), body_(body), nodes_(nodes), num_nodes_(num_nodes) {}

  Frames read() const {
    const std::string extension = std::filesystem::path(options_.file).extension().string();
    if (extension == ".h5") return trajectory();
    if (extension == ".csv" || extension == ".txt") return table();
    return meshes();
  }

 private:
  double time_of(std::size_t frame) const {
    return options_.start + static_cast<double>(frame) * options_.interval;
  }
  std::string counted(const std::string& file, Index vertices) const {
    return fmt::format("{} has {} vertices; body {} has {}", file, vertices, body_.name,
                       body_.mesh->num_vertices());
  }
  bool is_full(std::size_t frames) const {
    return options_.frames > 0 && static_cast<Index>(frames) >= options_.frames;
  }

  Frames trajectory() const {
    const TrajectoryReader reader(options_.file);
    if (reader.num_nodes() != num_nodes_)
      throw Error(Errc::Input, fmt::format("{} has {} vertices; the scene has {}", options_.file,
                                           reader.num_nodes(), num_nodes_));
    Frames frames;
    for (Index f = 0; f < reader.num_frames() && !is_full(frames.places.size()); ++f) {
      const State s = reader.state(f);
      frames.times.push_back(s.t);
      Mat3X& x = frames.places.emplace_back(3, static_cast<Index>(nodes_.size()));
      for (Index i = 0; i < x.cols(); ++i)
        x.col(i) = s.x.segment<3>(3 * (body_.first_node + nodes_[static_cast<std::size_t>(i)]));
    }
    return frames;
  }

  Frames table() const {
    const MatX rows = read_table(options_.file);
    const bool has_times = rows.cols() % 3 == 1;
    const Index all = body_.mesh->num_vertices(), selected = static_cast<Index>(nodes_.size());
    const Index given = rows.cols() / 3;
    if (rows.cols() % 3 == 2 || (given != all && given != selected))
      throw Error(
          Errc::Input,
          fmt::format("{} has {} columns; expected x, y, z of the {} vertices of body {} or of the {} "
                      "selected ones, {} or {} columns, with the time before them one more",
                      options_.file, rows.cols(), all, body_.name, selected, 3 * all, 3 * selected));
    Frames frames;
    for (Index f = 0; f < rows.rows() && !is_full(frames.places.size()); ++f) {
      frames.times.push_back(has_times ? rows(f, 0) : time_of(frames.times.size()));
      Mat3X& x = frames.places.emplace_back(3, selected);
      for (Index i = 0; i < selected; ++i) {
        const Index vertex = given == selected ? i : nodes_[static_cast<std::size_t>(i)];
        x.col(i) = rows.row(f).segment<3>((has_times ? 1 : 0) + 3 * vertex).transpose();
      }
    }
    return frames;
  }

  Frames meshes() const {
    Frames frames;
    for (std::string file = options_.file; !file.empty() && !is_full(frames.places.size());
         file = next_in_sequence(file)) {
      if (!frames.places.empty() && !std::filesystem::exists(file)) {
        if (options_.frames > 0)
          throw Error(Errc::Input,
                      fmt::format("{} frames are asked for, but there is no {}", options_.frames, file));
        break;
      }
      const Mesh mesh = read_mesh(file);
      if (mesh.num_vertices() != body_.mesh->num_vertices())
        throw Error(Errc::Input, counted(file, mesh.num_vertices()));
      frames.times.push_back(time_of(frames.times.size()));
      frames.places.emplace_back(mesh.vertices(Eigen::all, nodes_));
    }
    return frames;
  }

  /// "flag009.obj" -> "flag010.obj"; "" where the name ends with no digits.
  static std::string next_in_sequence(const std::string& file) {
    const std::filesystem::path path(file);
    std::string stem = path.stem().string();
    std::size_t first = stem.size();
    while (first > 0 && std::isdigit(static_cast<unsigned char>(stem[first - 1])) != 0) --first;
    std::size_t at = stem.size();
    while (at > first && stem[at - 1] == '9') stem[--at] = '0';
    if (at > first)
      ++stem[at - 1];
    else if (first < stem.size())
      stem.insert(first, "1");
    else
      return {};
    return (path.parent_path() / (stem + path.extension().string())).string();
  }

  const RecordingOptions& options_;
  const BodyView& body_;
  const std::vector<Index>& nodes_;
  Index num_nodes_;
};

}  // namespace

void RecordingOptions::visit(ParamVisitor& v) {
  v.path("file", file,
         {.doc = "CSV file with a row for each frame (x, y, z of each vertex of the body or of each selected "
                 "one, the time before them or left out), trajectory.h5, or the first of a numbered sequence "
                 "of mesh files",
          .required = true});
  v.integer("frames", frames, {.doc = "how many frames are read; 0: all", .min = 0, .max = 1e9});
  v.real("interval", interval,
         {.doc = "time from frame to frame where the file has no times",
          .unit = "s",
          .min = 0,
          .max = 1e6,
          .open = true});
  v.real("start", start, {.doc = "time of the first frame where the file has no times", .unit = "s"});
  v.real("scale", scale, {.doc = "factor on all places", .min = 0, .max = 1e6, .open = true});
  v.vec3("rotation", rotation,
         {.doc = "rotation vector (axis times angle) about the origin, after scaling", .unit = "rad"});
  v.vec3("translation", translation, {.doc = "added to all places last", .unit = "m"});
}

PointRecording::PointRecording(const RecordingOptions& options, const BodyView& body,
                               const std::vector<Index>& nodes, const std::string& key,
                               const BuildContext& context) {
  Frames frames;
  try {
    frames = FrameReader(options, body, nodes, context.num_nodes).read();
  } catch (const Error& e) {
    if (!e.where().empty()) throw;  // says where already
    throw context.input_error(key + ".file", e.message());
  }
  if (frames.times.empty()) throw context.input_error(key + ".file", options.file + " has no frames");
  for (std::size_t f = 1; f < frames.times.size(); ++f)
    if (!(frames.times[f] > frames.times[f - 1]))
      throw context.input_error(
          key + ".file", fmt::format("{}: times must rise; {} s follows {} s in frame {}", options.file,
                                     frames.times[f], frames.times[f - 1], f + 1));
  times_ = Eigen::Map<const VecX>(frames.times.data(), static_cast<Index>(frames.times.size()));
  places_ = std::move(frames.places);
  const Mat3 turn = options.scale * rotation_matrix(options.rotation);
  for (Mat3X& x : places_) x = ((turn * x).colwise() + options.translation).eval();
}

KeyBlend PointRecording::at(double t) const {
  StepContext c;
  c.time = t;
  return blend_at(times_, c);
}

}  // namespace resilin
