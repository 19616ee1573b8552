// EvenPodsSpread: for each hard constraint, a node's domain with the pod has at most maxSkew more matching
// pods than the domain with the fewest. Pods of the same namespace count, also those being deleted.
// Two quirks of upstream are kept. Two constraints with one topology key share the sums of both. A nominated
// pod counts even on a node that the pod itself may not run on: AddPod checks the topology keys alone.
// Upstream: predicates.go EvenPodsSpreadPredicate, metadata.go getExistingPodSpreadCache v1.16.15.
#include "cluster/rule/topology_spread.h"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>

#include "cluster/rule/pod_affinity.h"
#include "cluster/state/state.h"
#include "predicates/pod_affinity.h"
#include "predicates/records.h"
#include "predicates/rules.h"

namespace winnow::predicates {

BindPredicate even_pods_spread;
MakeTrial try_even_pods_spread;

namespace {

/// One constraint as a limit on a node's domain. An invalid selector is an error at the nodes that reach it.
struct Limit {
  std::size_t key = 0;    ///< The place of its domains' sums.
  std::int64_t most = 0;  ///< Matching pods that the domain may have without this one.
  bool is_error = false;
};

class EvenPodsSpread final : public Predicate {
 public:
  EvenPodsSpread(DomainsByKey<std::int32_t> sums, std::vector<Limit> limits, std::vector<std::string> reasons)
      : sums_(std::move(sums)), limits_(std::move(limits)), reasons_(std::move(reasons)) {}

  void map(std::span<const NodeId> nodes, std::span<Verdict> out) const override {
    for (std::size_t i = 0; i < nodes.size(); ++i) out[i] = judge(nodes[i]);
  }
  std::span<const std::string> reasons() const override { return reasons_; }

 private:
  Verdict judge(NodeId node) const {
    for (const Limit& limit : limits_) {
      const Domains<std::int32_t>& pods = sums_.keys()[limit.key].second;
      if (!pods.has(node)) return Verdict::one(false, Fit::kUnschedulable);
      if (limit.is_error) return Verdict::of(Fit::kError, 2);
      if (pods[node] > limit.most) return Verdict::one(false, Fit::kUnschedulable);
    }
    return {};
  }

  const DomainsByKey<std::int32_t> sums_;
  const std::vector<Limit> limits_;
  const std::vector<std::string> reasons_;  // The reason, and the error of the first invalid selector.
};

std::vector<NodeId> counted_nodes(const View& view, const SpreadNodes& nodes) {
  std::vector<NodeId> counted = view.all_nodes();
  std::erase_if(counted, [&](NodeId node) { return !nodes.contains(node); });
  return counted;
}

/// Matching pods by domain, up to the first invalid selector, where upstream's AddPod stops. Only nominated
/// pods are counted then: with a running one upstream would have no metadata (see lacks_metadata).
DomainsByKey<std::int32_t> count_pods(const Request& request,
                                      const std::vector<SpreadConstraint>& constraints,
                                      std::span<const NodeId> counted) {
  DomainsByKey<std::int32_t> sums(request.view);
  for (const SpreadConstraint& constraint : constraints) {
    request.check_time();
    Domains<std::int32_t>& sum = sums[constraint.topology_key];
    if (!constraint.selector) break;
    const std::vector<std::int32_t> pods =
        request.view.count_pods({{request.pod.metadata.namespace_}, *constraint.selector, true});
    for (const NodeId node : counted) *sum.at(node) += pods[node];
  }
  return sums;
}

/// Adds the nominated pods of nodes that do not count, up to the first invalid selector.
/// @return these nodes, by topology key.
std::map<std::string, std::vector<NodeId>> add_waiting(const Request& request,
                                                       const std::vector<SpreadConstraint>& constraints,
                                                       const SpreadNodes& nodes,
                                                       DomainsByKey<std::int32_t>& sums) {
  std::map<std::string, std::vector<NodeId>> waiting;
  if (!request.view.has_nominated()) return waiting;
  for (const SpreadConstraint& constraint : constraints) {
    request.check_time();
    if (!constraint.selector) break;
    const PodQuery query{{request.pod.metadata.namespace_}, *constraint.selector, true};
    const std::vector<std::int32_t> pods = request.view.count_pods(query);
    const std::vector<std::int32_t> assigned = request.view.count_assigned(query);
    for (const NodeId node : request.view.all_nodes()) {
      if (pods[node] == assigned[node] || !nodes.has_keys(node) || nodes.contains(node)) continue;
      *sums[constraint.topology_key].at(node) += pods[node] - assigned[node];
      waiting[constraint.topology_key].push_back(node);
    }
  }
  return waiting;
}

Limit limit_of(const SpreadConstraint& constraint, DomainsByKey<std::int32_t>& sums, const Pod& pod,
               std::span<const NodeId> counted, std::span<const NodeId> waiting) {
  const std::size_t key = sums.place_of(constraint.topology_key);
  if (!constraint.selector) return {key, 0, true};
  const Domains<std::int32_t>& pods = sums.at(key);
  std::int32_t fewest = std::numeric_limits<std::int32_t>::max();
  for (const NodeId node : counted) fewest = std::min(fewest, pods[node]);
  for (const NodeId node : waiting) fewest = std::min(fewest, pods[node]);
  const bool counts_itself = constraint.selector->matches(pod.metadata.labels);
  return {key, std::int64_t{constraint.max_skew} + fewest - (counts_itself ? 1 : 0), false};
}

/// Everything that the trials of all nodes share.
struct TriedSpread {
  /// One constraint.
  struct Constraint {
    std::size_t key = 0;                 ///< The place of its domains' sums.
    std::int64_t allowed = 0;            ///< What the domain may have more than the one with the fewest.
    std::vector<std::uint8_t> selected;  ///< By GroupId.
  };
  /// The domains of one key.
  struct Key {
    std::vector<std::uint8_t> counts;      ///< By domain: some node of it counts.
    const std::int32_t* lowest = nullptr;  ///< Of those that count, the one with the fewest pods.
    std::int32_t next = std::numeric_limits<std::int32_t>::max();  ///< The fewest of the others.
  };

  TriedSpread(const Request& request, const std::vector<SpreadConstraint>& written)
      : nodes(request.view, request.pod.spec, written),
        counted(counted_nodes(request.view, nodes)),
        sums(count_pods(request, written, counted)) {
    const ObjectMeta& pod = request.pod.metadata;
    for (const SpreadConstraint& one : written)
      constraints.push_back({sums.place_of(one.topology_key),
                             std::int64_t{one.max_skew} - (one.selector->matches(pod.labels) ? 1 : 0),
                             request.view.state().groups.select({{pod.namespace_}, *one.selector, true})});
    for (const auto& [key, numbers] : sums.keys()) keys.push_back(key_of(numbers, counted));
  }

  /// The node's domain by a key counts.
  bool counts(std::size_t place, const std::int32_t* sum) const {
    return keys[place].counts[static_cast<std::size_t>(sum - sums.keys()[place].second.numbers().data())];
  }

  SpreadNodes nodes;
  std::vector<NodeId> counted;
  DomainsByKey<std::int32_t> sums;
  std::vector<Constraint> constraints;
  std::vector<Key> keys;

 private:
  static Key key_of(const Domains<std::int32_t>& numbers, std::span<const NodeId> counted) {
    Key key;
    key.counts.resize(numbers.numbers().size());
    for (const NodeId node : counted) {
      const std::int32_t* const sum = numbers.find(node);
      key.counts[static_cast<std::size_t>(sum - numbers.numbers().data())] = 1;
      if (sum == key.lowest) continue;
      if (!key.lowest || *sum < *key.lowest) {
        if (key.lowest) key.next = *key.lowest;
        key.lowest = sum;
      } else {
        key.next = std::min(key.next, *sum);
      }
    }
    return key;
  }
};

/// Upstream's AddPod and RemovePod look at the topology keys of the node alone: a node that does not count
/// does once a pod has left it.
class EvenSpreadTrial final : public Trial {
 public:
  EvenSpreadTrial(const State& state, std::shared_ptr<const TriedSpread> all)
      : state_(state), all_(std::move(all)) {}

  void begin(NodeId node) override {
    has_keys_ = all_->nodes.has_keys(node);
    places_.clear();
    for (std::size_t place = 0; place < all_->keys.size(); ++place) {
      const std::int32_t* const sum = all_->sums.keys()[place].second.find(node);
      const TriedSpread::Key& key = all_->keys[place];
      const bool is_lowest = sum && sum == key.lowest;
      places_.push_back({.has_key = sum != nullptr,
                         .counts = sum && all_->counts(place, sum),
                         .pods = sum ? *sum : 0,
                         .others = is_lowest || !key.lowest ? key.next : *key.lowest});
    }
  }

  void change(PodId pod, std::int32_t by) override {
    if (!has_keys_ || fails_to_be_added(state_, state_.pod(pod))) return;
    for (const TriedSpread::Constraint& constraint : all_->constraints)
      if (constraint.selected[state_.pod(pod).group]) {
        Place& place = places_[constraint.key];
        place.pods += by;
        place.counts = true;
      }
  }

  bool fits() const override {
    if (all_->counted.empty() && std::ranges::none_of(places_, &Place::counts)) return true;
    return std::ranges::all_of(all_->constraints, [this](const TriedSpread::Constraint& constraint) {
      const Place& place = places_[constraint.key];
      const std::int64_t fewest = place.counts ? std::min(place.pods, place.others) : place.others;
      return place.has_key && place.pods <= constraint.allowed + fewest;
    });
  }

  std::unique_ptr<Trial> copy() const override { return std::make_unique<EvenSpreadTrial>(*this); }

 private:
  /// The node's domain by one key.
  struct Place {
    bool has_key = false;
    bool counts = false;
    std::int64_t pods = 0;
    std::int64_t others = 0;  ///< The fewest pods of the other domains.
  };
  const State& state_;
  std::shared_ptr<const TriedSpread> all_;
  bool has_keys_ = false;
  std::vector<Place> places_;  ///< By key.
};

}  // namespace

std::unique_ptr<Trial> try_even_pods_spread(const Request& request, const Arguments&) {
  const std::vector<SpreadConstraint> constraints = spread_constraints(request.pod.spec, kDoNotSchedule);
  const bool are_valid =
      std::ranges::all_of(constraints, [](const SpreadConstraint& one) { return one.selector.has_value(); });
  if (!are_valid || lacks_metadata(request)) return nullptr;
  return std::make_unique<EvenSpreadTrial>(request.view.state(),
                                           std::make_shared<const TriedSpread>(request, constraints));
}

std::unique_ptr<const Predicate> even_pods_spread(const Request& request, const Arguments&) {
  const std::vector<SpreadConstraint> constraints = spread_constraints(request.pod.spec, kDoNotSchedule);
  if (constraints.empty()) return nullptr;
  if (lacks_metadata(request))
    return std::make_unique<ErrorEverywhere>("metadata not pre-computed for EvenPodsSpreadPredicate");

  const SpreadNodes spread_nodes(request.view, request.pod.spec, constraints);
  const std::vector<NodeId> counted = counted_nodes(request.view, spread_nodes);
  DomainsByKey<std::int32_t> sums = count_pods(request, constraints, counted);
  std::map<std::string, std::vector<NodeId>> waiting = add_waiting(request, constraints, spread_nodes, sums);
  if (counted.empty() && waiting.empty()) return nullptr;
  std::vector<Limit> limits;
  std::vector<std::string> reasons = {"node(s) didn't match pod topology spread constraints"};
  for (const SpreadConstraint& constraint : constraints) {
    request.check_time();
    limits.push_back(limit_of(constraint, sums, request.pod, counted, waiting[constraint.topology_key]));
    if (constraint.selector) continue;
    reasons.push_back(constraint.selector.error());
    break;  // No node passes an invalid selector: later constraints are never reached.
  }
  return std::make_unique<EvenPodsSpread>(std::move(sums), std::move(limits), std::move(reasons));
}

// The records.

namespace {

constexpr Record kTopologySpreadRecords[] = {
    {.name = "EvenPodsSpread",
     .origin = RuleOrigin::kClassic,
     .bind = even_pods_spread,
     .needs = needs::kNothing,
     .follows_by = try_even_pods_spread,
     .causes = causes_of_even_pods_spread,
     .known = AtGates::kEvenPodsSpread,
     .by_default = AtGates::kEvenPodsSpread},
};

}  // namespace

Records topology_spread_records;

std::span<const Record> topology_spread_records() { return kTopologySpreadRecords; }

}  // namespace winnow::predicates
