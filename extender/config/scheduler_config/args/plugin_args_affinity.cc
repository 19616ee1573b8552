// Arguments of NodeAffinity and InterPodAffinity.
#include <utility>

#include "cluster/api/selector_errors.h"
#include "extender/config/scheduler_config/args/args_checks.h"
#include "extender/config/scheduler_config/args/plugin_args.h"

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

}  // namespace winnow
