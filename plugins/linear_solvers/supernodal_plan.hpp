// Supernodal Cholesky factors, and who does what in a triangular solve with one.
#pragma once

#include "core/base/types.hpp"

#include <vector>

namespace resilin {

/// A factor L with P A P^T = L L^T, made of supernodes: runs of columns with the same rows below them, stored
/// as dense column-major panels [Chen, Davis, Hager and Rajamanickam 2008]. Everything is borrowed.
struct SupernodalFactor {
  Index size = 0, num_supernodes = 0;
  const int* permutation = nullptr;   ///< row of A that is each row of L
  const int* first_column = nullptr;  ///< per supernode, and the end
  const int* row_start = nullptr;     ///< into `rows`, per supernode, and the end
  const int* rows = nullptr;          ///< of each panel, ascending: those of its own columns first
  const int* value_start = nullptr;   ///< into `values`, per supernode
  const double* values = nullptr;

  Index num_columns(Index s) const { return first_column[s + 1] - first_column[s]; }
  Index num_rows(Index s) const { return row_start[s + 1] - row_start[s]; }
};

/// The elimination tree cut into subtrees, which several threads may handle, and what is above all of them.
struct SupernodalPlan {
  std::vector<std::vector<int>> tasks;  ///< supernodes of whole subtrees, ascending: children before parents
  std::vector<int> top;                 ///< supernodes above all tasks, ascending
  std::vector<int> inner_rows;  ///< per supernode: its leading rows that its own task (or the top) holds
  std::vector<int> top_row;     ///< number of each row among the rows of the top, or -1
  Index num_top_rows = 0, largest_panel = 0;
};

/// Depends on the pattern alone, so that the bits of a solve do not depend on the number of threads.
SupernodalPlan plan_supernodal(const SupernodalFactor& pattern);

}  // namespace resilin
