#include "core/base/parallel.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <stdexcept>

namespace resilin {
namespace {

class Parallel : public ::testing::TestWithParam<int> {
 protected:
  Parallel() { set_num_threads(GetParam()); }
  ~Parallel() override { set_num_threads(1); }
};

TEST_P(Parallel, VisitsEachItemOnceInChunksOfTheGrain) {
  for (const Index count : {Index(0), Index(1), Index(7), Index(64), Index(1000)})
    for (const Index grain : {Index(1), Index(7), Index(2000)}) {
      std::vector<std::atomic<int>> visits(static_cast<std::size_t>(count));
      std::atomic<Index> chunks{0};
      parallel_for(count, grain, [&](Index begin, Index end) {
        ++chunks;
        EXPECT_EQ(begin % grain, 0);
        EXPECT_LE(end - begin, grain);
        for (Index i = begin; i < end; ++i) ++visits[static_cast<std::size_t>(i)];
      });
      EXPECT_EQ(chunks, (count + grain - 1) / grain);
      for (const auto& v : visits) EXPECT_EQ(v, 1);
    }
}

TEST_P(Parallel, RethrowsTheExceptionOfTheFirstChunkThatThrows) {
  for (int repeat = 0; repeat < 20; ++repeat) {
    try {
      parallel_for(100, 1, [](Index begin, Index) {
        if (begin == 17 || begin == 43 || begin == 99)
          throw std::out_of_range("chunk " + std::to_string(begin));
      });
      ADD_FAILURE() << "nothing was thrown";
    } catch (const std::out_of_range& e) {
      EXPECT_STREQ(e.what(), "chunk 17");
    }
  }
  EXPECT_THROW(parallel_sum(10, 1, [](Index, Index) -> double { throw 3; }), int);
}

TEST_P(Parallel, CanBeUsedAgainAfterAnException) {
  EXPECT_THROW(parallel_for(10, 1, [](Index, Index) { throw std::runtime_error("x"); }), std::runtime_error);
  EXPECT_EQ(parallel_sum(10, 1, [](Index begin, Index) { return static_cast<double>(begin); }), 45);
}

TEST_P(Parallel, NestedLoopsRunInTheirOwnThread) {
  std::atomic<int> visits{0};
  parallel_for(8, 1, [&](Index, Index) { parallel_for(16, 1, [&](Index, Index) { ++visits; }); });
  EXPECT_EQ(visits, 128);
}

INSTANTIATE_TEST_SUITE_P(Threads, Parallel, ::testing::Values(1, 2, 4));

TEST(ParallelSum, HasTheSameBitsForAnyNumberOfThreads) {
  const auto sum = [](Index count) {
    return parallel_sum(count, 3, [](Index begin, Index end) {
      double s = 0;
      for (Index i = begin; i < end; ++i) s += std::sin(static_cast<double>(i)) / static_cast<double>(i + 1);
      return s;
    });
  };
  for (const Index count :
       {Index(10), Index(1000), Index(20000)}) {  // the last one needs more than 1024 chunks
    set_num_threads(1);
    const double one = sum(count);
    for (const int threads : {2, 3, 4}) {
      set_num_threads(threads);
      EXPECT_EQ(sum(count), one);
    }
  }
  set_num_threads(1);
  EXPECT_EQ(parallel_sum(0, 5, [](Index, Index) { return 1.0; }), 0);
}

TEST(NumThreads, ZeroTakesAllCores) {
  set_num_threads(3);
  EXPECT_EQ(num_threads(), 3);
  set_num_threads(0);
  EXPECT_GE(num_threads(), 1);
  set_num_threads(1);
  EXPECT_EQ(num_threads(), 1);
}

}  // namespace
}  // namespace resilin
