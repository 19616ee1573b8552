// Access to a live cluster's API servers, made from the flags.
#pragma once

#include <expected>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "cluster/client/servers/access_reviewer.h"
#include "cluster/client/servers/api_servers.h"
#include "cluster/client/servers/binder.h"
#include "cluster/client/servers/pod_look_up.h"
#include "cluster/client/servers/pod_patcher.h"
#include "cluster/client/transport/https_transport.h"
#include "cluster/client/watch/discovery.h"
#include "cluster/client/watch/live_cluster.h"
#include "cluster/client/watch/pod_handler.h"
#include "extender/service/live_observer.h"

namespace winnow::live {

class LeaderElection;
class LeaderElectionObserver;
class MetricsProvider;
class NodeMetricsSource;
class PodEvents;
class Reflector;
struct LeaderElectionOptions;

}  // namespace winnow::live

namespace winnow {

class LiveMetrics;
struct CommonFlags;

/// The API servers of a cluster, with the transport, the binder and the discovery. Must outlive the cache
/// sources that are made with shared(). Made and destroyed on one thread.
class ApiAccess {
 public:
  /// @param metrics  must outlive this.
  /// @return the access, or one line: the file or flag, the field, and what was expected.
  static std::expected<std::unique_ptr<ApiAccess>, std::string> make(const CommonFlags& flags,
                                                                     LiveMetrics& metrics);
  ~ApiAccess();

  /// Has the watches of pods tell the handler too. To be called before shared(). @param handler  outlives the
  /// cache sources.
  void handle_pods(live::PodHandler& handler) { pod_handlers_.add(handler); }
  /// Has the source feed the caches. To be called before shared(). @param source  outlives the cache sources.
  void feed_by(live::NodeMetricsSource& source) { node_metrics_ = &source; }
  /// What the reflectors of a LiveCluster share. Points into this.
  live::LiveCluster::Shared shared();
  live::Binder& binder() { return binder_; }
  live::AccessReviewer& reviewer() { return reviewer_; }
  live::PodPatcher& pod_patcher() { return pod_patcher_; }
  const live::PodLookUp& pod_look_up() const { return pod_look_up_; }
  /// Events by this controller, which say of a failure that they were not written. This outlives them.
  std::unique_ptr<live::PodEvents> make_events(std::string controller);
  /// The provider that asks these API servers. This outlives it.
  std::unique_ptr<live::MetricsProvider> make_metrics_server();
  /// An election that has not begun. @param observer  outlives it, as this does.
  std::unique_ptr<live::LeaderElection> make_election(live::LeaderElectionOptions options,
                                                      live::LeaderElectionObserver& observer);

 private:
  ApiAccess(const std::vector<std::string>& servers, std::unique_ptr<live::HttpsTransport> transport,
            LiveMetrics& metrics);
  /// Shows the transport in /metrics, and logs credentials that cannot be read.
  void show_transport(bool insecure_skip_tls_verify);
  /// Starts the thread that watches the EndpointSlice of the API servers.
  void discover();

  LiveMetrics& metrics_;
  live::PodHandlers pod_handlers_;
  live::NodeMetricsSource* node_metrics_ = nullptr;  ///< Null: caches get no measurements.
  live::ApiServers servers_;
  std::unique_ptr<live::HttpsTransport> transport_;
  LiveObserver observer_;
  live::Binder binder_;
  live::AccessReviewer reviewer_;
  live::PodPatcher pod_patcher_;
  live::PodLookUp pod_look_up_;
  live::Discovery discovery_;
  std::unique_ptr<live::Reflector> slice_;
  std::jthread discovering_;  ///< Last member, so that it ends first.
};

}  // namespace winnow
