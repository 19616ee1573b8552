#include "extender/explain/explanation.h"

#include <algorithm>
#include <cstddef>
#include <format>
#include <map>
#include <utility>

#include "cluster/text/words.h"
#include "extender/engine/engine.h"

namespace winnow {
namespace {

const FilterEntry* first_failure(const NodeExplanation& node) {
  const auto found = std::ranges::find(node.filters, false, &FilterEntry::fits);
  return found == node.filters.end() ? nullptr : &*found;
}

bool is_of_cordon(const Cause& cause) {
  return cause.kind == "taint" && cause.text("taint").starts_with("node.kubernetes.io/unschedulable:");
}

/// Whether the pod itself asks for other nodes: by their names or labels.
bool asks_for_others(const FilterEntry& entry) {
  constexpr std::string_view kKinds[] = {"label", "field", "term", "nodeName"};
  return std::ranges::any_of(entry.causes,
                             [&](const Cause& cause) { return std::ranges::contains(kKinds, cause.kind); });
}

bool might_evict(const NodeExplanation& node) {
  return std::ranges::all_of(node.filters, [](const FilterEntry& entry) {
    return entry.fits || (entry.resolvable && !entry.error);
  });
}

// A group while nodes are added.
struct Draft {
  FailureGroup group;
  std::map<std::string_view, std::size_t> behind;
};

void add_node(Draft& draft, const NodeExplanation& node, const FilterEntry* first,
              const std::vector<const FilterEntry*>& refusals) {
  draft.group.nodes.push_back(&node);
  if (first == nullptr) return;
  if (might_evict(node)) ++draft.group.evictable;
  for (const FilterEntry* const entry : refusals)
    if (entry != first) ++draft.behind[entry->rule];
}

Distance distance_of(const std::vector<const FilterEntry*>& refusals) {
  Distance distance{.rules = refusals.size()};
  for (const FilterEntry* const entry : refusals)
    distance.is_unwanted = distance.is_unwanted || asks_for_others(*entry);
  if (!refusals.empty()) distance.passed = refusals.front()->place;
  return distance;
}

FailureGroup finished(Draft& draft) {
  draft.group.behind.assign(draft.behind.begin(), draft.behind.end());
  std::ranges::stable_sort(draft.group.behind, std::ranges::greater{},
                           [](const auto& rule) { return rule.second; });
  return std::move(draft.group);
}

void count_reasons(std::map<std::string_view, std::size_t>& counts, const FilterEntry& entry) {
  if (entry.error) ++counts[*entry.error];
  for (const std::string& reason : entry.reasons) ++counts[reason];
}

}  // namespace

std::vector<const FilterEntry*> refusals_of(const NodeExplanation& node) {
  std::vector<const FilterEntry*> found;
  const bool is_cordoned = std::ranges::any_of(node.filters, [](const FilterEntry& entry) {
    return std::ranges::contains(entry.causes, "unschedulable", &Cause::kind);
  });
  for (const FilterEntry& entry : node.filters)
    if (!entry.fits && (!is_cordoned || entry.error || entry.causes.empty() ||
                        !std::ranges::all_of(entry.causes, is_of_cordon)))
      found.push_back(&entry);
  return found;
}

Distance distance_of(const NodeExplanation& node) { return distance_of(refusals_of(node)); }

std::vector<FailureGroup> group_failures(const Explanation& explanation) {
  std::map<std::pair<std::string_view, std::string>, Draft> drafts;
  for (const NodeExplanation& node : explanation.nodes) {
    if (node.fits) continue;
    const FilterEntry* first = first_failure(node);
    std::string reason =
        first == nullptr ? "no rule says why" : first->error.value_or(joined(first->reasons));
    const std::string_view rule = first == nullptr ? std::string_view() : first->rule;
    const auto [slot, is_new] = drafts.try_emplace({rule, std::move(reason)});
    Draft& draft = slot->second;
    if (is_new) {
      draft.group.rule = rule;
      draft.group.reason = slot->first.second;
      draft.group.error = first != nullptr && first->error;
    }
    const std::vector<const FilterEntry*> refusals = refusals_of(node);
    add_node(draft, node, first, refusals);
    const Distance distance = distance_of(refusals);
    FailureGroup& group = draft.group;
    if (is_new || distance < group.distance) group.nearest.clear();
    if (group.nearest.empty()) group.distance = distance;
    if (distance == group.distance) group.nearest.push_back(&node);
  }
  std::vector<FailureGroup> groups;
  for (auto& [key, draft] : drafts) groups.push_back(finished(draft));
  std::ranges::stable_sort(groups, {}, [](const FailureGroup& group) {
    return std::pair(group.distance, -static_cast<std::ptrdiff_t>(group.nodes.size()));
  });
  for (FailureGroup& group : groups)
    if (group.distance != groups.front().distance) group.nearest.clear();
  return groups;
}

std::string fit_error(const Explanation& explanation, bool every_failure) {
  if (explanation.nodes.empty()) return "no nodes available to schedule pods";
  if (explanation.pre_filter)
    return std::format("0/{} nodes are available: {}.", explanation.nodes.size(), *explanation.pre_filter);
  std::map<std::string_view, std::size_t> counts;
  for (const NodeExplanation& node : explanation.nodes) {
    for (const FilterEntry& entry : node.filters) {
      if (entry.fits) continue;
      count_reasons(counts, entry);
      if (!every_failure) break;
    }
  }
  return fit_error(counts, explanation.nodes.size());
}

}  // namespace winnow
