// SelectorSpreadPriority: avoids nodes and zones that have many pods of the same Services and controllers.
// Map counts the node's pods that match the selectors of all of them. Reduce turns counts into scores. For a
// node in a zone, the zone's score counts 2/3 and the node's 1/3.
// Example: counts of 3, 5 and 10 give 10*(10-3)/10 = 7, 10*(10-5)/10 = 5 and 10*(10-10)/10 = 0.
// Upstream: priorities/selector_spreading.go v1.16.15; the order of the float operations is upstream's.
#include <string_view>
#include <unordered_map>

#include "cluster/api/workload.h"
#include "cluster/rule/policy_argument.h"
#include "cluster/rule/shared_args.h"
#include "cluster/rule/topology_spread.h"
#include "cluster/state/dictionaries.h"
#include "cluster/state/workloads.h"
#include "priorities/records.h"
#include "priorities/rules.h"

namespace winnow::priorities {

BindPriority selector_spread;

namespace {

constexpr double kZoneWeight = 2.0 / 3.0;

class SelectorSpread final : public Priority {
 public:
  SelectorSpread(const View& view, std::vector<std::int32_t> counts, std::int64_t max)
      : zone_(view.column(&NodeTable::zone)),
        zones_(view.names().zones.capacity()),
        counts_(std::move(counts)),
        max_(static_cast<double>(max)) {}

  void map(std::span<const NodeId> nodes, std::span<std::int64_t> out) const override {
    if (counts_.empty()) return;
    for (std::size_t i = 0; i < nodes.size(); ++i) out[i] = counts_[nodes[i]];
  }

  void reduce(std::span<const NodeId> nodes, std::span<std::int64_t> scores) const override {
    std::vector<std::int64_t> in_zone(zones_, 0);
    std::int64_t most = 0;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      most = std::max(most, scores[i]);
      if (const std::uint32_t zone = zone_[nodes[i]]; zone != kNone) in_zone[zone] += scores[i];
    }
    const std::int64_t most_in_zone = in_zone.empty() ? 0 : *std::ranges::max_element(in_zone);
    std::vector<double> zone_part(zones_);
    for (std::size_t zone = 0; zone < zones_; ++zone)
      zone_part[zone] = kZoneWeight * spread(in_zone[zone], most_in_zone);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      double score = spread(scores[i], most);
      if (const std::uint32_t zone = zone_[nodes[i]]; zone != kNone)
        score = (score * (1.0 - kZoneWeight)) + zone_part[zone];
      scores[i] = static_cast<std::int64_t>(score);
    }
  }

 private:
  /// The score of a count: 0 for the largest count, max for a count of 0. All get max if there are no pods.
  double spread(std::int64_t count, std::int64_t most) const {
    return most > 0 ? max_ * (static_cast<double>(most - count) / static_cast<double>(most)) : max_;
  }

  const Column<std::uint32_t> zone_;
  const std::size_t zones_;
  const std::vector<std::int32_t> counts_;  // By node id; empty if nothing selects the pod.
  const double max_;
};

}  // namespace

std::unique_ptr<const Priority> spreads_pods(const View& view, std::vector<std::int32_t> counts,
                                             std::int64_t max) {
  return std::make_unique<SelectorSpread>(view, std::move(counts), max);
}

namespace {

/// The pods that all selectors of the pod's Services and controllers match, by node id; empty: there are
/// none.
std::vector<std::int32_t> count_siblings(const Request& request) {
  const ObjectMeta& pod = request.pod.metadata;
  const std::vector<const Selector*> selectors =
      request.view.workloads().matching(pod.namespace_, pod.labels);
  if (selectors.empty()) return {};
  std::vector<Requirement> all;
  for (const Selector* selector : selectors)
    all.insert(all.end(), selector->requirements().begin(), selector->requirements().end());
  return request.view.count_pods(pod.namespace_, Selector::all_of(std::move(all)));
}

void add_spread(std::vector<Cause>& facts, const std::string& key, std::string domain, std::int64_t pods) {
  Cause& fact = facts.emplace_back("spreadPods");
  fact.with("topologyKey", key).with("domain", std::move(domain)).with("pods", pods);
}

/// A zone's key, "REGION:\0:ZONE", as people write it: "ZONE", or "REGION/ZONE".
std::string zone_text(std::string key) {
  constexpr std::string_view kBetween(":\0:", 3);
  const std::size_t at = key.find(kBetween);
  if (at == std::string::npos) return key;
  return at == 0 ? key.substr(kBetween.size()) : key.replace(at, kBetween.size(), "/");
}

/// Finds the counts on the node, and in its zone, as SelectorSpread adds them up.
std::unique_ptr<const CauseFinder> find_counts(const Request& request, std::vector<std::int32_t> counts) {
  if (counts.empty()) return nullptr;
  const View& view = request.view;
  const Column<std::uint32_t> zone = view.column(&NodeTable::zone);
  std::vector<std::int64_t> in_zone(view.names().zones.capacity(), 0);
  for (const NodeId node : request.nodes)
    if (zone[node] != kNone) in_zone[zone[node]] += counts[node];
  return make_cause_finder([&view, zone, in_zone = std::move(in_zone), counts = std::move(counts)](
                               NodeId node, std::vector<Cause>& facts) {
    add_spread(facts, "kubernetes.io/hostname", std::string(view.node_name(node)), counts[node]);
    if (const std::uint32_t id = zone[node]; id != kNone)
      add_spread(facts, "topology.kubernetes.io/zone", zone_text(std::string(view.names().zones[id])),
                 in_zone[id]);
  });
}

std::unique_ptr<const CauseFinder> find_siblings(const Request& request, const Arguments&) {
  return find_counts(request, count_siblings(request));
}

}  // namespace

BoundPriority selector_spread(const Request& request, const Arguments&) {
  return spreads_pods(request.view, count_siblings(request), kMaxClassicScore);
}

}  // namespace winnow::priorities

namespace winnow::priorities::removed {

// SelectorSpread: avoids nodes and zones that have many pods of the same Services and controller. It is the
// classic SelectorSpreadPriority with 100 for 10, and differs in three points. All Services and the pod's
// controller, by its owner reference, are one selector: a pod counts that all of them match. A pod with
// topology spread constraints of its own gets 0 on every node. Zones are read from both generations of
// labels.
// Upstream: plugins/selectorspread/selector_spread.go, plugins/helper/spread.go v1.22.17.

BindPriority selector_spread, selector_spread_without_pre_score;

namespace {

/// As of the classic rule.
std::vector<std::int32_t> count_siblings(const Request& request) {
  const Selector selector = default_selector(request.view.workloads(), request.pod);
  if (selector.is_everything()) return {};
  return request.view.count_pods(request.pod.metadata.namespace_, selector);
}

std::unique_ptr<const CauseFinder> find_siblings(const Request& request, const Arguments&) {
  if (!request.pod.spec.topology_spread_constraints.empty()) return nullptr;
  return find_counts(request, count_siblings(request));
}

}  // namespace

BoundPriority selector_spread(const Request& request, const Arguments&) {
  if (!request.pod.spec.topology_spread_constraints.empty()) return nullptr;
  return spreads_pods(request.view, count_siblings(request), kMaxNodeScore);
}

BoundPriority selector_spread_without_pre_score(const Request& request, const Arguments& arguments) {
  if (!request.pod.spec.topology_spread_constraints.empty()) return nullptr;
  return std::unexpected(arguments.get<FailsWith>().error);
}

}  // namespace winnow::priorities::removed

namespace winnow::priorities {

// The priority of the argument serviceAntiAffinity: spreads a Service's pods over the values of a node label.
// Map counts the node's pods that the pod's first Service selects. Reduce gives a node
// int(10 * (pods elsewhere / pods)), where "elsewhere" is under another value of the label. A node without
// the label gets 0.
// Example: of 8 pods, 2 are under rack=a and 6 under rack=b. Rack a gets 10*(6/8) = 7, rack b 10*(2/8) = 2.
// Upstream: priorities/selector_spreading.go ServiceAntiAffinity v1.16.15. There the first of several
// Services depends on the order of a Go map; here it is the first by name.

BindPriority service_anti_affinity;

namespace {

class ServiceAntiAffinity final : public Priority {
 public:
  ServiceAntiAffinity(std::vector<Column<Symbol>> labels, std::vector<std::int32_t> counts, std::int64_t max)
      : labels_(std::move(labels)), counts_(std::move(counts)), max_(static_cast<double>(max)) {}

  void map(std::span<const NodeId> nodes, std::span<std::int64_t> out) const override {
    if (counts_.empty()) return;
    for (std::size_t i = 0; i < nodes.size(); ++i) out[i] = counts_[nodes[i]];
  }

  void reduce(std::span<const NodeId> nodes, std::span<std::int64_t> scores) const override {
    std::vector<double> sums(nodes.size(), 0);
    for (const Column<Symbol>& label : labels_) add_shares(label, nodes, scores, sums);
    for (std::size_t i = 0; i < nodes.size(); ++i) scores[i] = static_cast<std::int64_t>(sums[i]);
  }

 private:
  /// Adds to each node's sum what the label gives it.
  void add_shares(const Column<Symbol>& label, std::span<const NodeId> nodes,
                  std::span<const std::int64_t> counts, std::span<double> sums) const {
    std::unordered_map<Symbol, std::int64_t> under;
    std::int64_t all = 0;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      all += counts[i];
      under[label[nodes[i]]] += counts[i];
    }
    for (std::size_t i = 0; i < nodes.size(); ++i)
      if (const Symbol value = label[nodes[i]]; value != kNone)
        sums[i] += share_elsewhere(under[value], all) / static_cast<double>(labels_.size());
  }

  double share_elsewhere(std::int64_t here, std::int64_t all) const {
    return all == 0 ? max_ : max_ * (static_cast<double>(all - here) / static_cast<double>(all));
  }

  const std::vector<Column<Symbol>> labels_;
  const std::vector<std::int32_t> counts_;  // By node id; empty if no Service selects the pod.
  const double max_;
};

}  // namespace

std::unique_ptr<const Priority> spreads_service(const View& view, const std::vector<std::string>& labels,
                                                std::vector<std::int32_t> counts, std::int64_t max) {
  std::vector<Column<Symbol>> columns;
  for (const std::string& label : labels) columns.push_back(view.label(label));
  return std::make_unique<ServiceAntiAffinity>(std::move(columns), std::move(counts), max);
}

namespace {

/// The pods that the pod's first Service selects, by node id; empty: there is no Service.
std::vector<std::int32_t> count_service(const Request& request) {
  const ObjectMeta& pod = request.pod.metadata;
  const Selector* const service = request.view.workloads().first_service(pod.namespace_, pod.labels);
  return service ? request.view.count_pods({{pod.namespace_}, *service}) : std::vector<std::int32_t>();
}

/// Finds the counts under the node's value of each label, as ServiceAntiAffinity adds them up.
std::unique_ptr<const CauseFinder> find_shares(const Request& request, const std::vector<std::string>& labels,
                                               const std::vector<std::int32_t>& counts) {
  if (counts.empty()) return nullptr;
  struct Label {
    std::string key;
    Column<Symbol> values;
    std::unordered_map<Symbol, std::int64_t> under = {};
  };
  std::vector<Label> found;
  for (const std::string& key : labels) {
    Label& label = found.emplace_back(key, request.view.label(key));
    for (const NodeId node : request.nodes) label.under[label.values[node]] += counts[node];
  }
  return make_cause_finder(
      [&view = request.view, found = std::move(found)](NodeId node, std::vector<Cause>& facts) {
        for (const Label& label : found)
          if (const Symbol value = label.values[node]; value != kNone)
            add_spread(facts, label.key, std::string(view.text(value)), label.under.at(value));
      });
}

std::unique_ptr<const CauseFinder> find_share(const Request& request, const Arguments& arguments) {
  return find_shares(request, {arguments.get<ServiceAntiAffinityLabel>().label}, count_service(request));
}

}  // namespace

BoundPriority service_anti_affinity(const Request& request, const Arguments& arguments) {
  return spreads_service(request.view, {arguments.get<ServiceAntiAffinityLabel>().label},
                         count_service(request), kMaxClassicScore);
}

}  // namespace winnow::priorities

namespace winnow::priorities::removed {

// ServiceAffinity as a score: spreads the pods of the pod's first Service over the values of each label of
// antiAffinityLabelsPreference, and gives the mean over the labels. It is the classic rule of the argument
// serviceAntiAffinity for several labels, with 100 for 10.
// A Service with an empty selector counts no pods. Upstream takes the first Service in the order of a Go map;
// here it is the first by name.
// Upstream: plugins/serviceaffinity/service_affinity.go v1.22.17.

BindPriority service_affinity;

namespace {

/// As of the classic rule.
std::vector<std::int32_t> count_service(const Request& request) {
  const ObjectMeta& pod = request.pod.metadata;
  const std::vector<const Selector*> services = request.view.workloads().services(pod.namespace_, pod.labels);
  if (services.empty() || services.front()->is_everything()) return {};
  return request.view.count_pods(pod.namespace_, *services.front());
}

std::unique_ptr<const CauseFinder> find_share(const Request& request, const Arguments& arguments) {
  const auto* const args = arguments.get_if<ServiceAffinityArgs>();
  return args ? find_shares(request, args->anti_affinity_labels_preference, count_service(request)) : nullptr;
}

}  // namespace

BoundPriority service_affinity(const Request& request, const Arguments& arguments) {
  const auto* const args = arguments.get_if<ServiceAffinityArgs>();
  if (!args) return nullptr;
  return spreads_service(request.view, args->anti_affinity_labels_preference, count_service(request),
                         kMaxNodeScore);
}

}  // namespace winnow::priorities::removed

namespace winnow::priorities {

namespace {

constexpr ArgsField<ServiceAntiAffinityLabel> kServiceAntiAffinityFields[] = {
    field<&ServiceAntiAffinityLabel::label>("label")};
constexpr PolicyArgument kServiceAntiAffinity =
    policy_argument<kServiceAntiAffinityFields>("serviceAntiAffinity");

}  // namespace

// The records.

namespace {

constexpr Record kServicesRecords[] = {
    {.name = "SelectorSpreadPriority",
     .origin = RuleOrigin::kClassic,
     .bind = selector_spread,
     .needs = needs::kWorkloads,
     .made_by = find_siblings,
     .by_default = AtGates::kAllGates},
    // Upstream intends this for Services alone. But its priority metadata, made for SelectorSpreadPriority,
    // overrides that.
    {.name = "ServiceSpreadingPriority",
     .origin = RuleOrigin::kClassic,
     .bind = selector_spread,
     .needs = needs::kWorkloads,
     .made_by = find_siblings},
    {.name = "",
     .origin = RuleOrigin::kClassic,
     .bind = service_anti_affinity,
     .needs = needs::kServices,
     .made_by = find_share,
     .argument = &kServiceAntiAffinity},
    {.name = "SelectorSpread",
     .origin = RuleOrigin::kRemoved,
     .bind = removed::selector_spread,
     .needs = needs::kWorkloads,
     .made_by = removed::find_siblings,
     .without_pre_score = "reading \"PreScoreSelectorSpread\" from cycleState: not found",
     .failing = removed::selector_spread_without_pre_score,
     .may_skip = false,
     .releases = {{.release = Release::k1_18,
                   .points = points::kPreScoreAndScore,
                   .weight = 1,
                   .name = "DefaultPodTopologySpread"},
                  {.release = Release::k1_22, .points = points::kPreScoreAndScore}}},
    {.name = "ServiceAffinity",
     .origin = RuleOrigin::kRemoved,
     .bind = removed::service_affinity,
     .needs = kind_of<Service>,
     .made_by = removed::find_share,
     .may_skip = false,
     .releases = {{.release = Release::k1_18, .points = points::kScore},
                  {.release = Release::k1_27, .points = points::kNone},
                  {.release = Release::k1_37, .points = points::kScore}}},
};

}  // namespace

Records services_records;

std::span<const Record> services_records() { return kServicesRecords; }

}  // namespace winnow::priorities
