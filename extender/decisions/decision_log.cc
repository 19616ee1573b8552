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

void shorten(std::string& text, std::size_t bytes) {
  if (text.size() > bytes) text = utf8_shortened(text, bytes);
}

void shorten(DecisionRecord& record) {
  shorten(record.pod, 2 * kMostNameBytes);
  shorten(record.uid, kMostNameBytes);
  shorten(record.error, kMostWordsBytes);
}

std::size_t index_of(DecisionVerb verb) { return static_cast<std::size_t>(verb); }

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

void DecisionLog::keep_ended(DecisionRecord record, DecisionEnding ending) {
  shorten(ending.node, kMostNameBytes);
  shorten(ending.said, kMostWordsBytes);
  keep(std::move(record), std::make_shared<const DecisionEnding>(std::move(ending)));
}

void DecisionLog::keep(DecisionRecord record, std::shared_ptr<const DecisionEnding> ending) {
  shorten(record);
  Slot slot{.kept = {.record = PackedRecord(record), .rules = record.rules}, .ending = std::move(ending)};
  slot.bytes = slot.kept.record.size() + (slot.ending ? slot.ending->bytes() : 0);
  Dropped dropped;  // Freed when the mutex is free again.
  const MutexLock lock(mutex_);
  while (figures_.kept >= most_ ||
         (figures_.kept > 0 && figures_.bytes + slot.bytes > most_ * kBytesADecision))
    dropped = drop_oldest();
  add(record, std::move(slot), dropped);
}

/// As pods_[name]. @param spare  used for a name that is new, if it is not empty.
DecisionLog::OfPod& DecisionLog::pod_of(const std::string& name, TextMap<OfPod>::node_type& spare) {
  if (const auto known = pods_.find(name); known != pods_.end()) return known->second;
  if (spare.empty()) return pods_[name];
  spare.key() = std::string(name);  // A copy of just its size.
  spare.mapped() = OfPod();
  return pods_.insert(std::move(spare)).position->second;
}

void DecisionLog::add(const DecisionRecord& record, Slot slot, Dropped& spare) {
  const std::size_t verb = index_of(record.verb), uid = TextHash()(record.uid);
  const DecisionResult result = slot.ending ? slot.ending->result : first_result(record);
  OfPod& pod = pod_of(record.pod, spare.pod);
  supersede(pod, record.verb, uid);
  const Number number = last_ + 1;
  const std::size_t at = number % most_;
  if (slots_.size() <= at) slots_.resize(at + 1);
  slot.number = number;
  slot.before = pod.newest;
  pod.newest = last_ = number;
  pod.uid = uid;
  ++figures_.kept;
  figures_.bytes += slot.bytes;
  ++figures_.made[verb];
  slots_[at] = std::move(slot);
  if (result == DecisionResult::kWaiting)
    pod.waiting[verb] = number;
  else
    count_end(result);
}

DecisionLog::Dropped DecisionLog::drop_oldest() {
  Dropped dropped{.slot = std::exchange(slot_of(oldest_++), {}), .pod = {}};
  const Slot& slot = dropped.slot;
  figures_.bytes -= slot.bytes;
  --figures_.kept;
  const auto pod = pods_.find(packed_pod(slot.kept.record.text()));
  if (pod == pods_.end()) return dropped;
  std::ranges::replace(pod->second.waiting, slot.number, Number{0});
  if (pod->second.newest == slot.number) dropped.pod = pods_.extract(pod);
  return dropped;
}

/// Ends the decisions that a later one about the same name shows to be over.
void DecisionLog::supersede(OfPod& pod, DecisionVerb by, std::size_t uid) {
  for (std::size_t i = 0; i < pod.waiting.size(); ++i) {
    if (pod.waiting[i] == 0) continue;
    const auto verb = static_cast<DecisionVerb>(i);
    const auto& known = slot_of(pod.waiting[i]).ending;
    if (pod.uid != uid)
      end(pod, verb, ending(DecisionResult::kDeleted));
    else if (shows_the_end(by, verb))
      end(pod, verb, ending(DecisionResult::kRefused, known ? known->said : ""));
  }
}

/// Notes what is known of the decision of this verb that waits. Any result but kWaiting is the last.
void DecisionLog::end(OfPod& pod, DecisionVerb verb, DecisionEnding ending) {
  Number& waiting = pod.waiting[index_of(verb)];
  Slot& slot = slot_of(waiting);
  if (ending.result != DecisionResult::kWaiting) {
    count_end(ending.result);
    waiting = 0;
  }
  const std::size_t before = slot.ending ? slot.ending->bytes() : 0;
  slot.ending = std::make_shared<const DecisionEnding>(std::move(ending));
  slot.bytes += slot.ending->bytes() - before;
  figures_.bytes += slot.ending->bytes() - before;
}

void DecisionLog::end_waiting(const std::string& pod, const Judge& judge) {
  const MutexLock lock(mutex_);
  const auto found = pods_.find(pod);
  if (found == pods_.end()) return;
  for (std::size_t i = 0; i < kDecisionVerbs; ++i) {
    const Number number = found->second.waiting[i];
    if (number == 0) continue;
    if (auto told = judge(slot_of(number).kept.unpacked()))
      end(found->second, static_cast<DecisionVerb>(i), *std::move(told));
  }
}

void DecisionLog::keep_scores(DecisionRecord record) {
  if (!join(record)) keep(std::move(record));
}

/// Puts the scores into the filter call of the same attempt. @return false: there is none that waits for
/// them.
bool DecisionLog::join(const DecisionRecord& scores) {
  const MutexLock lock(mutex_);
  const auto pod = pods_.find(scores.pod);
  if (pod == pods_.end() || pod->second.uid != TextHash()(scores.uid)) return false;
  const Number number = pod->second.newest;
  Slot& slot = slot_of(number);
  if (number != pod->second.waiting[index_of(DecisionVerb::kFilter)] || slot.kept.rules != scores.rules)
    return false;
  DecisionRecord joined = slot.kept.unpacked();
  if (!joined.best.empty()) return false;
  joined.scored = scores.scored;
  joined.given = scores.given;
  joined.best = scores.best;
  const std::size_t before = slot.kept.record.size();
  slot.kept.record = PackedRecord(joined);
  slot.bytes += slot.kept.record.size() - before;
  figures_.bytes += slot.kept.record.size() - before;
  return true;
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
std::vector<DecisionLog::Slot> DecisionLog::copy_back(std::string_view pod, Number& from) const {
  std::vector<Slot> copies;
  copies.reserve(kCopiedAtOnce);
  const MutexLock lock(mutex_);
  for (std::size_t i = 0; i < kCopiedAtOnce; ++i) {
    if (!has(from)) {
      from = 0;
      break;
    }
    copies.push_back(slot_of(from));
    from = pod.empty() ? from - 1 : copies.back().before;
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
    for (const Slot& slot : copy_back(pod, from)) {
      const KeptDecision decision{.record = std::make_shared<const DecisionRecord>(slot.kept.unpacked()),
                                  .ending = slot.ending};
      if (!visit(decision)) return;
    }
}

DecisionFigures DecisionLog::figures() const {
  const MutexLock lock(mutex_);
  return figures_;
}

}  // namespace winnow
