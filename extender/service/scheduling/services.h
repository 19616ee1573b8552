// What the process around the extender service does for it: readiness, bindings, nominations, records.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "cluster/client/servers/binder.h"

namespace winnow {

class CallTracer;
class DecisionLog;

/// What a live cluster gives the service. This class is a cluster of files: it is always ready, and nobody
/// binds or nominates. Called from any thread.
class ClusterServices {
 public:
  ClusterServices() = default;
  virtual ~ClusterServices() = default;
  ClusterServices(const ClusterServices&) = delete;
  ClusterServices& operator=(const ClusterServices&) = delete;

  /// The text of /readyz: why calls should not come here now, in one line; "" if they should.
  virtual std::string not_ready() const { return {}; }
  /// What /readyz says beside "ok": the rights that Winnow does without, in one line; "": none.
  virtual std::string missing_rights() const { return {}; }
  /// Why the cache may not be used now, in one line; "" if it may.
  virtual std::string unusable() const { return {}; }
  /// Why Winnow nominates no node for a pod that waits: "it has resource claims, which are not judged".
  /// "": it does, or tells no reason.
  virtual std::string why_not_nominated(std::string_view, std::string_view, std::string_view) const {
    return {};
  }
  /// Binds a pod, and returns by the deadline. For ExtenderOptions::binds.
  virtual live::BindResult bind(const live::Binding&, std::chrono::steady_clock::time_point) { return {}; }
  /// Called before each scrape, to update gauges whose values are kept elsewhere.
  virtual void before_scrape() {}
};

/// The services of no live cluster.
inline ClusterServices no_cluster;

/// All that the process gives the service. What is pointed to outlives the service.
struct ExtenderServices {
  ClusterServices* cluster = &no_cluster;  ///< Never null.
  /// Where decisions are kept (--keep-decisions). Null: none are kept.
  std::shared_ptr<DecisionLog> decision_log = nullptr;
  CallTracer* tracer = nullptr;  ///< Who records calls (--record). Null: nobody.
};

}  // namespace winnow
