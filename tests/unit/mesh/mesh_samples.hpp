// Small meshes and files for the tests of core/mesh.
#pragma once

#include "core/base/error.hpp"
#include "core/mesh/mesh.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

namespace resilin::testing {

/// A folder of its own for each test, removed with it.
class Folder {
 public:
  Folder() {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    path_ = std::filesystem::path(::testing::TempDir()) /
            (std::string("resilin_mesh_") + info->test_suite_name() + "_" + info->name());
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string file(const std::string& name) const { return (path_ / name).string(); }
  std::string write(const std::string& name, const std::string& content) const {
    std::ofstream(file(name), std::ios::binary) << content;
    return file(name);
  }

 private:
  std::filesystem::path path_;
};

/// Bytes of a number, most significant first if `big_endian`.
template <class T>
std::string bytes_of(T value, bool big_endian) {
  std::string bytes(sizeof(T), '\0');
  std::memcpy(bytes.data(), &value, sizeof(T));
  if (big_endian) bytes.assign(bytes.rbegin(), bytes.rend());
  return bytes;
}

/// Expects an Error(Input) at `where` (file name left out) whose message contains `part`.
inline void expect_input_error(const std::function<void()>& action, const std::string& file,
                               const std::string& where, const std::string& part) {
  try {
    action();
    ADD_FAILURE() << "no error; expected one with '" << part << "'";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::Input) << error.what();
    EXPECT_EQ(error.where(), file + where) << error.what();
    EXPECT_NE(error.message().find(part), std::string::npos) << error.what();
  }
}

/// Volume enclosed by faces, by the divergence theorem. A quad is a bilinear patch: its flux is exactly the
/// mean of its two splits into triangles.
inline double enclosed_volume(const Mat3X& x, const SurfaceFaces& surface) {
  const auto cone = [&](int a, int b, int c) { return x.col(a).cross(x.col(b)).dot(x.col(c)) / 6.0; };
  double volume = 0;
  for (Index f = 0; f < surface.faces.cols(); ++f) {
    const auto n = surface.faces.col(f);
    volume += surface.nodes_per_face == 3 ? cone(n[0], n[1], n[2])
                                          : 0.5 * (cone(n[0], n[1], n[2]) + cone(n[0], n[2], n[3]) +
                                                   cone(n[0], n[1], n[3]) + cone(n[1], n[2], n[3]));
  }
  return volume;
}

/// Triangles of a surface whose faces are triangles or quads.
inline Mesh triangles_of(const Mesh& mesh) {
  const SurfaceFaces surface = extract_surface(mesh);
  const Index per = surface.nodes_per_face - 2;
  Mesh result;
  result.type = ElementType::Tri3;
  result.vertices = mesh.vertices;
  result.elements.resize(3, surface.faces.cols() * per);
  for (Index f = 0; f < surface.faces.cols(); ++f)
    for (Index t = 0; t < per; ++t)
      result.elements.col(f * per + t) << surface.faces(0, f), surface.faces(t + 1, f),
          surface.faces(t + 2, f);
  return result;
}

}  // namespace resilin::testing
