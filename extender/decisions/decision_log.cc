// Numbers grow by one, so a number names a slot, and whether the slot still has that decision. The decisions
// about one name are a chain from the newest on; a link to a decision that was dropped ends it.
#include "extender/decisions/decision_log.h"

#include <algorithm>
#include <utility>

#include "cluster/api/refusal.h"
#include "cluster/api/store.h"
#include "cluster/state/state.h"
#include "cluster/text/utf8.h"

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

/// Whether an event tells of the time before the decision. While a configuration is exchanged another picture
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

void shorten(DecisionRecord& record) {
  for (std::string* const text : {&record.ns, &record.name, &record.uid})
    *text = utf8_shortened(*text, kMostNameBytes);
  record.error = utf8_shortened(record.error, kMostWordsBytes);
}

}  // namespace

std::size_t hash_of_refusal(const std::vector<PodCondition>& conditions) {
  const PodCondition* const refusal = refusal_in(conditions);
  if (!refusal) return 0;
  return hash_mix(TextHash()(refusal->reason), TextHash()(refusal->message));
}

bool DecisionLog::has(Number number) const {
  const std::size_t at = number % most_;
  return number >= oldest_ && at < slots_.size() && slots_[at].number == number;
}

void DecisionLog::keep(DecisionRecord record) {
  shorten(record);
  const DecisionResult first = first_result(record);
  const std::size_t bytes = record.bytes();
  std::string key = record.pod();
  const auto kept = std::make_shared<const DecisionRecord>(std::move(record));
  const MutexLock lock(mutex_);
  while (figures_.kept >= most_ || (figures_.kept > 0 && figures_.bytes + bytes > most_ * kBytesADecision))
    drop_oldest();
  OfPod& pod = pods_[std::move(key)];
  supersede(pod, *kept);
  const Number number = last_ + 1;
  const std::size_t at = number % most_;
  if (slots_.size() <= at) slots_.resize(at + 1);
  slots_[at] = {.number = number, .before = pod.newest, .decision = {.record = kept, .ending = nullptr}};
  pod.waiting.push_back(number);
  pod.newest = last_ = number;
  ++figures_.kept;
  figures_.bytes += bytes;
  ++figures_.made[static_cast<std::size_t>(kept->verb)];
  if (first != DecisionResult::kWaiting)
    end(slots_[at], {.result = first, .time = kept->time, .node = {}, .said = {}});
}

void DecisionLog::drop_oldest() {
  Slot& slot = slot_of(oldest_++);
  const KeptDecision& decision = slot.decision;
  figures_.bytes -= decision.record->bytes() + (decision.ending ? decision.ending->bytes() : 0);
  --figures_.kept;
  if (const auto pod = pods_.find(decision.record->pod()); pod != pods_.end()) {
    std::erase(pod->second.waiting, slot.number);
    if (pod->second.newest == slot.number) pods_.erase(pod);
  }
  slot = {};
}

/// Ends the decisions that a later one about the same name shows to be over.
void DecisionLog::supersede(OfPod& pod, const DecisionRecord& by) {
  for (const Number number : std::vector(pod.waiting)) {
    Slot& slot = slot_of(number);
    const DecisionRecord& earlier = *slot.decision.record;
    if (earlier.uid != by.uid)
      end(slot, ending(DecisionResult::kDeleted));
    else if (shows_the_end(by.verb, earlier.verb))
      end(slot, ending(DecisionResult::kRefused, slot.decision.ending ? slot.decision.ending->said : ""));
  }
}

/// Notes what is known of a decision. Any result but kWaiting is the last.
void DecisionLog::end(Slot& slot, DecisionEnding ending) {
  std::shared_ptr<const DecisionEnding>& known = slot.decision.ending;
  if (ending.result != DecisionResult::kWaiting) {
    ++figures_.ended[static_cast<std::size_t>(ending.result)];
    if (const auto pod = pods_.find(slot.decision.record->pod()); pod != pods_.end())
      std::erase(pod->second.waiting, slot.number);
  }
  if (known) figures_.bytes -= known->bytes();
  known = std::make_shared<const DecisionEnding>(std::move(ending));
  figures_.bytes += known->bytes();
}

void DecisionLog::end_waiting(const std::string& pod, const Judge& judge) {
  const MutexLock lock(mutex_);
  const auto found = pods_.find(pod);
  if (found == pods_.end() || found->second.waiting.empty()) return;
  for (const Number number : std::vector(found->second.waiting)) {
    Slot& slot = slot_of(number);
    if (auto told = judge(*slot.decision.record)) end(slot, *std::move(told));
  }
}

void DecisionLog::keep_scores(DecisionRecord record) {
  Number number = 0;
  std::shared_ptr<const DecisionRecord> filtered;
  {
    const MutexLock lock(mutex_);
    if (const auto pod = pods_.find(record.pod()); pod != pods_.end())
      if (const Slot& slot = slot_of(pod->second.newest);
          slot.decision.result() == DecisionResult::kWaiting) {
        number = slot.number;
        filtered = slot.decision.record;
      }
  }
  const bool joins = filtered && filtered->uid == record.uid && filtered->verb == DecisionVerb::kFilter &&
                     filtered->best.empty() && filtered->rules == record.rules;
  if (!joins) return keep(std::move(record));
  DecisionRecord joined = *filtered;
  joined.rules = std::move(record.rules);
  joined.scored = record.scored;
  joined.given = record.given;
  joined.best = std::move(record.best);
  joined.error = utf8_shortened(record.error, kMostWordsBytes);
  const std::size_t bytes = joined.bytes();
  const auto kept = std::make_shared<const DecisionRecord>(std::move(joined));
  const MutexLock lock(mutex_);
  if (!has(number) || slot_of(number).decision.record != filtered) return;  // Dropped, or joined meanwhile.
  figures_.bytes += bytes - filtered->bytes();
  slot_of(number).decision.record = kept;
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
std::vector<KeptDecision> DecisionLog::copy_back(std::string_view pod, Number& from) const {
  std::vector<KeptDecision> copies;
  copies.reserve(kCopiedAtOnce);
  const MutexLock lock(mutex_);
  for (std::size_t i = 0; i < kCopiedAtOnce; ++i) {
    if (!has(from)) {
      from = 0;
      break;
    }
    copies.push_back(slot_of(from).decision);
    from = pod.empty() ? from - 1 : slot_of(from).before;
  }
  return copies;
}

void DecisionLog::visit(std::string_view pod, const std::function<bool(const KeptDecision&)>& visit) const {
  Number from = 0;
  {
    const MutexLock lock(mutex_);
    if (pod.empty())
      from = last_;
    else if (const auto found = pods_.find(pod); found != pods_.end())
      from = found->second.newest;
  }
  while (from != 0)
    for (const KeptDecision& decision : copy_back(pod, from))
      if (!visit(decision)) return;
}

DecisionFigures DecisionLog::figures() const {
  const MutexLock lock(mutex_);
  return figures_;
}

}  // namespace winnow
