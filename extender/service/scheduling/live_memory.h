// The memory that all calls share, and the form of CallMemory that is this memory.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "extender/service/scheduling/call_memory.h"
#include "extender/service/scheduling/options.h"
#include "extender/service/scheduling/pick_history.h"
#include "extender/service/scheduling/refusal_hold.h"

namespace winnow {

class ClusterCache;
class State;
struct ExtenderServices;

/// What is remembered between calls. Each member is thread-safe by itself.
struct EarlierCalls {
  explicit EarlierCalls(const ExtenderOptions& options)
      : holds(options.catch_up, std::chrono::steady_clock::now()), picker(options.seed, options.drawn) {}

  RefusalHolds holds;
  NodePicker picker;
  VictimHistory named_victims;
  PromisedNodes promised_nodes;
};

/// The memory of any call that is neither recorded nor replayed. Thread-safe.
class LiveMemory : public CallMemory {
 public:
  /// All arguments outlive this and its copies.
  LiveMemory(const ExtenderOptions& options, const ExtenderServices& services, EarlierCalls& earlier)
      : options_(options), services_(services), earlier_(earlier) {}

  const NodePicker& picker_for(std::string_view pod_key) override;
  void picked(std::string_view pod_key, std::string_view node) override;
  void assume(ClusterCache& cache, const Pod& pod, std::string_view node,
              std::vector<ClaimedDevices> devices) override;
  void release(ClusterCache& cache, const Pod& pod) override;
  void doubt(ClusterCache& cache, const std::vector<AssumedPods::Attempt>& not_counted) override;
  RefusalHold begin_hold(RefusalHold::Asked asked) override;
  void note_fit(RefusalHold& hold, std::string_view pod_key) override;
  std::string note_refusal(RefusalHold& hold, const RefusedPod& refused) override;
  void nominate_refused(const Pod& pod, bool by_eviction) override;
  std::vector<std::string> named_victims(std::string_view pod_key, std::string_view node) override;
  bool believes_gone(std::string_view pod_key) override;
  bool refused_nominated(const RefusalHold& hold) override;
  bool fits_outside(const RefusalHold& hold) override;
  void note_preempts(const Pod& pod) override;
  std::vector<std::string> promised_to_others(const State& state, std::uint64_t told,
                                              const Pod& pod) override;
  void note_gone(std::string_view pod_key) override;
  void note_victims(const Pod& pod, std::vector<MetaVictims> victims) override;
  std::string why_not_nominated(std::string_view ns, std::string_view name, std::string_view uid) override;
  std::optional<Remembered::Refused> last_refusal(std::string_view pod_key) override;
  Remembered::HeldPlaces held_since(const std::vector<HeldPlace>& places) override;

 protected:
  LiveMemory(const LiveMemory&) = default;
  EarlierCalls& earlier() { return earlier_; }
  /// The JSON of the request's pod, for the cache's journal; "": not known.
  virtual std::string_view pod_text() const { return {}; }

 private:
  const ExtenderOptions& options_;
  const ExtenderServices& services_;
  EarlierCalls& earlier_;
};

}  // namespace winnow
