#include "cluster/expand/pod_set.h"

#include <algorithm>
#include <format>
#include <iterator>
#include <map>
#include <utility>

#include "cluster/admission/defaults.h"
#include "cluster/api/kinds.h"
#include "cluster/api/selector.h"
#include "cluster/api/wanted_fields.h"
#include "cluster/expand/made_names.h"
#include "cluster/state/state.h"

namespace winnow {

PodSet::PodSet(PodRecipe recipe) : recipe_(std::make_shared<const PodRecipe>(std::move(recipe))) {}

const std::string& PodSet::source() const { return recipe_->source; }
std::size_t PodSet::size() const { return recipe_->numbers.size(); }
std::int32_t PodSet::priority() const { return recipe_->pattern.spec.priority.value_or(0); }
Pod PodSet::pod(std::size_t i) const { return make_pod(*recipe_, recipe_->numbers[i]); }
std::vector<PersistentVolumeClaim> PodSet::claims(std::size_t i) const {
  return make_claims(*recipe_, recipe_->numbers[i]);
}
std::vector<ResourceClaim> PodSet::resource_claims(std::size_t i) const {
  return make_resource_claims(*recipe_, recipe_->numbers[i]);
}

namespace {

/// Upstream: pkg/controller/statefulset/stateful_set_utils.go getPersistentVolumeClaimName v1.37.0.
std::string ordinal_claim(const PersistentVolumeClaim& claim, const PodRecipe& recipe,
                          std::uint32_t ordinal) {
  return std::format("{}-{}-{}", claim.metadata.name, recipe.prefix, ordinal);
}

/// The volumes of claims come first; they replace those of their names.
/// Upstream: stateful_set_utils.go updateStorage v1.37.0, where the order of claims is chance.
void mount_claims(Pod& pod, const PodRecipe& recipe, std::uint32_t ordinal) {
  std::vector<Volume> volumes;
  for (const PersistentVolumeClaim& claim : recipe.claim_templates) {
    Volume& made = volumes.emplace_back();
    made.name = claim.metadata.name;
    made.source = VolumeSource::kPersistentVolumeClaim;
    made.id = ordinal_claim(claim, recipe, ordinal);
  }
  for (Volume& one : pod.spec.volumes)
    if (!std::ranges::contains(recipe.claim_templates, one.name,
                               [](const PersistentVolumeClaim& claim) { return claim.metadata.name; }))
      volumes.push_back(std::move(one));
  pod.spec.volumes = std::move(volumes);
}

void identify(Pod& pod, const PodRecipe& recipe, const PodNumber& number) {
  const std::string text = std::to_string(number.number);
  switch (recipe.identity) {
    case Identity::kOrdinal:  // Upstream: stateful_set_utils.go updateIdentity v1.37.0.
      pod.metadata.labels["statefulset.kubernetes.io/pod-name"] = pod.metadata.name;
      pod.metadata.labels["apps.kubernetes.io/pod-index"] = text;
      return mount_claims(pod, recipe, number.number);
    case Identity::kIndex:  // Upstream: pkg/controller/job/indexed_job_utils.go v1.37.0.
      pod.metadata.labels["batch.kubernetes.io/job-completion-index"] = text;
      pod.metadata.annotations["batch.kubernetes.io/job-completion-index"] = text;
      return;
    case Identity::kNode:
      return require_node(pod.spec, recipe.nodes[number.number]);
    case Identity::kSuffix:
    case Identity::kGiven:
      return;
  }
}

/// Upstream: pkg/controller/resourceclaim/controller.go syncPod v1.37.2: in order of name.
void name_resource_claims(Pod& pod, const PodRecipe& recipe, const PodNumber& number) {
  auto& statuses = pod.status.resource_claim_statuses;
  for (std::size_t i = 0; i < recipe.resource_claims.size(); ++i)
    statuses.push_back({.name = recipe.resource_claims[i].name,
                        .resource_claim_name = resource_claim_name(recipe, number, i)});
  std::ranges::sort(statuses, {}, &PodResourceClaimStatus::name);
}

void add_claim(std::vector<PersistentVolumeClaim>& claims, const PodRecipe& recipe,
               PersistentVolumeClaim claim, std::string name) {
  ObjectMeta& metadata = claim.metadata;
  metadata.name = std::move(name);
  metadata.namespace_ = recipe.pattern.metadata.namespace_;
  std::string key = metadata.namespace_ + "/" + metadata.name;
  if (recipe.known_claims.contains(key)) return;
  metadata.uid = std::move(key);
  claims.push_back(std::move(claim));
}

}  // namespace

std::string name_of(const PodRecipe& recipe, const PodNumber& number) {
  switch (recipe.identity) {
    case Identity::kGiven:
      return recipe.pattern.metadata.name;
    case Identity::kOrdinal:
      return std::format("{}-{}", recipe.prefix, number.number);
    case Identity::kIndex:
      return generated_name(indexed_prefix(recipe.prefix, number.number), number.suffix);
    default:
      return generated_name(recipe.prefix, number.suffix);
  }
}

Pod make_pod(const PodRecipe& recipe, const PodNumber& number) {
  Pod pod = recipe.pattern;
  pod.metadata.name = name_of(recipe, number);
  pod.metadata.uid = pod.metadata.namespace_ + "/" + pod.metadata.name;
  identify(pod, recipe, number);
  if (!recipe.was_stored) prepare_for_create(pod);
  name_resource_claims(pod, recipe, number);
  pod.fields = fields_of_made(pod);
  return pod;
}

std::vector<PersistentVolumeClaim> make_claims(const PodRecipe& recipe, const PodNumber& number) {
  std::vector<PersistentVolumeClaim> claims;
  for (const PersistentVolumeClaim& claim : recipe.claim_templates)
    add_claim(claims, recipe, claim, ordinal_claim(claim, recipe, number.number));
  if (recipe.ephemeral_claims.empty()) return claims;
  const std::string pod = name_of(recipe, number);
  // Upstream: pkg/controller/volume/ephemeral/controller.go handleVolume v1.37.0.
  for (const EphemeralClaim& one : recipe.ephemeral_claims) {
    PersistentVolumeClaim claim = one.claim;
    claim.metadata.owner_references = {{.api_version = "v1",
                                        .kind = "Pod",
                                        .name = pod,
                                        .uid = recipe.pattern.metadata.namespace_ + "/" + pod,
                                        .controller = true}};
    add_claim(claims, recipe, std::move(claim), pod + "-" + one.volume);
  }
  return claims;
}

namespace {

/// What the controller reads of a node.
struct NodeFace {
  StringMap labels;
  std::vector<Taint> taints;
};

NodeFace face_of(const State& cluster, NodeId node) {
  const Dictionaries& names = cluster.names();
  NodeFace face{.labels = {}, .taints = names.taints[cluster.nodes().taints[node]]};
  for (const auto& [key, value] : cluster.nodes().labels[node])
    face.labels.emplace(names.symbols[key], names.symbols[value]);
  return face;
}

/// Upstream: component-helpers scheduling/corev1/nodeaffinity GetRequiredNodeAffinity v0.37.0. A term that
/// cannot be parsed matches nothing.
bool selects(const PodSpec& spec, const StringMap& labels, std::string_view name) {
  for (const auto& [key, value] : spec.node_selector) {
    const auto label = labels.find(key);
    if (label == labels.end() || label->second != value) return false;
  }
  const bool has_terms =
      spec.affinity && spec.affinity->node_affinity && spec.affinity->node_affinity->required;
  return !has_terms || matches(*spec.affinity->node_affinity->required, labels, name);
}

bool tolerates_all(const PodSpec& spec, const std::vector<Taint>& taints) {
  return std::ranges::all_of(taints, [&](const Taint& taint) {
    return (taint.effect != "NoSchedule" && taint.effect != "NoExecute") ||
           tolerates(spec.tolerations, taint);
  });
}

bool wants(const PodSpec& spec, const NodeFace& face, std::string_view name) {
  return selects(spec, face.labels, name) && tolerates_all(spec, face.taints);
}

bool has_daemon(const State& cluster, NodeId node, std::string_view ns, std::string_view daemon_set) {
  return std::ranges::any_of(cluster.pods_on(node), [&](PodId pod) {
    if (cluster.pod_namespace(cluster.pod(pod)) != ns) return false;
    return std::ranges::any_of(cluster.metadata_of(pod).owner_references, [&](const OwnerReference& owner) {
      return owner.controller && owner.kind == "DaemonSet" && owner.name == daemon_set;
    });
  });
}

/// Upstream: Toleration.MatchToleration, of api v0.37.0.
bool is_same(const Toleration& a, const Toleration& b) {
  return a.key == b.key && a.effect == b.effect && a.op == b.op && a.value == b.value;
}

/// Upstream: pkg/apis/core/v1/helper/helpers.go AddOrUpdateTolerationInPodSpec v1.37.0.
void add_or_update(std::vector<Toleration>& tolerations, const Toleration& one) {
  bool updated = false;
  for (Toleration& other : tolerations) {
    if (!is_same(one, other)) continue;
    other = one;
    updated = true;
  }
  if (!updated) tolerations.push_back(one);
}

}  // namespace

void add_daemon_tolerations(PodSpec& spec) {
  constexpr std::pair<const char*, const char*> kTolerated[] = {
      {"node.kubernetes.io/not-ready", "NoExecute"},
      {"node.kubernetes.io/unreachable", "NoExecute"},
      {"node.kubernetes.io/disk-pressure", "NoSchedule"},
      {"node.kubernetes.io/memory-pressure", "NoSchedule"},
      {"node.kubernetes.io/pid-pressure", "NoSchedule"},
      {"node.kubernetes.io/unschedulable", "NoSchedule"},
      {"node.kubernetes.io/network-unavailable", "NoSchedule"},  // The last: of pods on the host's network.
  };
  for (const auto& [key, effect] : kTolerated)
    if (spec.host_network || key != kTolerated[std::size(kTolerated) - 1].first)
      add_or_update(spec.tolerations,
                    {.key = key, .op = "Exists", .value = "", .effect = effect, .toleration_seconds = {}});
}

void require_node(PodSpec& spec, const std::string& node) {
  if (!spec.affinity) spec.affinity.emplace();
  auto& affinity = spec.affinity->node_affinity;
  if (!affinity) affinity.emplace();
  affinity->required.emplace().terms.push_back(
      {.match_expressions = {}, .match_fields = {{.key = "metadata.name", .op = "In", .values = {node}}}});
}

std::vector<std::string> daemon_nodes(const PodSpec& spec, std::string_view ns, std::string_view daemon_set,
                                      const State& cluster, std::span<const Node> added,
                                      std::span<const std::string> left_out) {
  std::map<std::string, bool> nodes;
  const NodeTable& table = cluster.nodes();
  for (NodeId node = 0; node < table.capacity(); ++node)
    if (const std::string& name = table.name[node]; !name.empty())
      nodes[name] = wants(spec, face_of(cluster, node), name);
  for (const Node& one : added)
    nodes[one.metadata.name] = wants(spec, {one.metadata.labels, one.spec.taints}, one.metadata.name);
  for (const std::string& name : left_out) nodes.erase(name);
  std::vector<std::string> names;
  for (const auto& [name, is_right] : nodes) {
    const NodeId node = cluster.find_node(name);
    if (is_right && (node == kNone || !has_daemon(cluster, node, ns, daemon_set))) names.push_back(name);
  }
  return names;
}

const std::vector<std::string>& PodSet::not_judged() const { return recipe_->not_judged; }
bool PodSet::is_daemon_set() const { return recipe_->identity == Identity::kNode; }

bool PodSet::runs_on(const State& cluster, NodeId node) const {
  return is_daemon_set() && wants(recipe_->pattern.spec, face_of(cluster, node), cluster.nodes().name[node]);
}

PodSet PodSet::on_new_node(const State& cluster, NodeId node) const {
  return one_for(cluster.nodes().name[node], runs_on(cluster, node));
}

PodSet PodSet::on_new_node(const Node& node) const {
  return one_for(node.metadata.name,
                 is_daemon_set() && wants(recipe_->pattern.spec, {node.metadata.labels, node.spec.taints},
                                          node.metadata.name));
}

PodSet PodSet::one_for(const std::string& node, bool runs) const {
  PodRecipe one;
  one.source = recipe_->source;
  one.identity = Identity::kGiven;
  if (!runs) return PodSet(std::move(one));
  one.pattern = recipe_->pattern;
  one.pattern.metadata.name = recipe_->prefix + node;
  require_node(one.pattern.spec, node);
  one.was_stored = recipe_->was_stored;
  one.ephemeral_claims = recipe_->ephemeral_claims;
  one.resource_claims = recipe_->resource_claims;
  one.numbers.emplace_back();
  return PodSet(std::move(one));
}

const std::string* required_node(const PodSpec& spec) {
  if (!spec.affinity || !spec.affinity->node_affinity || !spec.affinity->node_affinity->required)
    return nullptr;
  const std::vector<NodeSelectorTerm>& terms = spec.affinity->node_affinity->required->terms;
  if (terms.size() != 1 || !terms[0].match_expressions.empty() || terms[0].match_fields.size() != 1)
    return nullptr;
  const auto& field = terms[0].match_fields[0];
  const bool is_name = field.key == "metadata.name" && field.op == "In" && field.values.size() == 1;
  return is_name ? &field.values[0] : nullptr;
}

PodSet daemon_set_of(const State& cluster, Pod pod) {
  PodRecipe recipe;
  find_resource_claims(recipe, cluster, pod);
  const std::string owner = pod.metadata.owner_references.at(0).name;
  recipe.source = std::format("{} {}/{}", info_of(Maker::kDaemonSet).kind, pod.metadata.namespace_, owner);
  recipe.identity = Identity::kNode;
  recipe.prefix = pods_prefix(owner);
  recipe.was_stored = true;
  pod.metadata.resource_version.clear();
  pod.metadata.creation_timestamp.reset();
  pod.status = {};
  pod.spec.node_name.clear();
  if (required_node(pod.spec)) pod.spec.affinity->node_affinity->required.reset();
  std::erase_if(pod.spec.volumes,
                [](const Volume& volume) { return volume.source == VolumeSource::kEphemeral; });
  recipe.pattern = std::move(pod);
  return PodSet(std::move(recipe));
}

}  // namespace winnow
