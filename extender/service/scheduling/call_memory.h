// A call's memory: what it is told of earlier calls, and what it leaves for later ones.
//
// An answer depends on the rules, on the cache, on the request, and on what Winnow remembers of earlier
// calls. The last of these depends on the clock too. So a recording keeps what each call was told of it, and
// a replay tells the call the same. A verb does not know which form of memory it has:
// - live: the memory that all calls share (live_memory.h);
// - recording: the same, and what it tells is noted (Recorder::begin);
// - replaying: it tells what was noted, and keeps nothing (Player::look).
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/state/assumed_pods.h"
#include "cluster/state/held_places.h"
#include "extender/service/protocol/preempt_args.h"
#include "extender/service/scheduling/refusal_hold.h"

namespace winnow {

class ClusterCache;
class Engine;
class LocatedRequest;
class NodePicker;
class PassTimes;
class State;
struct ActiveConfig;

/// What a call is told of earlier calls. Each field has the value that a call without a past gets.
struct Remembered {
  /// The nodes that the pod was given and did not go to; see PickHistory.
  std::map<std::string, std::uint32_t, std::less<>> not_followed;
  /// Appended to the reasons of a refusal; see LateRemarks.
  std::string remark;
  /// The victims that preempt has named on the pod's nominated node; see VictimHistory.
  std::vector<std::string> named;
  bool believed = false;              ///< The request is believed that they are gone.
  bool refused_nominated = false;     ///< See RefusalHold::refused_nominated().
  bool fits_outside = false;          ///< See RefusedPod::fits_outside, of the attempt's last filter call.
  std::vector<std::string> promised;  ///< See PromisedNodes::of_others().
  /// What explain says of the pod's last refusal.
  struct Refused {
    std::uint64_t times = 0;
    double seconds = 0;
    std::string would_fit_on;
    std::optional<double> would_fit_seconds;
    bool operator==(const Refused&) const = default;
  };
  std::optional<Refused> refused;
  /// What explain says of a place that is held. It hangs on the clock, and on what became of the pod before.
  struct Held {
    double seconds = 0;
    HeldTried tried = HeldTried::kNever;
    bool operator==(const Held&) const = default;
  };
  using HeldPlaces = std::map<std::string, Held>;  ///< By "namespace/name" of the pod.
  HeldPlaces held;
  std::string not_nominated;  ///< Why the pod gets no nomination: ClusterServices::why_not_nominated.

  bool operator==(const Remembered&) const = default;
};

/// A filter call that refuses its pod. The cache is locked.
struct RefusedPod {
  const LocatedRequest& located;
  const Engine& engine;
  RefusalHold::Seen seen;
  bool is_error;  ///< The call fails: the rules find a mistake in the pod.
  /// Whether kube-scheduler writes the refusal's text into the pod's condition, and so tries the pod again
  /// when the text changes.
  bool may_remark;
  PassTimes& times;
  /// The pod fits on a node that the call was not about.
  bool fits_outside = false;
};

/// The memory of one call. It is asked with the cache locked, but for what changes the cache.
class CallMemory {
 public:
  CallMemory() = default;
  virtual ~CallMemory() = default;
  CallMemory& operator=(const CallMemory&) = delete;

  // The node that a pod is given. `pod_key` is that of pod_key_of().

  /// The picker for a look at the cache. It ranks the nodes lower that the pod was given and did not go to.
  virtual const NodePicker& picker_for(std::string_view pod_key) = 0;
  /// Notes that the pod is answered with this node.
  virtual void picked(std::string_view pod_key, std::string_view node) = 0;

  // The assumed pods of the cache. It is unlocked.

  /// Assumes the pod on the node, so that every later call counts it there. To be called before the answer is
  /// sent, with the DecisionLock held. Does nothing unless picks are assumed (ExtenderOptions::assume).
  /// @param devices  what the pod's claims get there.
  virtual void assume(ClusterCache& cache, const Pod& pod, std::string_view node,
                      std::vector<ClaimedDevices> devices) = 0;
  /// Ends the pod's assumption, if there is one: kube-scheduler asks anew.
  virtual void release(ClusterCache& cache, const Pod& pod) = 0;
  /// Puts pods in doubt that kube-scheduler does not count.
  virtual void doubt(ClusterCache& cache, const std::vector<AssumedPods::Attempt>& not_counted) = 0;

  // The refusals of a pod.

  /// Begins the hold of the call. The memory that calls share must outlive it.
  virtual RefusalHold begin_hold(RefusalHold::Asked asked) = 0;
  /// Notes a filter call that has found a node for the pod.
  virtual void note_fit(RefusalHold& hold, std::string_view pod_key) = 0;
  /// Notes a filter call whose refusal is final. @return the text to append to each of its reasons; "": none.
  virtual std::string note_refusal(RefusalHold& hold, const RefusedPod& refused) = 0;
  /// Has the pod nominated for a node that the refused call was not about, when its attempt has ended.
  /// @param by_eviction  it fits on none, and evictions there may make room.
  virtual void nominate_refused(const Pod& pod, bool by_eviction) = 0;

  // Preemption.

  /// The UIDs of the victims that preempt has named for the pod on the node; empty if there are none.
  virtual std::vector<std::string> named_victims(std::string_view pod_key, std::string_view node) = 0;
  /// Whether the request is believed that they are gone, although the cache has them.
  virtual bool believes_gone(std::string_view pod_key) = 0;
  /// Whether Winnow has refused the pod's nominated node in this attempt.
  virtual bool refused_nominated(const RefusalHold& hold) = 0;
  /// Whether the attempt's last filter call has found that the pod fits on a node that it was not about.
  virtual bool fits_outside(const RefusalHold& hold) = 0;
  /// The call is one of preempt.
  virtual void note_preempts(const Pod& pod) = 0;
  /// The nodes that are promised to other pods; see PromisedNodes::of_others().
  virtual std::vector<std::string> promised_to_others(const State& state, std::uint64_t told,
                                                      const Pod& pod) = 0;
  /// Notes that the request has said so of victims that the cache has.
  virtual void note_gone(std::string_view pod_key) = 0;
  /// Notes the nodes and victims that preempt answers.
  virtual void note_victims(const Pod& pod, std::vector<MetaVictims> victims) = 0;

  // What explain says.

  /// See ClusterServices::why_not_nominated().
  virtual std::string why_not_nominated(std::string_view ns, std::string_view name, std::string_view uid) = 0;
  /// The pod's last refusal; nothing if there is none.
  virtual std::optional<Remembered::Refused> last_refusal(std::string_view pod_key) = 0;
  /// Since when the places are held.
  virtual Remembered::HeldPlaces held_since(const std::vector<HeldPlace>& places) = 0;

  // The call itself.

  /// Whether the call may look at the cache once only, for a replay has one cache for it.
  virtual bool looks_once() const { return false; }
  /// The call has looked at the cache, and has what it needs of it. To be called with the cache locked.
  /// Of several looks the last counts.
  virtual void looked(const ActiveConfig&) noexcept {}
  /// Notes whether the answer is what was found until the time was over: at another time it is another one.
  virtual void set_out_of_time(bool) noexcept {}
  /// The call is answered.
  virtual void answered(int /*status*/, std::string_view /*body*/) noexcept {}

 protected:
  CallMemory(const CallMemory&) = default;
};

class LiveMemory;

/// Whoever records calls. Any thread.
class CallTracer {
 public:
  virtual ~CallTracer() = default;
  /// A call begins. @param live  what the call would have without a recording. Its parts outlive the result.
  /// @param began  when, in whole milliseconds.
  /// @return the memory that notes what it tells; null: the call is not recorded.
  virtual std::unique_ptr<CallMemory> begin(const LiveMemory& live, std::string_view path,
                                            std::string_view query, std::string_view body,
                                            std::chrono::system_clock::time_point began) = 0;
};

}  // namespace winnow
