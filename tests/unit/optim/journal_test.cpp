#include "core/optim/journal.hpp"

#include "core/base/file.hpp"
#include "core/base/log.hpp"
#include "tests/unit/output/child_process.hpp"
#include "tests/unit/output/temp_folder.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <csignal>
#include <limits>
#include <sys/resource.h>
#include <unistd.h>

namespace resilin {
namespace {

using Open = EvaluationJournal::Open;
using Record = EvaluationJournal::Record;

constexpr std::uint64_t kProblem = 0xabcdef0123456789u;
constexpr Index kDimension = 3;
constexpr std::size_t kHeaderSize = 24, kRecordSize = 8 * (2 * kDimension + 7);

VecX theta_of(Index k) {
  return VecX::LinSpaced(kDimension, 0.1, 1.0 / (1.0 + static_cast<double>(k)));
}
Record record_of(Index k) {
  const VecX theta = theta_of(k);
  const auto n = static_cast<std::uint64_t>(k);
  Record r{theta, theta.squaredNorm(), 2 * theta, n / 2, 1e-9 * theta.sum(), 100 + n, 200 + n, 1 - n % 2};
  if (r.with_gradient == 0) r.gradient.setZero();
  return r;
}

class JournalTest : public testing::Test {
 protected:
  void SetUp() override {
    level_ = log_level();
    set_log_level(LogLevel::Off);
  }
  void TearDown() override { set_log_level(level_); }
  void write(Index count) {
    EvaluationJournal journal(file_, kProblem, kDimension, Open::Fresh);
    for (Index k = 0; k < count; ++k) journal.append(record_of(k));
  }
  /// Replays all records, and checks their bits.
  void replay(EvaluationJournal& journal, Index count) {
    ASSERT_EQ(journal.num_records(), count);
    for (Index k = 0; k < count; ++k) {
      const Record expected = record_of(k), *got = journal.next(theta_of(k), k % 2 == 0);
      ASSERT_NE(got, nullptr) << k;
      EXPECT_EQ(got->theta, expected.theta);
      EXPECT_EQ(got->loss, expected.loss);
      EXPECT_EQ(got->gradient, expected.gradient);
      EXPECT_EQ(got->iteration, expected.iteration);
      EXPECT_EQ(got->noise, expected.noise);
      EXPECT_EQ(got->forward_steps, expected.forward_steps);
      EXPECT_EQ(got->backward_steps, expected.backward_steps);
      EXPECT_EQ(got->with_gradient, expected.with_gradient);
    }
    EXPECT_EQ(journal.next(theta_of(count), true), nullptr);
    EXPECT_EQ(journal.num_replayed(), count);
  }
  TempFolder folder_;
  std::string file_ = folder_ / "journal";
  LogLevel level_ = LogLevel::Info;
};

TEST_F(JournalTest, ReplaysThenGoesOn) {
  write(4);
  {
    EvaluationJournal journal(file_, kProblem, kDimension, Open::Resume);
    replay(journal, 4);
    journal.append(record_of(4));
    EXPECT_EQ(journal.num_records(), 5);
    EXPECT_EQ(journal.next(theta_of(5), true), nullptr);  // what is new is not replayed
  }
  EvaluationJournal journal(file_, kProblem, kDimension, Open::Resume);
  replay(journal, 5);
}

TEST_F(JournalTest, FreshForgetsAndResumeWithoutFileStartsEmpty) {
  EXPECT_EQ(EvaluationJournal(file_, kProblem, kDimension, Open::Resume).num_records(), 0);
  EXPECT_EQ(read_file(file_).size(), kHeaderSize);
  write(3);
  EXPECT_EQ(EvaluationJournal(file_, kProblem, kDimension, Open::Resume).num_records(), 3);
  EXPECT_EQ(EvaluationJournal(file_, kProblem, kDimension, Open::Fresh).num_records(), 0);
}

TEST_F(JournalTest, TornTailIsCutOffAtEveryLength) {
  write(3);
  const std::string whole = read_file(file_);
  ASSERT_EQ(whole.size(), kHeaderSize + 3 * kRecordSize);
  for (std::size_t size = kHeaderSize; size < whole.size(); ++size) {
    write_file(file_, whole.substr(0, size));
    const Index kept = static_cast<Index>((size - kHeaderSize) / kRecordSize);
    EvaluationJournal journal(file_, kProblem, kDimension, Open::Resume);
    replay(journal, kept);
    EXPECT_EQ(read_file(file_).size(), kHeaderSize + static_cast<std::size_t>(kept) * kRecordSize);
    journal.append(record_of(kept));
    EXPECT_EQ(read_file(file_),
              whole.substr(0, kHeaderSize + static_cast<std::size_t>(kept + 1) * kRecordSize));
  }
}

TEST_F(JournalTest, LastRecordWithWrongBytesIsTorn) {
  write(3);
  std::string content = read_file(file_);
  content[content.size() - 20] ^= 1;
  write_file(file_, content);
  EvaluationJournal journal(file_, kProblem, kDimension, Open::Resume);
  replay(journal, 2);
}

TEST_F(JournalTest, TornHeaderStartsEmpty) {
  write(0);
  const std::string header = read_file(file_);
  for (std::size_t size = 0; size < kHeaderSize; ++size) {
    write_file(file_, header.substr(0, size));
    EXPECT_EQ(EvaluationJournal(file_, kProblem, kDimension, Open::Resume).num_records(), 0);
    EXPECT_EQ(read_file(file_), header);
  }
}

TEST_F(JournalTest, DamageBeforeTheEndIsNotCutOff) {
  write(3);
  std::string content = read_file(file_);
  content[kHeaderSize + kRecordSize + 5] ^= 1;
  write_file(file_, content);
  expect_error(Errc::Input, "is damaged: evaluation 1",
               [&] { EvaluationJournal(file_, kProblem, kDimension, Open::Resume); });
  EXPECT_EQ(read_file(file_), content);
}

TEST_F(JournalTest, AnotherProblemIsNamed) {
  write(1);
  expect_error(
      Errc::Input,
      "was written for another problem: its hash is abcdef0123456789, this one's is 0000000000000007",
      [&] { EvaluationJournal(file_, 7, kDimension, Open::Resume); });
  expect_error(Errc::Input, "was written for another problem: it has 3 parameters, this one has 4",
               [&] { EvaluationJournal(file_, kProblem, 4, Open::Resume); });
  write_file(file_, "something else that is longer than a header");
  expect_error(Errc::Input, "is no evaluation journal",
               [&] { EvaluationJournal(file_, kProblem, kDimension, Open::Resume); });
  write_file(file_, "short");
  expect_error(Errc::Input, "is no evaluation journal",
               [&] { EvaluationJournal(file_, kProblem, kDimension, Open::Resume); });
  EXPECT_EQ(read_file(file_), "short");
}

TEST_F(JournalTest, DivergenceByOneBitIsFound) {
  write(3);
  EvaluationJournal journal(file_, kProblem, kDimension, Open::Resume);
  journal.next(theta_of(0), true);
  VecX theta = theta_of(1);
  theta[2] = std::nextafter(theta[2], 2.0);
  expect_error(Errc::Internal, "replay diverged at evaluation 1", [&] { journal.next(theta, true); });
  expect_error(Errc::Internal, "replay diverged at evaluation 1", [&] { journal.next(VecX::Zero(2), true); });
  // That record holds a loss without a gradient.
  expect_error(Errc::Internal, "replay diverged at evaluation 1", [&] { journal.next(theta_of(1), true); });
  EXPECT_NE(journal.next(theta_of(1), false), nullptr);  // an error uses up no record
}

TEST_F(JournalTest, SignedZeroAndNanAreComparedByBits) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Record odd = record_of(0);
  odd.theta << 0.0, nan, 1.0;
  odd.loss = nan;
  odd.gradient[0] = -0.0;
  EvaluationJournal(file_, kProblem, kDimension, Open::Fresh).append(odd);
  EvaluationJournal journal(file_, kProblem, kDimension, Open::Resume);
  VecX negative = odd.theta;
  negative[0] = -0.0;
  expect_error(Errc::Internal, "replay diverged", [&] { journal.next(negative, true); });
  const Record* got = journal.next(odd.theta, true);
  ASSERT_NE(got, nullptr);
  EXPECT_EQ(std::bit_cast<std::uint64_t>(got->loss), std::bit_cast<std::uint64_t>(nan));
  EXPECT_TRUE(std::signbit(got->gradient[0]));
}

TEST_F(JournalTest, AppendingNeedsACompleteReplayAndTheRightSize) {
  write(2);
  EvaluationJournal journal(file_, kProblem, kDimension, Open::Resume);
  journal.next(theta_of(0), true);
  expect_error(Errc::Internal, "before all 2 recorded ones are replayed",
               [&] { journal.append(record_of(2)); });
  Record small = record_of(2);
  small.gradient.resize(2);
  expect_error(Errc::Internal, "has 3 parameters, but 3 values and 2 slopes", [&] { journal.append(small); });
  expect_error(Errc::Internal, "for 0 parameters",
               [&] { EvaluationJournal(folder_ / "n", 1, 0, Open::Fresh); });
}

TEST_F(JournalTest, OneRunAtATime) {
  const EvaluationJournal journal(file_, kProblem, kDimension, Open::Fresh);
  expect_error(Errc::Input, "is in use by another run",
               [&] { EvaluationJournal(file_, kProblem, kDimension, Open::Resume); });
}

TEST_F(JournalTest, FullDiskIsAnErrorAndLeavesWholeRecords) {
  EvaluationJournal journal(file_, kProblem, kDimension, Open::Fresh);
  journal.append(record_of(0));
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit tight{kHeaderSize + kRecordSize + 30, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &tight), 0);
  expect_error(Errc::Io, "cannot write journal", [&] { journal.append(record_of(1)); });
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(read_file(file_).size(), kHeaderSize + kRecordSize);
  journal.append(record_of(1));
  EXPECT_EQ(read_file(file_).size(), kHeaderSize + 2 * kRecordSize);
}

TEST_F(JournalTest, MissingFolderIsNamed) {
  expect_error(Errc::Io, "cannot open journal '/no/such/j': No such file",
               [] { EvaluationJournal("/no/such/j", 1, 1, Open::Fresh); });
}

TEST_F(JournalTest, KilledRunKeepsWhatWasAppended) {
  StepPipe steps;
  ASSERT_TRUE(steps.is_open());
  const pid_t child = start_child([&] {
    EvaluationJournal journal(file_, kProblem, kDimension, Open::Fresh);
    for (Index k = 0;; ++k) {
      journal.append(record_of(k));
      if (!steps.tell()) return 1;
    }
  });
  steps.only_wait();
  Index appended = 0;
  while (appended < 25 && steps.wait()) ++appended;
  ::kill(child, SIGKILL);
  while (steps.wait()) ++appended;
  EXPECT_EQ(exit_code_of(child), -1);
  EvaluationJournal journal(file_, kProblem, kDimension, Open::Resume);
  EXPECT_GE(journal.num_records(), appended);
  EXPECT_LE(journal.num_records(), appended + 1);
  replay(journal, journal.num_records());
}

/// What the journal is for: an optimizer that knows nothing of it is stopped anywhere and ends at the same
/// bits.
TEST_F(JournalTest, StoppedDescentEndsAtTheSameBits) {
  const auto descend = [&](Open mode, Index stop_after, Index& simulations) {
    EvaluationJournal journal(file_, kProblem, kDimension, mode);
    VecX theta = VecX::Constant(kDimension, 3.0);
    for (Index k = 0; k < 30; ++k) {
      const Record* known = journal.next(theta, true);
      Record record = known != nullptr ? *known : Record();
      if (known == nullptr) {
        if (simulations == stop_after) return theta;
        ++simulations;
        record = {theta, theta.array().cosh().sum(), theta.array().sinh().matrix(),
                  static_cast<std::uint64_t>(k)};
        journal.append(record);
      }
      theta -= 0.1 / (1 + record.loss) * record.gradient;
    }
    return theta;
  };
  Index simulations = 0;
  const VecX expected = descend(Open::Fresh, 100, simulations);
  EXPECT_EQ(simulations, 30);
  simulations = 0;
  descend(Open::Fresh, 11, simulations);
  simulations = 0;
  EXPECT_EQ(descend(Open::Resume, 100, simulations), expected);
  EXPECT_EQ(simulations, 19);
}

}  // namespace
}  // namespace resilin
