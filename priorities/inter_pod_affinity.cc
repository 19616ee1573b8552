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
#include "cluster/rule/arguments.h"
#include "priorities/affinity_weights.h"
#include "priorities/rules.h"

namespace winnow::priorities {

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

BoundPriority inter_pod_affinity(const Request& request, const Arguments& arguments) {
  const auto* const hard = std::get_if<HardPodAffinity>(&arguments);
  AffinityWeights weights(request.view);
  if (auto own = add_own(request, weights); !own) return std::unexpected(std::move(own.error()));
  if (auto others = add_others(request, (hard ? *hard : HardPodAffinity()).weight, weights); !others)
    return std::unexpected(std::move(others.error()));
  if (weights.empty()) return nullptr;
  return std::make_unique<InterPodAffinity>(std::move(weights));
}

}  // namespace winnow::priorities
