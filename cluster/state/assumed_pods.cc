// An assumption ends by evidence, never by a timer. Evidence is a watch event, a call about the pod, or the
// answer of an API server to a binding. Resource versions tell an event about this attempt from an older one.
// Where they cannot (a failure's condition is written late), the pod is in doubt; see assumed_pods.h.
#include "cluster/state/assumed_pods.h"

#include <algorithm>

#include "cluster/api/kinds.h"
#include "cluster/api/pod.h"
#include "cluster/state/state.h"

namespace winnow {
namespace {

std::optional<PodCondition> refusal_of(const Pod& pod) {
  for (const PodCondition& condition : pod.status.conditions)
    if (is_refusal(condition)) return condition;
  return std::nullopt;
}

/// The text "0/5 nodes are available: …", as FitError has it in pkg/scheduler/framework/types.go v1.37.0.
bool says_that_none_fits(const PodCondition& refused) { return refused.message.starts_with("0/"); }

/// Updates the entry from the pod's status. The status of a pod shows the result of its last attempt until
/// the next one. An attempt that fails like the one before leaves the condition unchanged. Then the
/// nomination shows the failure. kube-scheduler (1.35 and later) nominates a pod for its node while it
/// prepares it, and takes that back on failure.
/// @return whether the attempt that the pod is assumed for has failed.
bool weigh(const Pod& pod, AssumedPods::Entry& entry, AssumedPods::Time now) {
  auto refused = refusal_of(pod);
  const bool news = refused && refused != entry.refused;
  const bool taken_back = entry.nominated == entry.node && pod.status.nominated_node_name != entry.node;
  // A doubt keeps its start. Otherwise a pod that fails again and again would never be released.
  if (taken_back || (news && !entry.doubted)) {
    entry.doubted = now;
    entry.doubt = taken_back ? Doubt::kTakenBack : Doubt::kRefused;
  }
  const bool failed = news && !says_that_none_fits(*refused);
  if (refused) entry.refused = std::move(refused);
  entry.nominated = pod.status.nominated_node_name;
  return failed;
}

bool is_older(std::uint64_t resource_version, const AssumedPods::Entry& entry) {
  return resource_version != 0 && resource_version < entry.resource_version;
}

/// What the request of an allocated device tolerates. @param claim  null: a claim for extended resources.
std::span<const DeviceToleration> tolerations_of(const ResourceClaim* claim, std::string_view request) {
  if (!claim) return {};
  for (const ClaimRequest& one : claim->spec.requests) {
    if (one.exactly && one.name == request) return one.exactly->tolerations;
    for (const DeviceSubRequest& alternative : one.first_available)
      if (request == one.name + '/' + alternative.name) return alternative.body.tolerations;
  }
  return {};
}

}  // namespace

std::string_view to_string(AssumedOutcome outcome) {
  constexpr std::string_view kTexts[kAssumedOutcomes] = {
      "confirmed", "moved", "asked_again", "unscheduled", "bind_failed", "withdrawn", "deleted"};
  return kTexts[static_cast<std::size_t>(outcome)];
}

/// Tells the journal of a pod's new text. A pod without one is the state's own: the journal has it.
void AssumedPods::tell_of(const Pod& pod, std::string_view text) {
  if (journal_ && !text.empty())
    journal_->set(kind_of<Pod>, pod.metadata.namespace_, pod.metadata.name, text);
}

void AssumedPods::tell_of(const Entry& entry) {
  if (journal_)
    journal_->assumed(
        {entry.ns, entry.name, entry.uid, entry.node, entry.nomination, entry.bound, entry.devices});
}

void AssumedPods::assume(const Pod& pod, const std::string& node, Time now, std::string_view text,
                         std::vector<ClaimedDevices> devices) {
  const ObjectMeta& meta = pod.metadata;
  const PodId known = state_.find_pod(meta.namespace_, meta.name);
  const bool same = known != kNone && state_.pod(known).uid == meta.uid;
  const std::uint64_t version = believed(to_number(meta.resource_version));
  if (!same && version == 0) return;
  if (!same && known != kNone && state_.pod(known).resource_version > version) return;
  const auto before = entries_.find({meta.namespace_, meta.name});
  std::optional<Pod> told;  // The last known object, from the entry before.
  std::string told_text;
  if (before != entries_.end()) {
    const bool again = before->second.uid == meta.uid;
    if (again && before->second.node == node && devices.empty()) devices = before->second.devices;
    if (again) told = std::move(before->second.pod);
    if (again) told_text = std::move(before->second.text);
    end(before, again ? AssumedOutcome::kAskedAgain : AssumedOutcome::kDeleted);
  } else if (same && state_.pod(known).assigned) {
    return;  // The watch has shown the binding already.
  }
  Entry entry{meta.namespace_, meta.name, meta.uid, node, now};
  entry.resource_version = version;
  entry.watched = same;
  entry.nominated = pod.status.nominated_node_name;
  entry.refused = refusal_of(pod);
  // kube-scheduler's object may be newer than the state's, or older.
  const bool ours_is_later = same && state_.pod(known).resource_version > version;
  entry.pod = !ours_is_later ? pod : told ? std::move(*told) : state_.to_pod(known);
  if (!ours_is_later) tell_of(pod, text);
  entry.devices = std::move(devices);
  if (journal_) entry.text = ours_is_later ? std::move(told_text) : std::string(text);
  begin(std::move(entry));
}

void AssumedPods::assume_known(const std::string& ns, const std::string& name, std::string_view uid,
                               const std::string& node, Time now) {
  const PodId id = state_.find_pod(ns, name);
  if (id == kNone || state_.pod(id).uid != uid) return;
  const auto before = entries_.find({ns, name});
  if (before == entries_.end() || before->second.uid != uid) return assume(state_.to_pod(id), node, now);
  Entry entry{ns, name, std::string(uid), node, now, std::move(before->second.pod)};
  entry.text = std::move(before->second.text);
  entry.resource_version = state_.pod(id).resource_version;
  entry.watched = true;
  entry.nominated = std::move(before->second.nominated);
  entry.refused = std::move(before->second.refused);
  if (before->second.node == node) entry.devices = before->second.devices;
  end(before, AssumedOutcome::kAskedAgain);
  begin(std::move(entry));
}

void AssumedPods::assume_nominated(const std::string& ns, const std::string& name, std::string_view uid,
                                   const std::string& node, const std::optional<PodCondition>& refused,
                                   Time now, std::vector<ClaimedDevices> devices) {
  const PodId id = state_.find_pod(ns, name);
  if (id == kNone || state_.pod(id).uid != uid || state_.pod(id).assigned) return;
  Pod pod = state_.to_pod(id);
  if (refused) pod.status.conditions = {*refused};
  assume(pod, node, now);
  if (const auto entry = entries_.find({ns, name}); entry != entries_.end()) {
    entry->second.nomination = true;
    // Those of an attempt before, on the same node, have been taken over.
    for (const ClaimedDevices& claim : entry->second.devices) state_.devices.forget(claim.uid);
    entry->second.devices = std::move(devices);
    take_devices(entry->second);
    tell_of(entry->second);
  }
}

void AssumedPods::begin(Entry entry) {
  entry.pod.spec.node_name.clear();
  tell_of(entry);
  place(entry);
  entries_.insert_or_assign({entry.ns, entry.name}, std::move(entry));
}

void AssumedPods::place(const Entry& entry) {
  Pod placed = entry.pod;
  placed.spec.node_name = entry.node;
  state_.set_pod(placed);
  if (!has_ended(entry.pod)) take_devices(entry);
}

void AssumedPods::take_devices(const Entry& entry) {
  for (const ClaimedDevices& claim : entry.devices)
    state_.devices.assume(entry.ns, claim, {entry.uid, entry.node});
}

bool AssumedPods::has_lost_devices(const Entry& entry) const {
  const DeviceInventory& inventory = state_.devices;
  return std::ranges::any_of(entry.devices, [&](const ClaimedDevices& claim) {
    const ResourceClaim* const object = inventory.find_claim(entry.ns, claim.claim);
    return std::ranges::any_of(claim.allocation.devices, [&](const AllocatedDevice& one) {
      // A device that is shared may have several holders.
      const bool is_taken = !one.admin_access && !one.share_id &&
                            inventory.holders(one.driver, one.pool, one.device).size() > 1;
      return is_taken || !inventory.is_offered(one, tolerations_of(object, one.request));
    });
  });
}

void AssumedPods::choose_devices_again(FunctionRef<std::vector<ClaimedDevices>(const Entry&)> choose) {
  for (auto& [key, entry] : entries_) {
    if (!entry.nomination || !has_lost_devices(entry)) continue;
    for (const ClaimedDevices& claim : entry.devices) state_.devices.forget(claim.uid);
    entry.devices = choose(entry);
    take_devices(entry);
    tell_of(entry);
  }
}

void AssumedPods::end(Entries::iterator entry, AssumedOutcome outcome) {
  ++outcomes_[static_cast<std::size_t>(outcome)];
  const bool keeps_devices = outcome == AssumedOutcome::kConfirmed && !entry->second.devices.empty();
  if (journal_) journal_->released(entry->second.ns, entry->second.name, keeps_devices);
  // The claims of a pod that is bound show their devices by now, or with the next event.
  for (const ClaimedDevices& claim : entry->second.devices) {
    if (keeps_devices)
      awaited_claims_[entry->first].push_back(claim.uid);
    else
      state_.devices.forget(claim.uid);
  }
  entries_.erase(entry);
}

void AssumedPods::forget_awaited(const Key& pod) {
  const auto awaited = awaited_claims_.find(pod);
  if (awaited == awaited_claims_.end()) return;
  for (const std::string& uid : awaited->second) state_.devices.forget(uid);
  awaited_claims_.erase(awaited);
}

void AssumedPods::set_bound(const std::string& ns, const std::string& name, std::string_view uid,
                            std::string_view node) {
  const auto it = entries_.find({ns, name});
  if (it == entries_.end() || it->second.uid != uid || it->second.node != node) return;
  it->second.bound = true;
  tell_of(it->second);
}

bool AssumedPods::release(const std::string& ns, const std::string& name, std::string_view uid,
                          AssumedOutcome outcome) {
  const auto it = entries_.find({ns, name});
  if (it == entries_.end() || it->second.uid != uid) return false;
  if (it->second.watched) {
    state_.set_pod(it->second.pod);
  } else {
    state_.remove_pod(ns, name);  // The watch will send the pod, if it exists.
    if (journal_) journal_->remove(kind_of<Pod>, ns, name);
  }
  end(it, outcome);
  return true;
}

AssumedOutcome AssumedPods::arrival(const Entry& entry, std::string_view node) {
  return node == entry.node ? AssumedOutcome::kConfirmed : AssumedOutcome::kMoved;
}

void AssumedPods::set(const Pod& pod, Time now, std::string_view text) {
  const auto it = entries_.find({pod.metadata.namespace_, pod.metadata.name});
  if (it == entries_.end()) {
    if (has_ended(pod)) forget_awaited({pod.metadata.namespace_, pod.metadata.name});
    tell_of(pod, text);
    return state_.set_pod(pod);
  }
  Entry& entry = it->second;
  const bool same = entry.uid == pod.metadata.uid;
  const bool for_good = same && (has_ended(pod) || !pod.spec.node_name.empty());
  if (is_older(to_number(pod.metadata.resource_version), entry) && !for_good) {
    entry.watched |= same;  // The state has a newer object.
    return;
  }
  if (!same || has_ended(pod)) {
    end(it, AssumedOutcome::kDeleted);
  } else if (for_good) {
    end(it, arrival(entry, pod.spec.node_name));
  } else {
    entry.watched = true;
    const bool failed = weigh(pod, entry, now);
    entry.pod = pod;
    if (journal_) entry.text = text;
    tell_of(pod, text);
    place(entry);
    if (failed && !entry.bound) release(entry.ns, entry.name, entry.uid, AssumedOutcome::kUnscheduled);
    return;
  }
  tell_of(pod, text);
  state_.set_pod(pod);
}

void AssumedPods::remove(const std::string& ns, const std::string& name, std::uint64_t resource_version) {
  if (const auto it = entries_.find({ns, name}); it != entries_.end()) {
    if (is_older(resource_version, it->second)) return;  // The event is about an earlier pod of this name.
    end(it, AssumedOutcome::kDeleted);
  }
  forget_awaited({ns, name});
  if (journal_) journal_->remove(kind_of<Pod>, ns, name);
  state_.remove_pod(ns, name);
}

void AssumedPods::listed(std::uint64_t resource_version) {
  if (resource_version == 0) return;
  if (resource_version < watched_version_)
    for (auto& [key, entry] : entries_) entry.resource_version = 0;
  watched_version_ = resource_version;
}

void AssumedPods::not_listed(const std::string& ns, const std::string& name, std::uint64_t resource_version) {
  const Entry* entry = find(ns, name);
  if (entry && !entry->watched && entry->resource_version > resource_version) return;
  remove(ns, name, 0);
}

void AssumedPods::watched_up_to(std::uint64_t resource_version) {
  watched_version_ = std::max(watched_version_, resource_version);
  for (auto it = entries_.begin(); it != entries_.end();) {
    const auto entry = it++;
    if (entry->second.watched || entry->second.resource_version > resource_version) continue;
    state_.remove_pod(entry->second.ns, entry->second.name);
    if (journal_) journal_->remove(kind_of<Pod>, entry->second.ns, entry->second.name);
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
    if (!entry.nomination) longest = std::max<std::chrono::duration<double>>(longest, now - entry.since);
  return longest;
}

std::vector<AssumedPods::Entry> AssumedPods::overdue(Time now, std::chrono::seconds age) {
  std::vector<Entry> found;
  for (auto& [key, entry] : entries_) {
    if (entry.overdue || entry.nomination || now - entry.since < age) continue;
    entry.overdue = true;
    ++overdue_;
    found.push_back(entry);
  }
  return found;
}

std::vector<PodId> AssumedPods::nominated() const {
  std::vector<PodId> pods;
  for (const auto& [key, entry] : entries_) {
    if (!entry.nomination || entry.bound) continue;
    if (const PodId id = state_.find_pod(entry.ns, entry.name); id != kNone) pods.push_back(id);
  }
  std::ranges::sort(pods);
  return pods;
}

void AssumedPods::take_over(const AssumedPods& other) {
  for (std::size_t i = 0; i < kAssumedOutcomes; ++i) outcomes_[i] += other.outcomes_[i];
  overdue_ += other.overdue_;
  for (const auto& [key, theirs] : other.entries_) {
    Entry entry = theirs;
    const PodId id = state_.find_pod(entry.ns, entry.name);
    const PodRecord* const ours = id == kNone ? nullptr : &state_.pod(id);
    const bool same = ours && ours->uid == entry.uid;
    std::optional<AssumedOutcome> ended;
    if (same && ours->assigned)
      ended = arrival(entry, state_.node_name_of(id));
    else if (ours && !same && !is_older(ours->resource_version, entry))
      ended = AssumedOutcome::kDeleted;
    if (ended) {
      ++outcomes_[static_cast<std::size_t>(*ended)];
      continue;
    }
    if (same && ours->resource_version >= to_number(entry.pod.metadata.resource_version)) {
      entry.pod = state_.to_pod(id);
      entry.text.clear();
    }
    tell_of(entry.pod, entry.text);
    entry.watched = same;  // If this watch has passed the pod's version without showing it, the pod is gone.
    begin(std::move(entry));
  }
}

void AssumedPods::adopt(AssumedPods&& other) noexcept {
  entries_ = std::move(other.entries_);
  for (auto& [key, entry] : entries_) entry.watched = false;
  outcomes_ = other.outcomes_;
  overdue_ = other.overdue_;
  watched_version_ = 0;
}

void AssumedPods::place_all() {
  for (const auto& [key, entry] : entries_) {
    tell_of(entry.pod, entry.text);
    tell_of(entry);
    place(entry);
  }
}

void AssumedPods::repeat(const Pod& pod) {
  const auto it = entries_.find({pod.metadata.namespace_, pod.metadata.name});
  if (it == entries_.end()) {
    if (has_ended(pod)) forget_awaited({pod.metadata.namespace_, pod.metadata.name});
    return state_.set_pod(pod);
  }
  it->second.pod = pod;
  it->second.pod.spec.node_name.clear();
  it->second.watched = true;  // It has a pod that a release can give back.
  place(it->second);
}

void AssumedPods::repeat(Entry entry) {
  const PodId id = state_.find_pod(entry.ns, entry.name);
  const auto before = entries_.find({entry.ns, entry.name});
  entry.watched = id != kNone;
  if (before != entries_.end()) {
    for (const ClaimedDevices& claim : before->second.devices) state_.devices.forget(claim.uid);
    entry.pod = std::move(before->second.pod);
  } else if (id != kNone) {
    entry.pod = state_.to_pod(id);
  }
  if (entry.watched) return begin(std::move(entry));
  Key key{entry.ns, entry.name};
  entries_.insert_or_assign(std::move(key), std::move(entry));
}

}  // namespace winnow
