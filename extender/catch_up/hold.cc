#include "extender/catch_up/hold.h"

#include <utility>

namespace winnow {
namespace {

/// The calls of one attempt come closer together than this; kube-scheduler's own work is between them.
constexpr std::chrono::seconds kAttempt{1};
/// After about five minutes kube-scheduler tries every pod again, for no reason.
constexpr std::chrono::minutes kFlush{4};

bool is_behind(const Hold::Seen& seen, std::uint64_t version) { return seen.told > 0 && version > seen.told; }

}  // namespace

Hold::Hold(Recency& recency, const Refusals& refusals, Asked asked)
    : recency_(recency), asked_(std::move(asked)), before_(refusals.find(asked_.uid)) {
  recency_.called(asked_.uid, asked_.at);
  if (!before_) return;
  // kube-scheduler asks about the nominated node first, then about all, then whom to evict: what one call has
  // waited for, the next one need not.
  const bool follows = asked_.preempts || (before_->one_node && !asked_.one_node);
  same_attempt_ = follows && before_->version == asked_.version && asked_.at - before_->refused < kAttempt;
  if (same_attempt_) asked_.at = before_->asked;
}

std::optional<Hold::Time> Hold::next(const Seen& seen, Time now) {
  if (!recency_.is_on()) return std::nullopt;
  if (!first_news_) first_news_ = seen.news;
  const Recency::Sign before = std::exchange(sign_, sign(seen));
  if (sign_ == Recency::Sign::kNoSign && before != Recency::Sign::kNoSign) {
    seen_late_ = now - asked_.at;
    recency_.late_by(seen_late_);
    if (before == Recency::Sign::kAhead) recency_.in_time();
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

bool Hold::is_doubtful(const Seen& seen, Time now) const {
  if (!asked_.refused || doubts(seen) >= kDoubts) return false;
  if (same_attempt_ && before_->doubtful) return true;
  if (recency_.is_too_late(now)) return true;
  // kube-scheduler's own word on the attempt before is ahead for a moment each time, and means nothing.
  if (sign_ == Recency::Sign::kAhead) return !cut_short_;
  return sign_ == Recency::Sign::kAskedAgain && is_unexplained();
}

bool Hold::is_unexplained() const {
  if (!before_) return true;  // Refused by kube-scheduler's own filters, which know more by now.
  const auto since = asked_.at - before_->refused;
  // What came during the attempt before has kube-scheduler try the pod once more, at once and though it was
  // seen.
  const bool came_during = before_->first_news != before_->news && since < Recency::kAtOnce;
  return !came_during && since < kFlush;
}

unsigned Hold::doubts(const Seen& seen) const {
  // Where the pod is as it was, somebody else than we has it tried again.
  const bool by_us = before_ && before_->version != asked_.version;
  return by_us && before_->news == seen.news ? before_->doubts : 0;
}

Recency::Sign Hold::sign(const Seen& seen) const {
  if (is_behind(seen, asked_.version) || seen.unknown_nodes > 0) return Recency::Sign::kAhead;
  if (same_attempt_ && !seen.differs) return Recency::Sign::kNoSign;
  // A pod that has changed itself is tried again for that. Not for what our doubt has changed.
  if (before_ && before_->version != asked_.version && doubts(seen) == 0) return Recency::Sign::kNoSign;
  const bool again = before_ || asked_.refused || seen.differs;
  const std::uint64_t known = before_ && !seen.differs ? before_->news : *first_news_;
  return again && seen.news == known ? Recency::Sign::kAskedAgain : Recency::Sign::kNoSign;
}

void Hold::end(bool refused, Time now) {
  if (!held_) return;
  recency_.held(asked_.uid, now - *held_, refused, now);
  // What came while the call was held is what the caller had known: nothing else made the pod fit.
  if (!refused) recency_.late_by(now - asked_.at);
}

Refusal Hold::refusal(const std::string& ns, const std::string& name, const Seen& seen, Time now,
                      bool doubtful, bool told) const {
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

}  // namespace winnow
