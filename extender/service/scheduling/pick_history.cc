#include "extender/service/scheduling/pick_history.h"

#include <algorithm>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

#include "cluster/state/state.h"
#include "cluster/state/view.h"
#include "extender/engine/select.h"
#include "extender/reuse/node_totals.h"

namespace winnow {

TextMap<std::uint32_t> PickHistory::not_followed(std::string_view pod_uid) const {
  const MutexLock lock(mutex_);
  const auto it = by_pod_.find(pod_uid);
  return it == by_pod_.end() ? TextMap<std::uint32_t>() : it->second->times;
}

/// The pod's entry, which is the latest now.
PickHistory::Entry& PickHistory::entry_of(std::string_view pod_uid) {
  if (const auto it = by_pod_.find(pod_uid); it != by_pod_.end()) {
    entries_.splice(entries_.begin(), entries_, it->second);
  } else {
    entries_.push_front({std::string(pod_uid), {}});
    by_pod_[entries_.front().pod_uid] = entries_.begin();
  }
  if (entries_.size() > kPods) {
    by_pod_.erase(entries_.back().pod_uid);
    entries_.pop_back();
  }
  return entries_.front();
}

void PickHistory::answered(std::string_view pod_uid, std::string_view node) {
  const MutexLock lock(mutex_);
  ++entry_of(pod_uid).times[std::string(node)];
}

void PickHistory::repeat(std::string_view pod_uid, TextMap<std::uint32_t> times) {
  const MutexLock lock(mutex_);
  entry_of(pod_uid).times = std::move(times);
}

namespace {

/// Compared in order: answers not followed (from two on), the total, one answer not followed.
using Rank = std::tuple<std::int64_t, std::int64_t, std::int64_t>;

std::vector<std::size_t> places_of_highest(std::span<const Rank> ranks) {
  const Rank highest = *std::ranges::max_element(ranks);
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < ranks.size(); ++i)
    if (ranks[i] == highest) places.push_back(i);
  return places;
}

std::vector<Rank> ranks_of(const View& view, std::span<const NodeId> nodes,
                           std::span<const std::int64_t> totals, const TextMap<std::uint32_t>& refused) {
  std::vector<Rank> ranks;
  ranks.reserve(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto it = refused.find(view.node_name(nodes[i]));
    const std::int64_t times = it == refused.end() ? 0 : it->second;
    ranks.emplace_back(times > 1 ? -times : 0, totals[i], times == 1 ? -1 : 0);
  }
  return ranks;
}

}  // namespace

NodePicker::NodePicker(std::optional<std::uint64_t> seed, std::optional<std::uint64_t> drawn)
    : repeatable_(seed.has_value()),
      seed_(seed    ? *seed
            : drawn ? *drawn
                    : std::random_device{}()) {}

std::optional<std::size_t> NodePicker::pick(const Pod& pod, std::string_view pod_key, const View& view,
                                            std::span<const NodeId> nodes, const NodeTotals& totals) const {
  if (nodes.empty()) return std::nullopt;
  const auto refused = picks_.not_followed(pod_key);
  std::vector<std::size_t> best = refused.empty() ? totals.places_of_highest()
                                                  : places_of_highest(ranks_of(view, nodes, totals, refused));
  std::size_t before = best.front();
  if (repeatable_) {
    // In order of names, so that the order of the request does not matter. The others are only counted: to
    // sort thousands of names takes longer than to score them.
    const auto name_of = [&](std::size_t i) { return view.node_name(nodes[i]); };
    std::ranges::sort(best, {}, name_of);
    const std::string_view first = name_of(best.front());
    before = static_cast<std::size_t>(
        std::ranges::count_if(nodes, [&](NodeId node) { return view.node_name(node) < first; }));
  }
  return best[draw_equal(before, best.size(), Draw(seed_, pod.metadata.uid))];
}

void PromisedNodes::promise(const Pod& pod, const std::string& node, Time now) {
  const ObjectMeta& meta = pod.metadata;
  const MutexLock lock(mutex_);
  std::erase_if(promises_,
                [&](const Promise& one) { return one.name == meta.name && one.ns == meta.namespace_; });
  if (node.empty()) return;
  promises_.push_front({meta.namespace_, meta.name, meta.uid, node, to_number(meta.resource_version),
                        pod.spec.priority.value_or(0), now});
  if (promises_.size() > kPods) promises_.pop_back();
}

bool PromisedNodes::has_ended(const Promise& one, const State& state, std::uint64_t told, Time now) {
  if (now - one.at >= kBelief) return true;
  const PodId id = state.find_pod(one.ns, one.name);
  // Either the watch has not come to the pod yet, or the pod has come and gone.
  if (id == kNone) return told >= one.version;
  const PodRecord& pod = state.pod(id);
  return pod.uid != one.uid || pod.assigned || state.nominated().node_of(id) == one.node;
}

std::vector<std::string> PromisedNodes::of_others(const State& state, std::uint64_t told, const Pod& pod,
                                                  Time now) {
  const MutexLock lock(mutex_);
  std::erase_if(promises_, [&](const Promise& one) { return has_ended(one, state, told, now); });
  std::vector<std::string> nodes;
  for (const Promise& one : promises_) {
    const bool own = one.name == pod.metadata.name && one.ns == pod.metadata.namespace_;
    if (!own && one.priority >= pod.spec.priority.value_or(0)) nodes.push_back(one.node);
  }
  return nodes;
}

void VictimHistory::named(const std::string& pod_uid, std::vector<MetaVictims> victims) {
  const MutexLock lock(mutex_);
  std::erase_if(entries_, [&](const Entry& entry) { return entry.pod_uid == pod_uid; });
  entries_.push_front({pod_uid, std::move(victims), std::nullopt});
  if (entries_.size() > kPods) entries_.pop_back();
}

bool VictimHistory::are_gone(std::string_view pod_uid, Time now) {
  const MutexLock lock(mutex_);
  const auto entry = std::ranges::find(entries_, pod_uid, &Entry::pod_uid);
  if (entry == entries_.end()) return false;
  if (!entry->gone) entry->gone = now;
  return now - *entry->gone < kBelief;
}

bool VictimHistory::would_be_gone(std::string_view pod_uid, Time now) const {
  const MutexLock lock(mutex_);
  const auto entry = std::ranges::find(entries_, pod_uid, &Entry::pod_uid);
  return entry != entries_.end() && (!entry->gone || now - *entry->gone < kBelief);
}

std::vector<std::string> VictimHistory::on(std::string_view pod_uid, std::string_view node) const {
  const MutexLock lock(mutex_);
  const auto entry = std::ranges::find(entries_, pod_uid, &Entry::pod_uid);
  if (entry == entries_.end()) return {};
  const auto victims = std::ranges::find(entry->victims, node, &MetaVictims::node_name);
  return victims == entry->victims.end() ? std::vector<std::string>() : victims->uids;
}

}  // namespace winnow
