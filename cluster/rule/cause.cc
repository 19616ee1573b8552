#include "cluster/rule/cause.h"

#include <algorithm>
#include <format>

#include "cluster/api/quantity.h"
#include "cluster/api/selector.h"
#include "cluster/text/words.h"

namespace winnow {
namespace {

/// A row of docs/explain.md each; causes_test.cc compares the two.
const CauseKind kCauseKinds[] = {
    {"resource", {"resource", "wanted", "free", "allocatable", "requested", "pods", "heldBy"}, {"heldBy"}},
    {"taint", {"taint", "toleration", "differs"}},
    {"unschedulable", {}},
    {"condition", {"condition"}},
    {"nodeName", {"wanted"}},
    {"feature", {"feature"}},
    {"label", {"key", "operator", "wanted", "value", "from", "term"}},
    {"field", {"field", "operator", "wanted", "value", "from", "term"}},
    {"term", {"from", "term", "why"}},
    {"port", {"port", "protocol", "address", "heldBy"}, {"heldBy"}},
    {"spreadLabel", {"topologyKey"}},
    {"spread",
     {"topologyKey", "domain", "count", "least", "leastDomain", "maxSkew", "matchesItself", "domains",
      "minDomains", "leastCountsBy"}},
    {"affinity",
     {"topologyKey", "domain", "selector", "namespaces", "matching", "elsewhere", "elsewherePods", "with",
      "withOn"},
     {"with"}},
    {"anti-affinity", {"with", "whose", "topologyKey", "domain", "selector", "pods"}, {"with"}},
    {"disk", {"disk", "heldBy"}, {"heldBy"}},
    {"claimInUse", {"claim", "heldBy"}, {"heldBy"}},
    {"attachLimit", {"driver", "limit", "attached", "wanted"}},
    {"driver", {"driver"}},
    {"volumeLabel", {"claim", "volume", "key", "wanted", "value"}},
    {"volumeAffinity", {"claim", "volume", "requirement", "value"}},
    {"volumeMissing", {"claim", "volume"}},
    {"noVolume", {"claim", "class", "wanted", "why"}},
    {"claim", {"claim", "why"}},
    {"devices", {"claim", "request", "class", "wanted", "found", "devices"}},
    {"device",
     {"claim", "request", "devices", "device", "why", "class", "selector", "values", "name", "have", "wanted",
      "taint", "other", "error", "heldBy", "pod"},
     {"heldBy", "pod"}},
    {"pool", {"pool", "why", "slices", "wanted"}},
    {"claimElsewhere", {"claim", "why"}},
    {"expression", {"rule", "expression", "values", "text", "error"}},
    {"nominated", {"pods"}, {"pods"}},
    {"error", {"error"}},
};

/// The same of facts.
const CauseKind kFactKinds[] = {
    {"use", {"resource", "requested", "allocatable", "free"}},
    {"preferNoSchedule", {"taint"}},
    {"matchingTerm", {"from", "term", "weight"}},
    {"image", {"image", "size", "nodes"}},
    {"spreadPods", {"topologyKey", "domain", "pods", "maxSkew"}},
    {"affinityPods", {"whose", "topologyKey", "domain", "pods", "weight"}},
    {"preferredLabel", {"key", "wanted", "value"}},
    {"avoidedController", {"controller"}},
    {"limit", {"resource", "limit", "allocatable"}},
    {"alternative", {"claim", "request", "alternative", "place", "of"}},
    {"expression", {"rule", "expression", "values", "gives", "countsAs", "error"}},
};

}  // namespace

std::span<const CauseKind> cause_kinds() { return kCauseKinds; }
std::span<const CauseKind> fact_kinds() { return kFactKinds; }

const Cause::Value* Cause::find(std::string_view name) const {
  const auto found = std::ranges::find(fields, name, &Field::first);
  return found == fields.end() ? nullptr : &found->second;
}

std::string Cause::text(std::string_view name) const {
  const Value* const value = find(name);
  if (value == nullptr) return {};
  if (const auto* const number = std::get_if<std::int64_t>(value)) return std::to_string(*number);
  if (const auto* const one = std::get_if<std::string>(value)) return *one;
  return joined(std::get<std::vector<std::string>>(*value));
}

std::int64_t Cause::number(std::string_view name) const {
  const Value* const value = find(name);
  const auto* const number = value == nullptr ? nullptr : std::get_if<std::int64_t>(value);
  return number == nullptr ? 0 : *number;
}

std::unique_ptr<const CauseFinder> everywhere(Cause cause) {
  return make_cause_finder(
      [cause = std::move(cause)](NodeId, std::vector<Cause>& causes) { causes.push_back(cause); });
}

std::string amount_text(std::string_view resource, std::int64_t amount) {
  return quantity_text(resource == "cpu" ? Quantity::of_millis(amount) : Quantity::of_units(amount));
}

std::string taint_text(const std::string& key, const std::string& value, const std::string& effect) {
  std::string text = key;
  if (!value.empty()) text += '=' + value;
  return effect.empty() ? text : text + ':' + effect;
}

std::string to_text(const Requirement& requirement) {
  const std::string values = joined(requirement.values, ",");
  switch (requirement.op) {
    case Operator::kIn:
      return requirement.values.size() == 1 ? requirement.key + "=" + values
                                            : std::format("{} in ({})", requirement.key, values);
    case Operator::kNotIn:
      return requirement.values.size() == 1 ? requirement.key + "!=" + values
                                            : std::format("{} notin ({})", requirement.key, values);
    case Operator::kExists:
      return requirement.key;
    case Operator::kDoesNotExist:
      return "!" + requirement.key;
    case Operator::kGt:
      return std::format("{}>{}", requirement.key, requirement.bound);
    case Operator::kLt:
      return std::format("{}<{}", requirement.key, requirement.bound);
  }
  return requirement.key;
}

std::string to_text(const Selector& selector) {
  if (selector.is_nothing()) return "nothing";
  std::string text;
  for (const Requirement& requirement : selector.requirements())
    text += (text.empty() ? "" : ",") + to_text(requirement);
  return text.empty() ? "everything" : text;
}

}  // namespace winnow
