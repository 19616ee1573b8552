// Arguments of NodeAffinity, InterPodAffinity and PodTopologySpread.
#include <format>
#include <utility>

#include "cluster/api/decoders.h"
#include "cluster/api/selector_errors.h"
#include "extender/config/plugin_args.h"

namespace winnow {

extern const ArgsSchema kInterPodAffinityArgs, kInterPodAffinityArgs122, kNodeAffinityArgs;

namespace {

using namespace fields;

constexpr Field kTermFields[] = {{"matchExpressions", &kRequirements}, {"matchFields", &kRequirements}};
constexpr FieldType kTerm = object(kTermFields);
constexpr FieldType kTerms = list_of(kTerm);
constexpr Field kNodeSelectorFields[] = {{"nodeSelectorTerms", &kTerms}};
constexpr FieldType kNodeSelector = object(kNodeSelectorFields);
constexpr Field kPreferredFields[] = {{"weight", &kInt32}, {"preference", &kTerm}};
constexpr FieldType kPreferred = object(kPreferredFields);
constexpr FieldType kPreferredTerms = list_of(kPreferred);
constexpr Field kNodeAffinityFields[] = {
    {"requiredDuringSchedulingIgnoredDuringExecution", &kNodeSelector},
    {"preferredDuringSchedulingIgnoredDuringExecution", &kPreferredTerms}};
constexpr FieldType kNodeAffinity = object(kNodeAffinityFields);

constexpr Field kNodeAffinityArgsFields[] = {kKind, kApiVersion, {"addedAffinity", &kNodeAffinity}};
constexpr FieldType kNodeAffinityArgsType = object(kNodeAffinityArgsFields);
constexpr Field kInterPodAffinityFields[] = {
    kKind, kApiVersion, {"hardPodAffinityWeight", &kInt32}, {"ignorePreferredTermsOfExistingPods", &kBool}};
constexpr FieldType kInterPodAffinityArgsType = object(kInterPodAffinityFields);
/// Of v1.22.17.
constexpr Field kInterPodAffinityFields122[] = {kKind, kApiVersion, {"hardPodAffinityWeight", &kInt32}};
constexpr FieldType kInterPodAffinityArgsType122 = object(kInterPodAffinityFields122);

/// Returns the first error that upstream would find.
FieldResult check_affinity(const NodeAffinity& affinity, std::string_view path) {
  std::vector<std::string> errors;
  if (affinity.required)
    errors = node_selector_errors(*affinity.required,
                                  child(path, "requiredDuringSchedulingIgnoredDuringExecution"));
  if (errors.empty())
    errors = preferred_terms_errors(affinity.preferred,
                                    child(path, "preferredDuringSchedulingIgnoredDuringExecution"));
  return errors.empty() ? FieldResult() : std::unexpected(std::move(errors.front()));
}

PluginArgs read_node_affinity(const WrittenArgs& written) {
  const Reader& r = written.object;
  NodeAffinityArgs args;
  r.read("addedAffinity", args.added_affinity);
  FieldResult sound;
  if (args.added_affinity) sound = check_affinity(*args.added_affinity, child(written.path, "addedAffinity"));
  return {std::move(args), std::move(sound)};
}

PluginArgs read_inter_pod_affinity(const WrittenArgs& written) {
  const Reader& r = written.object;
  InterPodAffinityArgs args;
  r.read("hardPodAffinityWeight", args.hard_pod_affinity_weight);
  r.read("ignorePreferredTermsOfExistingPods", args.ignore_preferred_terms_of_existing_pods);
  return {args, check_range(child(written.path, "hardPodAffinityWeight"), args.hard_pod_affinity_weight, 0,
                            kMaxPercent)};
}

}  // namespace

const ArgsSchema kNodeAffinityArgs{kNodeAffinityArgsType, read_node_affinity};
const ArgsSchema kInterPodAffinityArgs{kInterPodAffinityArgsType, read_inter_pod_affinity};
const ArgsSchema kInterPodAffinityArgs122{kInterPodAffinityArgsType122, read_inter_pod_affinity};

// Arguments of PodTopologySpread.

extern const ArgsSchema kPodTopologySpreadArgs, kPodTopologySpreadArgsV1Beta1;

namespace {

using namespace fields;

constexpr Field kLabelSelectorFields[] = {{"matchLabels", &kStringMap}, {"matchExpressions", &kRequirements}};
constexpr FieldType kLabelSelector = object(kLabelSelectorFields);
constexpr Field kConstraintFields[] = {{"maxSkew", &kInt32},
                                       {"topologyKey", &kString},
                                       {"whenUnsatisfiable", &kString},
                                       {"labelSelector", &kLabelSelector},
                                       {"minDomains", &kInt32},
                                       {"nodeAffinityPolicy", &kString},
                                       {"nodeTaintsPolicy", &kString},
                                       {"matchLabelKeys", &kStrings}};
constexpr FieldType kConstraint = object(kConstraintFields);
constexpr FieldType kConstraints = list_of(kConstraint);
constexpr Field kSpreadFields[] = {
    kKind, kApiVersion, {"defaultConstraints", &kConstraints}, {"defaultingType", &kString}};
constexpr FieldType kSpreadType = object(kSpreadFields);
/// Of v1.22.17.
constexpr Field kConstraintFields122[] = {{"maxSkew", &kInt32},
                                          {"topologyKey", &kString},
                                          {"whenUnsatisfiable", &kString},
                                          {"labelSelector", &kLabelSelector}};
constexpr FieldType kConstraint122 = object(kConstraintFields122);
constexpr FieldType kConstraints122 = list_of(kConstraint122);
constexpr Field kSpreadFields122[] = {
    kKind, kApiVersion, {"defaultConstraints", &kConstraints122}, {"defaultingType", &kString}};
constexpr FieldType kSpreadType122 = object(kSpreadFields122);

constexpr std::string_view kDefaultings[] = {"System", "List"};
constexpr std::string_view kActions[] = {"DoNotSchedule", "ScheduleAnyway"};

FieldResult check_constraint(const TopologySpreadConstraint& constraint, std::string_view path) {
  if (constraint.max_skew <= 0)
    return invalid(child(path, "maxSkew"), constraint.max_skew, "not in valid range (0, inf)");
  const std::string key = child(path, "topologyKey");
  if (constraint.topology_key.empty()) return required(key, "can not be empty");
  if (auto good = check_label_name(key, constraint.topology_key); !good) return good;
  const std::string action = child(path, "whenUnsatisfiable");
  if (constraint.when_unsatisfiable.empty()) return required(action, "can not be empty");
  if (!is_one_of(kActions, constraint.when_unsatisfiable))
    return unsupported(action, constraint.when_unsatisfiable, kActions);
  if (constraint.label_selector)
    return forbidden(child(path, "labelSelector"),
                     "constraint must not define a selector, as they deduced for each pod");
  return {};
}

/// @param absent  What an absent defaultingType is beside constraints.
PluginArgs read_with_absent(const WrittenArgs& written, std::string_view absent) {
  const Reader& r = written.object;
  PodTopologySpreadArgs args;
  std::string defaulting;
  r.read("defaultConstraints", args.default_constraints);
  r.read("defaultingType", defaulting);
  if (defaulting.empty() && !args.default_constraints.empty()) defaulting = absent;
  args.system_defaulted = defaulting.empty() || defaulting == kDefaultings[0];
  const auto check = [&]() -> FieldResult {
    const std::string type = child(written.path, "defaultingType");
    if (!args.system_defaulted && defaulting != kDefaultings[1])
      return unsupported(type, defaulting, kDefaultings);
    if (args.system_defaulted && !args.default_constraints.empty())
      return invalid(type, "System", "when .defaultConstraints are not empty");
    return check_constraints(args.default_constraints, child(written.path, "defaultConstraints"));
  };
  FieldResult sound = check();
  return {std::move(args), std::move(sound)};
}

PluginArgs read_spread(const WrittenArgs& written) { return read_with_absent(written, kDefaultings[0]); }
/// Of v1beta1.
PluginArgs read_listed_spread(const WrittenArgs& written) {
  return read_with_absent(written, kDefaultings[1]);
}

}  // namespace

FieldResult check_constraints(const std::vector<TopologySpreadConstraint>& constraints,
                              std::string_view path) {
  for (std::size_t i = 0; i < constraints.size(); ++i) {
    const TopologySpreadConstraint& constraint = constraints[i];
    if (auto good = check_constraint(constraint, element(path, i)); !good) return good;
    const auto same = [&](const TopologySpreadConstraint& other) {
      return other.topology_key == constraint.topology_key &&
             other.when_unsatisfiable == constraint.when_unsatisfiable;
    };
    if (std::ranges::any_of(std::span(constraints).first(i), same))
      return duplicate(element(path, i),
                       std::format("{{{}, {}}}", constraint.topology_key, constraint.when_unsatisfiable));
  }
  return {};
}

const ArgsSchema kPodTopologySpreadArgs{kSpreadType, read_spread};
const ArgsSchema kPodTopologySpreadArgsV1Beta1{kSpreadType122, read_listed_spread};

}  // namespace winnow
