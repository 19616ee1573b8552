#include "cluster/rule/known_labels.h"

#include <algorithm>
#include <cstdint>
#include <format>

#include "cluster/api/selector.h"
#include "cluster/rule/cause.h"
#include "cluster/state/state.h"
#include "cluster/text/characters.h"

namespace winnow {
namespace {

std::string short_text(const Requirement& requirement) {
  return utf8_shortened(to_text(requirement), kMostSaidBytes);
}

/// `in namespace shop`, `in namespaces blog, shop`, `in any namespace`.
std::string place_text(const std::vector<std::string>& namespaces) {
  if (namespaces.empty()) return "in any namespace";
  std::string list;
  for (const std::string& ns : namespaces) list += (list.empty() ? "" : ", ") + ns;
  return std::format("in namespace{} {}", namespaces.size() == 1 ? "" : "s",
                     utf8_shortened(list, kMostSaidBytes));
}

}  // namespace

bool KnownLabels::meet(const Requirement& requirement) const {
  if (requirement.op == Operator::kNotIn || requirement.op == Operator::kDoesNotExist) return true;
  const auto known = values_.find(requirement.key);
  if (known == values_.end()) return false;
  if (requirement.op == Operator::kExists) return true;
  if (requirement.op == Operator::kIn)
    return std::ranges::any_of(requirement.values,
                               [&](const std::string& value) { return known->second.contains(value); });
  return std::ranges::any_of(known->second, [&](std::string_view value) {
    const std::string text(value);
    return matches(requirement, &text);
  });
}

std::string KnownLabels::no_key(std::string_view who, std::string_view key) const {
  return std::format("{} has a label {}{}", who, key, near_hint(key, std::views::keys(values_)));
}

std::string KnownLabels::unmet(std::string_view who, const Requirement& requirement) const {
  if (requirement.op == Operator::kExists) return no_key(who, requirement.key);
  const std::string start = std::format("{} has {}", who, short_text(requirement));
  const auto known = values_.find(requirement.key);
  if (known == values_.end())
    return std::format("{}, nor any label {}{}", start, requirement.key,
                       near_hint(requirement.key, std::views::keys(values_)));
  if (requirement.op == Operator::kIn)
    for (const std::string& value : requirement.values)
      if (const std::string hint = near_hint(value, known->second); !hint.empty()) return start + hint;
  return start;
}

std::string KnownLabels::unmatched(std::string_view who, const Selector& selector) const {
  std::string list;
  for (const Requirement& one : selector.requirements()) {
    if (!meet(one)) return unmet(who, one);
    list += (list.empty() ? "" : ",") + to_text(one);
  }
  return std::format("{} matches {}", who, utf8_shortened(list, kMostSaidBytes));
}

MatchedPods::MatchedPods(const State& state) : state_(state) {
  for (PodId id = 0; id < state.pod_capacity(); ++id) {
    const PodRecord& pod = state.pod(id);
    if (pod.name.empty()) continue;
    if (sizes_.size() <= pod.group) sizes_.resize(pod.group + std::size_t{1});
    ++sizes_[pod.group];
    namespaces_.insert(state.pod_namespace(pod));
  }
}

const std::string& MatchedPods::why_none(const PodQuery& query) {
  const auto [place, is_new] = told_.try_emplace(query);
  if (is_new && count(query) == 0) place->second = say_none(query);
  return place->second;
}

std::size_t MatchedPods::count(const PodQuery& query) const {
  const std::vector<std::uint8_t> marks = state_.groups.select(query);
  std::size_t pods = 0;
  for (GroupId group = 0; group < std::min(marks.size(), sizes_.size()); ++group)
    if (marks[group] != 0) pods += sizes_[group];
  return pods;
}

std::string MatchedPods::say_none(const PodQuery& query) const {
  if (query.selector.is_nothing()) return "there is no selector, so it matches no pod";
  const std::vector<std::uint8_t> there =
      state_.groups.select({query.namespaces, Selector::everything(), query.deleting});
  const Symbols& symbols = state_.names().symbols;
  KnownLabels known;
  for (GroupId group = 0; group < there.size(); ++group)
    if (there[group] != 0)
      for (const auto& [key, value] : state_.groups[group].labels) known.add(symbols[key], symbols[value]);
  const std::string place = place_text(query.namespaces);
  if (std::ranges::contains(there, 1)) return known.unmatched("no pod " + place, query.selector);
  return std::format("there is no pod {}{}", place,
                     query.namespaces.size() == 1 ? near_hint(query.namespaces.front(), namespaces_) : "");
}

}  // namespace winnow
