#include "extender/engine/workers.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <new>
#include <numeric>

namespace winnow {
namespace {

/// The number of times that each index of [0, n) was given out, and the longest chunk.
struct Coverage {
  std::vector<int> times;
  std::size_t longest = 0;
};

Coverage cover(Workers& workers, std::size_t n, std::size_t grain) {
  std::vector<int> times(n, 0);  // One writer a slot: the thread sanitizer would see a second.
  std::atomic<std::size_t> longest = 0;
  workers.for_each_chunk(n, grain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) ++times[i];
    std::size_t seen = longest;
    while (seen < end - begin && !longest.compare_exchange_weak(seen, end - begin)) continue;
  });
  return {times, longest};
}

}  // namespace

TEST_CASE("every index is given out once, in chunks of the grain") {
  for (const unsigned helpers : {0u, 1u, 4u}) {
    Workers workers(helpers);
    for (const std::size_t n : {0u, 1u, 7u, 8u, 9u, 1000u})
      for (const std::size_t grain : {1u, 8u, 1000u}) {
        CAPTURE(helpers);
        CAPTURE(n);
        CAPTURE(grain);
        const Coverage coverage = cover(workers, n, grain);
        CHECK(coverage.times == std::vector<int>(n, 1));
        CHECK(coverage.longest == std::min(n, grain));
      }
  }
}

TEST_CASE("a loop inside a loop runs") {
  Workers workers(2);
  std::atomic<int> runs = 0;
  workers.for_each_chunk(16, 1, [&](std::size_t, std::size_t) {
    workers.for_each_chunk(16, 1, [&](std::size_t, std::size_t) { ++runs; });
  });
  CHECK(runs == 256);
  // The helpers are free again afterwards.
  CHECK(cover(workers, 100, 1).times == std::vector<int>(100, 1));
}

TEST_CASE("callers from many threads each get their loop done") {
  Workers workers(3);
  std::atomic<int> broken = 0;
  {
    std::vector<std::jthread> callers;
    for (int c = 0; c < 6; ++c)
      callers.emplace_back([&] {
        for (int round = 0; round < 100; ++round)
          if (cover(workers, 64, 4).times != std::vector<int>(64, 1)) ++broken;
      });
  }
  CHECK(broken == 0);
}

TEST_CASE("all work is done, and seen, when the loop returns") {
  Workers workers(3);
  for (int round = 0; round < 300; ++round) {
    std::vector<std::size_t> squares(50, 0);
    workers.for_each_chunk(50, 3, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) squares[i] = i * i;
    });
    REQUIRE(std::accumulate(squares.begin(), squares.end(), std::size_t{0}) == 40425);  // 49*50*99/6
  }
}

TEST_CASE("an exception of a chunk is thrown to the caller, and the threads go on") {
  for (const unsigned helpers : {0u, 1u, 4u}) {
    CAPTURE(helpers);
    Workers workers(helpers);
    // Every chunk throws: those of the helpers and those of the caller.
    CHECK_THROWS_AS(workers.for_each_chunk(100, 1, [](std::size_t, std::size_t) { throw std::bad_alloc(); }),
                    std::bad_alloc);
    CHECK_THROWS_AS(workers.for_each_chunk(100, 1,
                                           [](std::size_t begin, std::size_t) {
                                             if (begin == 99) throw std::bad_alloc();
                                           }),
                    std::bad_alloc);
    CHECK(cover(workers, 100, 1).times == std::vector<int>(100, 1));
  }
}

TEST_CASE("workers that were never asked stop") {
  for (int round = 0; round < 50; ++round) Workers workers(2);
}

}  // namespace winnow
