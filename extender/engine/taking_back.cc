#include "extender/engine/taking_back.h"

#include <algorithm>
#include <string_view>

namespace winnow {
namespace {

bool asks_for_ports(const Container& container) {
  return std::ranges::any_of(container.ports, [](const ContainerPort& port) { return port.host_port != 0; });
}

bool asks_for_ports(const PodSpec& spec) {
  const auto asks = [](const Container& container) { return asks_for_ports(container); };
  return std::ranges::any_of(spec.containers, asks) || std::ranges::any_of(spec.init_containers, asks);
}

bool keeps_apart(const PodSpec& spec) {
  return spec.affinity && spec.affinity->pod_anti_affinity &&
         !spec.affinity->pod_anti_affinity->required.empty();
}

bool looks_for_pods(const PodSpec& spec) {
  return keeps_apart(spec) ||
         (spec.affinity && spec.affinity->pod_affinity && !spec.affinity->pod_affinity->required.empty());
}

bool spreads(const PodSpec& spec) {
  return std::ranges::any_of(spec.topology_spread_constraints, [](const TopologySpreadConstraint& one) {
    return one.when_unsatisfiable != "ScheduleAnyway";
  });
}

bool has_volumes(const PodSpec& spec) {
  return std::ranges::any_of(spec.volumes, [](const Volume& volume) {
    return volume.source != VolumeSource::kOther && volume.source != VolumeSource::kImage;
  });
}

/// Of a victim of a candidate; null where nobody knows more of it than its UID.
const PodSpec* spec_of(const State& state, const Victim& victim) {
  if (victim.pod != kNone) return &state.spec(state.pod(victim.pod));
  return victim.given ? &victim.given->spec : nullptr;
}

/// The pod and the victims of one candidate, against the rules.
class Coverage {
 public:
  Coverage(const RuleSet& rules, const State& state, const Pod& pod, const Candidate& candidate)
      : rules_(rules), pod_(pod.spec) {
    for (const Victim& victim : candidate.victims)
      if (const PodSpec* spec = spec_of(state, victim)) victims_.push_back(spec);
  }

  bool is_full() const {
    return resources() && ports() && apartness() && spread() && volumes("VolumeRestrictions") &&
           volumes("NodeVolumeLimits");
  }

 private:
  bool runs(std::string_view name) const {
    return std::ranges::any_of(rules_.predicates, [&](const ConfiguredPredicate& rule) {
      return rule.name == name && rule.filters && rule.pre_filters;
    });
  }
  bool is_classic() const { return rules_.generation == Generation::kClassic; }
  bool any_victim(bool (*is)(const PodSpec&)) const {
    return std::ranges::any_of(victims_, [is](const PodSpec* spec) { return is(*spec); });
  }

  bool resources() const {
    if (!is_classic()) return runs("NodeResourcesFit");
    return rules_.accounting == Accounting::kToday && (runs("GeneralPredicates") || runs("PodFitsResources"));
  }
  bool ports() const {
    if (!asks_for_ports(pod_)) return true;
    if (!is_classic()) return runs("NodePorts");
    // The classic rule does not count the ports of init containers.
    const auto plain = [](const PodSpec& spec) { return spec.init_containers.empty(); };
    const auto with_more = [](const PodSpec& spec) { return !spec.init_containers.empty(); };
    return (runs("GeneralPredicates") || runs("PodFitsHostPorts")) && plain(pod_) && !any_victim(with_more);
  }
  bool apartness() const {
    return (!is_classic() && runs("InterPodAffinity")) || !(looks_for_pods(pod_) || any_victim(keeps_apart));
  }
  bool spread() const { return (!is_classic() && runs("PodTopologySpread")) || !spreads(pod_); }
  bool volumes(std::string_view name) const { return (!is_classic() && runs(name)) || !has_volumes(pod_); }

  const RuleSet& rules_;
  const PodSpec& pod_;
  std::vector<const PodSpec*> victims_;
};

}  // namespace

bool may_take_back(const RuleSet& rules, const State& state, const Pod& pod, const Candidate& candidate) {
  return Coverage(rules, state, pod, candidate).is_full();
}

}  // namespace winnow
