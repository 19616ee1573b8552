// The causes of the rules of volumes, but for those that count them (volume_limits.cc, volume_limits_csi.cc).
#include <algorithm>
#include <format>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cluster/api/pod.h"
#include "cluster/rule/cause.h"
#include "cluster/rule/claims.h"
#include "cluster/state/csi_migration.h"
#include "cluster/state/dictionaries.h"
#include "cluster/state/footprint.h"
#include "cluster/state/state.h"
#include "cluster/text/words.h"
#include "predicates/node_causes.h"
#include "predicates/rules.h"
#include "predicates/volume_conflicts.h"
#include "predicates/volume_zone.h"

namespace winnow::predicates {
namespace {

using Claim = const PersistentVolumeClaim*;

std::string full_name(const PersistentVolumeClaim& claim) {
  return claim.metadata.namespace_ + '/' + claim.metadata.name;
}

/// The disk as its volume names it: "gcePersistentDisk data-1".
std::string to_text(const Disk& disk) {
  switch (disk.source) {
    case VolumeSource::kGcePersistentDisk:
      return "gcePersistentDisk " + disk.id;
    case VolumeSource::kAwsElasticBlockStore:
      return "awsElasticBlockStore " + disk.id;
    case VolumeSource::kIscsi:
      return "iscsi " + disk.id;
    case VolumeSource::kRbd:
      return "rbd " + disk.pool + '/' + disk.id;
    default:
      return disk.id;
  }
}

void add_disks(const View& view, const DiskConflicts& conflicts, NodeId node, std::vector<Cause>& causes) {
  for (const NodeTable::DiskUse& use : view.disks(node)) {
    if (!conflicts.with(use.disk)) continue;
    Cause& cause = causes.emplace_back("disk");
    cause.with("disk", to_text(view.names().disks[use.disk]));
    cause.with("heldBy", view.first_pod_on(node, [&](const View::PodHere& pod) {
      return std::ranges::contains(pod.footprint.disks, use.disk);
    }));
  }
}

/// The claims of the pod that only one pod may use, and that one uses.
std::vector<Cause> claims_in_use(const Request& request) {
  const View& view = request.view;
  const std::string& ns = request.pod.metadata.namespace_;
  std::vector<Cause> causes;
  std::set<std::string> seen;
  for (const Volume& volume : request.pod.spec.volumes) {
    if (volume.source != VolumeSource::kPersistentVolumeClaim || !seen.insert(volume.id).second) continue;
    const Claim claim = view.volumes().claim(ns, volume.id);
    const std::string key = ns + '/' + volume.id;
    if (!claim) {
      causes.push_back(missing_claim(ns, volume.id));
      continue;
    }
    if (!std::ranges::contains(claim->access_modes, "ReadWriteOncePod")) continue;
    const bool is_used = view.is_claim_used(ns, volume.id);
    if (!is_used && !view.is_claim_awaited(volume.id)) continue;
    Cause& cause = causes.emplace_back("claimInUse");
    cause.with("claim", key);
    const Symbol symbol = view.names().claims.find(key);
    std::string holder;
    const bool has_holder = is_used && symbol != kNone;
    for (const NodeId node : has_holder ? view.all_nodes() : std::vector<NodeId>())
      if (holder.empty())
        holder = view.first_pod_on(node, [&](const View::PodHere& pod) {
          return std::ranges::contains(pod.footprint.claims, symbol);
        });
    if (!holder.empty()) cause.with("heldBy", holder);
  }
  return causes;
}

}  // namespace

std::unique_ptr<const CauseFinder> causes_of_disk_conflicts(const Request& request, const Arguments&) {
  return make_cause_finder(
      [&view = request.view, conflicts = DiskConflicts(request.view, request.pod.spec)](
          NodeId node, std::vector<Cause>& causes) { add_disks(view, conflicts, node, causes); });
}

std::unique_ptr<const CauseFinder> causes_of_volume_restrictions(const Request& request, const Arguments&) {
  return make_cause_finder([&view = request.view, conflicts = DiskConflicts(request.view, request.pod.spec),
                            claims = claims_in_use(request)](NodeId node, std::vector<Cause>& causes) {
    add_disks(view, conflicts, node, causes);
    causes.insert(causes.end(), claims.begin(), claims.end());
  });
}

// Zones.

namespace {

/// What a volume's label asks of a node's.
struct AskedZone {
  Cause cause;  ///< Without the node's value.
  std::vector<std::string> zones;
  std::vector<Column<Symbol>> labels;  ///< The node's value is that of the first that it has.
};

/// A label of volumes, and the labels of nodes that are compared with it.
struct ZoneLabels {
  const char* of_volume;
  std::vector<const char*> of_node;
};

std::vector<AskedZone> asked_zones(const Request& request, const std::vector<ZoneLabels>& compared,
                                   bool first_only) {
  const View& view = request.view;
  std::vector<AskedZone> asked;
  for (const Volume& mounted : request.pod.spec.volumes) {
    if (mounted.source != VolumeSource::kPersistentVolumeClaim) continue;
    const Claim claim = view.volumes().claim(request.pod.metadata.namespace_, mounted.id);
    const PersistentVolume* const volume =
        claim && !claim->volume_name.empty() ? view.volumes().volume(claim->volume_name) : nullptr;
    if (!volume) continue;
    std::set<std::string> told;  // Of the old label and the new one the classic rule takes the first.
    for (const ZoneLabels& labels : compared) {
      const auto label = volume->metadata.labels.find(labels.of_volume);
      if (label == volume->metadata.labels.end()) continue;
      if (first_only && !told.insert(labels.of_node.front()).second) continue;
      if (!zones_in(view, label->second)) continue;
      AskedZone& one = asked.emplace_back();
      one.zones = zone_names(label->second);
      for (const char* const key : labels.of_node) one.labels.push_back(view.label(key));
      one.cause = Cause{"volumeLabel"};
      one.cause.with("claim", full_name(*claim)).with("volume", volume->metadata.name);
      one.cause.with("key", labels.of_volume).with("wanted", one.zones);
    }
  }
  return asked;
}

/// Why VolumeZone refuses a pod for its claim, whatever the node is; nothing if it does not. Unlike
/// VolumeBinding, the rule does not look at the claim's phase.
std::optional<Cause> refusal_of_zones(const View& view, const std::string& ns, const std::string& name) {
  const Claim claim = view.volumes().claim(ns, name);
  if (!claim) return missing_claim(ns, name);
  Cause cause{"claim"};
  cause.with("claim", ns + '/' + name);
  if (!claim->volume_name.empty()) {
    if (view.volumes().volume(claim->volume_name)) return std::nullopt;
    return Cause{"volumeMissing"}.with("claim", ns + '/' + name).with("volume", claim->volume_name);
  }
  const std::string class_name(class_of(*claim));
  if (class_name.empty()) return cause.with("why", "is not bound, and has no class");
  const StorageClass* const made_by = view.volumes().storage_class(class_name);
  if (made_by && made_by->volume_binding_mode == "WaitForFirstConsumer") return std::nullopt;
  return cause.with("why", "is not bound, and its class " + class_name + " does not wait for a pod");
}

std::vector<Cause> refusals_of_zones(const Request& request) {
  std::vector<Cause> causes;
  for (const Volume& mounted : request.pod.spec.volumes)
    if (mounted.source == VolumeSource::kPersistentVolumeClaim)
      if (auto cause = refusal_of_zones(request.view, request.pod.metadata.namespace_, mounted.id))
        causes.push_back(*std::move(cause));
  return causes;
}

/// @param of_pod  causes on every node.
std::unique_ptr<const CauseFinder> find_zones(const Request& request, std::vector<AskedZone> asked,
                                              std::vector<Cause> of_pod = {}) {
  return make_cause_finder([&view = request.view, asked = std::move(asked), of_pod = std::move(of_pod)](
                               NodeId node, std::vector<Cause>& causes) {
    causes.insert(causes.end(), of_pod.begin(), of_pod.end());
    for (const AskedZone& one : asked) {
      Symbol value = kNone;
      for (const Column<Symbol>& label : one.labels)
        if (value == kNone) value = label[node];
      if (value != kNone && std::ranges::contains(one.zones, view.text(value))) continue;
      Cause& cause = causes.emplace_back(one.cause);
      if (value != kNone) cause.with("value", std::string(view.text(value)));
    }
  });
}

}  // namespace

std::unique_ptr<const CauseFinder> causes_of_zone_conflicts(const Request& request, const Arguments&) {
  if (request.view.state().options().exact_zones)
    return find_zones(request, asked_zones(request, {{kBetaZone, {kBetaZone}}, {kBetaRegion, {kBetaRegion}}},
                                           /*first_only=*/true));
  return find_zones(request, asked_zones(request,
                                         {{kBetaZone, {kBetaZone, kZone}},
                                          {kZone, {kBetaZone, kZone}},
                                          {kBetaRegion, {kBetaRegion, kRegion}},
                                          {kRegion, {kBetaRegion, kRegion}}},
                                         /*first_only=*/true));
}

std::unique_ptr<const CauseFinder> causes_of_volume_zone(const Request& request, const Arguments&) {
  return find_zones(request,
                    asked_zones(request,
                                {{kBetaZone, {kBetaZone, kZone}},
                                 {kBetaRegion, {kBetaRegion, kRegion}},
                                 {kZone, {kZone}},
                                 {kRegion, {kRegion}}},
                                /*first_only=*/false),
                    refusals_of_zones(request));
}

// Binding.

namespace {

/// A bound claim's volume, and what its node affinity asks of a node.
struct BoundVolume {
  std::string claim, volume;
  bool exists = true;
  VolumeAffinity affinity;
  NodeCauses requirements;
  std::uint8_t migrates = 0;  ///< The CsiFlag of its kind; see VolumeBinding.
  std::optional<VolumeAffinity> migrated = {};
  std::optional<NodeCauses> of_migrated = {};
};

BoundVolume bound_volume(const Request& request, const PersistentVolumeClaim& claim, Generation generation) {
  const View& view = request.view;
  const PersistentVolume* const volume = view.volumes().volume(claim.volume_name);
  const std::optional<NodeSelector> none;
  BoundVolume bound{full_name(claim), claim.volume_name, volume != nullptr,
                    VolumeAffinity(view, volume ? volume->node_affinity : none, generation),
                    NodeCauses(view)};
  if (!volume) return bound;
  if (volume->node_affinity) bound.requirements.add(*volume->node_affinity, "volume");
  if (generation == Generation::kClassic) return bound;
  const InTreePlugin* const plugin = in_tree_plugin(volume->source.source);
  if (plugin == nullptr || plugin->flag == 0 || !csi_handle(*volume)) return bound;
  bound.migrates = plugin->flag;
  const auto affinity = csi_affinity(*volume);
  bound.migrated.emplace(view, affinity, generation);
  bound.of_migrated.emplace(view);
  if (affinity) bound.of_migrated->add(*affinity, "volume");
  return bound;
}

void add_bound(const View& view, const BoundVolume& bound, NodeId node, std::vector<Cause>& causes) {
  if (!bound.exists) {
    causes.push_back(Cause{"volumeMissing"}.with("claim", bound.claim).with("volume", bound.volume));
    return;
  }
  const bool is_migrated = bound.migrated && (view.csi()[node] & bound.migrates) != 0;
  if ((is_migrated ? *bound.migrated : bound.affinity).matches(node)) return;
  std::vector<Cause> failing;
  (is_migrated ? *bound.of_migrated : bound.requirements).find(node, failing);
  for (const Cause& one : failing) {
    Cause& cause = causes.emplace_back("volumeAffinity");
    cause.with("claim", bound.claim).with("volume", bound.volume);
    const std::string key = one.has("key") ? one.text("key") : one.text("field");
    std::string requirement =
        key.empty() ? "a term that " + one.text("why") : key + ' ' + one.text("operator");
    if (one.has("wanted")) requirement += " (" + one.text("wanted") + ')';
    cause.with("requirement", std::move(requirement));
    if (one.has("value")) cause.with("value", one.text("value"));
  }
}

/// "topology.kubernetes.io/zone in (a, b)" of the topologies that a class allows, with "or" between; "": all.
std::string topology_text(const StorageClass& made_by) {
  std::string text;
  for (const std::vector<SelectorRequirement>& term : made_by.allowed_topologies) {
    std::string all;
    for (const SelectorRequirement& one : term)
      all += std::format("{}{} is {}", all.empty() ? "" : " and ", one.key, joined(one.values, " or "));
    if (!all.empty()) text += (text.empty() ? "" : ", or ") + all;
  }
  return text;
}

/// Why a claim that waits for its first consumer gets no volume on the node.
std::string why_none(const View& view, const PersistentVolumeClaim& claim, Served served) {
  if (served == Served::kNoSpace) return "the driver has too little room there";
  const StorageClass* const made_by = view.volumes().storage_class(class_of(claim));
  const bool is_made =
      made_by && !made_by->provisioner.empty() && made_by->provisioner != "kubernetes.io/no-provisioner";
  if (!is_made) return "no free volume suits it, and its class makes none";
  const std::string allowed = topology_text(*made_by);
  return "no free volume suits it, and its class makes none in this topology" +
         (allowed.empty() ? "" : ", but where " + allowed);
}

Cause no_volume(const PersistentVolumeClaim& claim, std::string why) {
  Cause cause{"noVolume"};
  cause.with("claim", full_name(claim)).with("class", std::string(class_of(claim)));
  if (const auto size = claim.requests.find("storage"); size != claim.requests.end())
    cause.with("wanted", quantity_text(size->second));
  return cause.with("why", std::move(why));
}

/// The claims that wait for their first consumer, together and each alone.
class WaitingClaims {
 public:
  WaitingClaims(const View& view, const std::vector<Claim>& claims, Generation generation)
      : view_(view), claims_(claims), together_(view, claims, generation) {
    for (const Claim claim : claims_) alone_.emplace_back(view, std::vector<Claim>{claim}, generation);
  }

  void find(NodeId node, std::vector<Cause>& causes) const {
    if (claims_.empty() || !together_.error().empty()) return;
    const std::size_t before = causes.size();
    for (std::size_t i = 0; i < claims_.size(); ++i) {
      if (alone_[i].are_promised_elsewhere(node))
        causes.push_back(no_volume(*claims_[i], "its volume is to be made on another node"));
      else if (const Served served = alone_[i].serve(node); served != Served::kYes)
        causes.push_back(no_volume(*claims_[i], why_none(view_, *claims_[i], served)));
    }
    if (causes.size() > before || together_.are_promised_elsewhere(node)) return;
    ServedBy by;
    if (together_.serve(node, &by) == Served::kYes) return;
    // A claim that the pod mounts twice needs two volumes.
    std::set<Claim> told;
    for (const Claim claim : claims_) {
      const auto served = std::ranges::count(by.bound, claim, &ServedBy::Bound::claim) +
                          std::ranges::count(by.made, claim, &ServedBy::Made::claim);
      if (served < std::ranges::count(claims_, claim) && told.insert(claim).second)
        causes.push_back(no_volume(*claim, served > 0
                                               ? "the pod mounts it twice, and one volume suits it"
                                               : "the pod's other claims take the volumes that suit it"));
    }
  }

 private:
  const View& view_;
  std::vector<Claim> claims_;
  DelayedClaims together_;
  std::vector<DelayedClaims> alone_;
};

/// The claims for which the pod is refused before any node is looked at.
std::vector<Cause> refusing_claims(const Request& request, Generation generation) {
  std::vector<Cause> causes;
  const Pod& pod = request.pod;
  for (const Volume& volume : pod.spec.volumes) {
    const std::optional<std::string> name = claim_name(pod, volume, generation);
    if (!name) continue;
    const auto add = [&](std::string why) {
      causes.push_back(
          Cause{"claim"}.with("claim", pod.metadata.namespace_ + '/' + *name).with("why", std::move(why)));
    };
    const Claim claim = request.view.volumes().claim(pod.metadata.namespace_, *name);
    if (!claim) {
      causes.push_back(missing_claim(pod.metadata.namespace_, *name));
      continue;
    }
    if (claim->metadata.deleting) add("is being deleted");
    if (claim->phase == "Lost") add("is Lost: its volume " + claim->volume_name + " is gone");
    if (volume.source == VolumeSource::kEphemeral)
      if (std::string error = claim_error(*claim, pod.metadata.name, pod.metadata.uid); !error.empty())
        add("is not this pod's own");
    PodClaims sorted;
    Pod alone = pod;
    alone.spec.volumes = {volume};
    const auto one = claims_of(request.view, alone, generation);
    if (!one)
      add("its class " + std::string(class_of(*claim)) + " has no volumeBindingMode");
    else if (one->unbound_immediate)
      add(class_of(*claim).empty()
              ? std::string("is not bound, and has no class")
              : "is not bound, and its class " + std::string(class_of(*claim)) + " does not wait for a pod");
  }
  return causes;
}

std::unique_ptr<const CauseFinder> find_binding(const Request& request, Generation generation) {
  const auto claims = claims_of(request.view, request.pod, generation);
  std::vector<Cause> refusing = refusing_claims(request, generation);
  if (!claims || claims->unbound_immediate || !refusing.empty())
    return make_cause_finder([all = std::move(refusing)](NodeId, std::vector<Cause>& causes) {
      causes.insert(causes.end(), all.begin(), all.end());
    });
  std::vector<BoundVolume> bound;
  std::set<Claim> seen;
  for (const Claim claim : claims->bound)
    if (seen.insert(claim).second) bound.push_back(bound_volume(request, *claim, generation));
  return make_cause_finder([&view = request.view, bound = std::move(bound),
                            waiting = WaitingClaims(request.view, claims->delayed, generation)](
                               NodeId node, std::vector<Cause>& causes) {
    for (const BoundVolume& one : bound) add_bound(view, one, node, causes);
    waiting.find(node, causes);
  });
}

}  // namespace

std::unique_ptr<const CauseFinder> causes_of_check_volume_binding(const Request& request, const Arguments&) {
  return find_binding(request, Generation::kClassic);
}

std::unique_ptr<const CauseFinder> causes_of_volume_binding(const Request& request, const Arguments&) {
  return find_binding(request, Generation::kToday);
}

}  // namespace winnow::predicates
