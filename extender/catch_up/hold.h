// The wait of one call for the watch, before it refuses a pod.
//
// kube-scheduler calls about a pod because something has happened, and Winnow's watch may not have shown it
// yet. The answer "no node fits" would come from a picture that is too old, and the pod would wait for
// minutes. So a Hold looks for signs that kube-scheduler knows more than the picture:
// - the watch has not shown the pod's version yet, or a node of the request (Sign::kAhead);
// - the pod is asked about again, although Winnow knows of no event since (Sign::kAskedAgain).
//
// With a sign, the refusal waits for news, and the call judges the pod again, for as long as Recency allows.
// Without a sign it waits for about as long as the watch is usually late. One scheduling attempt may make
// several calls about a pod; a call does not wait again for what an earlier one of the attempt has waited
// for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "extender/catch_up/recency.h"
#include "extender/catch_up/refusals.h"

namespace winnow {

/// The hold of one call. Used by one thread. The caller passes the time.
class Hold {
 public:
  using Time = Recency::Time;
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
  /// The facts of one look at the picture.
  struct Seen {
    std::uint64_t news = 0;         ///< News::Count::for_others before the look.
    std::uint64_t told = 0;         ///< Resource version up to which pods were watched; 0: no watch.
    std::size_t unknown_nodes = 0;  ///< Nodes of the request that the picture lacks.
    bool differs = false;           ///< The answer differs from what kube-scheduler expects.
  };

  /// Notes the call in `recency`. Both references must outlive this object.
  Hold(Recency& recency, const Refusals& refusals, Asked asked);

  /// To be called after a look that refuses the pod.
  /// @return the time until which the call waits for news before it looks again; nothing: the refusal is
  ///   final.
  std::optional<Time> next(const Seen& seen, Time now);
  /// To be called when the call is answered.
  void end(bool refused, Time now);
  /// After next(): whether the final refusal may come from a picture that is too old. It may in three cases:
  /// - the pod was asked about again, and no event that Winnow knows of explains that;
  /// - the call was held for as long as allowed, and kube-scheduler is still ahead;
  /// - the watch is too late for any hold.
  ///
  /// It is never doubtful if the pod's condition does not say yet that it was refused. That condition will be
  /// written, which is a change of the pod, and kube-scheduler tries the pod again. It is no longer doubtful
  /// after kDoubts such answers in a row, if nothing else happens.
  bool is_doubtful(const Seen& seen, Time now) const;
  /// Whether the last look found a sign.
  bool has_sign() const { return sign_ != Recency::Sign::kNoSign; }
  /// The number of this refusal among the pod's refusals in a row, from 1.
  std::uint64_t attempt() const { return before_ ? before_->times + 1 : 1; }

  /// The record of the refusal for Refusals.
  /// @param doubtful  see is_doubtful().
  /// @param told  whether the refusal's text says that the watch may be late.
  Refusal refusal(const std::string& ns, const std::string& name, const Seen& seen, Time now,
                  bool doubtful = false, bool told = false) const;
  /// Whether Winnow has refused the pod's nominated node in this attempt.
  bool refused_nominated() const { return same_attempt_ && before_->refused_nominated; }

 private:
  Recency::Sign sign(const Seen& seen) const;
  /// Whether no event that Winnow knows of explains why the pod is asked about again.
  bool is_unexplained() const;
  /// How often in a row the pod was tried again for no other reason than Winnow's own remark.
  unsigned doubts(const Seen& seen) const;

  Recency& recency_;
  Asked asked_;
  std::optional<Refusal> before_;
  bool same_attempt_ = false;
  std::optional<std::uint64_t> first_news_;      ///< News::Count::for_others at the first look.
  std::optional<Time> held_;                     ///< When the first wait began.
  Recency::Sign sign_ = Recency::Sign::kNoSign;  ///< Of the last look.
  Recency::Duration seen_late_{0};               ///< How late the awaited event came.
  bool cut_short_ = false;                       ///< The allowed hold was shorter than the wanted one.
};

}  // namespace winnow
