// FNV-1a over all fields of a set of rules. Structured bindings name every field, so a new field does not
// compile until it is added here.
#include <format>

#include "cluster/rule/fingerprint.h"
#include "extender/config/rules_summary.h"
#include "extender/engine/ruleset.h"

namespace winnow {
namespace {

// The rule's function is identified by its name and its arguments.

void add(Fingerprint& to, const ConfiguredPredicate& of) {
  const auto& [name, bind, arguments, pre_filters, filters, may_skip] = of;
  to.add(name);
  arguments.add_to(to);
  to.all(pre_filters, filters, may_skip);
}

void add(Fingerprint& to, const ConfiguredPriority& of) {
  const auto& [name, bind, arguments, weight, has_map, scores, may_skip] = of;
  to.add(name);
  arguments.add_to(to);
  to.all(weight, has_map, scores, may_skip);
}

void add(Fingerprint& to, const RuleSet& of) {
  const auto& [generation, scheduler_name, predicates, priorities, order, checks_all, accounting, exact_zones,
               others_filter, source] = of;
  static_cast<void>(source);  // Equal rules of two files are equal.
  to.all(generation, scheduler_name, predicates.size());
  for (const ConfiguredPredicate& rule : predicates) add(to, rule);
  to.add(priorities.size());
  for (const ConfiguredPriority& rule : priorities) add(to, rule);
  to.all(order, checks_all, accounting, exact_zones, others_filter);
}

}  // namespace

std::string fingerprint_of(const std::vector<const RuleSet*>& sets) {
  Fingerprint fingerprint;
  for (const RuleSet* rules : sets) add(fingerprint, *rules);
  return std::format("{:016x}", fingerprint.hash());
}

}  // namespace winnow
