#include "cluster/memory_budget.h"

#include <doctest/doctest.h>

#include <memory>
#include <new>
#include <string>
#include <thread>
#include <vector>

namespace winnow {
namespace {

constexpr std::size_t kMiB = 1 << 20;
/// What a thread may have taken without being charged.
constexpr std::ptrdiff_t kStep = 64 << 10;

using Block = std::unique_ptr<char[]>;
Block block(std::size_t bytes) { return std::make_unique_for_overwrite<char[]>(bytes); }

bool is_near(std::ptrdiff_t bytes, std::size_t expected) {
  return std::abs(bytes - static_cast<std::ptrdiff_t>(expected)) <= kStep;
}

TEST_CASE("what a thread allocates in a scope is charged until it is freed") {
  MemoryBudget budget(10 * kMiB);
  const std::ptrdiff_t before = MemoryBudget::process().used();
  {
    const MemoryScope scope(&budget);
    CHECK(MemoryScope::current() == &budget);
    Block one = block(4 * kMiB);
    CHECK(is_near(budget.used(), 4 * kMiB));
    CHECK(MemoryBudget::process().used() - before > 3 * static_cast<std::ptrdiff_t>(kMiB));
    one.reset();
    CHECK(is_near(budget.used(), 0));
    CHECK(is_near(budget.peak(), 4 * kMiB));
  }
  CHECK(MemoryScope::current() == nullptr);
  const Block other = block(4 * kMiB);
  CHECK(is_near(budget.used(), 0));
}

TEST_CASE("an allocation past the bound throws before anything is taken, and the next ones go on") {
  MemoryBudget budget(10 * kMiB);
  const MemoryScope scope(&budget);
  const Block held = block(6 * kMiB);
  const std::ptrdiff_t process = MemoryBudget::process().used();
  CHECK_THROWS_AS(block(6 * kMiB), MemoryExceeded);
  CHECK_THROWS_WITH(block(6 * kMiB), "this needs more memory than is left");
  CHECK_THROWS_AS(block(~std::size_t{0} / 4), std::bad_alloc);
  CHECK(new (std::nothrow) char[6 * kMiB] == nullptr);
  CHECK(is_near(budget.used(), 6 * kMiB));
  CHECK(is_near(MemoryBudget::process().used() - process, 0));
  const Block small = block(3 * kMiB);
  CHECK(MemoryExceeded(10 * kMiB).text() == "this needs more memory than is left of 10 MiB");
}

TEST_CASE("a string that grows ends at the bound") {
  MemoryBudget budget(10 * kMiB);
  const MemoryScope scope(&budget);
  std::string text;
  CHECK_THROWS_AS(
      [&] {
        while (true) text += "a string that grows";
      }(),
      MemoryExceeded);
  CHECK(text.size() > kMiB);
}

TEST_CASE("many small blocks are charged like a large one") {
  MemoryBudget budget(2 * kMiB);
  const MemoryScope scope(&budget);
  std::vector<std::unique_ptr<int>> blocks;
  CHECK_THROWS_AS(
      [&] {
        while (true) blocks.push_back(std::make_unique<int>(1));
      }(),
      MemoryExceeded);
  CHECK(blocks.size() > 10'000);
  CHECK(budget.peak() <= static_cast<std::ptrdiff_t>(2 * kMiB));
}

TEST_CASE("parts share the bound of the whole, and leave it with what they have taken") {
  MemoryBudget whole(10 * kMiB);
  MemoryBudget half(5 * kMiB, &whole);
  Block kept;
  {
    MemoryBudget part(8 * kMiB, &half);
    const MemoryScope scope(&part);
    CHECK_THROWS_AS(block(6 * kMiB), MemoryExceeded);
    part.move_to(whole);
    kept = block(6 * kMiB);
    CHECK(is_near(half.used(), 0));
    CHECK(is_near(whole.used(), 6 * kMiB));
    MemoryBudget other(8 * kMiB, &whole);
    const MemoryScope inner(&other);
    CHECK_THROWS_AS(block(5 * kMiB), MemoryExceeded);
    CHECK(is_near(other.used(), 0));
  }
  CHECK(is_near(whole.used(), 0));
  CHECK(kept != nullptr);
}

TEST_CASE("what must not fail half-way is charged, and never refused") {
  MemoryBudget budget(kMiB);
  const MemoryScope scope(&budget);
  Block large;
  {
    const NeverRefused whole;
    large = block(5 * kMiB);
  }
  CHECK(is_near(budget.used(), 5 * kMiB));
  CHECK_THROWS_AS(block(kMiB), MemoryExceeded);
}

TEST_CASE("a charge stands for memory that is taken by other means") {
  MemoryBudget budget(kMiB);
  const MemoryScope scope(&budget);
  MemoryCharge charge;
  charge.add(kMiB / 2);
  CHECK(is_near(budget.used(), kMiB / 2));
  CHECK_THROWS_AS(charge.add(kMiB), MemoryExceeded);
  CHECK(charge.held() == kMiB / 2);
  charge.release();
  CHECK(is_near(budget.used(), 0));
}

TEST_CASE("memory that is freed on another thread is charged to nobody in the end") {
  MemoryBudget budget(10 * kMiB);
  const std::ptrdiff_t before = MemoryBudget::process().used();
  Block passed;
  std::thread([&] {
    const MemoryScope scope(&budget);
    passed = block(4 * kMiB);
  }).join();
  CHECK(MemoryBudget::process().used() - before > 3 * static_cast<std::ptrdiff_t>(kMiB));
  std::thread([&] { passed.reset(); }).join();
  CHECK(MemoryBudget::process().used() - before < static_cast<std::ptrdiff_t>(kMiB));
}

}  // namespace
}  // namespace winnow
