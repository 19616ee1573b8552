// A call puts its record aside, and the answer goes out before the record is packed. Everything that tells or
// reads takes such records in first. So what is seen is as if each had been kept at once.
#include "extender/explain/decision_log.h"

#include <algorithm>
#include <utility>

#include "cluster/api/meta.h"
#include "cluster/api/pod.h"
#include "cluster/function_ref.h"
#include "cluster/state/state.h"
#include "cluster/text/characters.h"
#include "cluster/text/keyed_hash.h"

namespace winnow {
namespace {

/// So many decisions are copied under one hold of the mutex.
constexpr std::size_t kCopiedAtOnce = 128;

/// Whether a decision shows that kube-scheduler did not follow the earlier one of the same pod. A filter call
/// says nothing of a nomination, whose node it may ask about, nor of an eviction, which it waits for.
bool shows_the_end(DecisionVerb later, DecisionVerb earlier) {
  return later == earlier || (later == DecisionVerb::kFilter && earlier == DecisionVerb::kPrioritize);
}

DecisionEnding ending(DecisionResult result, std::string_view said = {}) {
  return {.result = result,
          .time = std::chrono::system_clock::now(),
          .node = {},
          .said = utf8_shortened(said, kMostWordsBytes)};
}

DecisionEnding arrival(const DecisionRecord& record, std::string_view node) {
  const bool there = record.best.empty() || record.best.front().node == node;
  DecisionEnding end = ending(there ? DecisionResult::kBound : DecisionResult::kElsewhere);
  end.node = utf8_shortened(node, kMostNameBytes);
  return end;
}

const PodCondition* refusal_in(const std::vector<PodCondition>& conditions) {
  const auto found = std::ranges::find_if(conditions, is_refusal);
  return found == conditions.end() ? nullptr : &*found;
}

/// "0/5 nodes are available: …" is more likely of an earlier attempt, since this one had a node. See
/// AssumedPods.
bool says_that_none_fits(const PodCondition& refusal) { return refusal.message.starts_with("0/"); }

/// Whether an event tells of the time before the decision. While a configuration is exchanged another cache
/// may tell late.
bool is_older(std::uint64_t resource_version, const DecisionRecord& record) {
  return resource_version != 0 && resource_version < record.resource_version;
}

/// What an event tells of a decision; nothing: no more than is known.
std::optional<DecisionEnding> told_by(const Pod& pod, const DecisionRecord& record) {
  const bool older = is_older(to_number(pod.metadata.resource_version), record);
  if (pod.metadata.uid != record.uid)
    return older ? std::nullopt : std::optional(ending(DecisionResult::kDeleted));
  if (!pod.spec.node_name.empty()) return arrival(record, pod.spec.node_name);
  if (pod.metadata.deleting || has_ended(pod)) return ending(DecisionResult::kDeleted);
  // kube-scheduler has refused the pod before it preempts, and a nomination's end is told by the nominator.
  if (older || record.verb == DecisionVerb::kPreempt || record.verb == DecisionVerb::kNominate)
    return std::nullopt;
  const PodCondition* const refusal = refusal_in(pod.status.conditions);
  if (!refusal || hash_of_refusal(pod.status.conditions) == record.known_refusal) return std::nullopt;
  return ending(says_that_none_fits(*refusal) ? DecisionResult::kWaiting : DecisionResult::kRefused,
                refusal->message);
}

void shorten(std::string& text, std::size_t bytes) {
  if (text.size() > bytes) text = utf8_shortened(text, bytes);
}

void shorten(DecisionRecord& record) {
  shorten(record.pod, 2 * kMostNameBytes);
  shorten(record.uid, kMostNameBytes);
  shorten(record.request_id, kMostNameBytes);
  shorten(record.error, kMostWordsBytes);
}

std::size_t index_of(DecisionVerb verb) { return static_cast<std::size_t>(verb); }

}  // namespace

std::size_t hash_of_refusal(const std::vector<PodCondition>& conditions) {
  const PodCondition* const refusal = refusal_in(conditions);
  if (!refusal) return 0;
  return hash_mix(TextHash()(refusal->reason), TextHash()(refusal->message));
}

void DecisionLog::keep(DecisionRecord record) {
  shorten(record);
  const MutexLock lock(mutex_);
  take_in_all();
  add(record, nullptr);
}

void DecisionLog::keep_ended(DecisionRecord record, DecisionEnding ending) {
  shorten(record);
  shorten(ending.node, kMostNameBytes);
  shorten(ending.said, kMostWordsBytes);
  const MutexLock lock(mutex_);
  take_in_all();
  add(record, std::make_shared<const DecisionEnding>(std::move(ending)));
}

void DecisionLog::keep_scores(DecisionRecord record) {
  shorten(record);
  const MutexLock lock(mutex_);
  take_in_all();
  add_scores(record);
}

void DecisionLog::put_aside(DecisionRecord record) { put_aside({.record = std::move(record)}); }

void DecisionLog::put_scores_aside(DecisionRecord record) {
  put_aside({.record = std::move(record), .joins = true});
}

void DecisionLog::put_aside(Aside aside) {
  const MutexLock lock(mutex_);
  if (aside_.size() >= kMostAside) take_in_all();
  aside_.push_back(std::move(aside));
}

void DecisionLog::take_in() {
  const MutexLock lock(mutex_);
  take_in_all();
}

void DecisionLog::add_nearest(const DecisionName& decision, std::vector<NearNode> nearest) {
  if (nearest.empty()) return;
  const MutexLock lock(mutex_);
  const auto aside =
      std::ranges::find(aside_, decision, [](const Aside& one) { return DecisionName::of(one.record); });
  if (aside != aside_.end())
    aside->record.nearest = std::move(nearest);
  else
    add_to_ring(decision, std::move(nearest));
}

/// Somebody has read or told the log since, so the decision was packed without them.
void DecisionLog::add_to_ring(const DecisionName& decision, std::vector<NearNode> nearest) {
  const std::string pod = utf8_shortened(decision.pod, 2 * kMostNameBytes);
  for (Number number = ring_.find(pod).newest; ring_.has(number); number = ring_[number].before) {
    DecisionRecord record = ring_[number].kept.unpacked();
    if (record.time != decision.time || record.verb != decision.verb || record.uid != decision.uid) continue;
    record.nearest = std::move(nearest);
    return ring_.replace(number, PackedRecord(record, memory_));
  }
}

void DecisionLog::take_in_all() {
  while (!aside_.empty()) {
    Aside aside = std::move(aside_.front());
    aside_.erase(aside_.begin());
    shorten(aside.record);
    if (aside.joins)
      add_scores(aside.record);
    else
      add(aside.record, nullptr);
  }
}

void DecisionLog::add(const DecisionRecord& record, std::shared_ptr<const DecisionEnding> ending) {
  DecisionRing::Kept kept{PackedRecord(record, memory_), record.rules, std::move(ending)};
  const std::size_t verb = index_of(record.verb), uid = TextHash()(record.uid);
  const DecisionResult result = kept.ending ? kept.ending->result : first_result(record);
  ring_.make_room(kept.bytes());
  const DecisionRing::Chain chain = ring_.find(record.pod);
  if (chain.newest != 0) supersede(ring_[chain.newest].pod, record.verb, uid);
  const Number number = ring_.add(std::move(kept), chain);
  DecisionRing::OfPod& pod = ring_[number].pod;
  pod.uid = uid;
  ++figures_.made[verb];
  if (result == DecisionResult::kWaiting)
    pod.waiting[verb] = number;
  else
    count_end(result);
}

void DecisionLog::add_scores(const DecisionRecord& scores) {
  if (!join(scores)) add(scores, nullptr);
}

/// Puts the scores into the filter call of the same attempt. @return false: there is none that waits for
/// them.
bool DecisionLog::join(const DecisionRecord& scores) {
  const Number number = ring_.find(scores.pod).newest;
  if (number == 0) return false;
  const DecisionRing::Slot& slot = ring_[number];
  if (slot.pod.uid != TextHash()(scores.uid) || slot.kept.rules != scores.rules ||
      slot.pod.waiting[index_of(DecisionVerb::kFilter)] != number)
    return false;
  DecisionRecord joined = slot.kept.unpacked();
  if (!joined.best.empty()) return false;
  joined.scored = scores.scored;
  joined.given = scores.given;
  joined.best = scores.best;
  ring_.replace(number, PackedRecord(joined, memory_));
  return true;
}

/// Ends the decisions that a later one about the same name shows to be over.
void DecisionLog::supersede(DecisionRing::OfPod& pod, DecisionVerb by, std::size_t uid) {
  for (std::size_t i = 0; i < pod.waiting.size(); ++i) {
    if (!ring_.has(pod.waiting[i])) continue;
    const auto verb = static_cast<DecisionVerb>(i);
    const auto& known = ring_[pod.waiting[i]].kept.ending;
    if (pod.uid != uid)
      end(pod, verb, ending(DecisionResult::kDeleted));
    else if (shows_the_end(by, verb))
      end(pod, verb, ending(DecisionResult::kRefused, known ? known->said : ""));
  }
}

/// Notes what is known of the decision of this verb that waits. Any result but kWaiting is the last.
void DecisionLog::end(DecisionRing::OfPod& pod, DecisionVerb verb, DecisionEnding ending) {
  Number& waiting = pod.waiting[index_of(verb)];
  const Number number = waiting;
  if (ending.result != DecisionResult::kWaiting) {
    count_end(ending.result);
    waiting = 0;
  }
  ring_.replace(number, std::make_shared<const DecisionEnding>(std::move(ending)));
}

void DecisionLog::end_waiting(const std::string& pod, const Judge& judge) {
  const MutexLock lock(mutex_);
  take_in_all();
  const Number newest = ring_.find(pod).newest;
  if (newest == 0) return;
  DecisionRing::OfPod& of = ring_[newest].pod;
  for (std::size_t i = 0; i < kDecisionVerbs; ++i) {
    if (!ring_.has(of.waiting[i])) continue;
    if (auto told = judge(ring_[of.waiting[i]].kept.unpacked()))
      end(of, static_cast<DecisionVerb>(i), *std::move(told));
  }
}

void DecisionLog::on_bound(std::string_view ns, std::string_view name, std::string_view uid,
                           std::string_view node) {
  end_waiting(key_of(ns, name), [&](const DecisionRecord& record) {
    return record.uid == uid ? std::optional(arrival(record, node)) : std::nullopt;
  });
}

void DecisionLog::on_bind_failed(std::string_view ns, std::string_view name, std::string_view uid,
                                 std::string_view error) {
  end_waiting(key_of(ns, name), [&](const DecisionRecord& record) {
    const bool is_of = record.uid == uid && record.verb != DecisionVerb::kPreempt;
    return is_of ? std::optional(ending(DecisionResult::kBindFailed, error)) : std::nullopt;
  });
}

void DecisionLog::on_nomination_ended(std::string_view ns, std::string_view name, std::string_view uid,
                                      bool refused, std::string_view said) {
  end_waiting(key_of(ns, name), [&](const DecisionRecord& record) {
    const bool is_of = record.uid == uid && record.verb == DecisionVerb::kNominate;
    const auto result = refused ? DecisionResult::kRefused : DecisionResult::kWithdrawn;
    return is_of ? std::optional(ending(result, said)) : std::nullopt;
  });
}

void DecisionLog::on_pod(const Pod& pod) {
  end_waiting(key_of(pod.metadata.namespace_, pod.metadata.name),
              [&](const DecisionRecord& record) { return told_by(pod, record); });
}

void DecisionLog::on_gone(const std::string& ns, const std::string& name, std::uint64_t resource_version) {
  end_waiting(key_of(ns, name), [&](const DecisionRecord& record) {
    return is_older(resource_version, record) ? std::nullopt
                                              : std::optional(ending(DecisionResult::kDeleted));
  });
}

/// Copies some decisions, the newest first. @param from  where to begin; becomes where to go on, or 0.
std::vector<DecisionRing::Kept> DecisionLog::copy_back(std::string_view pod, Number& from) {
  std::vector<DecisionRing::Kept> copies;
  copies.reserve(kCopiedAtOnce);
  const MutexLock lock(mutex_);
  for (std::size_t i = 0; i < kCopiedAtOnce; ++i) {
    if (!ring_.has(from)) {
      from = 0;
      break;
    }
    const DecisionRing::Slot& slot = ring_[from];
    copies.push_back(slot.kept);
    from = pod.empty() ? from - 1 : slot.before;
  }
  return copies;
}

void DecisionLog::visit(std::string_view pod, FunctionRef<bool(const KeptDecision&)> visit) {
  Number from = 0;
  {
    const MutexLock lock(mutex_);
    take_in_all();
    from = pod.empty() ? ring_.last() : ring_.find(pod).newest;
  }
  while (from != 0)
    for (const DecisionRing::Kept& kept : copy_back(pod, from)) {
      const KeptDecision decision{.record = std::make_shared<const DecisionRecord>(kept.unpacked()),
                                  .ending = kept.ending};
      if (!visit(decision)) return;
    }
}

DecisionFigures DecisionLog::figures() {
  const MutexLock lock(mutex_);
  take_in_all();
  DecisionFigures figures = figures_;
  figures.kept = ring_.size();
  figures.bytes = ring_.bytes();
  return figures;
}

}  // namespace winnow
