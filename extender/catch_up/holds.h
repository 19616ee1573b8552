// The state that the holds of all calls share.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "cluster/api/pod.h"
#include "extender/catch_up/hold.h"
#include "extender/catch_up/late_remarks.h"
#include "extender/catch_up/recency.h"
#include "extender/catch_up/refusals.h"

namespace winnow {

/// Recency, refusals and remarks for all Hold objects, and the notes that are made when a call is answered.
/// Thread-safe.
class Holds {
 public:
  using Time = Hold::Time;

  /// @param catch_up  the longest hold; 0: refusals are never held.
  Holds(Recency::Duration catch_up, Time now) : recency_(catch_up, now) {}

  bool is_on() const { return recency_.is_on(); }
  /// Begins the hold of one call. This object must outlive the result.
  Hold begin(Hold::Asked asked) { return {recency_, refusals_, std::move(asked)}; }

  /// Notes a filter call that has found a node for the pod.
  void note_fit(Hold& hold, std::string_view pod_key, Time now);
  /// Notes a filter call whose refusal is final.
  /// @param may_remark  whether kube-scheduler writes the refusal's text into the pod's condition, and so
  ///   tries the pod again when the text changes.
  /// @param held  the place that is held for another pod, in words; "": there is none. Called if the text is
  ///   wanted.
  /// @return the text to append to each reason of the refusal; "": none.
  std::string note_refusal(Hold& hold, const Pod& pod, const Hold::Seen& seen, bool is_error, bool may_remark,
                           const std::function<std::string()>& held, Time now);

  Refusals& refusals() { return refusals_; }
  const Recency& recency() const { return recency_; }
  const LateRemarks& late_remarks() const { return late_remarks_; }

 private:
  Recency recency_;
  Refusals refusals_;
  LateRemarks late_remarks_;
};

}  // namespace winnow
