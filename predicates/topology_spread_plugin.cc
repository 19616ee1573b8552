// PodTopologySpread: for each hard constraint, a node's domain with the pod has at most maxSkew more matching
// pods than the domain with the fewest. Pods of the namespace count unless they are being deleted. Their
// nodes must have all the topology keys, and the constraint's policies must let these nodes count. If fewer
// than minDomains domains count, the fewest is taken as 0. A node that does not count is still judged, by the
// pods of its domain.
// Example: domains with 2, 0 and 1 pods, maxSkew 1, and a pod that matches the constraint itself. The first
// and the third fail, since 2+1-0 > 1 and 1+1-0 > 1. The second fits, since 0+1-0 = 1.
// Upstream: pkg/scheduler/framework/plugins/podtopologyspread/filtering.go v1.37.0.
#include <limits>
#include <memory>

#include "cluster/rule/pod_affinity.h"
#include "cluster/rule/shared_args.h"
#include "cluster/rule/topology_spread.h"
#include "cluster/state/state.h"
#include "predicates/records.h"
#include "predicates/rules.h"
#include "predicates/topology_spread_kept.h"

namespace winnow::predicates::today {

BindPredicate pod_topology_spread;
MakeTrial try_pod_topology_spread;

namespace {

struct Domain {
  std::int32_t pods = 0;
  bool counts = false;  ///< Whether some node of the domain counts.
};

/// One constraint as a limit on a node's domain.
struct Limit {
  Domains<Domain> domains;
  std::int64_t most = 0;  ///< Matching pods that the domain may have without this one.
};

/// By topology key, which constraints refuse a node. Constraints are numbered from 1 in the order written,
/// and the first one that refuses a node gives the reason. What is kept does not grow with the constraints of
/// a key.
class Refusals {
 public:
  explicit Refusals(const View& view) : over_(view) {}

  /// Adds the next constraint.
  void add(const std::string& key, const Limit& limit) {
    ++count_;
    const std::size_t place = over_.place_of(key);
    if (place == first_.size()) first_.push_back(count_);
    const std::span<std::uint32_t> over = over_.at(place).numbers();
    const std::span<const Domain> domains = limit.domains.numbers();
    for (std::size_t i = 0; i < over.size(); ++i)
      if (over[i] == 0 && domains[i].pods > limit.most) over[i] = count_;
  }

  struct First {
    std::uint32_t constraint = 0;  ///< 0: none refuses the node.
    bool lacks_key = false;
  };
  First find(NodeId node) const {
    First first;
    for (std::size_t place = 0; place < first_.size(); ++place) {
      const Domains<std::uint32_t>& over = over_.keys()[place].second;
      const bool lacks_key = !over.has(node);
      const std::uint32_t constraint = lacks_key ? first_[place] : over[node];
      if (constraint != 0 && (first.constraint == 0 || constraint < first.constraint))
        first = {constraint, lacks_key};
    }
    return first;
  }

  /// The domains of the only key; null: there are several keys. A number other than 0 marks a domain that a
  /// constraint refuses.
  const Domains<std::uint32_t>* only_key() const {
    return first_.size() == 1 ? &over_.keys().front().second : nullptr;
  }

 private:
  std::uint32_t count_ = 0;
  DomainsByKey<std::uint32_t> over_;  ///< The first constraint whose limit the domain exceeds; 0: none.
  std::vector<std::uint32_t> first_;  ///< By key: its first constraint.
};

class PodTopologySpread final : public Predicate {
 public:
  explicit PodTopologySpread(Refusals refusals) : refusals_(std::move(refusals)) {}

  void map(std::span<const NodeId> nodes, std::span<Verdict> out) const override {
    const Domains<std::uint32_t>* const only = refusals_.only_key();
    if (!only) {
      for (std::size_t i = 0; i < nodes.size(); ++i) out[i] = judge(nodes[i]);
      return;
    }
    // Most pods have one key. Then the first constraint does not matter.
    for (std::size_t i = 0; i < nodes.size(); ++i)
      if (!only->has(nodes[i]))
        out[i] = kLacksKey;
      else if ((*only)[nodes[i]] != 0)
        out[i] = kExceedsSkew;
  }
  std::span<const std::string> reasons() const override { return kSpreadReasons; }

 private:
  Verdict judge(NodeId node) const {
    const Refusals::First first = refusals_.find(node);
    if (first.constraint == 0) return {};
    return first.lacks_key ? kLacksKey : kExceedsSkew;
  }

  const Refusals refusals_;
};

/// The pods that the constraint counts, by node id. For a selector that matches everything upstream counts
/// only nominated pods: AddPod adds them without that exception.
std::vector<std::int32_t> count_pods(const Request& request, const TopologyConstraint& constraint) {
  const std::string& ns = request.pod.metadata.namespace_;
  std::vector<std::int32_t> pods = request.view.count_pods(constraint.counted(ns));
  if (!constraint.selector.is_everything() || !request.view.has_nominated()) return pods;
  const PodQuery all{{ns}, constraint.selector, true};
  pods = request.view.count_pods(all);
  const std::vector<std::int32_t> assigned = request.view.count_assigned(all);
  std::ranges::transform(pods, assigned, pods.begin(), std::minus());
  return pods;
}

/// The domains of one constraint, with their pods.
Domains<Domain> count_domains(const Request& request, const TopologyConstraint& constraint,
                              const CountedNodes& counted, std::span<const NodeId> with_keys) {
  Domains<Domain> domains(request.view, constraint.topology_key);
  const std::vector<std::int32_t> pods = count_pods(request, constraint);
  for (const NodeId node : with_keys) {
    if (!counted.follows(constraint, node)) continue;
    Domain& domain = *domains.at(node);
    domain.pods += pods[node];
    domain.counts = true;
  }
  return domains;
}

Limit limit_of(const Request& request, const TopologyConstraint& constraint, const CountedNodes& counted,
               std::span<const NodeId> with_keys) {
  Domains<Domain> domains = count_domains(request, constraint, counted, with_keys);
  std::int64_t fewest = kNoDomain;
  std::size_t counting = 0;
  for (const Domain& domain : domains.numbers()) {
    if (!domain.counts) continue;
    ++counting;
    fewest = std::min<std::int64_t>(fewest, domain.pods);
  }
  return {std::move(domains), most_pods(constraint, request.pod.metadata, counting, fewest)};
}

std::vector<NodeId> nodes_with_keys(const View& view, const CountedNodes& counted) {
  std::vector<NodeId> nodes = view.all_nodes();
  std::erase_if(nodes, [&](NodeId node) { return !counted.has_keys(node); });
  return nodes;
}

/// A constraint in the dry run of a preemption, as far as all nodes share it.
struct TriedConstraint {
  Domains<Domain> domains;
  std::size_t counting = 0;  ///< Domains that count.
  /// The fewest pods of a domain that counts, and the fewest of the others.
  const Domain* lowest = nullptr;
  std::int64_t next = kNoDomain;
  std::vector<std::uint8_t> selected;  ///< By GroupId: the constraint's selector matches its pods.
};

/// Everything that the trial of all nodes needs. The view must outlive it.
class TriedConstraints {
 public:
  TriedConstraints(const Request& request, std::vector<TopologyConstraint> constraints)
      : pod_(request.pod.metadata), constraints_(std::move(constraints)), counted_(request, constraints_) {
    const std::vector<NodeId> with_keys = nodes_with_keys(request.view, counted_);
    tried_.reserve(constraints_.size());
    for (const TopologyConstraint& constraint : constraints_) {
      request.check_time();
      add(request, constraint, with_keys);
    }
  }

  std::size_t size() const { return tried_.size(); }
  const TriedConstraint& operator[](std::size_t i) const { return tried_[i]; }
  bool has_keys(NodeId node) const { return counted_.has_keys(node); }
  bool follows(std::size_t i, NodeId node) const { return counted_.follows(constraints_[i], node); }
  std::int64_t most(std::size_t i, std::int64_t fewest) const {
    return most_pods(constraints_[i], pod_, tried_[i].counting, fewest);
  }

 private:
  void add(const Request& request, const TopologyConstraint& constraint, std::span<const NodeId> with_keys) {
    TriedConstraint& tried =
        tried_.emplace_back(TriedConstraint{count_domains(request, constraint, counted_, with_keys)});
    for (const Domain& domain : std::as_const(tried.domains).numbers()) {
      if (!domain.counts) continue;
      ++tried.counting;
      if (!tried.lowest || domain.pods < tried.lowest->pods) {
        if (tried.lowest) tried.next = tried.lowest->pods;
        tried.lowest = &domain;
      } else {
        tried.next = std::min<std::int64_t>(tried.next, domain.pods);
      }
    }
    tried.selected = request.view.state().groups.select({{pod_.namespace_}, constraint.selector, true});
  }

  const ObjectMeta& pod_;
  const std::vector<TopologyConstraint> constraints_;
  const CountedNodes counted_;
  std::vector<TriedConstraint> tried_;
};

/// All pods that leave or come are on one node, so of each constraint one domain changes.
class SpreadTrial final : public Trial {
 public:
  SpreadTrial(const State& state, std::shared_ptr<const TriedConstraints> all)
      : state_(state), all_(std::move(all)), now_(all_->size()) {}

  void begin(NodeId node) override {
    const bool counts = all_->has_keys(node);
    for (std::size_t i = 0; i < now_.size(); ++i) {
      const TriedConstraint& tried = (*all_)[i];
      Now& now = now_[i];
      now.has_key = tried.domains.has(node);
      const Domain domain = tried.domains[node];
      now.pods = domain.pods;
      now.domain_counts = domain.counts;
      now.node_counts = counts && all_->follows(i, node);
      const bool is_lowest = now.has_key && tried.lowest && tried.domains.find(node) == tried.lowest;
      now.others = is_lowest ? tried.next : tried.lowest ? tried.lowest->pods : kNoDomain;
    }
  }

  void change(PodId pod, std::int32_t by) override {
    const GroupId group = state_.pod(pod).group;
    for (std::size_t i = 0; i < now_.size(); ++i)
      if (now_[i].node_counts && (*all_)[i].selected[group]) now_[i].pods += by;
  }

  bool fits() const override {
    for (std::size_t i = 0; i < now_.size(); ++i) {
      const Now& now = now_[i];
      const std::int64_t fewest = now.domain_counts ? std::min(now.pods, now.others) : now.others;
      if (!now.has_key || now.pods > all_->most(i, fewest)) return false;
    }
    return true;
  }

  std::unique_ptr<Trial> copy() const override { return std::make_unique<SpreadTrial>(*this); }

 private:
  /// One constraint at the node.
  struct Now {
    bool has_key = false;
    bool node_counts = false;    ///< Pods of the node count.
    bool domain_counts = false;  ///< Some node of the domain does.
    std::int64_t pods = 0;       ///< Of the node's domain.
    std::int64_t others = 0;     ///< The fewest pods of the other domains.
  };
  const State& state_;
  std::shared_ptr<const TriedConstraints> all_;
  std::vector<Now> now_;
};

std::expected<std::vector<TopologyConstraint>, std::string> constraints_of(const Request& request,
                                                                           const Arguments& arguments) {
  const auto* const given = arguments.get_if<PodTopologySpreadArgs>();
  return topology_constraints(request, given ? *given : PodTopologySpreadArgs(), kDoNotSchedule);
}

}  // namespace

std::int64_t most_pods(const TopologyConstraint& constraint, const ObjectMeta& pod, std::size_t domains,
                       std::int64_t fewest) {
  if (static_cast<std::int64_t>(domains) < constraint.min_domains) fewest = 0;
  return constraint.max_skew + fewest - (constraint.selector.matches(pod.labels) ? 1 : 0);
}

std::unique_ptr<const Predicate> pod_topology_spread(const Request& request, const Arguments& arguments) {
  if (request.kept && request.kept->state)
    if (auto by_kept = spread_by_kept(request)) return by_kept;
  const auto constraints = constraints_of(request, arguments);
  if (!constraints)
    return std::make_unique<RefusesPod>(Fit::kError,
                                        "get constraints from pod: obtaining pod's hard topology spread "
                                        "constraints: " +
                                            constraints.error());
  if (constraints->empty()) return nullptr;
  if (request.kept)
    if (auto to_keep = spread_to_keep(request, *constraints)) return to_keep;
  const CountedNodes counted(request, *constraints);
  const std::vector<NodeId> with_keys = nodes_with_keys(request.view, counted);
  Refusals refusals(request.view);
  for (const TopologyConstraint& constraint : *constraints) {
    request.check_time();
    refusals.add(constraint.topology_key, limit_of(request, constraint, counted, with_keys));
  }
  return std::make_unique<PodTopologySpread>(std::move(refusals));
}

std::unique_ptr<Trial> try_pod_topology_spread(const Request& request, const Arguments& arguments) {
  return std::make_unique<SpreadTrial>(
      request.view.state(),
      std::make_shared<const TriedConstraints>(
          request, constraints_of(request, arguments).value_or(std::vector<TopologyConstraint>())));
}

}  // namespace winnow::predicates::today

namespace winnow::predicates {

namespace {

/// PodTopologySpread: the pod has hard constraints.
bool is_spread(const PodSpec& pod, std::span<const PodSpec* const>) {
  return std::ranges::any_of(pod.topology_spread_constraints, [](const TopologySpreadConstraint& one) {
    return one.when_unsatisfiable != "ScheduleAnyway";
  });
}

}  // namespace

// The records.

namespace {

constexpr Record kTopologySpreadPluginRecords[] = {
    {.name = "PodTopologySpread",
     .origin = RuleOrigin::kToday,
     .bind = today::pod_topology_spread,
     .needs = needs::kWorkloads,
     .reads = Reads::kRows,
     .follows_by = today::try_pod_topology_spread,
     .causes = causes_of_topology_spread,
     .checks = "hard topologySpreadConstraints",
     .classic = {.predicate = "EvenPodsSpread",
                 .lacking = "minDomains, matchLabelKeys, nodeAffinityPolicy and nodeTaintsPolicy of hard "
                            "topologySpreadConstraints"},
     .turned_by_eviction = is_spread,
     .without_pre_filter = "reading \"PreFilterPodTopologySpread\" from cycleState: not found",
     .releases = {{.release = Release::k1_18,
                   .points = points::kPreFilterAndFilter,
                   .args = &kPodTopologySpreadArgs118},
                  {.release = Release::k1_22,
                   .points = points::kPreFilterAndFilter,
                   .args = &kPodTopologySpreadArgsV1Beta1},
                  {.release = Release::k1_27,
                   .points = points::kPreFilterAndFilter,
                   .args = &kPodTopologySpreadArgs}}},
};

}  // namespace

Records topology_spread_plugin_records;

std::span<const Record> topology_spread_plugin_records() { return kTopologySpreadPluginRecords; }

}  // namespace winnow::predicates
