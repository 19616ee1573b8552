// A small cluster under two configurations, for tests of the comparison.
#pragma once

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cluster/function_ref.h"
#include "extender/config/extenders.h"
#include "extender/config/rules.h"
#include "extender/engine/workers.h"
#include "extender/what_if/compare/causes.h"
#include "extender/what_if/compare/comparison.h"
#include "tests/extender/what_if/simulate/trial_cluster.h"

namespace winnow::test {

/// The rules of a file's text; of "" those of v1.16's default provider.
inline LoadedRules rules_of_text(const std::string& text) {
  if (text.empty()) return classic_rules({});
  auto rules = load_rules("rules.yaml", text, {});
  REQUIRE_MESSAGE(rules, (rules ? "" : rules.error()));
  return std::move(*rules);
}

/// A Policy whose predicates are those that upstream demands and these, and whose priorities are these: flow
/// lists of YAML.
inline std::string policy(const std::string& predicates, const std::string& priorities) {
  return "apiVersion: v1\nkind: Policy\npredicates: [{name: GeneralPredicates}" +
         (predicates.empty() ? "" : ", " + predicates) + "]\npriorities: [" + priorities + "]\n";
}

/// 1.37's default profile, with this behind it.
inline std::string today(const std::string& more = "") {
  return "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n" + more;
}

/// Two configurations and the states that they read: one where both read it alike. Neither copied nor moved:
/// the engines point into it.
class TwoSides {
 public:
  TwoSides(const std::string& a, const std::string& b, FunctionRef<void(State&)> fill)
      : rules_a_(rules_of_text(a)),
        rules_b_(rules_of_text(b)),
        engines_a_(rules_a_.sets, workers_),
        engines_b_(rules_b_.sets, workers_) {
    states_.push_back(std::make_unique<State>(state_options(rules_a_)));
    if (state_options(rules_a_) != state_options(rules_b_))
      states_.push_back(std::make_unique<State>(state_options(rules_b_)));
    for (const auto& state : states_) fill(*state);
  }
  TwoSides(const TwoSides&) = delete;
  TwoSides& operator=(const TwoSides&) = delete;

  State& state() { return *states_.front(); }
  Side a() { return {*states_.front(), engines_a_}; }
  Side b() { return {*states_.back(), engines_b_}; }

  Comparison place(const CompareOptions& options = {}, const std::string& files = "",
                   const Progress& progress = {}) {
    ToPlace pods;
    if (!files.empty()) pods.sets = sets_of(files, state());
    return compare_placing(a(), b(), pods, options, progress);
  }
  Comparison ask_placed(bool both = true, const CompareOptions& options = {}) {
    const Side other = b();
    return compare_placed(a(), both ? &other : nullptr, options, {});
  }

 private:
  const LoadedRules rules_a_, rules_b_;
  Workers workers_{0};
  const Engines engines_a_, engines_b_;
  std::vector<std::unique_ptr<State>> states_;
};

inline std::string node_of(const Comparison& result, const ComparedPod& pod, std::size_t side) {
  if (pod.end[side] != PodEnd::kPlaced) return std::string(to_string(pod.end[side]));
  return result.nodes[pod.node[side]].name;
}

/// The rules of a difference: "scores X Y", "refused A:X B:Y,Z", "earlier".
inline std::string rules_in(const ChoiceDifference& turn) {
  std::string text(to_string(turn.kind));
  for (const std::size_t side : {winnow::kA, winnow::kB}) {
    std::string list;
    for (const RuleRefusal& refusal : turn.refuses[side])
      list += (list.empty() ? "" : ",") + (refusal.rule.empty() ? "-" : refusal.rule);
    if (!list.empty()) text += (side == winnow::kA ? " A:" : " B:") + list;
  }
  for (const ScoreChange& change : turn.changes) text += ' ' + change.rule;
  return text;
}

/// "pod: node under A, node under B", and behind it the rules where they differ. The namespace "default" is
/// left out.
inline std::vector<std::string> told(const Comparison& result) {
  std::vector<std::string> lines;
  for (const ComparedPod& pod : result.pods) {
    std::string line = pod.name;
    if (line.starts_with("default/")) line.erase(0, line.find('/') + 1);
    line += ": " + node_of(result, pod, winnow::kA) + ", " + node_of(result, pod, winnow::kB);
    if (pod.cause != winnow::kNone) line += "; " + rules_in(result.causes[pod.cause].turn);
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace winnow::test
