#include "extender/engine/not_judged.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "cluster/api/node.h"
#include "cluster/api/pod.h"
#include "cluster/rule/cause.h"
#include "cluster/rule/device_requests.h"
#include "cluster/rule/pod_devices.h"
#include "cluster/rule/reasons.h"
#include "cluster/state/state.h"
#include "cluster/state/view.h"
#include "extender/engine/claimed_devices.h"
#include "extender/engine/engine.h"
#include "extender/engine/ruleset.h"
#include "predicates/records.h"
#include "priorities/records.h"

namespace winnow {
namespace {

/// The fields of a pod that v1.16's rules do not have, each once.
class UnknownFields {
 public:
  void add(bool is_used, std::string_view field) {
    std::string text = std::string(field) + ": these rules do not know it";
    if (is_used && !std::ranges::contains(texts_, text)) texts_.push_back(std::move(text));
  }

  void add_spread(const PodSpec& spec, bool spreads) {
    const auto& constraints = spec.topology_spread_constraints;
    if (!spreads) return add(!constraints.empty(), "spec.topologySpreadConstraints");
    for (const TopologySpreadConstraint& one : constraints) {
      add(one.min_domains.has_value(), "spec.topologySpreadConstraints[].minDomains");
      add(!one.node_affinity_policy.empty(), "spec.topologySpreadConstraints[].nodeAffinityPolicy");
      add(!one.node_taints_policy.empty(), "spec.topologySpreadConstraints[].nodeTaintsPolicy");
      add(!one.match_label_keys.empty(), "spec.topologySpreadConstraints[].matchLabelKeys");
    }
  }

  void add_affinity(const PodSpec& spec) {
    if (!spec.affinity) return;
    for (const auto* const part : {&spec.affinity->pod_affinity, &spec.affinity->pod_anti_affinity}) {
      if (!*part) continue;
      for (const PodAffinityTerm& term : (*part)->required) add_term(term);
      for (const WeightedPodAffinityTerm& one : (*part)->preferred) add_term(one.term);
    }
  }

  void add_volumes(const Pod& pod, const View& view) {
    for (const Volume& volume : pod.spec.volumes) {
      add(volume.source == VolumeSource::kEphemeral, "spec.volumes[].ephemeral");
      if (volume.source != VolumeSource::kPersistentVolumeClaim) continue;
      const PersistentVolumeClaim* const claim = view.volumes().claim(pod.metadata.namespace_, volume.id);
      add(claim != nullptr && std::ranges::contains(claim->access_modes, "ReadWriteOncePod"),
          "the access mode ReadWriteOncePod of claim " + volume.id);
    }
  }

  std::vector<std::string> take() { return std::move(texts_); }

 private:
  void add_term(const PodAffinityTerm& term) {
    add(term.namespace_selector.has_value(), "namespaceSelector of a pod affinity");
    add(!term.match_label_keys.empty(), "matchLabelKeys of a pod affinity");
    add(!term.mismatch_label_keys.empty(), "mismatchLabelKeys of a pod affinity");
  }

  std::vector<std::string> texts_;
};

}  // namespace

void find_causes(const Filtered& filtered, std::size_t rule, const Request& request,
                 FunctionRef<void(std::size_t, std::vector<Cause>)> take) {
  const ConfiguredPredicate& configured = filtered.rules->predicates[rule];
  const predicates::Record* const record = predicates::find_record(configured.bind);
  if (record == nullptr) return;
  ReasonLists lists;
  Request asked = request;
  asked.pre_filters = configured.pre_filters;
  asked.reason_lists = &lists;
  std::optional<std::unique_ptr<const CauseFinder>> finder;
  for (std::size_t i = 0; i < request.nodes.size(); ++i) {
    if (filtered.matrix[rule * request.nodes.size() + i].fits()) continue;
    request.check_time();
    if (!finder) finder = (*record->causes)(asked, configured.arguments);
    std::vector<Cause> causes;
    if (*finder) (*finder)->find(request.nodes[i], causes);
    if (causes.size() > kMostCauses) causes.resize(kMostCauses);
    take(i, std::move(causes));
  }
}

void find_facts(const ConfiguredPriority& rule, const Request& request,
                FunctionRef<void(std::size_t, std::vector<Cause>)> take) {
  const priorities::Record* const record = priorities::find_record(rule.bind);
  if (record == nullptr || record->made_by == nullptr) return;
  const auto finder = record->made_by(request, rule.arguments);
  for (std::size_t i = 0; finder && i < request.nodes.size(); ++i) {
    request.check_time();
    std::vector<Cause> facts;
    finder->find(request.nodes[i], facts);
    if (facts.size() > kMostCauses) facts.resize(kMostCauses);
    take(i, std::move(facts));
  }
}

std::vector<std::string> not_judged(const RuleSet& rules, const View& view, const Pod& pod) {
  std::vector<std::string> texts;
  if (rule_of_devices(rules, view) == nullptr) {
    for (const ExtendedResourceRequest& request : device_requests(view.state(), pod))
      texts.push_back(to_text(request));
    if (!pod.spec.resource_claims.empty())
      texts.emplace_back(
          rules.generation == Generation::kToday && !knows_devices(view.state())
              ? "spec.resourceClaims: claims, slices and classes of devices are not read"
              : "spec.resourceClaims: kube-scheduler's DynamicResources looks for the devices");
  }
  if (rules.generation == Generation::kToday) return texts;
  const bool spreads = std::ranges::contains(
      rules.predicates, predicates::find_classic("EvenPodsSpread")->bind, &ConfiguredPredicate::bind);
  UnknownFields fields;
  fields.add_spread(pod.spec, spreads);
  fields.add_affinity(pod.spec);
  fields.add_volumes(pod, view);
  fields.add(needed_features(pod.spec) != 0, "what the pod needs of nodes' declared features");
  if (rules.accounting != Accounting::kToday) {
    fields.add(pod.spec.resources.has_value(), "spec.resources");
    fields.add(pod.spec.overhead && rules.accounting == Accounting::kV116, "spec.overhead");
  }
  for (std::string& text : fields.take()) texts.push_back(std::move(text));
  return texts;
}

}  // namespace winnow
