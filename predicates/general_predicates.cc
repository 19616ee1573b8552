// GeneralPredicates: PodFitsResources, HostName, PodFitsHostPorts and MatchNodeSelector in one. All four are
// always checked, and all their reasons are given, in this order.
// Upstream: predicates.go GeneralPredicates v1.16.15.
#include <algorithm>
#include <utility>

#include "cluster/rule/arguments.h"
#include "cluster/rule/reasons.h"
#include "predicates/rules.h"

namespace winnow::predicates {

BindPredicate general_predicates;
MakeTrial try_general_predicates;

namespace {

class GeneralPredicates final : public Predicate {
 public:
  /// @param arguments  those of PodFitsResources; the other parts take none.
  GeneralPredicates(const Request& request, const Arguments& arguments) : lists_(request.reason_lists) {
    for (BindPredicate* bind : {&fits_resources, &host_name, &fits_host_ports, &match_node_selector}) {
      std::unique_ptr<const Predicate> part = bind(request, arguments);
      if (!part) continue;
      parts_.push_back({std::move(part), reasons_.size()});
      reasons_.insert(reasons_.end(), parts_.back().rule->reasons().begin(),
                      parts_.back().rule->reasons().end());
    }
  }

  void map(std::span<const NodeId> nodes, std::span<Verdict> out) const override {
    parts_.front().rule->map(nodes, out);
    if (parts_.size() == 1) return;  // As for most pods.
    std::vector<Verdict> verdicts(nodes.size());
    for (const Part& part : std::span(parts_).subspan(1)) {
      std::ranges::fill(verdicts, Verdict());
      part.rule->map(nodes, verdicts);
      for (std::size_t i = 0; i < nodes.size(); ++i)
        if (!verdicts[i].fits()) out[i] = join(out[i], verdicts[i], part);
    }
  }
  std::span<const std::string> reasons() const override { return reasons_; }

 private:
  struct Part {
    std::unique_ptr<const Predicate> rule;
    std::size_t first_reason;
  };

  /// Joins the verdicts of two parts. One reason that eviction cannot change makes the node unresolvable.
  Verdict join(Verdict before, Verdict more, const Part& part) const {
    const Fit fit = std::max(before.fit(), more.fit());
    if (reasons_.size() <= Verdict::kMaxReasons)
      return Verdict::of(fit, before.reasons() | more.reasons() << part.first_reason);
    ReasonList both = reason_list_of(this, before, *lists_);
    const ReasonList added = reason_list_of(part.rule.get(), more, *lists_);
    for (const std::string& text : added.texts) both.add(text);
    both.more += added.more;
    return lists_->verdict(fit, std::move(both));
  }

  ReasonLists* const lists_;
  std::vector<Part> parts_;  // Never empty: PodFitsResources is never null.
  std::vector<std::string> reasons_;
};

/// Of its parts no eviction turns the name and the selector.
class GeneralTrial final : public Trial {
 public:
  /// @param arguments  those of PodFitsResources.
  GeneralTrial(const Request& request, const Arguments& arguments)
      : resources_(try_fits_resources(request, arguments)), ports_(try_fits_host_ports(request, {})) {
    for (BindPredicate* bind : {&host_name, &match_node_selector})
      if (std::unique_ptr<const Predicate> part = bind(request, {})) fixed_.push_back(std::move(part));
  }
  GeneralTrial(const GeneralTrial& other)
      : fixed_(other.fixed_),
        passes_(other.passes_),
        resources_(other.resources_->copy()),
        ports_(other.ports_->copy()) {}
  GeneralTrial& operator=(const GeneralTrial&) = delete;

  void begin(NodeId node) override {
    passes_ = std::ranges::all_of(fixed_, [&](const auto& part) {
      Verdict verdict;
      part->map({&node, 1}, {&verdict, 1});
      return verdict.fits();
    });
    resources_->begin(node);
    ports_->begin(node);
  }
  void change(PodId pod, std::int32_t by) override {
    resources_->change(pod, by);
    ports_->change(pod, by);
  }
  bool fits() const override { return passes_ && resources_->fits() && ports_->fits(); }
  std::unique_ptr<Trial> copy() const override { return std::make_unique<GeneralTrial>(*this); }

 private:
  std::vector<std::shared_ptr<const Predicate>> fixed_;
  bool passes_ = false;
  std::unique_ptr<Trial> resources_, ports_;
};

}  // namespace

std::unique_ptr<const Predicate> general_predicates(const Request& request, const Arguments& arguments) {
  return std::make_unique<GeneralPredicates>(request, arguments);
}

std::unique_ptr<Trial> try_general_predicates(const Request& request, const Arguments& arguments) {
  return std::make_unique<GeneralTrial>(request, arguments);
}

}  // namespace winnow::predicates
