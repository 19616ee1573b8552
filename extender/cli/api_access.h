// Access to a live cluster's API servers, made from the flags.
#pragma once

#include <expected>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "cluster/live/live_cluster.h"
#include "cluster/servers/api_servers.h"
#include "cluster/servers/binder.h"
#include "cluster/transport/https_transport.h"
#include "cluster/watch/discovery.h"
#include "extender/cli/flags.h"
#include "extender/run/live_observer.h"

namespace winnow {

/// Whether the flags, or the environment of a pod, name a live cluster.
bool names_live_cluster(const CommonFlags& flags);

/// The API servers of a cluster, with the transport, the binder and the discovery. Must outlive the picture
/// sources that are made with shared(). Made and destroyed on one thread.
class ApiAccess {
 public:
  /// @param metrics  must outlive this.
  /// @return the access, or one line: the file or flag, the field, and what was expected.
  static std::expected<std::unique_ptr<ApiAccess>, std::string> make(const CommonFlags& flags,
                                                                     LiveMetrics& metrics);
  ~ApiAccess();

  /// What the reflectors of a LiveCluster share. Points into this.
  live::LiveCluster::Shared shared();
  live::Binder& binder() { return binder_; }

 private:
  ApiAccess(const std::vector<std::string>& servers, std::unique_ptr<live::HttpsTransport> transport,
            LiveMetrics& metrics);
  /// Shows the transport in /metrics, and logs credentials that cannot be read.
  void show_transport(bool insecure_skip_tls_verify);
  /// Starts the thread that watches the EndpointSlice of the API servers.
  void discover();

  LiveMetrics& metrics_;
  live::ApiServers servers_;
  std::unique_ptr<live::HttpsTransport> transport_;
  LiveObserver observer_;
  live::Binder binder_;
  live::Discovery discovery_;
  std::unique_ptr<live::Reflector> slice_;
  std::jthread discovering_;  ///< Last member, so that it ends first.
};

}  // namespace winnow
