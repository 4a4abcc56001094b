// Gradients of trajectories that do not fit into the memory: only some states are kept, what lies between
// them is computed once more on the way back.
#pragma once

#include "core/solve/integrator.hpp"

#include <vector>

namespace resilin {

/// Where the states of a rollout are kept. Bytes of one state: positions, velocities.
struct RESILIN_API CheckpointPlan {
  Index leaf = 0;   ///< most steps whose states are held at once
  Index slots = 0;  ///< checkpoints beside the start, of two states each
  bool uniform = true;

  /// Holds all steps.
  bool keeps_all(Index steps) const { return leaf >= steps; }
  /// Steps at which the first pass leaves checkpoints.
  std::vector<Index> first_points(Index steps) const;
  /// Next checkpoint between `from` and `to` (more than a leaf apart) with `free` slots left: each piece of a
  /// leaf in turn, or the split by which every step is computed least often [Griewank and Walther 2000,
  /// Algorithm 799].
  Index split(Index from, Index to, Index free) const;
};

/// The plan that computes the fewest steps again within `budget` bytes (0: no limit). mode: "automatic"
/// (uniform if that fits, else binomial), "uniform", "binomial". on_disk: checkpoints cost no memory. Throws
/// Error(Input) that says what would do if the budget is too small.
RESILIN_API CheckpointPlan plan_checkpoints(Index steps, Index num_dofs, double budget,
                                            const std::string& mode, bool on_disk);

/// Checkpoints in memory, or in a file without a name in `folder`, which vanishes with the process.
class RESILIN_API CheckpointStore {
 public:
  explicit CheckpointStore(const std::string& folder);  ///< "": in memory
  ~CheckpointStore();
  CheckpointStore(const CheckpointStore&) = delete;
  CheckpointStore& operator=(const CheckpointStore&) = delete;

  /// A tape that a rollout can go on from (its last two states and the record between them), at `step`.
  void push(Index step, Tape tape);
  bool empty() const { return entries_.empty(); }
  Index size() const { return static_cast<Index>(entries_.size()); }
  Index top_step() const { return entries_.back().step; }
  Tape top() const;
  void pop();

 private:
  struct Entry {
    Index step;
    Tape tape;  ///< without states if those are in the file
    std::vector<Index> sizes;
    std::uint64_t offset;
  };
  void write(Entry& entry);

  std::vector<Entry> entries_;
  std::string folder_;
  int file_ = -1;
};

}  // namespace resilin
