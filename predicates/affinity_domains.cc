#include "predicates/affinity_domains.h"

namespace winnow::predicates {

bool mark(Domains<std::uint8_t>& domains, const std::vector<std::int32_t>& pods) {
  bool any = false;
  for (NodeId node = 0; node < pods.size(); ++node) {
    std::uint8_t* const domain = pods[node] != 0 ? domains.at(node) : nullptr;
    if (!domain) continue;
    *domain = 1;
    any = true;
  }
  return any;
}

bool in_any(const MarkedDomains& domains, NodeId node) {
  for (const auto& [key, marks] : domains.keys())
    if (marks[node] != 0) return true;
  return false;
}

void refuse_in_any(const MarkedDomains& domains, Verdict verdict, std::span<const NodeId> nodes,
                   std::span<Verdict> out) {
  for (const auto& [key, marks] : domains.keys())
    for (std::size_t i = 0; i < nodes.size(); ++i)
      if (marks[nodes[i]] != 0) out[i] = verdict;
}

void refuse_unless_in_all(const MarkedDomains& domains, Verdict verdict, std::span<const NodeId> nodes,
                          std::span<Verdict> out) {
  for (const auto& [key, marks] : domains.keys())
    for (std::size_t i = 0; i < nodes.size(); ++i)
      if (marks[nodes[i]] == 0) out[i] = verdict;
}

MarkedDomains domains_of_existing_anti_affinity(const Request& request) {
  MarkedDomains domains(request.view);
  bool any = false;
  request.view.visit_terms(TermKind::kRequiredAntiAffinity, request.pod.metadata,
                           [&](const AffinityTerm& term, std::span<const PodsOnNode> pods) {
                             request.check_time();
                             Domains<std::uint8_t>& marks = domains[term.topology_key];
                             for (const PodsOnNode& here : pods) {
                               std::uint8_t* const mark = marks.at(here.node);
                               if (mark) *mark = 1;
                               any = any || mark;
                             }
                           });
  // A key without a marked domain keeps no node out. Callers take "no keys" for "no rule", which costs
  // nothing.
  if (!any) return MarkedDomains(request.view);
  return domains;
}

bool mark_all(MarkedDomains& domains, const std::vector<std::int32_t>& pods) {
  bool any = false;
  for (std::size_t place = 0; place < domains.keys().size(); ++place) any |= mark(domains.at(place), pods);
  return any;
}

}  // namespace winnow::predicates
