// A live cluster, as the flags name it.
#pragma once

#include <expected>
#include <memory>
#include <string>
#include <thread>

#include "cluster/live/api_servers.h"
#include "cluster/live/binder.h"
#include "cluster/live/discovery.h"
#include "cluster/live/https_transport.h"
#include "cluster/live/live_cluster.h"
#include "extender/cli/flags.h"
#include "extender/live/live_observer.h"

namespace winnow {

/// Whether the flags, or the place we run at, name a live cluster.
bool names_live_cluster(const CommonFlags& flags);

/// Its servers, and the way to them. Outlives the sites made of it.
class LiveSource {
 public:
  /// @param metrics  outlives this. @return or one line: the file or flag, the field, what was expected.
  static std::expected<std::unique_ptr<LiveSource>, std::string> make(const CommonFlags& flags,
                                                                      LiveMetrics& metrics);
  ~LiveSource();

  live::LiveCluster::Means means();
  live::Binder& binder() { return binder_; }

 private:
  LiveSource(const std::vector<std::string>& servers, std::unique_ptr<live::HttpsTransport> transport,
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
