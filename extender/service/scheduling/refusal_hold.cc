// The decisions here rest on how kube-scheduler retries a pod: at once after an event that may help it, and
// every five minutes in any case. A retry without an event that Winnow knows of is therefore a sign of an
// event that Winnow's watch has not shown. Retries that Winnow causes itself, by the text of its refusals,
// must not count.
#include "extender/service/scheduling/refusal_hold.h"

#include <utility>

#include "cluster/api/pod.h"

namespace winnow {
namespace {

/// The longest time between two calls of one scheduling attempt, with kube-scheduler's own work between them.
constexpr std::chrono::seconds kAttempt{1};
/// After about five minutes kube-scheduler tries every unschedulable pod again, without an event.
constexpr std::chrono::minutes kFlush{4};

bool is_behind(const RefusalHold::Seen& seen, std::uint64_t version) {
  return seen.told > 0 && version > seen.told;
}

}  // namespace

RefusalHold::RefusalHold(WatchLagEstimator& recency, const UnschedulableRecords& refusals, Asked asked)
    : recency_(recency), asked_(std::move(asked)), before_(refusals.find(asked_.uid)) {
  recency_.called(asked_.uid, asked_.at);
  if (!before_) return;
  // kube-scheduler first filters the nominated node alone, then all nodes, and then calls preempt. A later
  // call of the attempt counts its hold from the arrival of the first.
  const bool follows = asked_.preempts || (before_->one_node && !asked_.one_node);
  follows_ = follows && asked_.at - before_->refused < kAttempt;
  same_attempt_ = follows_ && before_->version == asked_.version;
  if (same_attempt_) asked_.at = before_->asked;
}

std::optional<RefusalHold::Time> RefusalHold::next(const Seen& seen, Time now) {
  if (!recency_.is_on()) return std::nullopt;
  if (!first_news_) first_news_ = seen.news;
  // A sign that has vanished since the last look shows how late its event was.
  const WatchLagEstimator::Sign before = std::exchange(sign_, sign(seen));
  if (sign_ == WatchLagEstimator::Sign::kNoSign && before != WatchLagEstimator::Sign::kNoSign) {
    seen_late_ = now - asked_.at;
    recency_.late_by(seen_late_);
    if (before == WatchLagEstimator::Sign::kAhead) recency_.in_time();
  }
  const auto [wanted, allowed] = recency_.hold_until(sign_, asked_.at, now, seen_late_);
  cut_short_ = now < wanted && allowed <= now;
  if (allowed <= now) {
    if (wanted <= now && is_behind(seen, asked_.version)) recency_.later_than_catch_up(now);
    return std::nullopt;
  }
  if (!held_) held_ = now;
  return allowed;
}

bool RefusalHold::is_doubtful(const Seen& seen, Time now) const {
  if (!asked_.refused || doubts(seen) >= kDoubts) return false;
  if (same_attempt_ && before_->doubtful) return true;
  if (recency_.is_too_late(now)) return true;
  // After each attempt the pod has a newer status for a moment. That sign does not count if the hold was cut
  // short.
  if (sign_ == WatchLagEstimator::Sign::kAhead) return !cut_short_;
  return sign_ == WatchLagEstimator::Sign::kAskedAgain && is_unexplained();
}

bool RefusalHold::is_unexplained() const {
  if (!before_) return true;  // kube-scheduler's own filters refused it, and have newer data now.
  const auto since = asked_.at - before_->refused;
  // An event during the last attempt makes kube-scheduler try the pod once more, at once, although the
  // attempt may already have seen it.
  const bool came_during = before_->first_news != before_->news && since < WatchLagEstimator::kAtOnce;
  return !came_during && since < kFlush;
}

unsigned RefusalHold::doubts(const Seen& seen) const {
  // With the pod unchanged, something other than Winnow's remark has caused this retry.
  const bool by_us = before_ && before_->version != asked_.version;
  return by_us && before_->news == seen.news ? before_->doubts : 0;
}

WatchLagEstimator::Sign RefusalHold::sign(const Seen& seen) const {
  if (is_behind(seen, asked_.version) || seen.unknown_nodes > 0) return WatchLagEstimator::Sign::kAhead;
  if (same_attempt_ && !seen.differs) return WatchLagEstimator::Sign::kNoSign;
  // A changed pod is tried again for that change, unless Winnow's own remark has made the change.
  if (before_ && before_->version != asked_.version && doubts(seen) == 0)
    return WatchLagEstimator::Sign::kNoSign;
  const bool again = before_ || asked_.refused || seen.differs;
  const std::uint64_t known = before_ && !seen.differs ? before_->news : *first_news_;
  return again && seen.news == known ? WatchLagEstimator::Sign::kAskedAgain
                                     : WatchLagEstimator::Sign::kNoSign;
}

void RefusalHold::end(bool refused, Time now) {
  if (!held_) return;
  recency_.held(asked_.uid, now - *held_, refused, now);
  // The event that arrived during the hold is the one that kube-scheduler knew: nothing else made the pod
  // fit.
  if (!refused) recency_.late_by(now - asked_.at);
}

UnschedulableRecord RefusalHold::refusal(const std::string& ns, const std::string& name, const Seen& seen,
                                         Time now, bool doubtful, bool told) const {
  return {.ns = ns,
          .name = name,
          .uid = asked_.uid,
          .version = asked_.version,
          .news = seen.news,
          .first_news = first_news_.value_or(seen.news),
          .one_node = asked_.one_node,
          .refused_nominated = asked_.one_node || refused_nominated(),
          .asked = asked_.at,
          .refused = now,
          .doubts = doubts(seen) + told,
          .doubtful = doubtful,
          .would_fit = {},
          .node = {}};
}

void RefusalHolds::note_fit(RefusalHold& hold, std::string_view pod_key, Time now) {
  hold.end(/*refused=*/false, now);
  refusals_.forget(pod_key);
}

bool RefusalHolds::note_refusal(RefusalHold& hold, const Pod& pod, const RefusalHold::Seen& seen,
                                bool is_error, bool may_remark, Time now, bool fits_outside) {
  hold.end(/*refused=*/true, now);
  // After an error kube-scheduler tries the pod again in any case.
  const bool doubtful = !is_error && hold.is_doubtful(seen, now);
  // A pod that fits elsewhere is nominated there, and so tried again.
  const bool told = doubtful && may_remark && !fits_outside && late_remarks_.may_tell(hold.has_sign(), now);
  const ObjectMeta& meta = pod.metadata;
  UnschedulableRecord record = hold.refusal(meta.namespace_, meta.name, seen, now, doubtful, told);
  record.fits_outside = fits_outside;
  refusals_.refused(std::move(record));
  return told;
}

}  // namespace winnow
