// The rules and the cache source in force, their exchange, and a cache with its reflectors.
#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cluster/client/watch/live_cluster.h"
#include "cluster/mutex.h"
#include "cluster/state/cluster_cache.h"
#include "cluster/state/state.h"
#include "extender/config/extenders.h"
#include "extender/engine/engines.h"
#include "extender/service/scheduling/decision_lock.h"
#include "extender/service/unread_kinds.h"

namespace winnow {

class Metrics;
class Workers;

/// A cache from files, which does not change, or one that follows a live cluster. All functions but start()
/// are thread-safe.
class CacheSource {
 public:
  /// A source with a fixed cache.
  explicit CacheSource(std::unique_ptr<ClusterCache> cache) : cache_(std::move(cache)) {}
  /// A source that follows a live cluster, from start() on. @param shared  must outlive this.
  CacheSource(const State::Options& options, WatchedKinds needs, const live::LiveCluster::Shared& shared)
      : cache_(std::make_unique<ClusterCache>(options)), cluster_(std::in_place, *cache_, needs, shared) {}

  void start() {
    if (cluster_) cluster_->start();
  }
  ClusterCache& cache() { return *cache_; }
  /// Null for a fixed cache.
  const live::LiveCluster* cluster() const { return cluster_ ? &*cluster_ : nullptr; }
  /// Whether the cache can serve rules with these options and watched kinds.
  bool serves(const State::Options& options, WatchedKinds needs) const;

  /// "" for a complete cache; otherwise a line that names the kinds that it waits for.
  std::string incomplete() const;
  /// The access that every API server denies, in one line; "": none. The cache is still used meanwhile.
  std::string denied() const { return cluster_ ? cluster_->denied() : std::string(); }
  /// See LiveCluster::missing_rights().
  std::string missing_rights() const { return cluster_ ? cluster_->missing_rights() : std::string(); }
  /// "" if every resource had a sign from a server within `limit`; otherwise a line with the resource that
  /// was silent for the longest time. On an open watch, silence counts only beyond ReflectorStatus::kQuiet:
  /// it may bring no more than a bookmark a minute.
  std::string stale(std::chrono::milliseconds limit) const;

 private:
  std::unique_ptr<ClusterCache> cache_;
  std::optional<live::LiveCluster> cluster_;  ///< Declared after the cache, so that it is destroyed first.
};

/// Who makes cache sources.
class CacheSources {
 public:
  virtual ~CacheSources() = default;
  /// The source for rules with these watched kinds: a live one that is not started, or a fixed one.
  /// @return the source, or the error in one line.
  virtual std::expected<std::shared_ptr<CacheSource>, std::string> make(const State::Options& options,
                                                                        WatchedKinds needs) = 0;
};

// The rules and the cache source in force, and their exchange while calls come.

/// Who is told of what comes into force, before load() or tick() returns.
class ConfigObserver {
 public:
  virtual ~ConfigObserver() = default;
  /// Rules come into force.
  virtual void on_rules(const LoadedRules&) {}
  /// The active configuration of these rules does. It is to take over the assumed pods of the cache before:
  /// see Extender::replace.
  virtual void on_active(ActiveConfig) {}
};

/// The rules and the cache source in force. New rules that the cache in force can serve are taken at
/// once. For others a second source is made, and both are taken when it is complete. The constructor, load()
/// and tick() must be called on one thread; the other functions are thread-safe.
class ConfigSwitch {
 public:
  struct Options {
    std::chrono::milliseconds max_staleness{60'000};
    bool serve_stale = false;  ///< Calls are answered from a stale cache.
    ReuseOptions reuse;
  };

  /// @param workers, metrics, sources  must outlive this.
  /// @param observer  must outlive this; null: nobody.
  ConfigSwitch(Workers& workers, Metrics& metrics, CacheSources& sources, Options options,
               ConfigObserver* observer = nullptr)
      : workers_(workers), metrics_(metrics), sources_(sources), options_(options), observer_(observer) {}

  /// The result of load().
  enum class Loaded : std::uint8_t {
    kTaken,
    kWaiting,  ///< Until their cache is complete: tick() takes them then, and counts the reload.
  };
  /// Takes rules. The first rules are taken at once, with a cache that may be incomplete. Rules that wait
  /// are dropped when others are loaded.
  /// @return kTaken or kWaiting; or the error, in one line. On an error nothing changes.
  std::expected<Loaded, std::string> load(LoadedRules loaded);
  /// To be called once a second. Takes rules whose cache is complete, and destroys sources that no call can
  /// still use. Settles doubts about assumed pods. Logs pods that are assumed for long, rules that wait for
  /// long, and kinds that Winnow does without.
  void tick();

  /// The rules and the cache in force, for calls.
  ActiveConfig active() const;
  /// The functions of these names in ClusterServices.
  std::string not_ready() const;
  std::string missing_rights() const;
  std::string unusable() const;
  /// Sets the watch's metrics, before a scrape.
  void before_scrape() const;

 private:
  /// The rules, with the engines, which refer to them.
  struct Rules {
    Rules(LoadedRules loaded_, Workers& workers, const ReuseOptions& reuse)
        : loaded(std::move(loaded_)), engines(loaded.sets, workers, reuse) {}
    const LoadedRules loaded;
    const Engines engines;
  };
  struct Pair {
    std::shared_ptr<const Rules> rules;
    std::shared_ptr<CacheSource> cache_source;
  };
  using Time = std::chrono::steady_clock::time_point;

  void take(Pair pair);
  void take_waiting(Time now);
  void tell_of_unread_kinds();
  std::shared_ptr<CacheSource> cache_source() const;
  ActiveConfig active_config_of(const Pair& pair) const;

  Workers& workers_;
  Metrics& metrics_;
  CacheSources& sources_;
  const Options options_;
  ConfigObserver* const observer_;  ///< Null: nobody.
  mutable Mutex mutex_;
  Pair now_ WINNOW_GUARDED_BY(mutex_);
  std::optional<Pair> next_;                                         ///< Until its cache is complete.
  Time told_of_waiting_{};                                           ///< When waiting for next_ was last
                                                                     ///< logged.
  std::vector<std::pair<std::shared_ptr<CacheSource>, Time>> past_;  ///< Calls may still use them.
  UnreadKindsLog unread_kinds_;
};

}  // namespace winnow
