// All differentiable parameters of a system by path, as one vector theta.
#pragma once

#include "core/params/visitor.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace resilin {

struct ParameterEntry {
  std::string path;          ///< "bodies.beam.materials[0].youngs_modulus"
  Index offset = 0;          ///< first entry in theta
  Index size = 0;            ///< number of entries
  double* values = nullptr;  ///< live storage, `size` numbers
  double min = 0, max = 0;   ///< range of each entry
  bool open = false;         ///< ends excluded
  std::string unit;
};

/// A field that follows signals, all of it: its entries have a place in theta, where their gradient is
/// collected, but are no parameters of their own.
struct DrivenField {
  ParameterEntry entry;
  Field* field = nullptr;  ///< live
};

/// Whether "a.*.b[*].c" stands for a path: "[*]" for any index and "*" for any one name between dots.
RESILIN_API bool matches_path(std::string_view pattern, std::string_view path);

/// Entries in the order in which they were added; each component's parameters are contiguous.
class RESILIN_API ParameterTable {
 public:
  /// Adds every differentiable field that `visit` names, under `prefix`; returns how many numbers were added.
  Index add(const std::string& prefix, ParamVisitor::Body visit);

  Index size() const { return size_; }
  const std::vector<ParameterEntry>& entries() const { return entries_; }
  const std::vector<DrivenField>& driven() const { return driven_; }
  /// Entries whose path matches (matches_path). The value of one region of a parameter that is constant in
  /// time has a path of its own that is no entry but a part of one:
  /// "bodies.beam.materials[0].youngs_modulus[stem]". Throws Error(Input) with the nearest path if none
  /// matches.
  std::vector<const ParameterEntry*> find(const std::string& pattern) const;

  VecX values() const;
  /// Writes theta to the live storage of the entries, not to driven fields; the caller tells the components
  /// afterwards. Throws Error(Input) naming path, value and range if one is outside its range or not finite.
  void assign(ConstVec theta) const;

 private:
  std::vector<ParameterEntry> entries_, regions_;
  std::vector<DrivenField> driven_;
  Index size_ = 0;
};

}  // namespace resilin
