// A live cluster, as the flags name it.
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

/// Whether the flags, or the place we run at, name a live cluster.
bool names_live_cluster(const CommonFlags& flags);

/// Its servers, and the way to them. Outlives the picture sources made of it.
class ApiAccess {
 public:
  /// @param metrics  outlives this. @return or one line: the file or flag, the field, what was expected.
  static std::expected<std::unique_ptr<ApiAccess>, std::string> make(const CommonFlags& flags,
                                                                     LiveMetrics& metrics);
  ~ApiAccess();

  live::LiveCluster::Shared shared();
  live::Binder& binder() { return binder_; }

 private:
  ApiAccess(const std::vector<std::string>& servers, std::unique_ptr<live::HttpsTransport> transport,
            LiveMetrics& metrics);
  /// Shows the transport in /metrics, and its troubles with credentials in the log.
  void show_transport(bool insecure_skip_tls_verify);
  /// Follows the EndpointSlice from now on.
  void discover();

  LiveMetrics& metrics_;
  live::ApiServers servers_;
  std::unique_ptr<live::HttpsTransport> transport_;
  LiveObserver observer_;
  live::Binder binder_;
  live::Discovery discovery_;
  std::unique_ptr<live::Reflector> slice_;
  std::jthread discovering_;  ///< Last: it ends first.
};

}  // namespace winnow
