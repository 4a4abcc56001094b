// The forms of a Field in YAML; see field.hpp.
#include "core/base/file.hpp"
#include "core/params/text.hpp"
#include "core/params/value_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace resilin::detail {
namespace {

class FieldReader {
 public:
  FieldReader(const ValueReader& values, Diagnostics& diagnostics, const Spec& spec, Index components)
      : values_(values), diagnostics_(diagnostics), spec_(spec), components_(components) {}

  bool read(const TreeNode& node, const std::string& path, Field& field) {
    bool ok = false;
    std::vector<FieldDrive> drives;
    if (node.kind != TreeNode::Kind::Map) {
      MatX values;
      ok = read_step(node, path, values);
      if (ok) store({values}, field);
    } else if (node.find("file") != nullptr) {
      ok = check_keys(node, path, {"file", "per"}) && read_table_file(node, path, field);
    } else if (node.find("steps") != nullptr) {
      ok = check_keys(node, path, {"steps"}) &&
           read_steps(*node.find("steps"), join_path(path, "steps"), field);
    } else if (node.find("regions") != nullptr) {
      ok = check_keys(node, path, {"regions", "default"}) && read_regions(node, path, field, drives);
    } else if (node.find("signal") != nullptr) {
      ok = check_keys(node, path, {"signal", "scale", "offset"}) &&
           read_signal(node, path, drives.emplace_back());
      if (ok) store({MatX::Zero(components_, 1)}, field);
    } else {
      values_.fail(node, path, "expected 'steps', 'file', 'regions' or 'signal' in the map of a field");
    }
    if (!ok) return false;
    if (node.find("regions") == nullptr) field.regions.clear();
    field.drives = std::move(drives);
    return true;
  }

 private:
  bool check_keys(const TreeNode& node, const std::string& path, const std::vector<std::string>& known) {
    bool ok = true;
    for (const TreeNode::Entry& entry : node.entries) {
      if (std::find(known.begin(), known.end(), entry.key) != known.end()) continue;
      diagnostics_.error(entry.place, {},
                         "unknown key " + in_quotes(entry.key) + " in " + path + suggest(entry.key, known));
      ok = false;
    }
    return ok;
  }

  bool is_one_value(const TreeNode& node) const {
    if (components_ == 1) return node.kind != TreeNode::Kind::Sequence;
    return node.kind != TreeNode::Kind::Sequence || node.items.empty() ||
           node.items[0].kind != TreeNode::Kind::Sequence;
  }

  bool read_value(const TreeNode& node, const std::string& path, Eigen::Ref<VecX> out) {
    if (components_ == 1) return values_.real(node, path, spec_, out[0]);
    VecX value;
    if (!values_.reals(node, path, spec_, components_, value)) return false;
    out = value;
    return true;
  }

  /// A value or a list over items: one column an item.
  bool read_step(const TreeNode& node, const std::string& path, MatX& values) {
    if (is_one_value(node)) {
      values.resize(components_, 1);
      return read_value(node, path, values.col(0));
    }
    if (node.items.empty()) return values_.fail(node, path, "expected at least one value in the list");
    values.resize(components_, static_cast<Index>(node.items.size()));
    bool ok = true;
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      if (!read_value(node.items[i], indexed(path, i), values.col(static_cast<Index>(i)))) ok = false;
    }
    return ok;
  }

  bool read_steps(const TreeNode& node, const std::string& path, Field& field) {
    if (node.kind != TreeNode::Kind::Sequence || node.items.empty()) {
      return values_.expected(node, path, "a list with one entry per time step");
    }
    std::vector<MatX> steps(node.items.size());
    Index items = 1;
    bool ok = true;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (!read_step(node.items[i], indexed(path, i), steps[i])) {
        ok = false;
      } else if (steps[i].cols() > 1 && items > 1 && steps[i].cols() != items) {
        ok = values_.fail(
            node.items[i], indexed(path, i),
            fmt::format("expected {} values as in the steps before, got {}", items, steps[i].cols()));
      } else if (steps[i].cols() > 1) {
        items = steps[i].cols();
      }
    }
    if (!ok) return false;
    for (MatX& step : steps) {
      if (step.cols() == 1 && items > 1) step = step.col(0).replicate(1, items).eval();
    }
    store(steps, field);
    return true;
  }

  bool read_signal(const TreeNode& node, const std::string& path, FieldDrive& drive) {
    if (!spec_.differentiable)
      return values_.fail(node, path, "only what is differentiable can follow a signal; give it as values");
    const TreeNode& name = *node.find("signal");
    bool ok = values_.text(name, join_path(path, "signal"), drive.signal);
    if (ok && drive.signal.empty())
      ok = values_.fail(name, join_path(path, "signal"), "expected the name of a signal, got an empty name");
    for (const auto& [key, value] : {std::pair{"scale", &drive.scale}, {"offset", &drive.offset}})
      if (const TreeNode* given = node.find(key))
        ok = read_factor(*given, join_path(path, key), *value) && ok;
    return ok;
  }
  /// A number, or as many as an entry of the field has.
  bool read_factor(const TreeNode& node, const std::string& path, Vec3& out) const {
    const Spec any{.doc = ""};
    VecX read(1);
    if (components_ == 1 ? !values_.real(node, path, any, read[0])
                         : !values_.reals(node, path, any, components_, read))
      return false;
    out.head(components_) = read;
    return true;
  }

  bool read_regions(const TreeNode& node, const std::string& path, Field& field,
                    std::vector<FieldDrive>& drives) {
    const TreeNode &map = *node.find("regions"), *rest = node.find("default");
    const std::string regions_path = join_path(path, "regions");
    if (map.kind != TreeNode::Kind::Map || map.entries.empty())
      return values_.expected(map, regions_path, "a map with a value for each region");
    std::vector<std::string> names;
    std::vector<Field> parts;
    bool ok = true;
    for (const TreeNode::Entry& entry : map.entries) {
      if (entry.key == Field::kRestOfBody) {
        diagnostics_.error(entry.place, {}, "'default' stands beside 'regions', not among them, in " + path);
        return false;
      }
      names.push_back(entry.key);
      ok = read_region(entry.value, join_path(regions_path, entry.key), parts.emplace_back()) && ok;
    }
    if (rest != nullptr) {
      names.emplace_back(Field::kRestOfBody);
      ok = read_region(*rest, join_path(path, Field::kRestOfBody), parts.emplace_back()) && ok;
    }
    if (!ok || !join_regions(node, path, std::move(names), parts, field)) return false;
    for (const Field& part : parts) drives.push_back(part.drives.empty() ? FieldDrive{} : part.drives[0]);
    if (std::all_of(drives.begin(), drives.end(), [](const FieldDrive& d) { return d.signal.empty(); }))
      drives.clear();
    return true;
  }

  /// The value of one region, constant or per step.
  bool read_region(const TreeNode& node, const std::string& path, Field& part) {
    part.components = components_;
    if (node.kind == TreeNode::Kind::Map && node.find("regions") != nullptr)
      return values_.fail(node, path, "a region cannot be divided into regions");
    if (!read(node, path, part)) return false;
    if (part.items == 1) return true;
    return values_.fail(node, path, fmt::format("expected one value for the region, got {}", part.items));
  }

  bool join_regions(const TreeNode& node, const std::string& path, std::vector<std::string> names,
                    const std::vector<Field>& parts, Field& field) const {
    Index steps = 1;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (parts[i].steps == 1 || parts[i].steps == steps) continue;
      if (steps != 1)
        return values_.fail(node, path,
                            fmt::format("expected {} steps for '{}' as for the regions before, got {}", steps,
                                        names[i], parts[i].steps));
      steps = parts[i].steps;
    }
    field.steps = steps;
    field.items = static_cast<Index>(parts.size());
    field.regions = std::move(names);
    field.values.resize(steps * field.items * components_);
    for (Index step = 0; step < steps; ++step)
      for (Index i = 0; i < field.items; ++i)
        for (Index c = 0; c < components_; ++c)
          field.values[field.index(i, step, c)] = parts[static_cast<std::size_t>(i)].at(0, step, c);
    return true;
  }

  void store(const std::vector<MatX>& steps, Field& field) const {
    field.steps = static_cast<Index>(steps.size());
    field.items = steps[0].cols();
    const Index stride = field.items * components_;
    field.values.resize(field.steps * stride);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      field.values.segment(static_cast<Index>(i) * stride, stride) = steps[i].reshaped();
    }
  }

  bool read_table_file(const TreeNode& node, const std::string& path, Field& field) {
    const TreeNode& file_node = *node.find("file");
    const std::string file_path = join_path(path, "file");
    std::string per = "item";
    const TreeNode* per_node = node.find("per");
    std::string file;
    const bool per_ok =
        per_node == nullptr || values_.word(*per_node, join_path(path, "per"), {"item", "step"}, per);
    if (file_node.kind == TreeNode::Kind::Scalar && file_node.scalar.empty()) {
      return values_.fail(file_node, file_path, "expected the name of a file, got an empty name");
    }
    if (!values_.file(file_node, file_path, file) || !per_ok) return false;
    MatX table;
    try {
      table = read_table(file);
    } catch (const Error& e) {
      return values_.fail(file_node, file_path, e.what());
    }
    if (table.size() == 0) return values_.fail(file_node, file_path, "the table is empty");
    const bool by_step = per == "step";
    const bool fits = by_step ? table.cols() % components_ == 0 : table.cols() == components_;
    if (!fits) {
      return values_.fail(file_node, file_path,
                          fmt::format("expected {}{} columns in the table, got {}",
                                      by_step ? "a multiple of " : "", components_, table.cols()));
    }
    if (!check_table(table, file_node, file_path)) return false;
    field.steps = by_step ? table.rows() : 1;
    field.items = by_step ? table.cols() / components_ : table.rows();
    field.values = table.transpose().reshaped();  // row by row
    return true;
  }

  bool check_table(const MatX& table, const TreeNode& node, const std::string& path) {
    for (Index row = 0; row < table.rows(); ++row) {
      for (Index column = 0; column < table.cols(); ++column) {
        const double value = table(row, column);
        const bool finite = std::isfinite(value);
        if (finite && in_range(value, spec_)) continue;
        const std::string rule = finite ? "is outside of the range " + with_unit(range_text(spec_), spec_)
                                        : "is not a finite number";
        return values_.fail(node, path,
                            fmt::format("{} (row {}, column {} of the table) {}",
                                        with_unit(number_text(value), spec_), row + 1, column + 1, rule));
      }
    }
    return true;
  }

  const ValueReader& values_;
  Diagnostics& diagnostics_;
  const Spec& spec_;
  Index components_;
};

}  // namespace

bool ValueReader::field(const TreeNode& node, const std::string& path, const Spec& spec, Field& value) const {
  return FieldReader(*this, diagnostics_, spec, value.components).read(node, path, value);
}

}  // namespace resilin::detail
