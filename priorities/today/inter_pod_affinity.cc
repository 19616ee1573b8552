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
#include "cluster/rule/arguments.h"
#include "cluster/rule/own_terms.h"
#include "priorities/affinity_weights.h"
#include "priorities/rules.h"

namespace winnow::priorities::today {

BindPriority inter_pod_affinity;

namespace {

class InterPodAffinity final : public Priority {
 public:
  explicit InterPodAffinity(AffinityWeights weights) : weights_(std::move(weights)) {}

  void map(std::span<const NodeId> nodes, std::span<std::int64_t> out) const override {
    add_sums(weights_, nodes, out);
  }

  void reduce(std::span<const NodeId>, std::span<std::int64_t> scores) const override {
    if (scores.empty()) return;
    const auto [lowest, highest] = std::ranges::minmax(scores);
    const auto range = static_cast<double>(wrap_subtract(highest, lowest));
    for (std::int64_t& score : scores)
      score = range > 0 ? static_cast<std::int64_t>(static_cast<double>(kMaxNodeScore) *
                                                    (static_cast<double>(score - lowest) / range))
                        : 0;
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

/// Adds the weights of other pods' terms. @return whether a pod with a matching term is in a domain.
bool add_others(const Request& request, std::int64_t hard_weight, AffinityWeights& weights) {
  bool any = false;
  for (const TermKind kind :
       {TermKind::kRequiredAffinity, TermKind::kPreferredAffinity, TermKind::kPreferredAntiAffinity}) {
    const bool is_hard = kind == TermKind::kRequiredAffinity;
    if (is_hard && hard_weight <= 0) continue;
    request.view.visit_terms(kind, request.pod.metadata,
                             [&](const AffinityTerm& term, std::span<const PodsOnNode> pods) {
                               request.check_time();
                               any |= add(weights, term, pods, is_hard ? hard_weight : signed_weight(term));
                             });
  }
  return any;
}

}  // namespace

BoundPriority inter_pod_affinity(const Request& request, const Arguments& arguments) {
  const auto* const given = std::get_if<InterPodAffinityArgs>(&arguments);
  const InterPodAffinityArgs args = given ? *given : InterPodAffinityArgs();
  if (args.ignore_preferred_terms_of_existing_pods && !prefers_any(request.pod.spec)) return nullptr;
  if (const auto error = invalid_terms_error(request.pod.spec))
    return std::unexpected("failed to parse pod: " + *error);
  AffinityWeights weights(request.view);
  const bool own = add_own(request, weights);
  const bool others = add_others(request, args.hard_pod_affinity_weight, weights);
  if (!own && !others) return nullptr;
  return std::make_unique<InterPodAffinity>(std::move(weights));
}

}  // namespace winnow::priorities::today
