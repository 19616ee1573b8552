#include "extender/config/rule_names.h"

#include <algorithm>
#include <format>
#include <optional>

#include "cluster/text/characters.h"
#include "cluster/text/go_format.h"
#include "cluster/text/words.h"
#include "extender/config/gates.h"
#include "extender/config/successors.h"
#include "predicates/records.h"
#include "priorities/records.h"

namespace winnow {
namespace {

/// Where v1.16 accepts the name of a classic rule; nothing if no rule has it.
std::optional<AtGates> accepted(std::string_view name) {
  if (const predicates::Record* const rule = predicates::find_classic(name))
    return rule->name == name ? rule->known : rule->aliases_known;
  const priorities::Record* const rule = priorities::find_classic(name);
  return rule == nullptr ? std::nullopt : std::optional(rule->known);
}

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
  if (const auto rule = policy_rule_in_place_of(kind, name); !rule.empty())
    return std::format("unknown {} {}: {} does its work in a Policy", text_of(kind), go_quote(name), rule);
  const auto known = is_predicate ? predicates::classic_names() : priorities::classic_names();
  if (const std::string near = did_you_mean(name, known); !near.empty()) {
    return std::format("unknown {} {}{}", text_of(kind), go_quote(name), near);
  }
  return std::format("unknown {} {}; one under a name of your own needs an argument: {}", text_of(kind),
                     go_quote(name), policy_argument_names(kind));
}

bool is_refused_by_v1_16(std::string_view name, const Gates& gates) {
  const auto at = accepted(name);
  return at && !holds(*at, gates);
}

std::string departure(std::string_view name, const Gates& gates) {
  if (is_refused_by_v1_16(name, gates)) return "runs here; v1.16 at these feature gates refuses the name";
  const predicates::Record* const rule = predicates::find_classic(name);
  if (rule == nullptr || rule->name == name) return {};
  return std::format("is {} here; v1.16 accepts the name and never runs it", rule->name);
}

}  // namespace winnow
