// Each thread counts what it takes and frees, and charges the sum when it is a step. A count costs two loads
// and an addition; a shared counter for each allocation would cost more than the allocation.
#include "cluster/memory_budget.h"

#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <format>
#include <fstream>
#include <thread>
#include <utility>

namespace winnow {

/// In charged_new.cc.
void operators_are_charged();

constinit thread_local charged::Account charged::account;

namespace {

using charged::account;
using charged::charge_rest;
using charged::kStep;

/// A call that takes no more than this is not held to the process's bound: where the cache alone is near
/// it, small calls are still answered.
constexpr std::ptrdiff_t kSmallUse = 4 << 20;

/// Charges what is left when a thread ends.
struct LastCharge {
  bool due = false;
  ~LastCharge() {
    if (due) MemoryBudget::process().charge(std::exchange(account.uncharged, 0), /*held=*/false);
  }
};
thread_local LastCharge last_charge;

/// Throws MemoryExceeded if `asked` more bytes are too many; they are not charged then.
void charge_account(std::ptrdiff_t asked) {
  last_charge.due = true;
  const std::ptrdiff_t bytes = account.uncharged + asked;
  MemoryBudget& budget = account.budget ? *account.budget : MemoryBudget::process();
  const bool held = account.budget != nullptr && !account.never_refused && bytes > 0;
  budget.charge(bytes, held);
  account.uncharged = 0;
}

}  // namespace

std::string MemoryExceeded::text() const {
  return std::format("{} of {} MiB", what(), (most_ + (1 << 19)) >> 20);
}

MemoryBudget::MemoryBudget(std::size_t most, MemoryBudget* whole)
    : most_(most), whole_(whole ? whole : &process()) {}

MemoryBudget::~MemoryBudget() { leave(); }

/// There before the first allocation, and until the last: never destroyed.
struct MemoryBudget::OfProcess {
  union {
    MemoryBudget all;
  };
  constexpr OfProcess() : all() {}
  ~OfProcess() {}
};

MemoryBudget& MemoryBudget::process() {
  constinit static OfProcess process;
  return process.all;
}

/// Takes what is charged out of the budgets above, but for the process's.
void MemoryBudget::leave() {
  const std::ptrdiff_t bytes = used();
  for (MemoryBudget* at = whole_; at != nullptr && at->whole_ != nullptr; at = at->whole_)
    at->used_.fetch_sub(bytes, std::memory_order_relaxed);
}

void MemoryBudget::move_to(MemoryBudget& whole) {
  leave();
  whole_ = &whole;
  const std::ptrdiff_t bytes = used();
  for (MemoryBudget* at = whole_; at != nullptr && at->whole_ != nullptr; at = at->whole_)
    at->used_.fetch_add(bytes, std::memory_order_relaxed);
}

bool MemoryBudget::add(std::ptrdiff_t bytes, bool held) {
  const std::ptrdiff_t now = used_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  if (held && now > 0 && static_cast<std::size_t>(now) > most_) {
    used_.fetch_sub(bytes, std::memory_order_relaxed);
    return false;
  }
  if (std::ptrdiff_t peak = this->peak(); now > peak)
    while (now > peak && !peak_.compare_exchange_weak(peak, now, std::memory_order_relaxed)) {
    }
  return true;
}

void MemoryBudget::charge(std::ptrdiff_t bytes, bool held) {
  const std::ptrdiff_t before = used();
  for (MemoryBudget* at = this; at != nullptr; at = at->whole_) {
    const bool is_process = at->whole_ == nullptr;
    if (at->add(bytes, held && (!is_process || before + bytes > kSmallUse))) continue;
    for (MemoryBudget* back = this; back != at; back = back->whole_)
      back->used_.fetch_sub(bytes, std::memory_order_relaxed);
    throw MemoryExceeded(at->most_);
  }
}

MemoryScope::MemoryScope(MemoryBudget* budget) : before_(account.budget) {
  // Here, where memory may be taken: to find the limit takes some.
  [[maybe_unused]] static const std::size_t known = MemoryBudget::process().most_ =
      share_of_memory(4, 1, ~std::size_t{0} / 4) * 3;
  operators_are_charged();
  charge_rest();
  account.budget = budget;
}

MemoryScope::~MemoryScope() {
  charge_rest();
  account.budget = before_;
}

MemoryBudget* MemoryScope::current() { return account.budget; }

NeverRefused::NeverRefused() : before_(std::exchange(account.never_refused, true)) {}
NeverRefused::~NeverRefused() { account.never_refused = before_; }

void MemoryCharge::add(std::size_t bytes) {
  if (const auto size = static_cast<std::ptrdiff_t>(bytes); account.uncharged + size < kStep)
    account.uncharged += size;
  else
    charge_account(size);
  held_ += bytes;
}

void MemoryCharge::release(std::size_t bytes) noexcept {
  held_ -= bytes;
  account.uncharged -= static_cast<std::ptrdiff_t>(bytes);
  if (account.uncharged <= -kStep) charge_rest();
}

namespace charged {

void charge_rest() noexcept {
  const bool before = std::exchange(account.never_refused, true);
  charge_account(0);
  account.never_refused = before;
}

void* allocate_slowly(std::size_t size) {
  const auto asked = static_cast<std::ptrdiff_t>(size);
  if (asked < 0) throw std::bad_alloc();
  // Charged first: what is refused is not taken.
  charge_account(asked);
  void* const block = std::malloc(size == 0 ? 1 : size);
  account.uncharged -= asked;
  if (block == nullptr) throw std::bad_alloc();
  account.uncharged +=
      size < kAsked ? given_for(size) : static_cast<std::ptrdiff_t>(::malloc_usable_size(block));
  return block;
}

void free_slowly(void* block) noexcept {
  if (block == nullptr) return;
  account.uncharged -= static_cast<std::ptrdiff_t>(::malloc_usable_size(block));
  std::free(block);
  if (account.uncharged <= -kStep) charge_rest();
}

}  // namespace charged

namespace {

/// Less free memory than this stays for the next requests.
constexpr std::size_t kKept = std::size_t{32} << 20;

std::size_t assumed_limit = 0;

/// The number in the file; no limit if there is none: "max", or no such file.
std::size_t limit_in(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::size_t bytes = 0;
  return in >> bytes && bytes > 0 ? bytes : ~std::size_t{0};
}

}  // namespace

std::size_t memory_limit(const std::filesystem::path& cgroup) {
  const auto pages = static_cast<std::size_t>(std::max(1L, ::sysconf(_SC_PHYS_PAGES)));
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return std::min(
      {pages * page, limit_in(cgroup / "memory.max"), limit_in(cgroup / "memory" / "memory.limit_in_bytes")});
}

void assume_memory_limit(std::size_t bytes) { assumed_limit = bytes; }

std::size_t share_of_memory(std::size_t parts, std::size_t least, std::size_t most) {
  static const std::size_t limit = assumed_limit > 0 ? assumed_limit : memory_limit();
  return std::clamp(limit / parts, least, most);
}

std::size_t most_heaps(std::size_t memory, unsigned processors) {
  constexpr std::size_t kLargestHeap = std::size_t{64} << 20;
  return std::min(1 + memory / 8 / kLargestHeap, 2 * std::size_t{std::max(1u, processors)});
}

void limit_heaps() {
  const std::size_t memory = memory_limit();
  const std::size_t most = most_heaps(memory, std::thread::hardware_concurrency());
  ::mallopt(M_ARENA_MAX, static_cast<int>(most));
  // A request's rows take some hundred KiB, and go with it: the heap is to keep them for the next one.
  // Measured with 5,000 nodes: by glibc's own thresholds, and with 16 MiB, a pod that is alone in its class
  // takes 1.16 of the time.
  constexpr std::size_t kLargest = std::size_t{64} << 20;
  const int kept_at_end = static_cast<int>(std::min(kLargest, memory / 8));
  ::mallopt(M_TRIM_THRESHOLD, kept_at_end);
  ::mallopt(M_MMAP_THRESHOLD, kept_at_end / 2);
}

void give_back_free_memory() {
  const struct mallinfo2 heap = ::mallinfo2();
  if (heap.fordblks > kKept) ::malloc_trim(kKept / 2);
}

}  // namespace winnow
