// MatchInterPodAffinity checks three things:
// - No running pod's required anti-affinity keeps the pod out of the node's domains.
// - The node's domains have what the pod's required affinity asks for. A pod counts if it matches all terms,
//   and its node's domains then satisfy each of them. If no domain has such a pod, and the pod matches its
//   own terms, it is the first of its kind and may run anywhere.
// - The node's domains have no pod that the pod's required anti-affinity forbids.
// Nominated pods do not count for the pod's own terms: upstream's AddPod ignores pods without spec.nodeName.
// Upstream: predicates.go InterPodAffinityMatches, metadata.go v1.16.15.
#include "predicates/affinity_trial.h"
#include "predicates/inter_pod_affinity.h"
#include "predicates/metadata.h"

namespace winnow::predicates {

BindPredicate match_inter_pod_affinity;
MakeTrial try_match_inter_pod_affinity;

namespace {

class MatchInterPodAffinity final : public Predicate {
 public:
  /// @param required  the node must be in a marked domain of every key. Without keys every node passes.
  MatchInterPodAffinity(MarkedDomains taken, MarkedDomains required, MarkedDomains forbidden)
      : taken_(std::move(taken)), required_(std::move(required)), forbidden_(std::move(forbidden)) {}

  void map(std::span<const NodeId> nodes, std::span<Verdict> out) const override {
    // The reason that upstream finds first is written last, over the others.
    refuse_in_any(forbidden_, fails(kAntiAffinityRules), nodes, out);
    refuse_unless_in_all(required_, fails(kAffinityRules), nodes, out);
    refuse_in_any(taken_, fails(kExistingPodsRules), nodes, out);
  }
  std::span<const std::string> reasons() const override { return kAffinityReasons; }

 private:
  const MarkedDomains taken_, required_, forbidden_;
};

MarkedDomains required_domains(const Request& request) {
  MarkedDomains domains(request.view);
  const std::vector<AffinityTerm> terms = affinity_terms(request.pod, TermKind::kRequiredAffinity);
  if (terms.empty()) return domains;
  const PodQuery query = all_of(terms);
  const std::vector<std::int32_t> pods = request.view.count_assigned(query);
  for (const AffinityTerm& term : terms) domains.place_of(term.topology_key);
  const bool any = mark_all(domains, pods);
  const ObjectMeta& pod = request.pod.metadata;
  const bool is_first = !any && query.matches(pod.namespace_, pod.labels, pod.deleting);
  return is_first ? MarkedDomains(request.view) : std::move(domains);
}

MarkedDomains forbidden_domains(const Request& request) {
  MarkedDomains domains(request.view);
  for (const AffinityTerm& term : affinity_terms(request.pod, TermKind::kRequiredAntiAffinity)) {
    request.check_time();
    mark(domains[term.topology_key], request.view.count_assigned(term.query()));
  }
  return domains;
}

}  // namespace

std::unique_ptr<const Predicate> match_inter_pod_affinity(const Request& request, const Arguments&) {
  if (lacks_metadata(request)) return inter_pod_affinity_slow(request);
  MarkedDomains taken = domains_of_existing_anti_affinity(request);
  MarkedDomains required = required_domains(request);
  MarkedDomains forbidden = forbidden_domains(request);
  if (taken.empty() && required.empty() && forbidden.empty()) return nullptr;
  return std::make_unique<MatchInterPodAffinity>(std::move(taken), std::move(required), std::move(forbidden));
}

std::unique_ptr<Trial> try_match_inter_pod_affinity(const Request& request, const Arguments&) {
  if (lacks_metadata(request)) return nullptr;
  OwnAffinity own;
  own.generation = Generation::kClassic;
  const std::vector<AffinityTerm> wanted = affinity_terms(request.pod, TermKind::kRequiredAffinity);
  for (const AffinityTerm& term : wanted) own.wanted_keys.push_back(term.topology_key);
  if (!wanted.empty()) own.wanted = all_of(wanted);
  for (const AffinityTerm& term : affinity_terms(request.pod, TermKind::kRequiredAntiAffinity))
    own.forbidden.emplace_back(term.topology_key, term.query());
  return make_affinity_trial(request, own);
}

}  // namespace winnow::predicates
