#include "extender/service/unread_kinds.h"

#include <algorithm>
#include <array>
#include <format>

#include "cluster/client/servers/api_status.h"
#include "cluster/client/watch/live_cluster.h"
#include "cluster/client/watch/reflector_status.h"
#include "cluster/client/watch/resource.h"
#include "extender/config/rules.h"
#include "extender/engine/ruleset.h"
#include "extender/service/log/log.h"

namespace winnow {
namespace {

/// Whether the rules of a set read the kind, or any service does.
bool reads(RuleSet rules, ResourceKind kind) {
  // Classic rules have the service read claims, whether a rule does or not.
  rules.generation = Generation::kToday;
  return (needed(rules) | needs::kClasses).has(kind);
}

struct Answers {
  ResourceKind kind;
  std::string_view without;
};
constexpr std::array<Answers, kResourceKinds> kAnswers{{
    {kind_of<Node>, ""},
    {kind_of<Pod>, ""},
    {kind_of<Namespace>, "a namespaceSelector selects no namespace, unless it is empty"},
    {kind_of<Service>, "no pod belongs to a Service"},
    {kind_of<ReplicationController>, "no pod belongs to a ReplicationController"},
    {kind_of<ReplicaSet>, "no pod belongs to a ReplicaSet"},
    {kind_of<StatefulSet>, "no pod belongs to a StatefulSet"},
    {kind_of<PodDisruptionBudget>, "preemption spares no pod for a disruption budget"},
    {kind_of<PersistentVolume>, "a pod whose claim is bound to a volume fits nowhere"},
    {kind_of<PersistentVolumeClaim>, "a pod with a claim fits nowhere"},
    {kind_of<StorageClass>, "a pod whose claim waits for its first consumer fits nowhere"},
    {kind_of<CsiNode>, "no CSI driver limits the volumes of a node"},
    {kind_of<CsiDriver>, "no CSI driver tracks its storage capacity"},
    {kind_of<CsiStorageCapacity>, "no CSI driver that tracks its capacity has room for a volume"},
    {kind_of<VolumeAttachment>, "an attached volume counts only where a pod uses it"},
    {kind_of<PriorityClass>, "no priority class is known"},
    {kind_of<LimitRange>, "no pod gets defaults of a LimitRange"},
    {kind_of<DeviceClass>,
     "no pod is judged by its devices, and every resource is one that nodes offer themselves"},
    {kind_of<RuntimeClass>, "no pod gets the overhead of a RuntimeClass"},
    {kind_of<ResourceClaim>, "no pod is judged by its devices, or refused for them"},
    {kind_of<ResourceClaimTemplate>, "no pod gets a claim of devices made from a template"},
    {kind_of<ResourceSlice>, "no pod is judged by its devices, or refused for them"},
    {kind_of<DeviceTaintRule>, "devices are judged as if no DeviceTaintRule tainted any"},
    {kind_of<NodeMetrics>, "no expression knows the usage of nodes"},
}};
static_assert(
    [] {
      for (std::size_t row = 0; row < kAnswers.size(); ++row)
        if (kAnswers[row].kind != kAllKinds[row]) return false;
      return true;
    }(),
    "a row for each kind, in the order of kKinds");

/// Where the watch begins, the kind is known by its resource alone.
ResourceKind kind_named(std::string_view resource) {
  return *std::ranges::find(kAllKinds, resource, [](ResourceKind kind) { return info_of(kind).resource; });
}

void tell(const live::Resource& resource, const live::ReflectorStatus& status,
          const std::vector<RuleSet>& sets) {
  const ResourceKind kind = kind_named(resource.name);
  if (status.missing_right.empty())
    return log_info("no API server serves a resource: Winnow does without",
                    {{"resource", resource.name}, {"meanwhile", answers_without(kind)}});
  log_warn(live::tells_of_denial(status.missing_right)
               ? "a right is missing: Winnow does without the resource"
               : "no API server serves a resource: Winnow does without",
           {{"resource", resource.name},
            {"kind", resource.kind},
            {"verb", status.unread},
            {"rules", readers_of(sets, kind)},
            {"meanwhile", answers_without(kind)},
            {"message", status.missing_right}});
}

}  // namespace

std::string readers_of(const std::vector<RuleSet>& sets, ResourceKind kind) {
  if (reads({}, kind)) return {};  // The service reads it, whatever the rules are.
  std::vector<std::string> names;
  const auto add = [&](const std::string& name) {
    if (!std::ranges::contains(names, name)) names.push_back(name);
  };
  for (const RuleSet& set : sets) {
    for (const ConfiguredPredicate& rule : set.predicates)
      if (reads({.predicates = {rule}}, kind)) add(rule.name);
    for (const ConfiguredPriority& rule : set.priorities)
      if (reads({.priorities = {rule}}, kind)) add(rule.name);
  }
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ",") + name;
  return list;
}

std::string_view answers_without(ResourceKind kind) {
  return kAnswers[static_cast<std::size_t>(kind)].without;
}

void UnreadKindsLog::look(const live::LiveCluster& cluster, const std::vector<RuleSet>& sets) {
  for (const auto& [resource, status] : cluster.statuses()) {
    if (!status.unread.empty()) {
      const std::string why = std::format("{}: {}", status.unread, status.missing_right);
      if (std::string& told = told_[resource.name]; told != why) {
        told = why;
        tell(resource, status, sets);
      }
    } else if (status.synced && told_.erase(resource.name) > 0) {
      log_info("a resource is read again that Winnow did without", {{"resource", resource.name}});
    }
  }
}

}  // namespace winnow
