// A live cluster: keeps a cache up to date by list and watch; and the API paths of the kinds.
//
// It joins the reflectors of cluster/client/watch and cluster/state.
// There is a reflector for each kind that is needed.
// cache_sink.h writes the objects into the cache.
#pragma once

#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cluster/api/kinds.h"
#include "cluster/client/watch/cache_sink.h"
#include "cluster/client/watch/reflector_status.h"
#include "cluster/client/watch/resource.h"
#include "cluster/clock.h"

namespace winnow {

class ClusterCache;

}  // namespace winnow

namespace winnow::live {

class ApiServers;
class ApiTransport;
class NodeMetricsFeed;
class NodeMetricsSource;
class PodHandler;
class Reflector;

/// The reflectors of a cache: one for each needed kind, each with its own thread. When the cache is lost,
/// all of them list again, and not_synced() names them until they have.
class LiveCluster {
 public:
  /// The parts that all reflectors share. All of them must outlive the cluster.
  struct Shared {
    ApiServers& servers;
    ApiTransport& transport;
    Clock& clock;
    ReflectorObserver& observer;
    OnUndecodable on_undecodable;
    PodHandler* pod_handler = nullptr;  ///< Null: nobody is told of pods.
    /// What feeds caches that keep measurements of nodes; null: nothing does.
    NodeMetricsSource* node_metrics = nullptr;
  };

  /// @param cache  must outlive this. Nobody else writes to it, except through AssumedPods.
  LiveCluster(ClusterCache& cache, WatchedKinds needs, const Shared& shared);
  /// Asks the threads to stop, and waits for them.
  ~LiveCluster();
  LiveCluster(const LiveCluster&) = delete;
  LiveCluster& operator=(const LiveCluster&) = delete;

  /// Starts the threads. Call it once.
  void start();

  struct Silence {
    std::string resource;
    Clock::Duration lasting{};
  };
  /// The resource with the longest silence, by ReflectorStatus::silence(). A resource that was never listed
  /// completely counts as silent for the maximum duration. Any thread.
  Silence longest_silence() const;
  /// The names of the resources without a complete list so far. Those that Winnow does without are left out,
  /// here and in longest_silence(). Any thread.
  std::vector<std::string> not_synced() const;
  /// The first resource's ReflectorStatus::denied that is set; "" if none is. Any thread.
  std::string denied() const;
  /// The resources that Winnow does without and should not, with the reasons, in one line; "": none. Any
  /// thread.
  std::string missing_rights() const;
  /// The status of each reflector. Any thread.
  std::vector<std::pair<Resource, ReflectorStatus>> statuses() const;

  WatchedKinds needs() const { return needs_; }

 private:
  struct Part {
    std::unique_ptr<ObjectSink> sink;
    std::unique_ptr<Reflector> reflector;
  };

  /// Whether the cache is complete without the resource. An API server that has just started denies all
  /// rights until it has read the roles. So a refusal counts if it came after nodes and pods were listed.
  bool is_done_without(const Resource& resource, const ReflectorStatus& status) const;

  const WatchedKinds needs_;
  ClusterCache& cache_;
  const Clock& clock_;
  const OnUndecodable on_undecodable_;
  NodeMetricsSource* const node_metrics_;  ///< Null: the cache gets no measurements.
  std::vector<Part> parts_;
  std::unique_ptr<NodeMetricsFeed> feed_;  ///< From start() on.
  std::vector<std::jthread> threads_;      ///< Last member: the threads must end first.
};

// The API paths of the kinds.

/// The resource to list and watch for a kind. Pods that have Succeeded or Failed are excluded, as by
/// kube-scheduler (pkg/scheduler/scheduler.go newPodInformer v1.37.0).
Resource resource_of(ResourceKind kind);

}  // namespace winnow::live
