#include "extender/config/rule_names.h"

#include <algorithm>
#include <format>
#include <span>

#include "cluster/label_syntax.h"
#include "extender/config/near_names.h"
#include "predicates/table.h"
#include "priorities/table.h"

namespace winnow {
namespace {

constexpr std::string_view kRefusedThere[] = {"CheckNodeCondition",
                                              "CheckNodeMemoryPressure",
                                              "CheckNodePIDPressure",
                                              "CheckNodeDiskPressure",
                                              "EvenPodsSpread",
                                              "EvenPodsSpreadPriority",
                                              "PodFitsHost",
                                              "PodSelectorMatches",
                                              "ResourceLimitsPriority",
                                              "PodToleratesNodeNoExecuteTaints"};

std::string_view text_of(RuleKind kind) { return kind == RuleKind::kPredicate ? "predicate" : "priority"; }

/// The rule of the other kind that is called so, whatever its case; "" if none is.
std::string_view in_other_list(RuleKind kind, std::string_view name) {
  const auto others =
      kind == RuleKind::kPredicate ? priorities::classic_names() : predicates::classic_names();
  const auto other =
      std::ranges::find_if(others, [&](auto known) { return equal_but_for_case(known, name); });
  return other == others.end() ? std::string_view() : *other;
}

}  // namespace

bool is_valid_rule_name(std::string_view name) {
  const auto is_alphanumeric = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  return name.size() >= 2 && is_alphanumeric(name.front()) && is_alphanumeric(name.back()) &&
         std::ranges::all_of(name, [&](char c) { return is_alphanumeric(c) || c == '-'; });
}

std::string_view argument_name(const Arguments& argument) {
  constexpr std::string_view kNames[] = {"",
                                         "labelsPresence",
                                         "serviceAffinity",
                                         "serviceAntiAffinity",
                                         "labelPreference",
                                         "requestedToCapacityRatioArguments",
                                         "hardPodAffinitySymmetricWeight"};
  static_assert(std::size(kNames) == std::variant_size_v<Arguments>);
  return kNames[argument.index()];
}

bool is_given(const Arguments& argument) { return !std::holds_alternative<std::monostate>(argument); }

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
  return std::format(
      "unknown {} {}; one under a name of your own needs an argument: {}", text_of(kind), go_quote(name),
      is_predicate ? "labelsPresence or serviceAffinity"
                   : "serviceAntiAffinity, labelPreference or requestedToCapacityRatioArguments");
}

std::string missing_rule(RuleKind kind, std::string_view name, const Arguments& argument) {
  const std::string by = is_given(argument) ? std::format(" ({})", argument_name(argument)) : "";
  return std::format("{} {}{} is known but not implemented in this version", text_of(kind), go_quote(name),
                     by);
}

std::string_view departure(std::string_view name) {
  if (name == "PodFitsPorts") return "is PodFitsHostPorts here; v1.16 accepts the name and never runs it";
  if (std::ranges::find(kRefusedThere, name) != std::end(kRefusedThere))
    return "runs here; v1.16 at default feature gates refuses the name";
  return {};
}

}  // namespace winnow
