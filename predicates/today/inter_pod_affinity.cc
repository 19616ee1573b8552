// InterPodAffinity checks three things:
// - The node's domains have what the pod's required affinity asks for. A pod counts if it matches all terms,
//   and its node's domains then satisfy each of them. If no domain has such a pod, and the pod matches its
//   own terms, it is the first of its kind: any node that has all the topology keys fits.
// - The node's domains have no pod that the pod's required anti-affinity forbids.
// - No running pod's required anti-affinity keeps the pod out of the node's domains.
// Upstream: pkg/scheduler/framework/plugins/interpodaffinity/filtering.go v1.37.0.
#include <memory>

#include "cluster/rule/own_terms.h"
#include "predicates/affinity_domains.h"
#include "predicates/affinity_trial.h"
#include "predicates/rules.h"

namespace winnow::predicates::today {

BindPredicate inter_pod_affinity;
MakeTrial try_inter_pod_affinity;

namespace {

const std::array<std::string, 3> kReasons = {
    "node(s) didn't match pod affinity rules",
    "node(s) didn't match pod anti-affinity rules",
    "node(s) didn't satisfy existing pods anti-affinity rules",
};

/// The pod's required affinity: a node must be in a marked domain of every key, or (for the first pod of its
/// kind) have every key. Without terms there are no keys.
struct Wanted {
  MarkedDomains domains;
  bool is_first = false;
};

class InterPodAffinity final : public Predicate {
 public:
  InterPodAffinity(Wanted wanted, MarkedDomains forbidden, MarkedDomains taken)
      : wanted_(std::move(wanted)), forbidden_(std::move(forbidden)), taken_(std::move(taken)) {}

  void map(std::span<const NodeId> nodes, std::span<Verdict> out) const override {
    // The reason that upstream finds first is written last, over the others.
    refuse_in_any(taken_, Verdict::of(Fit::kUnschedulable, 0b100), nodes, out);
    refuse_in_any(forbidden_, Verdict::of(Fit::kUnschedulable, 0b010), nodes, out);
    constexpr Verdict kUnwanted = Verdict::of(Fit::kUnresolvable, 0b001);
    if (!wanted_.is_first) return refuse_unless_in_all(wanted_.domains, kUnwanted, nodes, out);
    for (const auto& [key, domains] : wanted_.domains.keys())
      for (std::size_t i = 0; i < nodes.size(); ++i)
        if (!domains.has(nodes[i])) out[i] = kUnwanted;
  }
  std::span<const std::string> reasons() const override { return kReasons; }

 private:
  const Wanted wanted_;
  const MarkedDomains forbidden_, taken_;
};

Wanted wanted_domains(const Request& request) {
  Wanted wanted{MarkedDomains(request.view)};
  AllQueries all;
  visit_own_terms(request, TermKind::kRequiredAffinity, [&](const AffinityTerm& term) {
    all.add(query_of(term));
    wanted.domains.place_of(term.topology_key);
  });
  if (wanted.domains.empty()) return wanted;
  const PodQuery query = all.take();
  const bool any = mark_all(wanted.domains, request.view.count_pods(query));
  const ObjectMeta& pod = request.pod.metadata;
  wanted.is_first = !any && query.matches(pod.namespace_, pod.labels, pod.deleting);
  return wanted;
}

MarkedDomains forbidden_domains(const Request& request) {
  MarkedDomains domains(request.view);
  visit_own_terms(request, TermKind::kRequiredAntiAffinity, [&](const AffinityTerm& term) {
    mark(domains[term.topology_key], request.view.count_pods(query_of(term)));
  });
  return domains;
}

}  // namespace

std::unique_ptr<const Predicate> inter_pod_affinity(const Request& request, const Arguments&) {
  if (const auto error = invalid_terms_error(request.pod.spec))
    return std::make_unique<RefusesPod>(Fit::kUnresolvable, "parsing pod: " + *error);
  Wanted wanted = wanted_domains(request);
  MarkedDomains forbidden = forbidden_domains(request);
  MarkedDomains taken = domains_of_existing_anti_affinity(request);
  if (wanted.domains.empty() && forbidden.empty() && taken.empty()) return nullptr;
  return std::make_unique<InterPodAffinity>(std::move(wanted), std::move(forbidden), std::move(taken));
}

std::unique_ptr<Trial> try_inter_pod_affinity(const Request& request, const Arguments&) {
  OwnAffinity own;
  AllQueries all;
  visit_own_terms(request, TermKind::kRequiredAffinity, [&](const AffinityTerm& term) {
    all.add(query_of(term));
    own.wanted_keys.push_back(term.topology_key);
  });
  if (!own.wanted_keys.empty()) own.wanted = all.take();
  visit_own_terms(request, TermKind::kRequiredAntiAffinity, [&](const AffinityTerm& term) {
    own.forbidden.emplace_back(term.topology_key, query_of(term));
  });
  return make_affinity_trial(request, own);
}

}  // namespace winnow::predicates::today
