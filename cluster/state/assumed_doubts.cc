// What ends the assumption of a pod whose attempt has failed without a word from the watch: doubts, and what
// an API server says of the pod then.
#include <algorithm>
#include <string>
#include <utility>

#include "cluster/state/assumed_pods.h"
#include "cluster/state/state.h"

namespace winnow {
namespace {

using Time = AssumedPods::Time;

/// The name of the claim that the volume is; "": it is none.
std::string claim_of(const Pod& pod, const Volume& volume) {
  if (volume.source == VolumeSource::kPersistentVolumeClaim) return volume.id;
  return volume.source == VolumeSource::kEphemeral ? ephemeral_claim(pod, volume) : std::string();
}

/// What the pod's claims say of the node.
struct ClaimsSay {
  bool awaited = false;     ///< One has promised its volume to the node.
  bool taken_back = false;  ///< One has no volume, and promises it to no node.
};

ClaimsSay ask_claims(const State& state, const Pod& pod, const std::string& node) {
  ClaimsSay say;
  for (const Volume& volume : pod.spec.volumes) {
    const std::string name = claim_of(pod, volume);
    const auto* const claim = name.empty() ? nullptr : state.volumes.claim(pod.metadata.namespace_, name);
    if (!claim) continue;
    const auto selected = claim->metadata.annotations.find("volume.kubernetes.io/selected-node");
    const bool selects = selected != claim->metadata.annotations.end();
    say.awaited |= selects && selected->second == node;
    say.taken_back |= !selects && claim->volume_name.empty();
  }
  return say;
}

/// Whether the pod has been in doubt for long enough that a read which shows it waiting tells of a failure.
bool is_ripe(const AssumedPods::Entry& entry, Time now) {
  const auto wait = entry.doubt == Doubt::kRefused ? AssumedPods::kDoubt : AssumedPods::kBeforeLook;
  return entry.doubted && now - *entry.doubted >= wait;
}

bool is_due(const AssumedPods::Entry& entry, Time now) {
  if (entry.bound || entry.nomination) return false;
  if (entry.looked_up && now - *entry.looked_up < AssumedPods::kUnseen) return false;
  if (!entry.watched && now - entry.since >= AssumedPods::kUnseen) return true;
  return entry.nominated != entry.node && is_ripe(entry, now);
}

}  // namespace

std::string_view to_string(Doubt doubt) {
  switch (doubt) {
    case Doubt::kNoDoubt:
      return "";
    case Doubt::kRefused:
      return "its condition says that it fits nowhere";
    case Doubt::kTakenBack:
      return "its nomination was taken back";
    case Doubt::kVolumeGone:
      return "its volume is not made";
    case Doubt::kNotCounted:
      return "kube-scheduler does not count it there";
  }
  return "";
}

AssumedPods::Entries::iterator AssumedPods::find(const Attempt& attempt) {
  const auto it = entries_.find({attempt.ns, attempt.name});
  const bool same = it != entries_.end() && it->second.uid == attempt.uid &&
                    it->second.node == attempt.node && it->second.since == attempt.since;
  return same ? it : entries_.end();
}

void AssumedPods::doubt(const Attempt& attempt, Doubt why, Time now) {
  const auto it = find(attempt);
  if (it == entries_.end() || it->second.bound || it->second.nomination) return;
  // A doubt keeps its start, but for a weaker one, which has a longer wait.
  if (!it->second.doubted || it->second.doubt == Doubt::kRefused) it->second.doubted = now;
  it->second.doubt = why;
}

bool AssumedPods::has_news_of_volumes() const {
  return std::ranges::any_of(entries_, [this](const auto& keyed) {
    const Entry& entry = keyed.second;
    if (entry.pod.spec.volumes.empty() || entry.nomination) return false;
    const ClaimsSay say = ask_claims(state_, entry.pod, entry.node);
    return entry.volume_awaited ? say.taken_back : say.awaited;
  });
}

void AssumedPods::note_volumes(Time now) {
  for (auto& [key, entry] : entries_) {
    if (entry.pod.spec.volumes.empty() || entry.nomination) continue;
    const ClaimsSay say = ask_claims(state_, entry.pod, entry.node);
    const bool lost = entry.volume_awaited && say.taken_back;
    entry.volume_awaited = lost ? false : entry.volume_awaited || say.awaited;
    if (lost) doubt({entry.ns, entry.name, entry.uid, entry.node, entry.since}, Doubt::kVolumeGone, now);
  }
}

bool AssumedPods::may_look_up(Time now) const {
  return std::ranges::any_of(entries_, [&](const auto& keyed) { return is_due(keyed.second, now); });
}

std::vector<AssumedPods::Attempt> AssumedPods::to_look_up(Time now, std::size_t most) {
  std::vector<Attempt> due;
  for (auto& [key, entry] : entries_) {
    if (due.size() == most) break;
    if (!is_due(entry, now)) continue;
    entry.looked_up = now;
    due.push_back({entry.ns, entry.name, entry.uid, entry.node, entry.since});
  }
  return due;
}

void AssumedPods::looked_up(const Attempt& attempt, const Pod* found, Time asked) {
  const auto it = find(attempt);
  if (it == entries_.end()) return;
  Entry& entry = it->second;
  if (!found || has_ended(*found)) {
    release(attempt.ns, attempt.name, attempt.uid, AssumedOutcome::kDeleted);
  } else if (found->spec.node_name == entry.node) {
    set_bound(attempt.ns, attempt.name, attempt.uid, entry.node);  // The watch will confirm it.
  } else if (!found->spec.node_name.empty()) {
    release(attempt.ns, attempt.name, attempt.uid, AssumedOutcome::kMoved);
  } else if (found->status.nominated_node_name == entry.node) {
    entry.nominated = entry.node;  // kube-scheduler prepares it.
    entry.doubted.reset();
    entry.doubt = Doubt::kNoDoubt;
  } else if (is_ripe(entry, asked)) {
    release(attempt.ns, attempt.name, attempt.uid, AssumedOutcome::kUnscheduled);
  }
}

bool AssumedPods::has_doubts() const {
  return std::ranges::any_of(entries_, [](const auto& entry) { return entry.second.doubted.has_value(); });
}

void AssumedPods::settle_doubts(Time heard) {
  for (auto it = entries_.begin(); it != entries_.end();) {
    const Entry& entry = (it++)->second;
    if (!entry.doubted || heard - *entry.doubted < kDoubt) continue;
    if (entry.bound || entry.nominated == entry.node) continue;
    release(entry.ns, entry.name, entry.uid, AssumedOutcome::kUnscheduled);
  }
}

}  // namespace winnow
