// The active configuration that calls are answered from, the lock under which one call at a time decides, and
// whether the cache may be decided on.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "cluster/mutex.h"
#include "cluster/state/cluster_cache.h"
#include "extender/service/scheduling/options.h"

namespace winnow {

class Engines;
class RuleSeries;

/// The rules, with the cache that they read. A call keeps its copy for as long as it reads the cache. A
/// changed configuration is another ActiveConfig, which later calls get; a call that is held changes to it.
/// Immutable once in force, and cheap to copy.
struct ActiveConfig {
  std::shared_ptr<const Engines> engines;
  std::shared_ptr<ClusterCache> cache;
  std::shared_ptr<const RuleSeries> rejections;  ///< Rejected nodes by predicate; null: not counted.

  /// Whether both refer to the same engines and the same cache.
  bool operator==(const ActiveConfig&) const = default;
};

// Whether the cache may be decided on.

/// Asked before each decision that no call asks for. Thread-safe.
class CacheStatus {
 public:
  virtual ~CacheStatus() = default;
  /// Why the cache may not be used now, in one line; "" if it may.
  virtual std::string unusable() const = 0;
};

// The exchange of the active configuration, and the lock under which one call at a time chooses a node.

/// The active configuration that later calls are answered from, and the lock `deciding_`. Two calls that
/// choose a node at the same time could both take the last place. So only one call at a time decides: from
/// reading the cache until the pod is assumed on its node. A call decides if its pick is assumed
/// (--answer=best or one, on a live cluster). All other calls run beside it. Thread-safe.
class DecisionLock {
 public:
  /// Held by the call that decides. Empty where picks are not assumed.
  using Lock = std::unique_lock<Mutex>;

  DecisionLock(ActiveConfig active, const ExtenderOptions& options)
      : alone_(options.assume && options.answer != AnswerMode::kComplete), active_(std::move(active)) {}

  /// The active configuration: later calls are answered from it.
  ActiveConfig active() const;
  /// Whether this one is still the active configuration.
  bool is_current(const ActiveConfig& active) const { return this->active() == active; }
  /// Exchanges the active configuration, under `deciding_`. If the cache is another one, it takes
  /// over the assumed pods of the one before. Wakes the calls that are held.
  void replace(ActiveConfig active);

  /// Waits until no other call decides.
  /// @param active  becomes the active configuration in force.
  ///   That one is not exchanged while the lock is held.
  ///   `active` is left as it is where picks are not assumed.
  Lock decide_alone(ActiveConfig& active);
  /// The same for a thread that decides without being called, whatever calls do with their picks. Calls go
  /// first: it waits until none waits for the lock.
  Lock decide_after_calls(ActiveConfig& active);
  /// Changes the assumed pods of the cache in force, under `deciding_`.
  /// @param active  becomes the active configuration in force.
  /// @param change  called with the AssumedPods, under the cache's exclusive lock.
  template <class Change>
  void change_assumed(ActiveConfig& active, const Change& change) {
    const Lock lock = lock_for_call();
    active = this->active();
    active.cache->write_pods(change);
  }

 private:
  ActiveConfig exchange(ActiveConfig active);
  Lock lock_for_call();

  const bool alone_;                            ///< Calls that choose a node decide alone.
  std::atomic<std::size_t> calls_waiting_ = 0;  ///< Calls that wait for `deciding_`.
  Mutex deciding_;                              ///< Locked before active_mutex_ and the cache.
  mutable Mutex active_mutex_;
  ActiveConfig active_ WINNOW_GUARDED_BY(active_mutex_);
};

}  // namespace winnow
