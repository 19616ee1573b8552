#include "cluster/state/cluster_cache.h"

#include <algorithm>
#include <utility>

#include "cluster/function_ref.h"
#include "cluster/memory_budget.h"
#include "cluster/state/assumed_pods.h"
#include "cluster/state/state.h"

namespace winnow {

void ChangeNotifier::tell(bool for_others) {
  {
    const MutexLock lock(mutex_);
    ++count_.all;
    if (for_others) ++count_.for_others;
  }
  told_.notify_all();
}

ChangeNotifier::Count ChangeNotifier::count() const {
  const MutexLock lock(mutex_);
  return count_;
}

void ChangeNotifier::wait_beyond(Count seen, Time until) const {
  const MutexLock lock(mutex_);
  while (count_.all <= seen.all && mutex_.wait_until(told_, until)) {
  }
}

namespace {

class WINNOW_LOCK_CLASS WriteLock {
 public:
  explicit WriteLock(WriterFirstMutex& mutex) WINNOW_ACQUIRES(mutex) : mutex_(mutex) { mutex_.lock(); }
  ~WriteLock() WINNOW_RELEASES() { mutex_.unlock(); }
  WriteLock(const WriteLock&) = delete;
  WriteLock& operator=(const WriteLock&) = delete;

 private:
  WriterFirstMutex& mutex_;
};

}  // namespace

WriterFirstMutex::WriterFirstMutex() {
  pthread_rwlockattr_t attributes;
  pthread_rwlockattr_init(&attributes);
  pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
  pthread_rwlock_init(&lock_, &attributes);
  pthread_rwlockattr_destroy(&attributes);
}

void WriterFirstMutex::lock() {
  if (pthread_rwlock_trywrlock(&lock_) == 0) return;
  waits_since_.store(std::chrono::steady_clock::now().time_since_epoch().count(), std::memory_order_relaxed);
  pthread_rwlock_wrlock(&lock_);
  waits_since_.store(0, std::memory_order_relaxed);
}

std::chrono::steady_clock::duration WriterFirstMutex::writer_waits() const {
  using Clock = std::chrono::steady_clock;
  const Clock::rep since = waits_since_.load(std::memory_order_relaxed);
  return since == 0 ? Clock::duration(0) : Clock::now().time_since_epoch() - Clock::duration(since);
}

struct ClusterCache::Content {
  explicit Content(const StateOptions& options) : state(options) {}
  State state;
  AssumedPods assumed{state};
};

ClusterCache::ClusterCache(StateOptions options)
    : options_(std::move(options)),
      content_(std::make_unique<Content>(options_)),
      spare_(std::make_unique<Content>(options_)) {}

ClusterCache::~ClusterCache() = default;

ClusterCache::ReadGuard::ReadGuard(const ClusterCache& cache)
    : lock_(cache.mutex_), cache_(cache), state_(cache.content_->state), assumed_(cache.content_->assumed) {}

template <class Events>
void ClusterCache::apply(const Events& events) {
  // A call's bound on memory must not cost the cache: it would be lost for all.
  const NeverRefused whole;
  try {
    const WriteLock lock(mutex_);
    recover();
    try {
      events(*content_);
      changed_ = std::chrono::steady_clock::now();
    } catch (...) {
      lose();
      throw;
    }
  } catch (...) {
    news_.tell(/*for_others=*/true);  // Wakes the calls that are held.
    throw;
  }
}

void ClusterCache::lose() noexcept {
  drop_content();
  ++epoch_;
  awaited_ = std::max<std::size_t>(sources_, 1);  // Without a source nobody fills it again.
  try {
    recover();
  } catch (const std::exception&) {  // Still no memory: the next write tries again.
  }
  if (list_again_) list_again_();
}

/// The state is in no order that could be mended. AssumedPods keeps whole pods beside it.
void ClusterCache::drop_content() noexcept {
  spare_->assumed.adopt(std::move(content_->assumed));
  content_ = std::move(spare_);
  if (journal_) journal_->lost();
  is_recovered_ = false;
}

void ClusterCache::recover() {
  if (is_recovered_) return;
  if (!spare_) {
    spare_ = std::make_unique<Content>(options_);
    spare_->assumed.set_journal(journal_.get());
  }
  try {
    content_->assumed.place_all();
  } catch (...) {
    drop_content();
    throw;
  }
  is_recovered_ = true;
}

void ClusterCache::write(FunctionRef<void(State&)> events) {
  apply([&](Content& content) { events(content.state); });
}

void ClusterCache::write_pods(FunctionRef<void(AssumedPods&)> events) {
  bool freed = false;
  apply([&](Content& content) {
    const std::size_t before = content.assumed.size();
    events(content.assumed);
    freed = content.assumed.size() < before;
  });
  if (freed) news_.tell(/*for_others=*/true);
}

void ClusterCache::set_journal(std::shared_ptr<Journal> journal) {
  const WriteLock lock(mutex_);
  journal_ = std::move(journal);
  content_->assumed.set_journal(journal_.get());
  if (spare_) spare_->assumed.set_journal(journal_.get());
}

void ClusterCache::add_source() {
  const WriteLock lock(mutex_);
  ++sources_;
}

void ClusterCache::source_listed() {
  if (awaited_ > 0) --awaited_;
}

void ClusterCache::on_loss(std::function<void()> list_again) {
  const WriteLock lock(mutex_);
  list_again_ = std::move(list_again);
}

void ClusterCache::settle() {
  if (!read()->groups.has_wanted()) return;
  const NeverRefused whole;
  const WriteLock lock(mutex_);
  content_->state.groups.keep_wanted();
}

ClusterCache::Time ClusterCache::changed() const { return read().changed(); }

}  // namespace winnow
