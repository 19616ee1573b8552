#include "extender/config/rule_names.h"

#include <algorithm>
#include <format>
#include <span>

#include "cluster/text/characters.h"
#include "cluster/text/go_format.h"
#include "cluster/text/words.h"
#include "predicates/records.h"
#include "priorities/records.h"

namespace winnow {
namespace {

/// A name that v1.16 has only while a gate has this value, or never (null).
struct Gated {
  std::string_view name;
  bool Gates::* gate = nullptr;
  bool value = true;
};
constexpr Gated kGated[] = {
    {"CheckNodeCondition", &Gates::taint_nodes_by_condition, false},
    {"CheckNodeMemoryPressure", &Gates::taint_nodes_by_condition, false},
    {"CheckNodePIDPressure", &Gates::taint_nodes_by_condition, false},
    {"CheckNodeDiskPressure", &Gates::taint_nodes_by_condition, false},
    {"CheckNodeUnschedulable", &Gates::taint_nodes_by_condition, true},
    {"EvenPodsSpread", &Gates::even_pods_spread, true},
    {"EvenPodsSpreadPriority", &Gates::even_pods_spread, true},
    {"ResourceLimitsPriority", &Gates::resource_limits_priority, true},
    {"PodFitsHost"},
    {"PodSelectorMatches"},
    {"PodToleratesNodeNoExecuteTaints"},
};

std::string_view text_of(RuleKind kind) { return kind == RuleKind::kPredicate ? "predicate" : "priority"; }

/// The rule of the other kind with this name, in any case; "" if there is none.
std::string_view in_other_list(RuleKind kind, std::string_view name) {
  const auto others =
      kind == RuleKind::kPredicate ? priorities::classic_names() : predicates::classic_names();
  const auto other =
      std::ranges::find_if(others, [&](auto known) { return equal_but_for_case(known, name); });
  return other == others.end() ? std::string_view() : *other;
}

}  // namespace

bool is_valid_rule_name(std::string_view name) {
  return name.size() >= 2 && is_alphanumeric(name.front()) && is_alphanumeric(name.back()) &&
         std::ranges::all_of(name, [](char c) { return is_alphanumeric(c) || c == '-'; });
}

std::string unknown_rule(RuleKind kind, std::string_view name) {
  const bool is_predicate = kind == RuleKind::kPredicate;
  if (const auto other = in_other_list(kind, name); !other.empty()) {
    return is_predicate ? std::format("{} is a priority: it belongs under priorities", go_quote(other))
                        : std::format("{} is a predicate: it belongs under predicates", go_quote(other));
  }
  const auto known = is_predicate ? predicates::classic_names() : priorities::classic_names();
  if (const std::string near = did_you_mean(name, known); !near.empty()) {
    return std::format("unknown {} {}{}", text_of(kind), go_quote(name), near);
  }
  return std::format("unknown {} {}; one under a name of your own needs an argument: {}", text_of(kind),
                     go_quote(name), policy_argument_names(kind));
}

std::string_view departure(std::string_view name, const Gates& gates) {
  if (name == "PodFitsPorts") return "is PodFitsHostPorts here; v1.16 accepts the name and never runs it";
  const auto gated = std::ranges::find(kGated, name, &Gated::name);
  if (gated == std::end(kGated) || (gated->gate && gates.*gated->gate == gated->value)) return {};
  return "runs here; v1.16 at these feature gates refuses the name";
}

}  // namespace winnow
