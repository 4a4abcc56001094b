#include "core/solve/checkpoints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <unistd.h>

namespace resilin {
namespace {

/// States that a backward pass holds beside tape and checkpoints: two or three adjoints, and the state that
/// is being computed.
constexpr Index kOthers = 5;

/// C(c + t, c): steps that c checkpoints can reverse if none is computed more than t times; capped, for it
/// grows beyond all numbers.
double reach(Index checkpoints, Index times) {
  double value = 1;
  for (Index k = 1; k <= checkpoints; ++k) {
    value *= static_cast<double>(times + k) / static_cast<double>(k);
    if (value > 1e15) return 1e15;
  }
  return value;
}

Index pieces(Index steps, Index leaf) {
  return (steps + leaf - 1) / leaf;
}

/// Without a limit, what the mode is best at: as many checkpoints as steps between them.
CheckpointPlan unlimited(Index steps, const std::string& mode) {
  const double n = static_cast<double>(steps);
  const auto leaf = static_cast<Index>(std::ceil(mode == "uniform" ? std::sqrt(2 * n) : std::cbrt(n)));
  const Index slots = mode == "uniform" ? pieces(steps, leaf) - 1 : std::min(leaf, pieces(steps, leaf));
  return {leaf, slots, mode == "uniform"};
}

[[noreturn]] void too_small(Index steps, double state, double budget, const std::string& mode, Index states) {
  throw Error(
      Errc::Input,
      fmt::format("memory.budget: {:.4g} MB is not enough: {} checkpoints of {} steps need {:.4g} MB{}",
                  1e-6 * budget, mode, steps, 1e-6 * state * static_cast<double>(states),
                  mode == "uniform" ? " (binomial ones need less)" : ""));
}

}  // namespace

std::vector<Index> CheckpointPlan::first_points(Index steps) const {
  std::vector<Index> points;
  Index at = 0;
  while (steps - at > leaf && static_cast<Index>(points.size()) < slots) {
    at = split(at, steps, slots - static_cast<Index>(points.size()));
    points.push_back(at);
  }
  return points;
}

Index CheckpointPlan::split(Index from, Index to, Index free) const {
  const Index n = pieces(to - from, leaf);
  if (uniform || free >= n - 1) return from + leaf;
  Index times = 1;
  while (reach(free, times) < static_cast<double>(n)) ++times;
  // The later part has one slot less, the earlier one is computed once more: neither may exceed its reach.
  const auto later = static_cast<Index>(std::min(reach(free - 1, times), static_cast<double>(n - 1)));
  return from + std::max<Index>(1, n - later) * leaf;
}

CheckpointPlan plan_checkpoints(Index steps, Index num_dofs, double budget, const std::string& mode,
                                bool on_disk) {
  const double state = 16.0 * static_cast<double>(num_dofs);
  const auto all = std::isinf(budget) || budget == 0 ? std::numeric_limits<Index>::max()
                                                     : static_cast<Index>(std::min(budget / state, 1e15));
  if (all - kOthers >= steps + 1 && mode == "automatic") return {steps, 0, true};
  if (budget == 0) return unlimited(steps, mode);
  const Index cost = on_disk ? 0 : 2;  // states of a checkpoint
  const Index room = std::min<Index>(all - kOthers, steps + 1);
  if (mode != "binomial") {
    // As many steps in a leaf as leave room for the checkpoints: leaf + 1 + cost (pieces - 1) states.
    for (Index leaf = std::min(room - 1, steps); leaf >= 1; --leaf) {
      const Index slots = pieces(steps, leaf) - 1;
      const Index needed = leaf + 1 + cost * slots;
      if (needed <= room && (slots > 0 || mode == "automatic")) return {leaf, slots, true};
    }
    const auto best = static_cast<Index>(std::ceil(std::sqrt(2.0 * static_cast<double>(steps))));
    if (mode == "uniform" || on_disk)
      too_small(steps, state, budget, mode, kOthers + best + 1 + cost * pieces(steps, best));
  }
  // Half of the room for the leaf, half for checkpoints: both shorten the way back alike.
  const Index leaf = std::max<Index>(1, (room - 1) / 2), slots = cost == 0 ? steps : (room - 1 - leaf) / cost;
  if (room < 4 || slots < 1) too_small(steps, state, budget, "binomial", kOthers + 4);
  return {leaf, std::min(slots, pieces(steps, leaf)), false};
}

CheckpointStore::CheckpointStore(const std::string& folder) : folder_(folder) {
  if (folder.empty()) return;
  std::string name = folder + "/resilin-checkpoints-XXXXXX";
  file_ = ::mkstemp(name.data());
  if (file_ < 0)
    throw Error(Errc::Io,
                fmt::format("memory.spill: cannot make a file in '{}': {}", folder, std::strerror(errno)));
  ::unlink(name.c_str());
}

CheckpointStore::~CheckpointStore() {
  if (file_ >= 0) ::close(file_);
}

void CheckpointStore::push(Index step, Tape tape) {
  entries_.push_back({step, std::move(tape), {}, 0});
  if (file_ < 0) return;
  Entry& e = entries_.back();
  if (entries_.size() > 1) {
    const Entry& last = entries_[entries_.size() - 2];
    e.offset = last.offset;
    for (const Index size : last.sizes) e.offset += 16 * static_cast<std::uint64_t>(size);
  }
  write(e);
}

void CheckpointStore::write(Entry& e) {
  auto at = static_cast<off_t>(e.offset);
  for (State& s : e.tape.states) {
    e.sizes.push_back(s.x.size());
    for (VecX* part : {&s.x, &s.v}) {
      const auto* data = reinterpret_cast<const char*>(part->data());
      for (auto left = 8 * static_cast<std::size_t>(part->size()); left > 0;) {
        const ssize_t done = ::pwrite(file_, data, left, at);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0)
          throw Error(Errc::Io, fmt::format("memory.spill: cannot write to '{}': {}", folder_,
                                            std::strerror(done == 0 ? ENOSPC : errno)));
        data += done, at += done, left -= static_cast<std::size_t>(done);
      }
      part->resize(0);
    }
  }
}

Tape CheckpointStore::top() const {
  const Entry& e = entries_.back();
  Tape tape = e.tape;
  auto at = static_cast<off_t>(e.offset);
  for (std::size_t i = 0; i < e.sizes.size(); ++i)
    for (VecX* part : {&tape.states[i].x, &tape.states[i].v}) {
      part->resize(e.sizes[i]);
      auto* data = reinterpret_cast<char*>(part->data());
      for (auto left = 8 * static_cast<std::size_t>(part->size()); left > 0;) {
        const ssize_t done = ::pread(file_, data, left, at);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0)
          throw Error(Errc::Io, fmt::format("memory.spill: cannot read from '{}': {}", folder_,
                                            done == 0 ? "the file is too short" : std::strerror(errno)));
        data += done, at += done, left -= static_cast<std::size_t>(done);
      }
    }
  return tape;
}

void CheckpointStore::pop() {
  entries_.pop_back();
}

}  // namespace resilin
