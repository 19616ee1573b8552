// A call's part in a recording, or in its replay.
//
// An answer depends on the rules, on the cache, on the request, and on what Winnow remembers of earlier
// calls. The last of these depends on the clock too. So a recording keeps what each call was told of it, and
// a replay tells the call the same.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/state/held_places.h"
#include "extender/service/scheduling/decision_lock.h"

namespace winnow {

class NodePicker;

/// What a call is told of earlier calls. Each field has the value that a call without a past gets.
struct CallMemory {
  /// The nodes that the pod was given and did not go to; see PickHistory.
  std::map<std::string, std::uint32_t, std::less<>> not_followed;
  /// Appended to the reasons of a refusal; see LateRemarks.
  std::string remark;
  /// The victims that preempt has named on the pod's nominated node; see VictimHistory.
  std::vector<std::string> named;
  bool believed = false;              ///< The request is believed that they are gone.
  bool refused_nominated = false;     ///< See RefusalHold::refused_nominated().
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
  std::map<std::string, Held> held;  ///< By "namespace/name" of the pod.
  std::string not_nominated;         ///< Why the pod gets no nomination: ExtenderOptions::why_not_nominated.

  bool operator==(const CallMemory&) const = default;
};

/// One call. Used by the call's thread.
class CallTrace {
 public:
  enum class Mode : std::uint8_t { kRecords, kReplays };

  explicit CallTrace(Mode mode_) : mode(mode_) {}
  virtual ~CallTrace() = default;
  CallTrace(const CallTrace&) = delete;
  CallTrace& operator=(const CallTrace&) = delete;

  /// The call has looked at the cache, and has what it needs of it. To be called with the cache locked.
  /// Of several looks the last counts.
  virtual void looked(const ActiveConfig& active) noexcept = 0;
  /// The call is answered. @param comparable  whether the same cache gives the same answer at any time.
  virtual void answered(int status, std::string_view body, bool comparable) noexcept = 0;
  /// The JSON of the request's pod; "": not kept.
  virtual std::string_view pod_text() const { return {}; }

  const Mode mode;
  CallMemory remembered;
  bool out_of_time = false;  ///< The answer is what was found until the time was over.
};

/// Whoever keeps the traces of calls. Any thread.
class CallTracer {
 public:
  virtual ~CallTracer() = default;
  /// A call begins. @return its trace; null: it is not recorded.
  virtual std::unique_ptr<CallTrace> begin(std::string_view path, std::string_view query,
                                           std::string_view body) = 0;
};

/// Asks what is remembered, and notes it; in a replay gives what was noted. @param trace  null: asks only.
template <class T, class Ask>
T recall(CallTrace* trace, T CallMemory::* what, const Ask& ask) {
  if (!trace) return ask();
  if (trace->mode == CallTrace::Mode::kRecords) trace->remembered.*what = ask();
  return trace->remembered.*what;
}

/// The same for the picks of a pod, before the picker picks for it.
void recall_picks(CallTrace* trace, NodePicker& picker, std::string_view pod_key);

}  // namespace winnow
