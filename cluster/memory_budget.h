// Memory that is charged where it is taken, and the memory that this process may use.
//
// A MemoryScope has all that its thread allocates by operator new charged to a MemoryBudget: before the
// memory is taken, and until it is freed. Past the budget's bound the allocation throws MemoryExceeded. So
// what runs inside a scope, be it a verb, a page or a reader, is bounded whatever it does. What takes memory
// by malloc, as RapidJSON does, holds a MemoryCharge beside it.
//
// All threads are charged to MemoryBudget::process(), with a scope or without one. The operators are in
// charged_new.cc; tests have others, which can fail (tests/failing_memory.h).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <new>
#include <string>

namespace winnow {

/// An allocation that would go past a bound. It ends the work that asked for it.
class MemoryExceeded : public std::bad_alloc {
 public:
  explicit MemoryExceeded(std::size_t most) noexcept : most_(most) {}
  const char* what() const noexcept override { return "this needs more memory than is left"; }
  /// One line: "this needs more memory than is left of 64 MiB".
  std::string text() const;

 private:
  std::size_t most_;
};

/// A bound on bytes that are held at one time. Threads charge it in steps of 64 KiB, so it is exact to one
/// step a thread. Thread-safe.
class MemoryBudget {
 public:
  /// @param most  the bound in bytes.
  /// @param whole  the budget of which this one is a part, and which is charged too; outlives this. Null: the
  ///   process's.
  explicit MemoryBudget(std::size_t most, MemoryBudget* whole = nullptr);
  /// What is still charged leaves the budgets of which this was a part. The process keeps it: it is there.
  ~MemoryBudget();
  MemoryBudget(const MemoryBudget&) = delete;
  MemoryBudget& operator=(const MemoryBudget&) = delete;

  /// All memory of this process that operator new has given. Its bound is three quarters of the memory limit
  /// (memory_limit()); only what has a scope is held to it.
  static MemoryBudget& process();

  /// Makes this a part of another budget. While no other thread charges it.
  void move_to(MemoryBudget& whole);

  /// The bytes that are charged now, and the most that ever were. Others' memory that was freed here counts
  /// against it: it may be below 0.
  std::ptrdiff_t used() const { return used_.load(std::memory_order_relaxed); }
  std::ptrdiff_t peak() const { return peak_.load(std::memory_order_relaxed); }
  void reset_peak() { peak_.store(used(), std::memory_order_relaxed); }
  std::size_t most() const { return most_; }

  /// Charges bytes, or releases them if negative. @param held  throw MemoryExceeded past a bound; nothing is
  /// charged then.
  void charge(std::ptrdiff_t bytes, bool held);

 private:
  friend class MemoryScope;
  struct OfProcess;
  constexpr MemoryBudget() : most_(~std::size_t{0}), whole_(nullptr) {}
  bool add(std::ptrdiff_t bytes, bool held);
  void leave();

  std::size_t most_;
  MemoryBudget* whole_;  ///< Null: this is the process's.
  std::atomic<std::ptrdiff_t> used_ = 0;
  std::atomic<std::ptrdiff_t> peak_ = 0;
};

/// While it lives, what the calling thread allocates is charged to the budget. Scopes nest: the inner one's
/// budget is charged, and what that is a part of.
class MemoryScope {
 public:
  /// @param budget  outlives this. Null: the process's, without a bound.
  explicit MemoryScope(MemoryBudget* budget);
  ~MemoryScope();
  MemoryScope(const MemoryScope&) = delete;
  MemoryScope& operator=(const MemoryScope&) = delete;

  /// The budget of the calling thread; null: it has no scope. For those who work for it on another thread.
  static MemoryBudget* current();

 private:
  MemoryBudget* const before_;
};

/// While it lives, a thread without a scope is held to the process's bound. For readers of files, which turn
/// MemoryExceeded into an error of theirs.
class HeldToProcess {
 public:
  HeldToProcess() : scope_(MemoryScope::current() ? MemoryScope::current() : &unbounded_) {}

 private:
  MemoryBudget unbounded_{~std::size_t{0}};
  MemoryScope scope_;
};

/// While it lives, the calling thread's allocations are charged and never refused. For what must not fail
/// half-way, and for what outlives the call and has a bound of its own: the cache.
class NeverRefused {
 public:
  NeverRefused();
  ~NeverRefused();
  NeverRefused(const NeverRefused&) = delete;
  NeverRefused& operator=(const NeverRefused&) = delete;

 private:
  const bool before_;
};

/// Bytes that somebody takes by other means than operator new, charged as that is. Used by one thread at a
/// time.
class MemoryCharge {
 public:
  MemoryCharge() = default;
  ~MemoryCharge() { release(); }
  MemoryCharge(const MemoryCharge&) = delete;
  MemoryCharge& operator=(const MemoryCharge&) = delete;

  /// Charges more bytes, before they are taken. Throws MemoryExceeded; nothing is charged then.
  void add(std::size_t bytes);
  /// Releases so many, or all.
  void release(std::size_t bytes) noexcept;
  void release() noexcept { release(held_); }
  std::size_t held() const { return held_; }

 private:
  std::size_t held_ = 0;
};

/// For the operators new and delete alone. All threads allocate all the time, so the usual case is inline.
namespace charged {

/// What a thread has taken and not charged yet, and who is charged.
struct Account {
  std::ptrdiff_t uncharged = 0;
  MemoryBudget* budget = nullptr;  ///< Null: the process's.
  bool never_refused = false;
};
extern constinit thread_local Account account;

/// A thread charges what it has taken when it comes to a step.
inline constexpr std::ptrdiff_t kStep = 64 << 10;
/// The size from which on a block is asked for its size. A smaller one is taken to have what glibc gives.
inline constexpr std::size_t kAsked = 64 << 10;

inline std::ptrdiff_t given_for(std::size_t size) {
  return size <= 24 ? 24 : static_cast<std::ptrdiff_t>(((size + 23) & ~std::size_t{15}) - 8);
}

/// The unusual cases: a step, a large block, no memory.
void* allocate_slowly(std::size_t size);
void free_slowly(void* block) noexcept;
void charge_rest() noexcept;

/// @return never null: bad_alloc is thrown, or MemoryExceeded.
inline void* allocate(std::size_t size) {
  if (size >= kAsked || account.uncharged + given_for(size) >= kStep) [[unlikely]]
    return allocate_slowly(size);
  void* const block = std::malloc(size == 0 ? 1 : size);
  if (block == nullptr) [[unlikely]]
    throw std::bad_alloc();
  account.uncharged += given_for(size);
  return block;
}

/// @param block  from allocate(size), or null.
inline void release(void* block, std::size_t size) noexcept {
  if (size >= kAsked) [[unlikely]]
    return free_slowly(block);
  if (block == nullptr) return;
  std::free(block);
  account.uncharged -= given_for(size);
  if (account.uncharged <= -kStep) [[unlikely]]
    charge_rest();
}

/// @param block  from allocate(), or null.
inline void release(void* block) noexcept { free_slowly(block); }

}  // namespace charged

// The memory that this process may use.

/// The limit of the container (cgroup v2 or v1), or the machine's memory if that is smaller. In bytes, above
/// 0.
/// @param cgroup  where the cgroup file system is.
std::size_t memory_limit(const std::filesystem::path& cgroup = "/sys/fs/cgroup");

/// Has this be the memory limit, for tests of what follows from one. To be called before any bound is asked
/// for.
void assume_memory_limit(std::size_t bytes);

/// A bound that grows with memory_limit(): one part in `parts` of it, and between `least` and `most`.
std::size_t share_of_memory(std::size_t parts, std::size_t least, std::size_t most);

/// The most heaps of the allocator (glibc's arenas) that suit so much memory and so many processors. Up to
/// 64 MiB that are free in each heap but the first are not given back; those may be an eighth of the memory.
std::size_t most_heaps(std::size_t memory, unsigned processors);
/// Sets that limit for this process. To be called before the first thread begins.
void limit_heaps();

/// Gives memory that is free inside the process back to the system, if it is much. Takes milliseconds; for a
/// thread that has time.
void give_back_free_memory();

}  // namespace winnow
