// What the process around the extender service does for it: readiness, bindings, nominations, records.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/client/servers/binder.h"

namespace winnow {

class CallTracer;
class DecisionLog;
class PodSight;
class Profiler;
struct Pod;

/// A thing that Winnow does, for /readyz?verbose.
struct ReadyItem {
  enum class State : std::uint8_t { kOn, kOff, kDegraded };
  std::string name;  ///< "nominate-refused"
  State state = State::kOff;
  std::string why = {};  ///< One line. With kOn it tells more, and may be empty.
};

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
  /// What is on, off or worse than it should be, for /readyz?verbose.
  virtual std::vector<ReadyItem> ready_items() const { return {}; }
  /// Why the cache may not be used now, in one line; "" if it may.
  virtual std::string unusable() const { return {}; }
  /// Why Winnow nominates no node for a pod that waits: "it has resource claims, which are not judged".
  /// "": it does, or tells no reason.
  virtual std::string why_not_nominated(std::string_view, std::string_view, std::string_view) const {
    return {};
  }
  /// A filter call has refused the pod, and a node that it was not about may help. For
  /// ExtenderOptions::nominates_refused. Never blocks.
  /// @param by_eviction  that node is full, and evictions may make room.
  virtual void nominate_refused(const Pod&, bool /*by_eviction*/) {}
  /// kube-scheduler looks for victims for the pod by itself. Never blocks.
  virtual void on_preempts(const Pod&) {}
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
  Profiler* profiler = nullptr;  ///< Takes profiles of the process (--enable-profiling). Null: nobody does.
  const PodSight* sight = nullptr;  ///< Who may be told the names of pods. Null: whoever may ask.
};

}  // namespace winnow
