// What an interrupted optimisation has already computed.
#pragma once

#include "core/optim/episode.hpp"
#include "core/optim/record_file.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace resilin {

/// A deterministic optimizer asks for the loss and its gradient at points that follow only from the answers
/// before. So an optimizer that is started anew and fed the recorded answers asks for exactly the same
/// points, bit for bit, until the record ends, and goes on from there as if it had never been stopped. Hence
/// any optimizer is resumable without saving its inner state, which a plugin may not even be able to name;
/// the price is a replay without simulations. A point that differs proves that the optimizer or the problem
/// has changed, and is an error.
///
/// File: "RSLNJRN3", problem hash, dimension n (8 bytes each), then records of theta (n doubles), loss,
/// gradient (n doubles, zero where none was asked for), iteration, noise (Objective::noise), the steps that
/// were simulated forward and backward, 1 or 0 for whether a gradient was asked for, and the FNV-1a checksum
/// of the record's bytes before it; numbers as in memory, 64 bits. A loss that is not a number: the
/// evaluation failed.
class RESILIN_API EvaluationJournal {
 public:
  struct Record {
    VecX theta;
    double loss = 0;
    VecX gradient;
    std::uint64_t iteration = 0;
    double noise = 0;
    std::uint64_t forward_steps = 0, backward_steps = 0;
    std::uint64_t with_gradient = 1;
  };
  using Open = RecordFile::Open;

  /// As RecordFile says.
  EvaluationJournal(const std::string& file, std::uint64_t problem, Index dimension, Open mode);
  ~EvaluationJournal();
  EvaluationJournal(const EvaluationJournal&) = delete;
  EvaluationJournal& operator=(const EvaluationJournal&) = delete;

  /// On the disk when it returns; throws Error(Io), after which the journal is as it was before. Not before
  /// all recorded evaluations are replayed, else Error(Internal).
  void append(const Record& record);
  /// The next recorded evaluation, valid until the next call, or nullptr when all are replayed. Throws
  /// Error(Internal) if it was made at a theta that is not the same bits, or another thing was asked for
  /// there.
  const Record* next(const ConstVec& theta, bool with_gradient);
  Index num_records() const;   ///< in the file, old and new
  Index num_replayed() const;  ///< given out by next()

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// The same for episodes (EpisodicObjective::run). File: "RSLNEPI1", problem hash, numbers of the matrices,
/// then records of the hash of weights and noise, the steps that were simulated, 1 if the episode failed
/// (else 0), its loss, observations, outputs and rewards, and the checksum. That is much where many vertices
/// are seen; to simulate them again would cost far more.
class RESILIN_API EpisodeJournal {
 public:
  struct Record {
    std::uint64_t question = 0;  ///< see question()
    std::uint64_t forward_steps = 0, failed = 0;
    Episode episode;  ///< zeros if it failed
  };
  using Open = RecordFile::Open;

  EpisodeJournal(const std::string& file, std::uint64_t problem, const EpisodicObjective& episodes,
                 Open mode);
  ~EpisodeJournal();
  EpisodeJournal(const EpisodeJournal&) = delete;
  EpisodeJournal& operator=(const EpisodeJournal&) = delete;

  /// Stands for a run with these bits.
  static std::uint64_t question(ConstVec u, const MatX& noise);
  Episode empty() const;                       ///< zeros of the right sizes
  void append(const Record& record);           ///< as EvaluationJournal
  const Record* next(std::uint64_t question);  ///< as EvaluationJournal
  Index num_replayed() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace resilin
