// InterPodAffinityPriority: towards the domains of pods that this pod prefers and of pods that prefer it,
// away from those of the others. A node sums, by topology key, the weights of what its domain has: the pod's
// preferred terms for each pod that they match, every pod's preferred terms that match this one, and a fixed
// weight for every pod's required affinity that does. Anti-affinity counts negative. Pods of all nodes count,
// whichever are scored.
// Sums -2, 0 and 6 give 10*(-2+2)/8 = 0, 10*2/8 = 2 and 10*8/8 = 10; lowest and highest start at 0.
// Upstream: priorities/interpod_affinity.go v1.16.15.
#include "cluster/rule/domains.h"
#include "priorities/rules.h"

namespace winnow::priorities {

BindPriority inter_pod_affinity;

namespace {

using Weights = DomainsByKey<std::int64_t>;

class InterPodAffinity final : public Priority {
 public:
  explicit InterPodAffinity(Weights weights) : weights_(std::move(weights)) {}

  void map(std::span<const NodeId> nodes, std::span<std::int64_t> out) const override {
    for (const auto& [key, domains] : weights_.keys())
      for (std::size_t i = 0; i < nodes.size(); ++i) out[i] += domains[nodes[i]];
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
  const Weights weights_;
};

/// What one pod that matches a preferred term adds; upstream turns the sign in 32 bits.
std::int64_t signed_weight(const AffinityTerm& term) {
  if (term.kind != TermKind::kPreferredAntiAffinity) return term.weight;
  return static_cast<std::int32_t>(0u - static_cast<std::uint32_t>(term.weight));
}

void add(Weights& weights, const AffinityTerm& term, std::span<const PodsOnNode> pods, std::int64_t weight) {
  if (pods.empty()) return;
  Domains<std::int64_t>& domains = weights[term.topology_key];
  for (const PodsOnNode& here : pods)
    if (std::int64_t* const sum = domains.at(here.node)) *sum += weight * here.pods;
}

/// What the pod says of others. @return an invalid selector's error, if there is a pod to try it on.
std::expected<void, std::string> add_own(const Request& request, Weights& weights) {
  for (const TermKind kind : {TermKind::kPreferredAffinity, TermKind::kPreferredAntiAffinity})
    for (const AffinityTerm& term : affinity_terms(request.pod, kind)) {
      if (!term.selector && request.view.has_running_pods()) return std::unexpected(term.selector.error());
      std::vector<PodsOnNode> found;
      const std::vector<std::int32_t> pods = request.view.count_pods(term.query());
      for (NodeId node = 0; node < pods.size(); ++node)
        if (pods[node] != 0) found.push_back({node, pods[node]});
      add(weights, term, found, signed_weight(term));
    }
  return {};
}

/// What others say of the pod. @return the first, by text, of the errors of their invalid selectors.
std::expected<void, std::string> add_others(const Request& request, std::int64_t hard_weight,
                                            Weights& weights) {
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
                               add(weights, term, pods, is_hard ? hard_weight : signed_weight(term));
                             });
  }
  if (!error.empty()) return std::unexpected(std::move(error));
  return {};
}

}  // namespace

BoundPriority inter_pod_affinity(const Request& request, const Arguments& arguments) {
  const auto* const hard = std::get_if<HardPodAffinity>(&arguments);
  Weights weights(request.view);
  if (auto own = add_own(request, weights); !own) return std::unexpected(std::move(own.error()));
  if (auto others = add_others(request, (hard ? *hard : HardPodAffinity()).weight, weights); !others)
    return std::unexpected(std::move(others.error()));
  if (weights.empty()) return nullptr;
  return std::make_unique<InterPodAffinity>(std::move(weights));
}

}  // namespace winnow::priorities
