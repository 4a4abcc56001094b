// How nodes that a step holds besides the pins enter the factor of its constant matrix.
#pragma once

namespace resilin {

/// Schur: by the Schur complement of the factor that does not know them. Refactor: by a factor of the matrix
/// without them. Counted: by what takes less work, counted and not timed, so that a run can be repeated to
/// the bit; it depends on the matrix and on the held nodes, not on what was held before.
enum class HoldBy { Schur, Refactor, Counted };

}  // namespace resilin
