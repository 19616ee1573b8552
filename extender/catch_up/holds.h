// The refusals of all calls: which are held, which are remembered, and what they say.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "cluster/api/pod.h"
#include "extender/catch_up/hold.h"
#include "extender/catch_up/late_remarks.h"
#include "extender/catch_up/recency.h"
#include "extender/catch_up/refusals.h"

namespace winnow {

/// What the calls' Holds share, and what is noted when a call is answered. Thread-safe.
class Holds {
 public:
  using Time = Hold::Time;

  /// @param catch_up  how long a refusal may be held at most; 0: none is ever held.
  Holds(Recency::Duration catch_up, Time now) : recency_(catch_up, now) {}

  bool is_on() const { return recency_.is_on(); }
  /// For one call. @param asked  what the call says. This outlives the result.
  Hold begin(Hold::Asked asked) { return {recency_, refusals_, std::move(asked)}; }

  /// A filter call has found a node for the pod.
  void note_fit(Hold& hold, std::string_view pod_key, Time now);
  /// A filter call has found none, and the refusal stands.
  /// @param may_remark  kube-scheduler shows the refusal's text to people, and tries the pod again if it
  /// changes.
  /// @return what stands behind each reason of the refusal; "": nothing.
  std::string note_refusal(Hold& hold, const Pod& pod, const Hold::Seen& seen, bool is_error, bool may_remark,
                           Time now);

  Refusals& refusals() { return refusals_; }
  const Recency& recency() const { return recency_; }
  const LateRemarks& late_remarks() const { return late_remarks_; }

 private:
  Recency recency_;
  Refusals refusals_;
  LateRemarks late_remarks_;
};

}  // namespace winnow
