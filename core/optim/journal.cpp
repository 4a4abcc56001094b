#include "core/optim/journal.hpp"

#include "core/base/error.hpp"
#include "core/base/hash.hpp"
#include "core/optim/record_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace resilin {
namespace {

constexpr std::size_t kWord = 8;
constexpr JournalKind kEvaluations{"RSLNJRN3", "evaluation"};
constexpr std::size_t kNumWords = 5;  // of an evaluation behind its gradient
constexpr JournalKind kEpisodes{"RSLNEPI1", "episode"};
constexpr std::size_t kEpisodeHead = 4;  // words of an episode before its matrices

std::size_t words_of_evaluation(Index dimension) {
  return 2 * static_cast<std::size_t>(dimension) + 1 + kNumWords;
}

/// Goes over the words of a record.
class Words {
 public:
  explicit Words(char* at) : at_(at) {}
  template <class T>
  void put(const T& value) {
    static_assert(sizeof(T) == kWord);
    std::memcpy(at_, &value, kWord);
    at_ += kWord;
  }
  template <class T>
  void get(T& value) {
    static_assert(sizeof(T) == kWord);
    std::memcpy(&value, at_, kWord);
    at_ += kWord;
  }
  void put(const double* numbers, Index count) {
    std::memcpy(at_, numbers, static_cast<std::size_t>(count) * kWord);
    at_ += static_cast<std::size_t>(count) * kWord;
  }
  void get(double* numbers, Index count) {
    std::memcpy(numbers, at_, static_cast<std::size_t>(count) * kWord);
    at_ += static_cast<std::size_t>(count) * kWord;
  }

 private:
  char* at_;
};

}  // namespace

struct EvaluationJournal::Impl {
  Impl(const std::string& path, std::uint64_t problem, Index dimension, Open mode)
      : n(dimension), file(path, kEvaluations, problem, dimension, words_of_evaluation(dimension), mode) {
    current.theta.resize(n);
    current.gradient.resize(n);
  }
  Index n;
  RecordFile file;
  Record current;
};

EvaluationJournal::EvaluationJournal(const std::string& file, std::uint64_t problem, Index dimension,
                                     Open mode) {
  if (dimension < 1)
    throw Error(Errc::Internal, fmt::format("journal '{}' for {} parameters", file, dimension));
  impl_ = std::make_unique<Impl>(file, problem, dimension, mode);
}

EvaluationJournal::~EvaluationJournal() = default;

void EvaluationJournal::append(const Record& record) {
  Impl& out = *impl_;
  if (record.theta.size() != out.n || record.gradient.size() != out.n)
    throw Error(Errc::Internal,
                fmt::format("journal '{}' has {} parameters, but {} values and {} slopes were given",
                            out.file.path(), out.n, record.theta.size(), record.gradient.size()));
  Words words(out.file.record());
  words.put(record.theta.data(), out.n);
  words.put(record.loss);
  words.put(record.gradient.data(), out.n);
  words.put(record.iteration);
  words.put(record.noise);
  words.put(record.forward_steps);
  words.put(record.backward_steps);
  words.put(record.with_gradient);
  out.file.append();
}

const EvaluationJournal::Record* EvaluationJournal::next(const ConstVec& theta, bool with_gradient) {
  Impl& in = *impl_;
  if (!in.file.read_next()) return nullptr;
  Record& r = in.current;
  Words words(in.file.record());
  words.get(r.theta.data(), in.n);
  words.get(r.loss);
  words.get(r.gradient.data(), in.n);
  words.get(r.iteration);
  words.get(r.noise);
  words.get(r.forward_steps);
  words.get(r.backward_steps);
  words.get(r.with_gradient);
  // Bits, not values: 0 and -0 lead to different iterates, and a NaN is equal to itself here.
  const auto bytes = static_cast<std::size_t>(in.n) * kWord;
  if (theta.size() != in.n || std::memcmp(theta.data(), r.theta.data(), bytes) != 0 ||
      with_gradient != (r.with_gradient != 0))
    in.file.diverged();
  in.file.accept();
  return &r;
}

Index EvaluationJournal::num_records() const {
  return impl_->file.num_records();
}
Index EvaluationJournal::num_replayed() const {
  return impl_->file.num_replayed();
}

struct EpisodeJournal::Impl {
  Impl(const std::string& path, std::uint64_t problem, const EpisodicObjective& o, Open mode)
      : inputs(o.num_inputs()),
        outputs(o.num_outputs()),
        steps(o.num_steps()),
        file(path, kEpisodes, problem, steps * (inputs + outputs + 1),
             kEpisodeHead + static_cast<std::size_t>(steps * (inputs + outputs + 1)), mode) {}
  Index inputs, outputs, steps;
  RecordFile file;
  Record current;
};

EpisodeJournal::EpisodeJournal(const std::string& file, std::uint64_t problem,
                               const EpisodicObjective& episodes, Open mode)
    : impl_(std::make_unique<Impl>(file, problem, episodes, mode)) {}

EpisodeJournal::~EpisodeJournal() = default;

std::uint64_t EpisodeJournal::question(ConstVec u, const MatX& noise) {
  const std::uint64_t parts[] = {
      fnv1a64(reinterpret_cast<const char*>(u.data()), static_cast<std::size_t>(u.size()) * kWord),
      fnv1a64(reinterpret_cast<const char*>(noise.data()), static_cast<std::size_t>(noise.size()) * kWord)};
  return fnv1a64(reinterpret_cast<const char*>(parts), sizeof parts);
}

void EpisodeJournal::append(const Record& record) {
  Impl& out = *impl_;
  const Episode& e = record.episode;
  if (e.observations.rows() != out.inputs || e.outputs.rows() != out.outputs || e.rewards.size() != out.steps)
    throw Error(Errc::Internal, fmt::format("journal '{}': an episode of another size", out.file.path()));
  Words words(out.file.record());
  words.put(record.question);
  words.put(record.forward_steps);
  words.put(record.failed);
  words.put(e.loss);
  words.put(e.observations.data(), e.observations.size());
  words.put(e.outputs.data(), e.outputs.size());
  words.put(e.rewards.data(), e.rewards.size());
  out.file.append();
}

const EpisodeJournal::Record* EpisodeJournal::next(std::uint64_t question) {
  Impl& in = *impl_;
  if (!in.file.read_next()) return nullptr;
  Record& r = in.current;
  r.episode = empty();
  Words words(in.file.record());
  words.get(r.question);
  words.get(r.forward_steps);
  words.get(r.failed);
  words.get(r.episode.loss);
  words.get(r.episode.observations.data(), r.episode.observations.size());
  words.get(r.episode.outputs.data(), r.episode.outputs.size());
  words.get(r.episode.rewards.data(), r.episode.rewards.size());
  if (r.question != question) in.file.diverged();
  in.file.accept();
  return &r;
}

Episode EpisodeJournal::empty() const {
  const Impl& i = *impl_;
  return {MatX::Zero(i.inputs, i.steps), MatX::Zero(i.outputs, i.steps), VecX::Zero(i.steps), 0};
}

Index EpisodeJournal::num_replayed() const {
  return impl_->file.num_replayed();
}

}  // namespace resilin
