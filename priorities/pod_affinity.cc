#include "priorities/pod_affinity.h"

#include "cluster/api/pod.h"
#include "cluster/function_ref.h"
#include "cluster/go_math.h"
#include "cluster/rule/args_schema.h"
#include "cluster/rule/pod_affinity.h"
#include "cluster/state/pod_groups.h"
#include "cluster/state/pod_terms.h"
#include "priorities/records.h"
#include "priorities/rules.h"

namespace winnow::priorities {

std::int64_t signed_weight(const AffinityTerm& term) {
  if (term.kind != TermKind::kPreferredAntiAffinity) return term.weight;
  return static_cast<std::int32_t>(0u - static_cast<std::uint32_t>(term.weight));
}

bool add(AffinityWeights& weights, const AffinityTerm& term, std::span<const PodsOnNode> pods,
         std::int64_t weight) {
  if (pods.empty()) return false;
  Domains<std::int64_t>& domains = weights[term.topology_key];
  bool any = false;
  for (const PodsOnNode& here : pods) {
    std::int64_t* const sum = domains.at(here.node);
    if (!sum) continue;
    *sum += weight * here.pods;
    any = true;
  }
  return any;
}

namespace {

/// @param pods  by node id.
std::vector<PodsOnNode> pods_on_nodes(const std::vector<std::int32_t>& pods) {
  std::vector<PodsOnNode> found;
  for (NodeId node = 0; node < pods.size(); ++node)
    if (pods[node] != 0) found.push_back({node, pods[node]});
  return found;
}

}  // namespace

bool add(AffinityWeights& weights, const AffinityTerm& term, const std::vector<std::int32_t>& pods,
         std::int64_t weight) {
  return add(weights, term, pods_on_nodes(pods), weight);
}

void add_sums(const AffinityWeights& weights, std::span<const NodeId> nodes, std::span<std::int64_t> out) {
  for (const auto& [key, domains] : weights.keys())
    for (std::size_t i = 0; i < nodes.size(); ++i) out[i] += domains[nodes[i]];
}

namespace {

/// Pods that add to nodes' sums, by who has the term, its topology key and its weight.
class PodsByTerm {
 public:
  explicit PodsByTerm(const View& view) : view_(view) {}

  void add(const char* whose, const AffinityTerm& term, std::span<const PodsOnNode> pods,
           std::int64_t weight) {
    Domains<std::int64_t>* const domains = domains_of(whose, term.topology_key, weight);
    if (domains == nullptr) return;
    for (const PodsOnNode& here : pods)
      if (std::int64_t* const sum = domains->at(here.node)) *sum += here.pods;
  }

  void tell(NodeId node, std::vector<Cause>& facts) const {
    for (const Part& part : parts_) {
      const std::int64_t* const pods = part.domains.find(node);
      if (pods == nullptr || *pods == 0) continue;
      Cause& fact = facts.emplace_back("affinityPods");
      fact.with("whose", part.whose).with("topologyKey", part.key);
      fact.with("domain", std::string(view_.text(part.label[node])));
      fact.with("pods", *pods).with("weight", part.weight);
    }
  }

 private:
  static constexpr std::size_t kMostParts = 16;
  struct Part {
    std::string whose, key;
    std::int64_t weight;
    Column<Symbol> label;
    Domains<std::int64_t> domains;
  };

  /// Null: there are too many parts.
  Domains<std::int64_t>* domains_of(std::string_view whose, const std::string& key, std::int64_t weight) {
    for (Part& part : parts_)
      if (part.whose == whose && part.key == key && part.weight == weight) return &part.domains;
    if (parts_.size() >= kMostParts) return nullptr;
    parts_.push_back({std::string(whose), key, weight, view_.label(key), Domains<std::int64_t>(view_, key)});
    return &parts_.back().domains;
  }

  const View& view_;
  std::vector<Part> parts_;
};

}  // namespace

// InterPodAffinityPriority: prefers the domains of pods that this pod prefers, and of pods that prefer it.
// Anti-affinity does the opposite, by negative weights. Each pod adds the weights of these terms to the
// domains of its node:
// - this pod's preferred terms that match the other pod;
// - the other pod's preferred terms that match this pod;
// - the other pod's required affinity terms that match this pod, with a configured weight.
// A node's raw score is the sum over its domains. Pods of all nodes count, whichever nodes are scored. The
// lowest and the highest sum start at 0.
// Example: sums of -2, 0 and 6 give 10*(-2+2)/8 = 0, 10*2/8 = 2 and 10*8/8 = 10.
// Upstream: priorities/interpod_affinity.go v1.16.15.

BindPriority inter_pod_affinity;

namespace {

class InterPodAffinity final : public Priority {
 public:
  explicit InterPodAffinity(AffinityWeights weights) : weights_(std::move(weights)) {}

  void map(std::span<const NodeId> nodes, std::span<std::int64_t> out) const override {
    add_sums(weights_, nodes, out);
  }

  void reduce(std::span<const NodeId>, std::span<std::int64_t> scores) const override {
    std::int64_t lowest = 0, highest = 0;
    for (const std::int64_t sum : scores) {
      lowest = std::min(lowest, sum);
      highest = std::max(highest, sum);
    }
    const auto range = static_cast<double>(highest - lowest);
    for (std::int64_t& score : scores)
      score = range > 0 ? static_cast<std::int64_t>(static_cast<double>(kMaxClassicScore) *
                                                    (static_cast<double>(score - lowest) / range))
                        : 0;
  }

 private:
  const AffinityWeights weights_;
};

/// Adds the weights of this pod's terms. @return an invalid selector's error, if there is a pod to match it
/// with.
std::expected<void, std::string> add_own(const Request& request, AffinityWeights& weights) {
  for (const TermKind kind : {TermKind::kPreferredAffinity, TermKind::kPreferredAntiAffinity})
    for (const AffinityTerm& term : affinity_terms(request.pod, kind)) {
      request.check_time();
      if (!term.selector && request.view.has_running_pods()) return std::unexpected(term.selector.error());
      add(weights, term, request.view.count_pods(term.query()), signed_weight(term));
    }
  return {};
}

/// Adds the weights of other pods' terms. @return the error of an invalid selector; of several, the first by
/// text.
std::expected<void, std::string> add_others(const Request& request, std::int64_t hard_weight,
                                            AffinityWeights& weights) {
  std::string error;
  for (const TermKind kind :
       {TermKind::kRequiredAffinity, TermKind::kPreferredAffinity, TermKind::kPreferredAntiAffinity}) {
    const bool is_hard = kind == TermKind::kRequiredAffinity;
    if (is_hard && hard_weight <= 0) continue;
    request.view.visit_invalid_terms(kind, [&](const AffinityTerm& term, std::span<const PodsOnNode>) {
      if (error.empty() || term.selector.error() < error) error = term.selector.error();
    });
    request.view.visit_terms(kind, request.pod.metadata,
                             [&](const AffinityTerm& term, std::span<const PodsOnNode> pods) {
                               request.check_time();
                               add(weights, term, pods, is_hard ? hard_weight : signed_weight(term));
                             });
  }
  if (!error.empty()) return std::unexpected(std::move(error));
  return {};
}

}  // namespace

namespace {

std::int64_t hard_weight_of(const Arguments& arguments) {
  const auto* const hard = arguments.get_if<HardPodAffinity>();
  return (hard ? *hard : HardPodAffinity()).weight;
}

/// A term whose selector is invalid fails the rule, so that no score is told of.
std::unique_ptr<const CauseFinder> find_affinity_pods(const Request& request, const Arguments& arguments) {
  PodsByTerm found(request.view);
  for (const TermKind kind : {TermKind::kPreferredAffinity, TermKind::kPreferredAntiAffinity})
    for (const AffinityTerm& term : affinity_terms(request.pod, kind))
      if (term.selector)
        found.add("own", term, pods_on_nodes(request.view.count_pods(term.query())), signed_weight(term));
  const std::int64_t hard_weight = hard_weight_of(arguments);
  for (const TermKind kind :
       {TermKind::kRequiredAffinity, TermKind::kPreferredAffinity, TermKind::kPreferredAntiAffinity}) {
    const bool is_hard = kind == TermKind::kRequiredAffinity;
    if (is_hard && hard_weight <= 0) continue;
    request.view.visit_terms(kind, request.pod.metadata,
                             [&](const AffinityTerm& term, std::span<const PodsOnNode> pods) {
                               request.check_time();
                               found.add("existing", term, pods, is_hard ? hard_weight : signed_weight(term));
                             });
  }
  return make_cause_finder(
      [found = std::move(found)](NodeId node, std::vector<Cause>& facts) { found.tell(node, facts); });
}

}  // namespace

BoundPriority inter_pod_affinity(const Request& request, const Arguments& arguments) {
  AffinityWeights weights(request.view);
  if (auto own = add_own(request, weights); !own) return std::unexpected(std::move(own.error()));
  if (auto others = add_others(request, hard_weight_of(arguments), weights); !others)
    return std::unexpected(std::move(others.error()));
  if (weights.empty()) return nullptr;
  return std::make_unique<InterPodAffinity>(std::move(weights));
}

}  // namespace winnow::priorities

namespace winnow::priorities::today {

// InterPodAffinity: prefers the domains of pods that this pod prefers, and of pods that prefer it.
// Anti-affinity does the opposite, by negative weights. Each pod adds the weights of these terms to the
// domains of its node:
// - this pod's preferred terms that match the other pod;
// - the other pod's preferred terms that match this pod;
// - the other pod's required affinity terms that match this pod, with a configured weight.
// A node's raw score is the sum over its domains. Pods of all nodes count, whichever nodes are scored. If all
// sums are equal, every node gets 0.
// Example: sums of -2, 0 and 6 give 100*(-2+2)/8 = 0, 100*2/8 = 25 and 100*8/8 = 100.
// Upstream: pkg/scheduler/framework/plugins/interpodaffinity/scoring.go v1.37.0.

BindPriority inter_pod_affinity;

namespace {

class InterPodAffinity final : public Priority {
 public:
  explicit InterPodAffinity(AffinityWeights weights) : weights_(std::move(weights)) {}

  void map(std::span<const NodeId> nodes, std::span<std::int64_t> out) const override {
    add_sums(weights_, nodes, out);
  }

  void reduce(std::span<const NodeId>, std::span<std::int64_t> scores) const override {
    reduce_weights(scores);
  }

 private:
  const AffinityWeights weights_;
};

bool prefers_any(const PodSpec& pod) {
  if (!pod.affinity) return false;
  const auto has_preferred = [](const std::optional<PodAffinity>& affinity) {
    return affinity && !affinity->preferred.empty();
  };
  return has_preferred(pod.affinity->pod_affinity) || has_preferred(pod.affinity->pod_anti_affinity);
}

/// Adds the weights of this pod's terms. @return whether a matching pod is in a domain.
bool add_own(const Request& request, AffinityWeights& weights) {
  bool any = false;
  for (const TermKind kind : {TermKind::kPreferredAffinity, TermKind::kPreferredAntiAffinity})
    visit_own_terms(request, kind, [&](const AffinityTerm& term) {
      any |= add(weights, term, request.view.count_pods(query_of(term)), signed_weight(term));
    });
  return any;
}

/// Calls visit(term, pods, weight) for the terms of other pods.
void visit_others(const Request& request, std::int64_t hard_weight,
                  FunctionRef<void(const AffinityTerm&, std::span<const PodsOnNode>, std::int64_t)> visit) {
  for (const TermKind kind :
       {TermKind::kRequiredAffinity, TermKind::kPreferredAffinity, TermKind::kPreferredAntiAffinity}) {
    const bool is_hard = kind == TermKind::kRequiredAffinity;
    if (is_hard && hard_weight <= 0) continue;
    request.view.visit_terms(kind, request.pod.metadata,
                             [&](const AffinityTerm& term, std::span<const PodsOnNode> pods) {
                               request.check_time();
                               visit(term, pods, is_hard ? hard_weight : signed_weight(term));
                             });
  }
}

/// Adds the weights of other pods' terms. @return whether a pod with a matching term is in a domain.
bool add_others(const Request& request, std::int64_t hard_weight, AffinityWeights& weights) {
  bool any = false;
  visit_others(request, hard_weight,
               [&](const AffinityTerm& term, std::span<const PodsOnNode> pods, std::int64_t weight) {
                 any |= add(weights, term, pods, weight);
               });
  return any;
}

}  // namespace

namespace {

InterPodAffinityArgs affinity_args(const Arguments& arguments) {
  const auto* const given = arguments.get_if<InterPodAffinityArgs>();
  return given ? *given : InterPodAffinityArgs();
}

std::unique_ptr<const CauseFinder> find_affinity_pods(const Request& request, const Arguments& arguments) {
  PodsByTerm found(request.view);
  for (const TermKind kind : {TermKind::kPreferredAffinity, TermKind::kPreferredAntiAffinity})
    visit_own_terms(request, kind, [&](const AffinityTerm& term) {
      found.add("own", term, pods_on_nodes(request.view.count_pods(query_of(term))), signed_weight(term));
    });
  visit_others(request, affinity_args(arguments).hard_pod_affinity_weight,
               [&](const AffinityTerm& term, std::span<const PodsOnNode> pods, std::int64_t weight) {
                 found.add("existing", term, pods, weight);
               });
  return make_cause_finder(
      [found = std::move(found)](NodeId node, std::vector<Cause>& facts) { found.tell(node, facts); });
}

}  // namespace

void reduce_weights(std::span<std::int64_t> scores) {
  if (scores.empty()) return;
  const auto [lowest, highest] = std::ranges::minmax(scores);
  const auto range = static_cast<double>(wrap_subtract(highest, lowest));
  for (std::int64_t& score : scores)
    score = range > 0 ? static_cast<std::int64_t>(static_cast<double>(kMaxNodeScore) *
                                                  (static_cast<double>(score - lowest) / range))
                      : 0;
}

BoundPriority inter_pod_affinity(const Request& request, const Arguments& arguments) {
  if (request.kept && request.kept->state)
    if (auto by_kept = affinity_scores_by_kept(request)) return *std::move(by_kept);
  const InterPodAffinityArgs args = affinity_args(arguments);
  if (args.ignore_preferred_terms_of_existing_pods && !prefers_any(request.pod.spec)) return nullptr;
  if (const auto error = invalid_terms_error(request.pod.spec))
    return std::unexpected("failed to parse pod: " + *error);
  if (request.kept)
    if (auto to_keep = affinity_scores_to_keep(request, args.hard_pod_affinity_weight))
      return *std::move(to_keep);
  AffinityWeights weights(request.view);
  const bool own = add_own(request, weights);
  const bool others = add_others(request, args.hard_pod_affinity_weight, weights);
  if (!own && !others) return nullptr;
  return std::make_unique<InterPodAffinity>(std::move(weights));
}

}  // namespace winnow::priorities::today

namespace winnow::priorities {

namespace {

constexpr ArgsField<InterPodAffinityArgs> kInterPodAffinityFields[] = {
    field<&InterPodAffinityArgs::hard_pod_affinity_weight, in_range<0, kMaxPercent>>("hardPodAffinityWeight",
                                                                                     &fields::kInt32),
    field<&InterPodAffinityArgs::ignore_preferred_terms_of_existing_pods>(
        "ignorePreferredTermsOfExistingPods")};
/// Up to v1.22.
constexpr ArgsField<InterPodAffinityArgs> kInterPodAffinityFields122[] = {kInterPodAffinityFields[0]};

constexpr ArgsSchema kInterPodAffinityArgs = args_schema<kInterPodAffinityFields>();
constexpr ArgsSchema kInterPodAffinityArgs122 = args_schema<kInterPodAffinityFields122>();
constexpr ArgsSchema kInterPodAffinityArgs118 = untyped_args_schema<kInterPodAffinityFields122>();

}  // namespace

// The records.

namespace {

constexpr Record kPodAffinityRecords[] = {
    {.name = "InterPodAffinityPriority",
     .origin = RuleOrigin::kClassic,
     .bind = inter_pod_affinity,
     .needs = needs::kNothing,
     .made_by = find_affinity_pods,
     .has_map = false,
     .by_default = AtGates::kAllGates},
    {.name = "InterPodAffinity",
     .origin = RuleOrigin::kToday,
     .bind = today::inter_pod_affinity,
     .needs = needs::kNamespaces,
     .reads = Reads::kRows,
     .made_by = today::find_affinity_pods,
     .without_pre_score = "failed to read \"PreScoreInterPodAffinity\" from cycleState: not found",
     .releases = {{.release = Release::k1_18,
                   .points = points::kPreScoreAndScore,
                   .args = &kInterPodAffinityArgs118,
                   .weight = 1},
                  {.release = Release::k1_22,
                   .points = points::kPreScoreAndScore,
                   .args = &kInterPodAffinityArgs122,
                   .weight = 1},
                  {.release = Release::k1_27,
                   .points = points::kPreScoreAndScore,
                   .args = &kInterPodAffinityArgs,
                   .weight = 1},
                  {.release = Release::k1_28,
                   .points = points::kPreScoreAndScore,
                   .args = &kInterPodAffinityArgs,
                   .weight = 2}}},
};

}  // namespace

Records pod_affinity_records;

std::span<const Record> pod_affinity_records() { return kPodAffinityRecords; }

}  // namespace winnow::priorities
