// GeneralPredicates: PodFitsResources, HostName, PodFitsHostPorts and MatchNodeSelector in one. All four are
// asked and all their reasons given, in this order.
// Upstream: predicates.go GeneralPredicates v1.16.15.
#include "predicates/rules.h"

namespace winnow::predicates {

BindPredicate general_predicates;

namespace {

class GeneralPredicates final : public Predicate {
 public:
  explicit GeneralPredicates(const Request& request) {
    for (BindPredicate* bind : {&fits_resources, &host_name, &fits_host_ports, &match_node_selector}) {
      std::unique_ptr<const Predicate> part = bind(request, {});
      if (!part) continue;
      parts_.push_back({std::move(part), reasons_.size()});
      reasons_.insert(reasons_.end(), parts_.back().rule->reasons().begin(),
                      parts_.back().rule->reasons().end());
    }
  }

  void map(std::span<const NodeId> nodes, std::span<Verdict> out) const override {
    parts_.front().rule->map(nodes, out);
    std::vector<Verdict> verdicts(nodes.size());
    for (const Part& part : std::span(parts_).subspan(1)) {
      std::ranges::fill(verdicts, Verdict());
      part.rule->map(nodes, verdicts);
      for (std::size_t i = 0; i < nodes.size(); ++i)
        if (!verdicts[i].fits()) out[i] = join(out[i], verdicts[i], part.first_reason);
    }
  }
  std::span<const std::string> reasons() const override { return reasons_; }

 private:
  struct Part {
    std::unique_ptr<const Predicate> rule;
    std::size_t first_reason;
  };

  /// One reason that eviction cannot mend is enough to make the node unresolvable.
  static Verdict join(Verdict a, Verdict b, std::size_t shift) {
    return Verdict::of(std::max(a.fit(), b.fit()), a.reasons() | b.reasons() << shift);
  }

  std::vector<Part> parts_;  // Never empty: PodFitsResources always counts pods.
  std::vector<std::string> reasons_;
};

}  // namespace

std::unique_ptr<const Predicate> general_predicates(const Request& request, const Arguments&) {
  return std::make_unique<GeneralPredicates>(request);
}

}  // namespace winnow::predicates
