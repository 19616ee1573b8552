#include "cluster/admission/pod_errors.h"

#include <algorithm>
#include <array>
#include <set>

#include "cluster/admission/defaults.h"
#include "cluster/admission/field_errors.h"
#include "cluster/admission/pod_checks.h"
#include "cluster/api/names.h"
#include "cluster/text/field_result.h"

namespace winnow {

std::vector<FieldError> admit(Pod& pod) {
  const bool is_new = pod.metadata.uid.empty();
  set_defaults(pod);
  if (is_new) prepare_for_create(pod);
  return pod_errors(pod, is_new ? Stored::kNo : Stored::kYes);
}

namespace {

constexpr std::array<std::string_view, 2> kPreemptionPolicies{"Never", "PreemptLowerPriority"};

void check_gates(const std::vector<std::string>& gates, const std::string& path, FieldErrors& errors) {
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < gates.size() && !errors.is_full(); ++i) {
    check_label_key(gates[i], element(path, i), errors);
    if (!seen.insert(gates[i]).second) errors.duplicate(element(path, i), gates[i]);
  }
}

void check_spec(const Pod& pod, FieldErrors& errors) {
  const PodSpec& spec = pod.spec;
  check_volumes(spec.volumes, pod.metadata.name, "spec.volumes", errors);
  check_resource_claims(spec.resource_claims, "spec.resourceClaims", errors);
  check_containers(spec, "spec", errors);
  check_pod_level_resources(pod, "spec.resources", errors);
  check_labels(spec.node_selector, "spec.nodeSelector", errors);
  if (spec.affinity) check_affinity(*spec.affinity, "spec.affinity", errors);
  check_gates(spec.scheduling_gates, "spec.schedulingGates", errors);
  check_spread_constraints(spec.topology_spread_constraints, "spec.topologySpreadConstraints", errors);
  if (spec.host_users == false && spec.host_network)
    errors.forbidden("spec.hostNetwork", "when `hostUsers` is false");
  if (!spec.node_name.empty())
    if (const std::string wrong = object_name_errors(spec.node_name); !wrong.empty())
      errors.invalid("spec.nodeName", spec.node_name, wrong);
  check_tolerations(spec.tolerations, "spec.tolerations", errors);
  if (!spec.preemption_policy.empty() && !std::ranges::contains(kPreemptionPolicies, spec.preemption_policy))
    errors.unsupported("spec.preemptionPolicy", spec.preemption_policy, kPreemptionPolicies);
  if (spec.overhead)
    check_resources({.requests = {}, .limits = *spec.overhead}, ResourceScope::kContainer, "spec.overhead",
                    errors);
}

}  // namespace

std::vector<FieldError> pod_errors(const Pod& pod, Stored stored) {
  FieldErrors errors;
  check_metadata(pod.metadata, "metadata", errors);
  check_spec(pod, errors);
  if (stored == Stored::kNo) {
    if (!pod.spec.ephemeral_containers.empty())
      errors.forbidden("spec.ephemeralContainers", "cannot be set on create");
    if (!pod.spec.node_name.empty() && !pod.spec.scheduling_gates.empty())
      errors.forbidden("spec.nodeName", "cannot be set until all schedulingGates have been cleared");
  }
  return errors.take();
}

}  // namespace winnow
