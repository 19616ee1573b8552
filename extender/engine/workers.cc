#include "extender/engine/workers.h"

#include <algorithm>
#include <utility>

#include "cluster/memory_budget.h"

namespace winnow {

Workers::Workers(unsigned helpers) {
  for (unsigned i = 0; i < helpers; ++i) helpers_.emplace_back([this] { help(); });
}

Workers::~Workers() {
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
  }
  start_.notify_all();
}

void Workers::for_each_chunk(std::size_t n, std::size_t grain, const Chunk& work) {
  if (n == 0) return;
  if (n <= grain || helpers_.empty() || is_alone_ || taken_.test_and_set(std::memory_order_acquire)) {
    for (std::size_t begin = 0; begin < n; begin += grain) work(begin, std::min(n, begin + grain));
    return;
  }
  std::exception_ptr thrown;
  {
    const MutexLock lock(mutex_);
    work_ = &work;
    budget_ = MemoryScope::current();
    next_ = 0;
    size_ = n;
    grain_ = grain;
    start_.notify_all();
    take_chunks();
    while (running_ > 0) mutex_.wait(done_);
    work_ = nullptr;
    thrown = std::exchange(thrown_, nullptr);
  }
  taken_.clear(std::memory_order_release);
  if (thrown) std::rethrow_exception(thrown);
}

void Workers::help() {
  const MutexLock lock(mutex_);
  while (true) {
    while (!stopping_ && !(work_ && next_ < size_)) mutex_.wait(start_);
    if (stopping_) return;
    take_chunks();
  }
}

void Workers::take_chunks() {
  // A chunk takes tens of microseconds. Next to that the lock for each hand-out costs nothing.
  while (work_ && next_ < size_) {
    const std::size_t begin = next_;
    const std::size_t end = std::min(size_, begin + grain_);
    const Chunk& work = *work_;
    MemoryBudget* const budget = budget_;
    next_ = end;
    ++running_;
    mutex_.unlock();
    std::exception_ptr thrown;
    try {
      const MemoryScope charged(budget);
      work(begin, end);
    } catch (...) {
      thrown = std::current_exception();
    }
    mutex_.lock();
    if (thrown) thrown_ = thrown;
    if (--running_ == 0 && next_ >= size_) done_.notify_one();
  }
}

}  // namespace winnow
