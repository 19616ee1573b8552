// What is measured of nodes, kept up to date from all providers, and written into caches.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/client/metrics/metrics_provider.h"
#include "cluster/client/metrics/node_metrics_feed.h"
#include "cluster/client/servers/backoff.h"
#include "cluster/clock.h"
#include "cluster/mutex.h"

namespace winnow::live {

/// Who is told of what goes wrong with a provider. Called by the source's thread.
class NodeMetricsObserver {
 public:
  virtual ~NodeMetricsObserver() = default;
  /// The result of a provider is another one than before. The first poll counts as one after kGood.
  /// @param error  one line; "" with kGood.
  virtual void on_result(std::string_view provider, PollResult result, std::string_view error) = 0;
};

struct NodeMetricsOptions {
  std::chrono::milliseconds period{15'000};
  /// A measurement that is older is taken away, by its own time, or by the time since it was first seen.
  std::chrono::milliseconds max_age{300'000};
  std::uint64_t seed = 1;  ///< Of the waits after errors.
};

/// What is known of a provider and of its measurements.
struct ProviderStatus {
  std::string name;
  std::size_t nodes = 0;                ///< Nodes of the cluster with a measurement in use.
  std::size_t unknown = 0;              ///< Names with a measurement in use that no node of the cluster has.
  std::string unknown_name;             ///< One of them; "": there is none.
  std::size_t too_old = 0;              ///< Nodes whose last measurement is too old to be used.
  std::optional<Clock::Time> answered;  ///< When it last gave something.
  PollResult result = PollResult::kGood;
  std::string error;  ///< Of the last poll; "" with kGood.
  std::array<std::uint64_t, kPollResults> polls{};
};

struct NodeMetricsStatus {
  bool is_asked = false;  ///< A cache wants measurements.
  std::size_t nodes = 0;  ///< Of the cluster.
  std::vector<ProviderStatus> providers;
  /// The age of the oldest usage in use; nothing: none is in use.
  std::optional<std::chrono::nanoseconds> oldest_usage;
};

/// Polls providers, and keeps what they tell of nodes until it is too old. While there is no feed, nobody is
/// asked. A provider that fails is asked again with growing pauses, and one that denies a right every five
/// minutes. What has been measured goes on to be taken away meanwhile. run() is for one thread.
class NodeMetricsSource final : public FeedWriter {
 public:
  using WallClock = std::function<std::chrono::system_clock::time_point()>;

  /// How often a provider is asked that denies a right: the alert WinnowDenied is for what is denied more
  /// often.
  static constexpr std::chrono::minutes kDeniedAgain{5};
  /// For so long a denial may be that of a server that has just started, and has not read the roles.
  static constexpr std::chrono::seconds kMayHaveStarted{45};
  /// The longest Retry-After that is heeded.
  static constexpr std::chrono::seconds kLongestRetry{60};

  /// @param clock, observer  outlive this. @param now  the time by which measurements age.
  NodeMetricsSource(std::vector<std::unique_ptr<MetricsProvider>> providers, NodeMetricsOptions options,
                    Clock& clock, WallClock now, NodeMetricsObserver& observer);
  ~NodeMetricsSource() override;
  NodeMetricsSource(const NodeMetricsSource&) = delete;
  NodeMetricsSource& operator=(const NodeMetricsSource&) = delete;

  /// Runs until `stop` is requested.
  void run(const std::stop_token& stop);
  /// One round: asks who is due, takes away what is too old, and writes into the feeds. Public for tests.
  void round(const std::stop_token& stop);

  /// Any thread.
  NodeMetricsStatus status() const;

  void add(NodeMetricsFeed& feed) override;
  void remove(NodeMetricsFeed& feed) override;
  void wake() noexcept override;

 private:
  /// A measurement, and when it was first seen.
  struct Seen {
    NodeUsage usage;
    Clock::Time first{};
  };
  struct SeenValue {
    MetricValue value;
    Clock::Time first{};
  };
  struct Provider {
    std::unique_ptr<MetricsProvider> asked;
    Backoff backoff;
    Clock::Time due{};
    std::optional<Clock::Time> denied_since;
    std::map<std::string, Seen, std::less<>> usage;  ///< By node.
    /// By metric and node.
    std::map<std::string, std::map<std::string, SeenValue, std::less<>>, std::less<>> values;
    ProviderStatus status;
  };

  std::stop_token begin_attempt();
  void end_attempt() noexcept;
  bool has_feeds() const;
  void ask_due(const std::stop_token& stop);
  void ask(Provider& provider, const std::stop_token& stop);
  void take(Provider& provider, const Polled& polled) const;
  Clock::Duration pause_after(Provider& provider, const Polled& polled);
  /// Whether a measurement of that time may be used still.
  bool is_fresh(std::int64_t taken, Clock::Time first, std::chrono::nanoseconds wall) const;
  /// Works out nodes_ from the providers' measurements.
  void merge();
  void write_feeds();
  void note_status();
  /// The nodes with a measurement of the provider that may be used, each once; and how many have an older
  /// one.
  std::vector<std::string_view> nodes_of(const Provider& provider, std::size_t& too_old) const;

  const NodeMetricsOptions options_;
  Clock& clock_;
  const WallClock now_;
  NodeMetricsObserver& observer_;
  // The members below belong to the thread of run().
  std::vector<Provider> providers_;
  MeasuredNodes nodes_;
  std::uint64_t version_ = 0;
  // Of any thread.
  mutable Mutex feeds_mutex_;  ///< Held while feeds are written. mutex_ may be taken with it held.
  std::vector<NodeMetricsFeed*> feeds_ WINNOW_GUARDED_BY(feeds_mutex_);
  mutable Mutex mutex_;
  std::stop_source attempt_ WINNOW_GUARDED_BY(mutex_);
  NodeMetricsStatus status_ WINNOW_GUARDED_BY(mutex_);
};

}  // namespace winnow::live
