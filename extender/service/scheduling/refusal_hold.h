// The wait of one call for the watch, before it refuses a pod, and the state that the waits of all share.
//
// kube-scheduler calls about a pod because something has happened, and Winnow's watch may not have shown it
// yet. The answer "no node fits" would come from a cache that is too old, and the pod would wait for
// minutes. So a RefusalHold looks for signs that kube-scheduler knows more than the cache:
// - the watch has not shown the pod's version yet, or a node of the request (Sign::kAhead);
// - the pod is asked about again, although Winnow knows of no event since (Sign::kAskedAgain).
//
// With a sign, the refusal waits for news, and the call judges the pod again, for as long as
// WatchLagEstimator allows. Without a sign it waits for about as long as the watch is usually late. One
// scheduling attempt may make several calls about a pod; a call does not wait again for what an earlier one
// of the attempt has waited for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "extender/service/scheduling/unschedulable_records.h"
#include "extender/service/scheduling/watch_lag.h"

namespace winnow {

struct Pod;

/// The hold of one call. Used by one thread. The caller passes the time.
class RefusalHold {
 public:
  using Time = WatchLagEstimator::Time;
  /// The most doubtful answers in a row for one pod; see is_doubtful().
  static constexpr unsigned kDoubts = 4;

  /// The pod and the kind of the call.
  struct Asked {
    std::string uid;
    std::uint64_t version = 0;  ///< The pod's resource version; 0: none.
    bool refused = false;       ///< The pod's condition says PodScheduled=False.
    bool one_node = false;      ///< The call is about one node.
    bool preempts = false;      ///< A preempt call: it follows the filter calls of its attempt.
    /// When the call arrived.
    Time at;
  };
  /// The facts of one look at the cache.
  struct Seen {
    std::uint64_t news = 0;         ///< ChangeNotifier::Count::for_others before the look.
    std::uint64_t told = 0;         ///< Resource version up to which pods were watched; 0: no watch.
    std::size_t unknown_nodes = 0;  ///< Nodes of the request that the cache lacks.
    bool differs = false;           ///< The answer differs from what kube-scheduler expects.
  };

  /// Notes the call in `recency`. Both references must outlive this object.
  RefusalHold(WatchLagEstimator& recency, const UnschedulableRecords& refusals, Asked asked);

  /// To be called after a look that refuses the pod.
  /// @return the time until which the call waits for news before it looks again; nothing: the refusal is
  ///   final.
  std::optional<Time> next(const Seen& seen, Time now);
  /// To be called when the call is answered.
  void end(bool refused, Time now);
  /// After next(): whether the final refusal may come from a cache that is too old. It may in three cases:
  /// - the pod was asked about again, and no event that Winnow knows of explains that;
  /// - the call was held for as long as allowed, and kube-scheduler is still ahead;
  /// - the watch is too late for any hold.
  ///
  /// It is never doubtful if the pod's condition does not say yet that it was refused. That condition will be
  /// written, which is a change of the pod, and kube-scheduler tries the pod again. It is no longer doubtful
  /// after kDoubts such answers in a row, if nothing else happens.
  bool is_doubtful(const Seen& seen, Time now) const;
  /// Whether the last look found a sign.
  bool has_sign() const { return sign_ != WatchLagEstimator::Sign::kNoSign; }
  /// The number of this refusal among the pod's refusals in a row, from 1.
  std::uint64_t attempt() const { return before_ ? before_->times + 1 : 1; }

  /// The record of the refusal for UnschedulableRecords.
  /// @param doubtful  see is_doubtful().
  /// @param told  whether the refusal's text says that the watch may be late.
  UnschedulableRecord refusal(const std::string& ns, const std::string& name, const Seen& seen, Time now,
                              bool doubtful = false, bool told = false) const;
  /// Whether Winnow has refused the pod's nominated node in this attempt.
  bool refused_nominated() const { return same_attempt_ && before_->refused_nominated; }
  /// Whether an earlier call of this attempt has found a node for the pod that it was not about.
  /// The pod may be newer in a preempt call: kube-scheduler takes it from its informer then. Upstream:
  /// Preempt of pkg/scheduler/framework/preemption/preemption.go v1.37.0.
  bool fits_outside() const { return follows_ && before_->fits_outside; }

 private:
  WatchLagEstimator::Sign sign(const Seen& seen) const;
  /// Whether no event that Winnow knows of explains why the pod is asked about again.
  bool is_unexplained() const;
  /// How often in a row the pod was tried again for no other reason than Winnow's own remark.
  unsigned doubts(const Seen& seen) const;

  WatchLagEstimator& recency_;
  Asked asked_;
  std::optional<UnschedulableRecord> before_;
  bool same_attempt_ = false;
  bool follows_ = false;                     ///< As same_attempt_, whatever the pod's version is.
  std::optional<std::uint64_t> first_news_;  ///< ChangeNotifier::Count::for_others at the first look.
  std::optional<Time> held_;                 ///< When the first wait began.
  WatchLagEstimator::Sign sign_ = WatchLagEstimator::Sign::kNoSign;  ///< Of the last look.
  WatchLagEstimator::Duration seen_late_{0};                         ///< How late the awaited event came.
  bool cut_short_ = false;  ///< The allowed hold was shorter than the wanted one.
};

// The state that the holds of all calls share.

/// WatchLagEstimator, refusals and remarks for all RefusalHold objects, and the notes that are made when a
/// call is answered. Thread-safe.
class RefusalHolds {
 public:
  using Time = RefusalHold::Time;

  /// @param catch_up  the longest hold; 0: refusals are never held.
  RefusalHolds(WatchLagEstimator::Duration catch_up, Time now) : recency_(catch_up, now) {}

  bool is_on() const { return recency_.is_on(); }
  /// Begins the hold of one call. This object must outlive the result.
  RefusalHold begin(RefusalHold::Asked asked) { return {recency_, refusals_, std::move(asked)}; }

  /// Notes a filter call that has found a node for the pod.
  void note_fit(RefusalHold& hold, std::string_view pod_key, Time now);
  /// Notes a filter call whose refusal is final.
  /// @param may_remark  whether kube-scheduler writes the refusal's text into the pod's condition, and so
  ///   tries the pod again when the text changes.
  /// @param fits_outside  whether the pod fits on a node that the call was not about.
  /// @return whether each reason of the refusal is to end in LateRemarks::remark().
  bool note_refusal(RefusalHold& hold, const Pod& pod, const RefusalHold::Seen& seen, bool is_error,
                    bool may_remark, Time now, bool fits_outside = false);

  UnschedulableRecords& refusals() { return refusals_; }
  const WatchLagEstimator& recency() const { return recency_; }
  const LateRemarks& late_remarks() const { return late_remarks_; }

 private:
  WatchLagEstimator recency_;
  UnschedulableRecords refusals_;
  LateRemarks late_remarks_;
};

}  // namespace winnow
