// The pods on a node of a view, one by one. Only explanations look at them.
#include <algorithm>
#include <map>

#include "cluster/state/overlay.h"
#include "cluster/state/state.h"
#include "cluster/state/view.h"

namespace winnow {
namespace {

using IsWanted = FunctionRef<bool(const View::PodHere&)>;

/// Takes the name of a pod that is wanted, if it is the first by name.
void take_first(const View::PodHere& pod, const IsWanted& is_wanted, std::string& first) {
  std::string name = pod.full_name();
  if ((first.empty() || name < first) && is_wanted(pod)) first = std::move(name);
}

void look_at(const State& state, PodId id, const IsWanted& is_wanted, std::string& first) {
  const PodRecord& record = state.pod(id);
  const auto labels = [&] { return state.metadata_of(id).labels; };
  const auto has_term = [&](const AffinityTerm& term) {
    return record.terms != kNone && std::ranges::any_of(state.terms.list(record.terms),
                                                        [&](TermId one) { return state.terms[one] == term; });
  };
  take_first({.ns = state.pod_namespace(record),
              .name = record.name,
              .footprint = state.footprint(record),
              .labels = labels,
              .deleting = state.groups[record.group].deleting,
              .has_term = has_term},
             is_wanted, first);
}

}  // namespace

std::string View::first_pod_on(NodeId node, IsWanted is_wanted) const {
  std::string first;
  if (node < split_) {
    for (const PodId id : state_.pods_on(node)) look_at(state_, id, is_wanted, first);
    return first;
  }
  std::map<PodId, std::int32_t> changed;  // Pods of the state that have left the row, or come to it.
  for (const Overlay::PodChange& change : overlay_->changes_)
    if (change.row == row(node) && change.pod != kNone) changed[change.pod] += change.by;
  const auto entry = overlay_->rows_.find(node_name(node));
  if (entry != overlay_->rows_.end() && entry->second.origin != kNone)
    for (const PodId id : state_.pods_on(entry->second.origin)) changed[id] += 1;
  for (const auto& [id, count] : changed)
    if (count > 0) look_at(state_, id, is_wanted, first);
  for (const Overlay::PodChange& change : overlay_->changes_) {
    if (change.row != row(node) || change.pod != kNone || change.by < 0) continue;
    const auto labels = [&] { return change.labels; };
    const auto has_term = [&](const AffinityTerm& term) { return std::ranges::contains(change.added, term); };
    take_first({.ns = change.ns,
                .name = change.name,
                .footprint = change.footprint,
                .labels = labels,
                .deleting = change.deleting,
                .has_term = has_term},
               is_wanted, first);
  }
  return first;
}

}  // namespace winnow
