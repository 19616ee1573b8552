// MatchNodeSelector: the node's labels match the pod's nodeSelector and its required node affinity.
// Upstream: predicates.go PodMatchNodeSelector v1.16.15.
#include <algorithm>
#include <array>
#include <set>

#include "cluster/rule/node_matcher.h"
#include "cluster/rule/shared_args.h"
#include "predicates/node_causes.h"
#include "predicates/records.h"
#include "predicates/rules.h"

namespace winnow::predicates {
namespace {

class MatchNodeSelector final : public OneReason<MatchNodeSelector> {
 public:
  explicit MatchNodeSelector(PodNodeMatcher matcher)
      : OneReason(Fit::kUnresolvable, "node(s) didn't match node selector"), matcher_(std::move(matcher)) {}

  bool fits(NodeId node) const { return matcher_.matches(node); }

 private:
  const PodNodeMatcher matcher_;
};

}  // namespace

std::unique_ptr<const Predicate> match_node_selector(const Request& request, const Arguments&) {
  const PodSpec& pod = request.pod.spec;
  if (pod.node_selector.empty() && !pod.affinity) return nullptr;
  PodNodeMatcher matcher(request.view, pod);
  if (matcher.is_everything()) return nullptr;
  return std::make_unique<MatchNodeSelector>(std::move(matcher));
}

std::unique_ptr<const CauseFinder> causes_of_node_selector(const Request& request, const Arguments&) {
  NodeCauses requirements(request.view);
  requirements.add(request.pod.spec, Generation::kClassic);
  return make_cause_finder(
      [all = std::move(requirements)](NodeId node, std::vector<Cause>& causes) { all.find(node, causes); });
}

}  // namespace winnow::predicates

namespace winnow::predicates::today {

// NodeAffinity: the node matches the affinity that the configuration adds, and then the pod's nodeSelector
// and required node affinity. Terms that are empty or do not parse match nothing. If every term of the pod
// names nodes by metadata.name, PreFilter leaves only those nodes; if they are none, it refuses the pod.
// Upstream: pkg/scheduler/framework/plugins/nodeaffinity/node_affinity.go v1.37.0.

BindPredicate node_affinity;

namespace {

using Names = std::set<std::string>;

class NodeAffinityRule final : public Predicate {
 public:
  NodeAffinityRule(const Request& request, const NodeSelector* added, std::optional<Names> names)
      : pod_(request.view, request.pod.spec, Generation::kToday), enforces_(added != nullptr) {
    if (added)
      for (const NodeSelectorTerm& term : added->terms) added_.emplace_back(request.view, term);
    if (names) only_.emplace(names->begin(), names->end());
  }

  void map(std::span<const NodeId> nodes, std::span<Verdict> out) const override {
    std::array<std::uint8_t, kNodesPerBlock> matching;
    for (std::size_t begin = 0; begin < nodes.size(); begin += kNodesPerBlock) {
      const auto block = nodes.subspan(begin, std::min(kNodesPerBlock, nodes.size() - begin));
      matching.fill(1);
      pod_.keep_matching(block, std::span(matching).first(block.size()));
      for (std::size_t i = 0; i < block.size(); ++i) {
        if (enforces_ && !is_added(block[i]))
          out[begin + i] = Verdict::of(Fit::kUnresolvable, kEnforced);
        else if (!matching[i])
          out[begin + i] = Verdict::of(Fit::kUnresolvable, kPod);
      }
    }
  }
  std::span<const std::string> reasons() const override { return reasons_; }
  const std::vector<std::string>* only() const override { return only_ ? &*only_ : nullptr; }

 private:
  static constexpr std::uint64_t kEnforced = 1, kPod = 2;

  bool is_added(NodeId node) const {
    return std::ranges::any_of(added_, [&](const NodeMatcher& term) { return term.matches(node); });
  }

  const PodNodeMatcher pod_;
  const bool enforces_;
  std::vector<NodeMatcher> added_;  // ORed.
  std::optional<std::vector<std::string>> only_;
  const std::array<std::string, 2> reasons_{"node(s) didn't match scheduler-enforced node affinity",
                                            "node(s) didn't match Pod's node affinity/selector"};
};

/// The nodes that a term's matchFields name; nothing if the fields do not name nodes. The term need not
/// parse, as in upstream.
std::optional<Names> names_of(const NodeSelectorTerm& term) {
  std::optional<Names> names;
  for (const SelectorRequirement& field : term.match_fields) {
    if (field.key != "metadata.name" || field.op != "In") continue;
    Names listed(field.values.begin(), field.values.end());
    if (names)
      std::erase_if(*names, [&](const std::string& name) { return !listed.contains(name); });
    else
      names = std::move(listed);
  }
  return names;
}

/// The nodes that the terms name together; nothing if some term does not name nodes.
std::optional<Names> names_of(const NodeSelector& selector) {
  if (selector.terms.empty()) return std::nullopt;
  Names all;
  for (const NodeSelectorTerm& term : selector.terms) {
    std::optional<Names> names = names_of(term);
    if (!names) return std::nullopt;
    all.merge(*names);
  }
  return all;
}

const NodeSelector* required(const std::optional<NodeAffinity>& affinity) {
  return affinity && affinity->required ? &*affinity->required : nullptr;
}

}  // namespace

FindCauses causes_of_node_affinity;

std::unique_ptr<const CauseFinder> causes_of_node_affinity(const Request& request,
                                                           const Arguments& arguments) {
  NodeCauses requirements(request.view);
  const auto* const configured = arguments.get_if<NodeAffinityArgs>();
  if (const NodeSelector* const added = configured ? required(configured->added_affinity) : nullptr)
    requirements.add(*added, "addedAffinity");
  requirements.add(request.pod.spec, Generation::kToday);
  return make_cause_finder(
      [all = std::move(requirements)](NodeId node, std::vector<Cause>& causes) { all.find(node, causes); });
}

std::unique_ptr<const Predicate> node_affinity(const Request& request, const Arguments& arguments) {
  const PodSpec& pod = request.pod.spec;
  const auto* const configured = arguments.get_if<NodeAffinityArgs>();
  const NodeSelector* const added = configured ? required(configured->added_affinity) : nullptr;
  const NodeSelector* const own = pod.affinity ? required(pod.affinity->node_affinity) : nullptr;
  if (!own && !added && pod.node_selector.empty()) return nullptr;
  std::optional<Names> names = own && request.pre_filters ? names_of(*own) : std::nullopt;
  if (names && names->empty())
    return std::make_unique<RefusesPod>(Fit::kUnresolvable, "pod affinity terms conflict");
  return std::make_unique<NodeAffinityRule>(request, added, std::move(names));
}

}  // namespace winnow::predicates::today

namespace winnow::predicates {

// The records.

namespace {

constexpr Record kNodeAffinityRecords[] = {
    {.name = "MatchNodeSelector",
     .origin = RuleOrigin::kClassic,
     .bind = match_node_selector,
     .needs = needs::kNothing,
     .reads = Reads::kNode,
     .follows_by = kNever,
     .causes = causes_of_node_selector,
     .aliases = {"PodSelectorMatches"}},
    {.name = "NodeAffinity",
     .origin = RuleOrigin::kToday,
     .bind = today::node_affinity,
     .needs = needs::kNothing,
     .reads = Reads::kNode,
     .follows_by = kNever,
     .causes = today::causes_of_node_affinity,
     .checks = "nodeSelector and required node affinity",
     .classic = {.predicate = "GeneralPredicates", .also = "MatchNodeSelector"},
     .releases = {{.release = Release::k1_18, .points = points::kFilter},
                  {.release = Release::k1_22,
                   .points = points::kPreFilterAndFilter,
                   .args = &kNodeAffinityArgs}}},
};

}  // namespace

Records node_affinity_records;

std::span<const Record> node_affinity_records() { return kNodeAffinityRecords; }

}  // namespace winnow::predicates
