// The rules that a configuration asks for, for some pods or for all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/api/generation.h"
#include "cluster/rule/arguments.h"
#include "cluster/rule/predicate.h"
#include "cluster/rule/priority.h"
#include "cluster/state/requests/pod_requests.h"

namespace winnow {

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
  bool has_map = true;    ///< See priorities::Row.
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
};

}  // namespace winnow
