// Files of the cases of published cloth code (shared data, not everywhere present).
#pragma once

#include "core/base/file.hpp"
#include "tests/support/json_value.hpp"
#include "tests/support/scenes.hpp"

#include <fmt/format.h>

#include <string>

namespace resilin::test {

inline std::string cloth_case_folder(const std::string& name) {
  return std::string(RESILIN_SOURCE_DIR) + "/../shared/reference/cases/diffcloth/" + name + "/";
}
/// All numbers of a table, row by row.
inline VecX read_column(const std::string& file) {
  return read_table(file).transpose().reshaped();
}
inline VecX numbers_of(const JsonValue& list) {
  VecX v(static_cast<Index>(list.items.size()));
  for (std::size_t i = 0; i < list.items.size(); ++i) v[static_cast<Index>(i)] = list.items[i].number;
  return v;
}
inline JsonValue read_json(const std::string& file) {
  return JsonReader::read(read_file(file));
}
/// The sheet of a case as an .obj.
inline std::string cloth_case_mesh(const std::string& data) {
  const MatX x = read_table(data + "x0.csv"), faces = read_table(data + "faces.csv");
  std::string text;
  for (Index i = 0; i < x.rows(); ++i)
    text += fmt::format("v {:.17g} {:.17g} {:.17g}\n", x(i, 0), x(i, 1), x(i, 2));
  for (Index f = 0; f < faces.rows(); ++f)
    text += fmt::format("f {} {} {}\n", faces(f, 0) + 1, faces(f, 1) + 1, faces(f, 2) + 1);
  return text;
}
/// r_i = sin(0.7 i + 0.3), the weights of the linear loss of all cases.
inline VecX linear_weights(Index size) {
  VecX r(size);
  for (Index i = 0; i < size; ++i) r[i] = std::sin(0.7 * static_cast<double>(i) + 0.3);
  return r;
}

}  // namespace resilin::test
