#include <algorithm>
#include <array>
#include <format>
#include <map>
#include <utility>

#include "cluster/validation/pod_checks.h"

namespace winnow {
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

}  // namespace winnow
