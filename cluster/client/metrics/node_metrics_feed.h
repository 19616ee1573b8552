// The way of measurements into one cache.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "cluster/api/node_metrics.h"
#include "cluster/client/watch/cache_sink.h"

namespace winnow {

class ClusterCache;

}  // namespace winnow

namespace winnow::live {

class NodeMetricsFeed;
class ObjectSink;

/// Who writes into feeds: a NodeMetricsSource. Any thread.
class FeedWriter {
 public:
  virtual ~FeedWriter() = default;
  virtual void add(NodeMetricsFeed& feed) = 0;
  /// Returns when nothing is written into it any more.
  virtual void remove(NodeMetricsFeed& feed) = 0;
  /// Has the writer look at the feeds at once: a cache was lost. It may be locked. Does not allocate.
  virtual void wake() noexcept = 0;
};

/// What is measured of one node by now.
struct MeasuredNode {
  std::optional<NodeUsage> usage;
  MetricsByName metrics;
  std::uint64_t version = 0;  ///< Another one each time that the rest changes; never 0.
};
/// By the node's name.
using MeasuredNodes = std::map<std::string, MeasuredNode, std::less<>>;

/// The object as it is written into the cache, and into recordings: a NodeMetrics with Winnow's field
/// `metrics`.
std::string node_metrics_json(std::string_view name, const MeasuredNode& node);

/// Keeps the NodeMetrics of a cache as a NodeMetricsSource has them. It is a source of the cache: it lists at
/// once, with what there is, at the start and after each loss of the cache. So a cache never waits for
/// measurements. Later it writes what has changed.
class NodeMetricsFeed {
 public:
  /// @param writer, cache  outlive this. The writer's thread writes from now on.
  NodeMetricsFeed(FeedWriter& writer, ClusterCache& cache, const OnUndecodable& on_undecodable);
  ~NodeMetricsFeed();
  NodeMetricsFeed(const NodeMetricsFeed&) = delete;
  NodeMetricsFeed& operator=(const NodeMetricsFeed&) = delete;

  /// Writes what differs from the last write. For the writer's thread. Throws what the cache's write throws,
  /// but not SinkLost: then the next write lists all.
  void write(const MeasuredNodes& nodes);
  const ClusterCache& cache() const { return cache_; }

 private:
  void list(const MeasuredNodes& nodes);
  void write_changes(const MeasuredNodes& nodes);

  FeedWriter& writer_;
  ClusterCache& cache_;
  const std::unique_ptr<ObjectSink> sink_;
  std::optional<std::uint64_t> epoch_;                         ///< Of the cache that was listed last.
  std::map<std::string, std::uint64_t, std::less<>> written_;  ///< Versions by name.
};

}  // namespace winnow::live
