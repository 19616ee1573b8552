// MaxEBSVolumeCount: a node has at most 39 EBS volumes attached, or 25 if its instance type is a nitro type,
// unless it sets another limit (see max_volume_count). The instance type is read from the beta label only.
// Upstream: predicates.go MaxPDVolumeCountChecker, getMaxEBSVolume v1.16.15.
#include <algorithm>

#include "predicates/volume_counts.h"

namespace winnow::predicates {

BindPredicate max_ebs_volume_count;

namespace {

constexpr std::int64_t kUsual = 39;
constexpr std::int64_t kNitro = 25;

/// Upstream's expression is "^[cmr]5.*|t3|z1d": the anchor belongs to the first alternative only.
bool is_nitro(std::string_view type) {
  const bool is_fifth = type.size() >= 2 && std::string_view("cmr").contains(type[0]) && type[1] == '5';
  return is_fifth || type.contains("t3") || type.contains("z1d");
}

/// Whether the pod may have an EBS volume. For most pods this spares the pass over all nodes; to ask for any
/// volume would not, because nearly every pod has one for its token.
bool may_have_ebs(const Pod& pod) {
  return std::ranges::any_of(pod.spec.volumes, [](const Volume& volume) {
    return volume.source == VolumeSource::kAwsElasticBlockStore ||
           volume.source == VolumeSource::kPersistentVolumeClaim;
  });
}

/// The instance type of each node.
struct InstanceTypes {
  Column<Symbol> beta, stable;
  Symbol operator()(NodeId node) const { return stable[node] != kNone ? stable[node] : beta[node]; }
};

/// The instance types of the request's nodes that are nitro types, sorted. Types are few and nodes are many.
std::vector<Symbol> nitro_types(const Request& request, const InstanceTypes& type_of) {
  std::vector<Symbol> types;
  for (const NodeId node : request.nodes)
    if (const Symbol type = type_of(node); type != kNone && (types.empty() || types.back() != type))
      types.push_back(type);
  std::ranges::sort(types);
  const auto repeated = std::ranges::unique(types);
  types.erase(repeated.begin(), repeated.end());
  std::erase_if(types, [&](Symbol type) { return !is_nitro(request.view.text(type)); });
  return types;
}

}  // namespace

std::function<std::int64_t(NodeId)> default_ebs_limit(const Request& request, bool stable_label) {
  const Column<Symbol> beta = request.view.label("beta.kubernetes.io/instance-type");
  const InstanceTypes type_of{beta,
                              stable_label ? request.view.label("node.kubernetes.io/instance-type") : beta};
  std::vector<Symbol> nitro;
  if (may_have_ebs(request.pod) && !(type_of.beta.empty() && type_of.stable.empty()))
    nitro = nitro_types(request, type_of);
  return [type_of, nitro = std::move(nitro)](NodeId node) {
    return std::ranges::binary_search(nitro, type_of(node)) ? kNitro : kUsual;
  };
}

std::unique_ptr<const Predicate> max_ebs_volume_count(const Request& request, const Arguments& arguments) {
  return max_volume_count(request, {.limit = kEbsLimit,
                                    .default_limit = default_ebs_limit(request, /*stable_label=*/false),
                                    .by_node = limits_by_node(arguments)});
}

}  // namespace winnow::predicates
