#include <algorithm>
#include <array>
#include <format>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "cluster/admission/field_errors.h"
#include "cluster/admission/pod_checks.h"
#include "cluster/api/names.h"
#include "cluster/api/pod.h"
#include "cluster/text/field_result.h"
#include "cluster/text/json.h"

namespace winnow {
namespace {

constexpr std::string_view kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
constexpr std::string_view kPreferred = "preferredDuringSchedulingIgnoredDuringExecution";

void check_weight(std::int32_t weight, const std::string& path, FieldErrors& errors) {
  if (weight < 1 || weight > 100) errors.invalid(child(path, "weight"), weight, "must be in the range 1-100");
}

/// Upstream: ValidateNodeSelectorRequirement. @param checks_values  not in preferred terms.
void check_expression(const SelectorRequirement& one, bool checks_values, const std::string& path,
                      FieldErrors& errors) {
  const std::string values = child(path, "values");
  if (one.op == "In" || one.op == "NotIn") {
    if (one.values.empty()) errors.required(values, "must be specified when `operator` is 'In' or 'NotIn'");
  } else if (one.op == "Exists" || one.op == "DoesNotExist") {
    if (!one.values.empty())
      errors.forbidden(values, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
  } else if (one.op == "Gt" || one.op == "Lt") {
    if (one.values.size() != 1)
      errors.required(values, "must be specified single value when `operator` is 'Lt' or 'Gt'");
  } else {
    errors.invalid(child(path, "operator"), one.op, "not a valid selector operator");
  }
  check_label_key(one.key, child(path, "key"), errors);
  if (!checks_values) return;
  for (std::size_t i = 0; i < one.values.size() && !errors.is_full(); ++i)
    check_label_value(one.values[i], element(values, i), errors);
}

/// Upstream: ValidateNodeFieldSelectorRequirement.
void check_field(const SelectorRequirement& one, const std::string& path, FieldErrors& errors) {
  const std::string values = child(path, "values");
  if (one.op != "In" && one.op != "NotIn")
    errors.invalid(child(path, "operator"), one.op, "not a valid selector operator");
  else if (one.values.size() != 1)
    errors.required(values,
                    "must be only one value when `operator` is 'In' or 'NotIn' for node field selector");
  if (one.key != "metadata.name")
    return errors.invalid(child(path, "key"), one.key, "not a valid field selector key");
  for (std::size_t i = 0; i < one.values.size() && !errors.is_full(); ++i)
    if (const std::string wrong = object_name_errors(one.values[i]); !wrong.empty())
      errors.invalid(element(values, i), one.values[i], wrong);
}

void check_node_term(const NodeSelectorTerm& term, bool checks_values, const std::string& path,
                     FieldErrors& errors) {
  const std::string expressions = child(path, "matchExpressions"), fields = child(path, "matchFields");
  for (std::size_t i = 0; i < term.match_expressions.size() && !errors.is_full(); ++i)
    check_expression(term.match_expressions[i], checks_values, element(expressions, i), errors);
  for (std::size_t i = 0; i < term.match_fields.size() && !errors.is_full(); ++i)
    check_field(term.match_fields[i], element(fields, i), errors);
}

void check_node_affinity(const NodeAffinity& affinity, const std::string& path, FieldErrors& errors) {
  if (affinity.required) {
    const std::string terms = child(child(path, kRequired), "nodeSelectorTerms");
    if (affinity.required->terms.empty()) errors.required(terms, "must have at least one node selector term");
    for (std::size_t i = 0; i < affinity.required->terms.size() && !errors.is_full(); ++i)
      check_node_term(affinity.required->terms[i], true, element(terms, i), errors);
  }
  for (std::size_t i = 0; i < affinity.preferred.size() && !errors.is_full(); ++i) {
    const std::string at = element(child(path, kPreferred), i);
    check_weight(affinity.preferred[i].weight, at, errors);
    check_node_term(affinity.preferred[i].preference, false, child(at, "preference"), errors);
  }
}

/// Upstream: validatePodAffinityTerm. It calls the field of namespaces "namespace".
void check_pod_term(const PodAffinityTerm& term, const std::string& path, FieldErrors& errors) {
  check_label_selector(term.label_selector, child(path, "labelSelector"), errors);
  check_label_selector(term.namespace_selector, child(path, "namespaceSelector"), errors);
  for (const std::string& name : term.namespaces) {
    if (errors.is_full()) return;
    if (const std::string wrong = namespace_name_errors(name); !wrong.empty())
      errors.invalid(child(path, "namespace"), name, wrong);
  }
  check_match_label_keys(term.label_selector, term.match_label_keys, term.mismatch_label_keys, path, errors);
  if (term.topology_key.empty())
    errors.required(child(path, "topologyKey"), "can not be empty");
  else
    check_label_key(term.topology_key, child(path, "topologyKey"), errors);
}

void check_pod_affinity(const PodAffinity& affinity, const std::string& path, FieldErrors& errors) {
  for (std::size_t i = 0; i < affinity.required.size() && !errors.is_full(); ++i)
    check_pod_term(affinity.required[i], element(child(path, kRequired), i), errors);
  for (std::size_t i = 0; i < affinity.preferred.size() && !errors.is_full(); ++i) {
    const std::string at = element(child(path, kPreferred), i);
    check_weight(affinity.preferred[i].weight, at, errors);
    check_pod_term(affinity.preferred[i].term, child(at, "podAffinityTerm"), errors);
  }
}

}  // namespace

void check_affinity(const Affinity& affinity, std::string_view path, FieldErrors& errors) {
  if (affinity.node_affinity)
    check_node_affinity(*affinity.node_affinity, child(path, "nodeAffinity"), errors);
  if (affinity.pod_affinity) check_pod_affinity(*affinity.pod_affinity, child(path, "podAffinity"), errors);
  if (affinity.pod_anti_affinity)
    check_pod_affinity(*affinity.pod_anti_affinity, child(path, "podAntiAffinity"), errors);
}

namespace {

constexpr std::array<std::string_view, 2> kActions{"DoNotSchedule", "ScheduleAnyway"};
constexpr std::array<std::string_view, 2> kPolicies{"Honor", "Ignore"};

void check_policy(const std::string& policy, const std::string& path, FieldErrors& errors) {
  if (!policy.empty() && !std::ranges::contains(kPolicies, policy))
    errors.unsupported(path, policy, kPolicies);
}

void check_positive(std::int64_t number, const std::string& path, FieldErrors& errors) {
  if (number <= 0) errors.invalid(path, number, "must be greater than zero");
}

void check_one(const TopologySpreadConstraint& one, const std::string& path, bool comes_again,
               FieldErrors& errors) {
  check_positive(one.max_skew, child(path, "maxSkew"), errors);
  if (one.topology_key.empty()) errors.required(child(path, "topologyKey"), "can not be empty");
  if (!std::ranges::contains(kActions, one.when_unsatisfiable))
    errors.unsupported(child(path, "whenUnsatisfiable"), one.when_unsatisfiable, kActions);
  if (comes_again)
    errors.duplicate(child(path, "{topologyKey, whenUnsatisfiable}"),
                     std::format("{{{}, {}}}", one.topology_key, one.when_unsatisfiable));
  if (one.min_domains) {
    const std::string at = child(path, "minDomains");
    check_positive(*one.min_domains, at, errors);
    if (one.when_unsatisfiable != "DoNotSchedule")
      errors.invalid(
          at, *one.min_domains,
          "can only use minDomains if whenUnsatisfiable=DoNotSchedule, not " + one.when_unsatisfiable);
  }
  check_policy(one.node_affinity_policy, child(path, "nodeAffinityPolicy"), errors);
  check_policy(one.node_taints_policy, child(path, "nodeTaintsPolicy"), errors);
  check_match_label_keys(one.label_selector, one.match_label_keys, {}, path, errors);
  check_label_selector(one.label_selector, child(path, "labelSelector"), errors);
}

}  // namespace

// Upstream: validateTopologySpreadConstraints.
void check_spread_constraints(std::span<const TopologySpreadConstraint> constraints, std::string_view path,
                              FieldErrors& errors) {
  std::map<std::pair<std::string_view, std::string_view>, std::size_t> last;
  for (std::size_t i = 0; i < constraints.size(); ++i)
    last[{constraints[i].topology_key, constraints[i].when_unsatisfiable}] = i;
  for (std::size_t i = 0; i < constraints.size() && !errors.is_full(); ++i) {
    const TopologySpreadConstraint& one = constraints[i];
    // Of constraints for the same, all but the last are wrong.
    check_one(one, element(path, i), last[{one.topology_key, one.when_unsatisfiable}] != i, errors);
  }
}

namespace {

// Gt and Lt are behind a gate that is off.
constexpr std::array<std::string_view, 2> kOperators{"Equal", "Exists"};
constexpr std::array<std::string_view, 3> kEffects{"NoExecute", "NoSchedule", "PreferNoSchedule"};

void check_operator(const Toleration& toleration, const std::string& path, FieldErrors& errors) {
  const std::string at = child(path, "operator");
  if (toleration.op.empty() || toleration.op == "Equal") {
    check_label_value(toleration.value, at, errors);
  } else if (toleration.op == "Exists") {
    if (!toleration.value.empty())
      errors.invalid(at, toleration.value, "value must be empty when `operator` is 'Exists'");
  } else {
    errors.unsupported(at, toleration.op, kOperators);
  }
}

}  // namespace

// Upstream: ValidateTolerations.
void check_tolerations(std::span<const Toleration> tolerations, std::string_view path, FieldErrors& errors) {
  for (std::size_t i = 0; i < tolerations.size() && !errors.is_full(); ++i) {
    const Toleration& one = tolerations[i];
    const std::string at = element(path, i);
    if (!one.key.empty()) check_label_key(one.key, child(at, "key"), errors);
    if (one.key.empty() && one.op != "Exists")
      errors.invalid(
          child(at, "operator"), one.op,
          "operator must be Exists when `key` is empty, which means \"match all values and all keys\"");
    if (one.toleration_seconds && one.effect != "NoExecute")
      errors.invalid(child(at, "effect"), one.effect,
                     "effect must be 'NoExecute' when `tolerationSeconds` is set");
    check_operator(one, at, errors);
    if (!one.effect.empty() && !std::ranges::contains(kEffects, one.effect))
      errors.unsupported(child(at, "effect"), one.effect, kEffects);
  }
}

namespace {

/// Upstream's type has no names of JSON.
std::string json_of_claim(const PodResourceClaim& claim) {
  std::string text = "{\"Name\":";
  const auto add = [&](const std::optional<std::string>& value) {
    if (value)
      append_quoted_line(text, *value);
    else
      text += "null";
  };
  add(claim.name);
  text += ",\"ResourceClaimName\":";
  add(claim.resource_claim_name);
  text += ",\"ResourceClaimTemplateName\":";
  add(claim.resource_claim_template_name);
  return text + '}';
}

void check_claim_source(const PodResourceClaim& claim, const std::string& path, FieldErrors& errors) {
  const auto& name = claim.resource_claim_name;
  const auto& made_from = claim.resource_claim_template_name;
  if (name && made_from)
    errors.invalid_object(
        path, json_of_claim(claim),
        "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified");
  if (!name && !made_from)
    errors.invalid_object(path, json_of_claim(claim),
                          "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`");
  const auto check = [&](const std::optional<std::string>& value, const char* field) {
    if (!value) return;
    if (const std::string wrong = object_name_errors(*value); !wrong.empty())
      errors.invalid(child(path, field), *value, wrong);
  };
  check(name, "resourceClaimName");
  check(made_from, "resourceClaimTemplateName");
}

}  // namespace

void check_resource_claims(std::span<const PodResourceClaim> claims, std::string_view path,
                           FieldErrors& errors) {
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < claims.size() && !errors.is_full(); ++i) {
    const std::string at = element(path, i), name = child(at, "name");
    if (claims[i].name.empty())
      errors.required(name);
    else if (!seen.insert(claims[i].name).second)
      errors.duplicate(name, claims[i].name);
    else if (const std::string wrong = namespace_name_errors(claims[i].name); !wrong.empty())
      errors.invalid(name, claims[i].name, wrong);
    check_claim_source(claims[i], at, errors);
  }
}

}  // namespace winnow
