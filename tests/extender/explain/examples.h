// Explanations by hand, and in bulk.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "extender/explain/explanation.h"
#include "extender/explain/explanation_text.h"

namespace winnow::test {

inline FilterEntry passes(std::string rule) {
  FilterEntry entry;
  entry.rule = std::move(rule);
  return entry;
}

inline FilterEntry refuses(std::string rule, std::vector<std::string> reasons, bool resolvable = true) {
  FilterEntry entry = passes(std::move(rule));
  entry.fits = false;
  entry.resolvable = resolvable;
  entry.reasons = std::move(reasons);
  return entry;
}

inline FilterEntry breaks(std::string rule, std::string error) {
  FilterEntry entry = refuses(std::move(rule), {}, false);
  entry.error = std::move(error);
  return entry;
}

inline ScoreEntry gives(std::string rule, std::int64_t score, std::int64_t weight = 1) {
  return {.rule = std::move(rule), .raw = score, .score = score, .weight = weight};
}

inline NodeExplanation fitting(std::string name, std::vector<ScoreEntry> scores, std::int64_t answer = 0) {
  NodeExplanation node;
  node.name = std::move(name);
  node.scores = std::move(scores);
  node.answer = answer;
  node.filters = {passes("GeneralPredicates"), passes("PodToleratesNodeTaints")};
  for (const ScoreEntry& entry : node.scores) node.total += entry.score * entry.weight;
  return node;
}

inline NodeExplanation refused(std::string name, std::vector<FilterEntry> filters) {
  NodeExplanation node;
  node.name = std::move(name);
  node.fits = false;
  node.filters = std::move(filters);
  for (std::size_t i = 0; i < node.filters.size(); ++i) node.filters[i].place = i;
  return node;
}

inline FilterEntry no_cpu() { return refuses("GeneralPredicates", {"Insufficient cpu"}); }

inline FilterEntry tainted() {
  return refuses("PodToleratesNodeTaints", {"node(s) had taints that the pod didn't tolerate"}, false);
}

inline Explanation pod(std::string name, std::optional<std::string> selected,
                       std::vector<NodeExplanation> nodes) {
  Explanation result;
  result.pod = std::move(name);
  result.selected = std::move(selected);
  result.nodes = std::move(nodes);
  result.feasible = std::ranges::count(result.nodes, true, &NodeExplanation::fits);
  return result;
}

inline std::string numbered(const std::string& prefix, std::size_t number, std::size_t digits) {
  const std::string text = std::to_string(number);
  return prefix + std::string(digits - std::min(digits, text.size()), '0') + text;
}

// 1,000 nodes that fit, and 4,000 that do not for five reasons.
inline Explanation large_cluster() {
  const std::vector<std::vector<FilterEntry>> failures = {
      {no_cpu(), passes("PodToleratesNodeTaints")},
      {refuses("GeneralPredicates", {"Insufficient cpu", "Insufficient memory"}), tainted()},
      {passes("GeneralPredicates"), tainted()},
      {refuses("GeneralPredicates", {"node(s) didn't match node selector"}, false)},
      {passes("GeneralPredicates"),
       refuses("MatchInterPodAffinity", {"node(s) didn't match pod affinity/anti-affinity",
                                         "node(s) didn't satisfy existing pods anti-affinity rules"})},
  };
  std::vector<NodeExplanation> nodes;
  for (std::size_t i = 0; i < 5000; ++i) {
    const std::string name = numbered("ip-10-0-", i, 4) + ".eu-west-1.compute.internal";
    if (i % 5 == 0) {
      const auto n = static_cast<std::int64_t>(i);
      nodes.push_back(fitting(
          name, {gives("SelectorSpreadPriority", n % 10), gives("LeastRequestedPriority", n % 7),
                 gives("BalancedResourceAllocation", 10 - n % 4),
                 gives("NodePreferAvoidPodsPriority", 10, 10000), gives("InterPodAffinityPriority", 0)}));
    } else {
      nodes.push_back(refused(name, failures[i % 5 == 1 ? (i % 3) : (i % 4) + 1]));
    }
  }
  return pod("default/web-1", "ip-10-0-1945.eu-west-1.compute.internal", std::move(nodes));
}

// 12 nodes × 8 priorities.
inline Explanation many_priorities() {
  std::vector<NodeExplanation> nodes;
  for (std::int64_t i = 0; i < 12; ++i) {
    nodes.push_back(fitting(
        numbered("worker-", static_cast<std::size_t>(i), 2),
        {gives("SelectorSpreadPriority", (i * 7) % 11), gives("InterPodAffinityPriority", i % 3),
         gives("LeastRequestedPriority", (i * 3) % 11), gives("BalancedResourceAllocation", 10 - i % 5),
         gives("NodePreferAvoidPodsPriority", i == 4 ? 0 : 10, 10000),
         gives("NodeAffinityPriority", i % 2 * 10, 2), gives("TaintTolerationPriority", 10 - i % 4),
         gives("ImageLocalityPriority", i % 5)},
        i % 11));
  }
  return pod("shop/checkout-7d9f", "worker-03", std::move(nodes));
}

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

inline std::size_t widest_line(const std::string& text) {
  std::size_t widest = 0;
  for (const std::string& line : lines_of(text)) widest = std::max(widest, columns(line));
  return widest;
}

}  // namespace winnow::test
