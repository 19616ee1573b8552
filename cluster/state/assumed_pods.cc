#include "cluster/state/assumed_pods.h"

#include <algorithm>

namespace winnow {
namespace {

std::optional<PodCondition> refusal_of(const Pod& pod) {
  for (const PodCondition& condition : pod.status.conditions)
    if (condition.type == "PodScheduled" && condition.status == "False") return condition;
  return std::nullopt;
}

/// Up to its next attempt a pod carries what its last one came to, and an attempt that fails as the one
/// before changes nothing of it: what tells then is that kube-scheduler, which nominates a pod for its node
/// while it prepares it (1.35 and later), takes that back.
bool was_given_up(const Pod& pod, const AssumedPods::Entry& entry) {
  const auto refused = refusal_of(pod);
  return (refused && refused != entry.refused) ||
         (entry.nominated == entry.node && pod.status.nominated_node_name != entry.node);
}

bool has_ended(const Pod& pod) { return pod.status.phase == "Succeeded" || pod.status.phase == "Failed"; }

}  // namespace

std::string_view to_string(AssumedOutcome outcome) {
  constexpr std::string_view kTexts[kAssumedOutcomes] = {"confirmed",   "moved",       "asked_again",
                                                         "unscheduled", "bind_failed", "deleted"};
  return kTexts[static_cast<std::size_t>(outcome)];
}

void AssumedPods::assume(const Pod& pod, const std::string& node, Time now) {
  const ObjectMeta& meta = pod.metadata;
  const PodId known = state_.find_pod(meta.namespace_, meta.name);
  const bool same = known != kNone && state_.pod(known).uid == meta.uid;
  if (!same && to_number(meta.resource_version) == 0) return;
  const auto before = entries_.find({meta.namespace_, meta.name});
  if (before != entries_.end())
    end(before, before->second.uid == meta.uid ? AssumedOutcome::kAskedAgain : AssumedOutcome::kDeleted);
  else if (same && state_.pod(known).assigned)
    return;  // The watch was faster.
  Entry entry{meta.namespace_, meta.name, meta.uid, node, now};
  entry.resource_version = to_number(meta.resource_version);
  entry.watched = same;
  entry.nominated = pod.status.nominated_node_name;
  entry.refused = refusal_of(pod);
  // kube-scheduler may know a later pod than we do, or an earlier one.
  const bool ours_is_later = same && state_.pod(known).resource_version > entry.resource_version;
  place(ours_is_later ? state_.to_pod(known) : pod, entry);
  entries_.insert_or_assign({meta.namespace_, meta.name}, std::move(entry));
}

void AssumedPods::place(Pod pod, const Entry& entry) {
  pod.spec.node_name = entry.node;
  state_.set_pod(pod);
}

void AssumedPods::end(Entries::iterator entry, AssumedOutcome outcome) {
  ++outcomes_[static_cast<std::size_t>(outcome)];
  entries_.erase(entry);
}

bool AssumedPods::release(const std::string& ns, const std::string& name, std::string_view uid,
                          AssumedOutcome outcome) {
  const auto it = entries_.find({ns, name});
  if (it == entries_.end() || it->second.uid != uid) return false;
  if (it->second.watched) {
    Pod pod = state_.to_pod(state_.find_pod(ns, name));
    pod.spec.node_name.clear();
    pod.status.nominated_node_name = it->second.nominated;
    state_.set_pod(pod);
  } else {
    state_.remove_pod(ns, name);  // The watch will bring it, if it is there.
  }
  end(it, outcome);
  return true;
}

void AssumedPods::set(const Pod& pod) {
  const auto it = entries_.find({pod.metadata.namespace_, pod.metadata.name});
  if (it == entries_.end()) return state_.set_pod(pod);
  Entry& entry = it->second;
  entry.watched = true;
  if (entry.uid != pod.metadata.uid || has_ended(pod)) {
    end(it, AssumedOutcome::kDeleted);
  } else if (!pod.spec.node_name.empty()) {
    end(it, pod.spec.node_name == entry.node ? AssumedOutcome::kConfirmed : AssumedOutcome::kMoved);
  } else if (was_given_up(pod, entry)) {
    end(it, AssumedOutcome::kUnscheduled);
  } else {
    entry.nominated = pod.status.nominated_node_name;
    return place(pod, entry);
  }
  state_.set_pod(pod);
}

void AssumedPods::remove(const std::string& ns, const std::string& name) {
  if (const auto it = entries_.find({ns, name}); it != entries_.end()) end(it, AssumedOutcome::kDeleted);
  state_.remove_pod(ns, name);
}

void AssumedPods::not_listed(const std::string& ns, const std::string& name, std::uint64_t resource_version) {
  const Entry* entry = find(ns, name);
  if (entry && !entry->watched && entry->resource_version > resource_version) return;
  remove(ns, name);
}

std::optional<Pod> AssumedPods::known(const std::string& ns, const std::string& name) const {
  const PodId id = state_.find_pod(ns, name);
  return id == kNone ? std::nullopt : std::optional(state_.to_pod(id));
}

void AssumedPods::watched_up_to(std::uint64_t resource_version) {
  for (auto it = entries_.begin(); it != entries_.end();) {
    const auto entry = it++;
    if (entry->second.watched || entry->second.resource_version > resource_version) continue;
    state_.remove_pod(entry->second.ns, entry->second.name);
    end(entry, AssumedOutcome::kDeleted);
  }
}

const AssumedPods::Entry* AssumedPods::find(const std::string& ns, const std::string& name) const {
  const auto it = entries_.find({ns, name});
  return it == entries_.end() ? nullptr : &it->second;
}

std::chrono::duration<double> AssumedPods::oldest(Time now) const {
  std::chrono::duration<double> longest{0};
  for (const auto& [key, entry] : entries_)
    longest = std::max<std::chrono::duration<double>>(longest, now - entry.since);
  return longest;
}

std::vector<AssumedPods::Entry> AssumedPods::overdue(Time now, std::chrono::seconds age) {
  std::vector<Entry> found;
  for (auto& [key, entry] : entries_) {
    if (entry.overdue || now - entry.since < age) continue;
    entry.overdue = true;
    ++overdue_;
    found.push_back(entry);
  }
  return found;
}

void AssumedPods::take_over(const AssumedPods& other) {
  for (const auto& [key, entry] : other.entries_) {
    const PodId theirs = other.state_.find_pod(entry.ns, entry.name);
    const PodId ours = state_.find_pod(entry.ns, entry.name);
    // What this picture knows of the pod is later: it was read after the other's.
    const bool settled =
        ours == kNone ? entry.watched : state_.pod(ours).uid != entry.uid || state_.pod(ours).assigned;
    if (settled) continue;
    place(ours != kNone ? state_.to_pod(ours) : other.state_.to_pod(theirs), entry);
    entries_.insert_or_assign(key, entry);
  }
}

}  // namespace winnow
