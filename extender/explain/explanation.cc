#include "extender/explain/explanation.h"

#include <algorithm>
#include <format>
#include <map>

#include "extender/engine/engine.h"

namespace winnow {
namespace {

std::string join(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) {
    if (!out.empty()) out += ", ";
    out += text;
  }
  return out;
}

const FilterEntry* first_failure(const NodeExplanation& node) {
  const auto found = std::ranges::find(node.filters, false, &FilterEntry::fits);
  return found == node.filters.end() ? nullptr : &*found;
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

void add_node(Draft& draft, const NodeExplanation& node, const FilterEntry* first) {
  draft.group.nodes.push_back(node.name);
  if (first == nullptr) return;
  if (might_evict(node)) ++draft.group.evictable;
  for (const FilterEntry& entry : node.filters) {
    if (!entry.fits && &entry != first) ++draft.behind[entry.rule];
  }
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

std::vector<FailureGroup> group_failures(const Explanation& explanation) {
  std::map<std::pair<std::string_view, std::string>, Draft> drafts;
  for (const NodeExplanation& node : explanation.nodes) {
    if (node.fits) continue;
    const FilterEntry* first = first_failure(node);
    std::string reason = first == nullptr ? "no rule says why" : first->error.value_or(join(first->reasons));
    const std::string_view rule = first == nullptr ? std::string_view() : first->rule;
    const auto [slot, is_new] = drafts.try_emplace({rule, std::move(reason)});
    Draft& draft = slot->second;
    if (is_new) {
      draft.group.rule = rule;
      draft.group.reason = slot->first.second;
      draft.group.error = first != nullptr && first->error;
    }
    add_node(draft, node, first);
  }
  std::vector<FailureGroup> groups;
  for (auto& [key, draft] : drafts) groups.push_back(finished(draft));
  std::ranges::stable_sort(groups, std::ranges::greater{},
                           [](const FailureGroup& g) { return g.nodes.size(); });
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
