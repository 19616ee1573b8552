#include "cluster/api/object_name.h"
#include "cluster/validation/pod_checks.h"

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

}  // namespace winnow
