#include "cluster/client/metrics/node_metrics_source.h"

#include <algorithm>
#include <exception>
#include <random>
#include <set>
#include <utility>

#include "cluster/state/cluster_cache.h"
#include "cluster/state/state.h"

namespace winnow::live {
namespace {

/// Until a feed comes, which ends the wait.
constexpr std::chrono::hours kUntilFeed{1};
/// After a write that has failed for want of memory.
constexpr std::chrono::seconds kAfterError{1};

/// Counts the nodes that the cache has. @param nodes  of each provider.
void count_known(const ClusterCache& cache, const std::vector<std::vector<std::string_view>>& nodes,
                 NodeMetricsStatus& status) {
  const ClusterCache::ReadGuard state = cache.read();
  status.nodes = state->node_count();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    ProviderStatus& one = status.providers[i];
    for (const std::string_view node : nodes[i]) {
      const bool is_known = state->find_node(node) != kNone;
      ++(is_known ? one.nodes : one.unknown);
      if (!is_known && one.unknown_name.empty()) one.unknown_name = node;
    }
  }
}

}  // namespace

NodeMetricsSource::NodeMetricsSource(std::vector<std::unique_ptr<MetricsProvider>> providers,
                                     NodeMetricsOptions options, Clock& clock, WallClock now,
                                     NodeMetricsObserver& observer)
    : options_(options), clock_(clock), now_(std::move(now)), observer_(observer) {
  std::mt19937_64 random(options.seed);
  for (auto& asked : providers) {
    Provider& provider =
        providers_.emplace_back(Provider{.asked = std::move(asked), .backoff = Backoff(random())});
    provider.status.name = provider.asked->name();
  }
  note_status();
}

NodeMetricsSource::~NodeMetricsSource() = default;

// ---- the thread ----

void NodeMetricsSource::run(const std::stop_token& stop) {
  const std::stop_callback end(stop, [this] { end_attempt(); });
  while (!stop.stop_requested()) {
    const std::stop_token attempt = begin_attempt();
    // A stop that was requested before the attempt began has not reached it.
    if (stop.stop_requested()) return;
    Clock::Duration pause = options_.period;
    try {
      round(attempt);
      if (!has_feeds()) {
        pause = kUntilFeed;
      } else {
        for (const Provider& provider : providers_) pause = std::min(pause, provider.due - clock_.now());
      }
    } catch (const std::exception&) {  // Out of memory. The cache that was written to is lost, and says so.
      clock_.sleep(kAfterError, stop);
      continue;
    }
    if (pause > Clock::Duration(0)) clock_.sleep(pause, attempt);
  }
}

void NodeMetricsSource::round(const std::stop_token& stop) {
  merge();
  write_feeds();
  if (has_feeds()) ask_due(stop);
  note_status();
}

std::stop_token NodeMetricsSource::begin_attempt() {
  const MutexLock lock(mutex_);
  if (attempt_.stop_requested()) attempt_ = std::stop_source();
  return attempt_.get_token();
}

void NodeMetricsSource::end_attempt() noexcept {
  std::stop_source attempt(std::nostopstate);
  {
    const MutexLock lock(mutex_);
    attempt = attempt_;
  }
  attempt.request_stop();
}

void NodeMetricsSource::wake() noexcept { end_attempt(); }

// ---- asking ----

void NodeMetricsSource::ask_due(const std::stop_token& stop) {
  for (Provider& provider : providers_) {
    if (stop.stop_requested() || provider.due > clock_.now()) continue;
    ask(provider, stop);
    // At once: the next provider may be slow.
    merge();
    write_feeds();
  }
}

void NodeMetricsSource::ask(Provider& provider, const std::stop_token& stop) {
  const Polled polled = provider.asked->poll(stop);
  // What was cut short says nothing, and is asked again.
  const bool is_empty = polled.usage.empty() && polled.metrics.empty();
  if (stop.stop_requested() && (polled.result != PollResult::kGood || is_empty)) return;
  take(provider, polled);
  provider.due = clock_.now() + pause_after(provider, polled);
  ++provider.status.polls[static_cast<std::size_t>(polled.result)];
  if (std::exchange(provider.status.result, polled.result) != polled.result)
    observer_.on_result(provider.status.name, polled.result, polled.error);
  provider.status.error = polled.error;
}

void NodeMetricsSource::take(Provider& provider, const Polled& polled) const {
  const Clock::Time now = clock_.now();
  const std::chrono::nanoseconds wall = now_().time_since_epoch();
  if (polled.result != PollResult::kGood && polled.result != PollResult::kPartly) return;
  provider.status.answered = now;
  for (const auto& [node, usage] : polled.usage) {
    const auto [known, is_new] = provider.usage.try_emplace(node, Seen{usage, now});
    if (!is_new && usage.taken > known->second.usage.taken) known->second = {usage, now};
  }
  // A node that is left out once keeps what was measured, until that is too old.
  std::erase_if(provider.usage, [&](const auto& known) {
    const auto& [node, seen] = known;
    return !polled.usage.contains(node) && !is_fresh(seen.usage.taken, seen.first, wall);
  });
  for (const auto& [metric, values] : polled.metrics) {
    auto& known = provider.values[metric];
    known.clear();
    for (const auto& [node, value] : values) known.emplace_hint(known.end(), node, SeenValue{value, now});
  }
}

Clock::Duration NodeMetricsSource::pause_after(Provider& provider, const Polled& polled) {
  const Clock::Time now = clock_.now();
  if (polled.result != PollResult::kDenied) provider.denied_since.reset();
  if (polled.result == PollResult::kGood || polled.result == PollResult::kPartly) return options_.period;
  if (polled.result == PollResult::kDenied) {
    if (!provider.denied_since) provider.denied_since = now;
    if (now - *provider.denied_since >= kMayHaveStarted) return kDeniedAgain;
  }
  const Clock::Duration asked_for =
      std::min(polled.retry_after.value_or(std::chrono::seconds(0)), kLongestRetry);
  return std::max(provider.backoff.next(now), asked_for);
}

// ---- what is known ----

bool NodeMetricsSource::is_fresh(std::int64_t taken, Clock::Time first, std::chrono::nanoseconds wall) const {
  return wall - std::chrono::nanoseconds(taken) <= options_.max_age &&
         clock_.now() - first <= options_.max_age;
}

void NodeMetricsSource::merge() {
  const std::chrono::nanoseconds wall = now_().time_since_epoch();
  MeasuredNodes merged;
  for (const Provider& provider : providers_) {
    for (const auto& [name, seen] : provider.usage) {
      if (!is_fresh(seen.usage.taken, seen.first, wall)) continue;
      std::optional<NodeUsage>& usage = merged[name].usage;
      if (!usage || usage->taken < seen.usage.taken) usage = seen.usage;
    }
    for (const auto& [metric, values] : provider.values)
      for (const auto& [name, seen] : values)
        if (is_fresh(seen.value.taken, seen.first, wall))
          merged[name].metrics.insert_or_assign(metric, seen.value.value);
  }
  for (auto& [name, node] : merged) {
    const auto before = nodes_.find(name);
    const bool same = before != nodes_.end() && before->second.usage == node.usage &&
                      before->second.metrics == node.metrics;
    node.version = same ? before->second.version : ++version_;
  }
  nodes_ = std::move(merged);
}

std::vector<std::string_view> NodeMetricsSource::nodes_of(const Provider& provider,
                                                          std::size_t& too_old) const {
  const std::chrono::nanoseconds wall = now_().time_since_epoch();
  std::set<std::string_view> fresh, old;
  const auto sort = [&](const std::string& node, std::int64_t taken, Clock::Time first) {
    (is_fresh(taken, first, wall) ? fresh : old).insert(node);
  };
  for (const auto& [node, seen] : provider.usage) sort(node, seen.usage.taken, seen.first);
  for (const auto& [metric, values] : provider.values)
    for (const auto& [node, seen] : values) sort(node, seen.value.taken, seen.first);
  too_old = old.size();
  return {fresh.begin(), fresh.end()};
}

void NodeMetricsSource::note_status() {
  NodeMetricsStatus status;
  std::vector<std::vector<std::string_view>> nodes;
  for (const Provider& provider : providers_) {
    ProviderStatus& one = status.providers.emplace_back(provider.status);
    nodes.push_back(nodes_of(provider, one.too_old));
  }
  const std::chrono::nanoseconds wall = now_().time_since_epoch();
  for (const auto& [name, node] : nodes_)
    if (node.usage)
      status.oldest_usage = std::max(status.oldest_usage.value_or(std::chrono::nanoseconds(0)),
                                     wall - std::chrono::nanoseconds(node.usage->taken));
  const MutexLock feeds_lock(feeds_mutex_);
  status.is_asked = !feeds_.empty();
  if (status.is_asked) count_known(feeds_.back()->cache(), nodes, status);
  const MutexLock lock(mutex_);
  status_ = std::move(status);
}

NodeMetricsStatus NodeMetricsSource::status() const {
  const MutexLock lock(mutex_);
  return status_;
}

// ---- feeds ----

void NodeMetricsSource::add(NodeMetricsFeed& feed) {
  {
    const MutexLock lock(feeds_mutex_);
    feeds_.push_back(&feed);
  }
  wake();
}

void NodeMetricsSource::remove(NodeMetricsFeed& feed) {
  const MutexLock lock(feeds_mutex_);
  std::erase(feeds_, &feed);
}

bool NodeMetricsSource::has_feeds() const {
  const MutexLock lock(feeds_mutex_);
  return !feeds_.empty();
}

void NodeMetricsSource::write_feeds() {
  const MutexLock lock(feeds_mutex_);
  for (NodeMetricsFeed* const feed : feeds_) feed->write(nodes_);
}

}  // namespace winnow::live
