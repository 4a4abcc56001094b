#include "core/app/journaled_episodes.hpp"

#include "core/base/interrupt.hpp"

#include <fmt/format.h>

#include <utility>

namespace resilin::app {

JournaledEpisodes::JournaledEpisodes(Task& task, EpisodicObjective& episodes, const std::string& file,
                                     std::uint64_t problem, RecordFile::Open mode, StepBudget& spent,
                                     std::function<void(const std::string&)> show)
    : task_(task),
      episodes_(episodes),
      journal_(file, problem, episodes, mode),
      spent_(spent),
      show_(std::move(show)) {}

Episode JournaledEpisodes::run(ConstVec u, const MatX& noise) {
  if (interrupted()) throw Interrupted();
  spent_.require(num_steps(), "episode");
  ++count_;
  const std::uint64_t question = EpisodeJournal::question(u, noise);
  const EpisodeJournal::Record* known = journal_.next(question);
  if (known == nullptr) return simulate(u, noise, question);
  spent_.add({static_cast<Index>(known->forward_steps), 0});
  if (known->failed != 0)
    throw Error(Errc::Numerics, fmt::format("episode {}: failed when it was recorded", count_));
  return known->episode;
}

Episode JournaledEpisodes::simulate(ConstVec u, const MatX& noise, std::uint64_t question) {
  task_.on_step = nullptr;
  if (show_)
    task_.on_step = [this](Index step) {
      show_(fmt::format("episode {}, step {}/{}", count_, step, num_steps()));
    };
  EpisodeJournal::Record record{question, 0, 0, journal_.empty()};
  const auto keep = [&] {
    record.forward_steps = static_cast<std::uint64_t>(task_.last_steps.forward);
    journal_.append(record);
    spent_.add({task_.last_steps.forward, 0});
  };
  try {
    record.episode = episodes_.run(u, noise);
  } catch (const Error& e) {
    if (e.code() != Errc::Numerics) throw;
    record.failed = 1;
    keep();
    throw Error(e.code(), fmt::format("episode {}: {}", count_, e.message()));
  }
  keep();
  return record.episode;
}

}  // namespace resilin::app
