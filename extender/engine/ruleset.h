// The rules that a configuration asks for, their names, and the rule that makes the check of a filter plugin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/rule/arguments.h"
#include "cluster/rule/rule.h"

namespace winnow::predicates {

struct Record;

}  // namespace winnow::predicates

namespace winnow {

/// The names as the configuration spells them, in the order of the rule set. Immutable, and shared by all
/// that was decided by these rules: a reload does not end it.
struct RuleNames {
  std::vector<std::string> predicates;
  std::vector<std::string> priorities;
};

// The rules that a configuration asks for, for some pods or for all.

/// The scheduler of pods that name none, and of a configuration's only profile that has no name.
/// Upstream: corev1.DefaultSchedulerName v1.37.0.
inline constexpr std::string_view kDefaultSchedulerName = "default-scheduler";

struct ConfiguredPredicate {
  std::string name;  ///< As the configuration spells it.
  BindPredicate* bind = nullptr;
  Arguments arguments;
  /// What it says before any node is looked at counts, and what it says of each node; a configuration may
  /// have switched off one of the two.
  bool pre_filters = true;
  bool filters = true;
  bool may_skip = false;  ///< That it has nothing to say about a pod is worth telling.
};

struct ConfiguredPriority {
  std::string name;
  BindPriority* bind = nullptr;
  Arguments arguments;
  std::int64_t weight = 1;
  bool has_map = true;    ///< See priorities::Record.
  bool scores = true;     ///< False: it can fail the pod, and scores nothing (PreScore alone).
  bool may_skip = false;  ///< See ConfiguredPredicate.
};

/// What to ask of every node, and how to weigh the answers. Immutable once made; owned by the service.
struct RuleSet {
  Generation generation = Generation::kClassic;
  /// The pods that it is for, by their spec.schedulerName; "" for all pods.
  std::string scheduler_name;
  std::vector<ConfiguredPredicate> predicates;  ///< In order of evaluation.
  std::vector<ConfiguredPriority> priorities;   ///< In order of evaluation.
  /// The predicates, as indices, in the order in which they may refuse a pod before any node is looked at;
  /// empty: in their own order.
  std::vector<std::size_t> pre_filter_order;
  /// Ask every predicate of every node, instead of stopping at a node's first failure.
  bool always_check_all_predicates = false;
  Accounting accounting = Accounting::kToday;
  bool exact_zones = false;  ///< See NodeTable.
  /// The configuration names checks of kube-scheduler's that no rule makes: plugins that upstream does not
  /// have, or a second extender.
  bool others_filter = false;
  std::string source =
      {};  ///< Where the rules are from, in words: "1.37, default profile". It decides nothing.
};

// The rule that makes the check of a filter plugin of kube-scheduler.

/// Whether the rule is that plugin or, in a Policy, a classic predicate that makes the same check. For the
/// parts that such a predicate lacks see ClassicCheck::lacking.
bool makes_check(Generation generation, const ConfiguredPredicate& rule, const predicates::Record& plugin);

/// The first rule that makes the plugin's check; null if there is none.
const ConfiguredPredicate* find_check(const RuleSet& rules, const predicates::Record& plugin);

/// The part of the check that a gate removes from a rule of find_check(), as the predicate of a sentence; "":
/// none.
std::string_view weakness(const RuleSet& rules, const ConfiguredPredicate& rule,
                          const predicates::Record& plugin);

/// Whether kube-scheduler makes the rule's check of other pods, by these filter plugins. A classic predicate
/// may make the checks of several: each that other pods can turn must be there.
bool is_made_by(const std::vector<std::string>& plugins, Generation generation,
                const ConfiguredPredicate& rule);

/// Whether an eviction can turn the plugin's verdict, and kube-scheduler runs the plugin with --answer=best.
/// Preemption finds victims by such plugins only.
bool preempts_in_best(const predicates::Record& plugin);

}  // namespace winnow
