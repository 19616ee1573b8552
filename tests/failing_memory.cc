#include "tests/failing_memory.h"

#include <malloc.h>

#include <atomic>
#include <cstddef>
#include <new>
#include <utility>

#include "cluster/memory_budget.h"

namespace winnow::test {
namespace {

struct Schedule {
  bool under_test = false;
  std::uint64_t passes = 0;
  std::uint64_t fails = 0;
  std::uint64_t failed = 0;
};
constinit thread_local Schedule schedule;
constinit std::atomic<std::int64_t> blocks = 0;
constinit std::atomic<std::int64_t> bytes = 0;

void count(void* block, std::int64_t by) {
  if (block == nullptr) return;
  blocks.fetch_add(by, std::memory_order_relaxed);
  bytes.fetch_add(by * static_cast<std::int64_t>(malloc_usable_size(block)), std::memory_order_relaxed);
}

/// Whether this allocation fails.
bool fails_now() {
  if (!schedule.under_test || schedule.fails == 0) return false;
  if (schedule.passes > 0) {
    --schedule.passes;
    return false;
  }
  --schedule.fails;
  ++schedule.failed;
  return true;
}

void* allocate_or_throw(std::size_t size) {
  if (fails_now()) throw std::bad_alloc();
  void* const block = charged::allocate(size);
  count(block, +1);
  return block;
}

void* allocate(std::size_t size) noexcept {
  try {
    return allocate_or_throw(size);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void release(void* block) noexcept {
  count(block, -1);
  charged::release(block);
}

}  // namespace

CodeUnderTest::CodeUnderTest() : before_(std::exchange(schedule.under_test, true)) {}
CodeUnderTest::~CodeUnderTest() { schedule.under_test = before_; }
TestCode::TestCode() : before_(std::exchange(schedule.under_test, false)) {}
TestCode::~TestCode() { schedule.under_test = before_; }

void fail_memory(std::uint64_t passes, std::uint64_t fails) {
  schedule.passes = passes;
  schedule.fails = fails;
}
void mend_memory() { fail_memory(0, 0); }
std::uint64_t failed_allocations() { return schedule.failed; }
std::int64_t live_blocks() { return blocks.load(std::memory_order_relaxed); }
std::int64_t live_bytes() { return bytes.load(std::memory_order_relaxed); }

}  // namespace winnow::test

namespace winnow {
void operators_are_charged() {}
}  // namespace winnow

// All that is not aligned, so that none of them comes from elsewhere: sanitizers have operators of their own.
void* operator new(std::size_t size) { return winnow::test::allocate_or_throw(size); }
void* operator new[](std::size_t size) { return winnow::test::allocate_or_throw(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return winnow::test::allocate(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return winnow::test::allocate(size);
}
void operator delete(void* block) noexcept { winnow::test::release(block); }
void operator delete[](void* block) noexcept { winnow::test::release(block); }
void operator delete(void* block, std::size_t) noexcept { winnow::test::release(block); }
void operator delete[](void* block, std::size_t) noexcept { winnow::test::release(block); }
void operator delete(void* block, const std::nothrow_t&) noexcept { winnow::test::release(block); }
void operator delete[](void* block, const std::nothrow_t&) noexcept { winnow::test::release(block); }
