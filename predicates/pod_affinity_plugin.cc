#include <algorithm>
#include <functional>
#include <memory>

#include "cluster/rule/pod_affinity.h"
#include "cluster/state/state.h"
#include "cluster/state/view.h"
#include "predicates/pod_affinity.h"
#include "predicates/records.h"
#include "predicates/rules.h"

namespace winnow::predicates {
namespace {

using CountedDomains = DomainsByKey<std::int32_t>;

/// Adds the pods, by node id, to their nodes' domains.
void add_pods(Domains<std::int32_t>& domains, const std::vector<std::int32_t>& pods) {
  for (NodeId node = 0; node < pods.size(); ++node)
    if (pods[node] != 0)
      if (std::int32_t* const domain = domains.at(node)) *domain += pods[node];
}

/// Everything that the trials of all nodes share.
struct TriedAffinity {
  TriedAffinity(const Request& request, const OwnAffinity& own)
      : is_today(own.generation == Generation::kToday),
        wanted(request.view),
        forbidden(request.view),
        taken(request.view) {
    if (!own.wanted_keys.empty()) want(request, own);
    for (const auto& [key, query] : own.forbidden) {
      request.check_time();
      add_pods(forbidden[key], request.view.count_pods(query));
      forbids.push_back({request.view.state().groups.select(query), forbidden.place_of(key)});
    }
    find_taken(request);
  }

  /// Pods of these groups count in the domains of one key.
  struct Forbids {
    std::vector<std::uint8_t> groups;  ///< By GroupId.
    std::size_t place;
  };
  static constexpr std::size_t kNowhere = ~std::size_t{0};

  const bool is_today;
  CountedDomains wanted, forbidden, taken;
  std::vector<std::uint8_t> wants;  ///< By GroupId: its pods match all terms of the pod's affinity.
  std::int64_t wanted_any = 0;      ///< Domains of `wanted` with such a pod.
  bool matches_itself = false;      ///< The pod itself matches all of them.
  std::vector<Forbids> forbids;     ///< One for each term of its anti-affinity.
  std::vector<std::size_t> takes;   ///< By TermId: the place in `taken`, or kNowhere.

 private:
  void want(const Request& request, const OwnAffinity& own) {
    for (const std::string& key : own.wanted_keys) wanted.place_of(key);
    const std::vector<std::int32_t> pods = request.view.count_pods(own.wanted);
    for (std::size_t place = 0; place < wanted.keys().size(); ++place) {
      add_pods(wanted.at(place), pods);
      wanted_any += std::ranges::count_if(wanted.at(place).numbers(), std::identity());
    }
    wants = request.view.state().groups.select(own.wanted);
    const ObjectMeta& pod = request.pod.metadata;
    matches_itself = own.wanted.matches(pod.namespace_, pod.labels, pod.deleting);
  }

  void find_taken(const Request& request) {
    const View& view = request.view;
    const ObjectMeta& pod = request.pod.metadata;
    view.visit_terms(TermKind::kRequiredAntiAffinity, pod,
                     [&](const AffinityTerm& term, std::span<const PodsOnNode> pods) {
                       request.check_time();
                       Domains<std::int32_t>& domains = taken[term.topology_key];
                       for (const PodsOnNode& here : pods)
                         if (std::int32_t* const domain = domains.at(here.node)) *domain += here.pods;
                     });
    const PodTerms& terms = view.state().terms;
    terms.visit_matching(TermKind::kRequiredAntiAffinity, pod, view.namespace_labels(pod.namespace_),
                         [&](TermId term) {
                           if (takes.size() <= term) takes.resize(term + 1, kNowhere);
                           takes[term] = taken.place_of(terms[term].topology_key);
                         });
  }
};

/// The domains of one node: each key's has so many pods. A node without the key has none.
class DomainsOfNode {
 public:
  void begin(const CountedDomains& domains, NodeId node) {
    places_.clear();
    for (const auto& [key, numbers] : domains.keys()) {
      const std::int32_t* const pods = numbers.find(node);
      places_.push_back({pods ? *pods : 0, pods != nullptr});
    }
  }
  std::size_t size() const { return places_.size(); }
  /// @return by how many the domains with pods have become more.
  std::int64_t change(std::size_t place, std::int32_t by) {
    auto& [pods, has_key] = places_[place];
    if (!has_key) return 0;
    const bool had = pods != 0;
    pods += by;
    return (pods != 0 ? 1 : 0) - (had ? 1 : 0);
  }
  bool has_any() const {
    return std::ranges::any_of(places_, [](const Place& place) { return place.pods > 0; });
  }
  bool has_all() const {
    return std::ranges::all_of(places_, [](const Place& place) { return place.pods > 0; });
  }
  bool has_all_keys() const { return std::ranges::all_of(places_, &Place::has_key); }

 private:
  struct Place {
    std::int64_t pods = 0;
    bool has_key = false;
  };
  std::vector<Place> places_;
};

class AffinityTrial final : public Trial {
 public:
  AffinityTrial(const State& state, std::shared_ptr<const TriedAffinity> all)
      : state_(state), all_(std::move(all)) {}

  void begin(NodeId node) override {
    wanted_.begin(all_->wanted, node);
    forbidden_.begin(all_->forbidden, node);
    taken_.begin(all_->taken, node);
    wanted_any_ = all_->wanted_any;
    came_.clear();
  }

  void change(PodId pod, std::int32_t by) override {
    const PodRecord& record = state_.pod(pod);
    if (!all_->is_today && fails_to_be_added(state_, record)) return;
    if (record.assigned || all_->is_today) {
      change_wanted(record.group, by);
      change_forbidden(pod, record.group, by);
    }
    if (record.terms == kNone || all_->takes.empty()) return;
    for (const TermId term : state_.terms.list(record.terms))
      if (term < all_->takes.size() && all_->takes[term] != TriedAffinity::kNowhere)
        taken_.change(all_->takes[term], by);
  }

  bool fits() const override { return has_wanted() && !forbidden_.has_any() && !taken_.has_any(); }

  std::unique_ptr<Trial> copy() const override { return std::make_unique<AffinityTrial>(*this); }

 private:
  void change_wanted(GroupId group, std::int32_t by) {
    if (all_->wants.empty() || !all_->wants[group]) return;
    for (std::size_t place = 0; place < wanted_.size(); ++place) wanted_any_ += wanted_.change(place, by);
  }

  void change_forbidden(PodId pod, GroupId group, std::int32_t by) {
    const bool counts_for_all = !all_->is_today && comes_or_came(pod, by) &&
                                std::ranges::any_of(all_->forbids, [&](const TriedAffinity::Forbids& one) {
                                  return one.groups[group] != 0;
                                });
    for (const TriedAffinity::Forbids& forbids : all_->forbids)
      if (counts_for_all || forbids.groups[group]) forbidden_.change(forbids.place, by);
  }

  /// Whether the pod comes back, or leaves after it has come back.
  bool comes_or_came(PodId pod, std::int32_t by) {
    if (by > 0) came_.push_back(pod);
    return by > 0 || std::erase(came_, pod) > 0;
  }

  bool has_wanted() const {
    if (wanted_.has_all()) return true;
    return wanted_any_ == 0 && all_->matches_itself && (!all_->is_today || wanted_.has_all_keys());
  }

  const State& state_;
  std::shared_ptr<const TriedAffinity> all_;
  DomainsOfNode wanted_, forbidden_, taken_;
  std::int64_t wanted_any_ = 0;  ///< Domains anywhere with a pod that matches the affinity.
  std::vector<PodId> came_;      ///< Pods that have come back; only by v1.16.
};

}  // namespace

std::unique_ptr<Trial> make_affinity_trial(const Request& request, const OwnAffinity& own) {
  return std::make_unique<AffinityTrial>(request.view.state(),
                                         std::make_shared<const TriedAffinity>(request, own));
}

}  // namespace winnow::predicates

namespace winnow::predicates::today {

// InterPodAffinity checks three things:
// - The node's domains have what the pod's required affinity asks for. A pod counts if it matches all terms,
//   and its node's domains then satisfy each of them. If no domain has such a pod, and the pod matches its
//   own terms, it is the first of its kind: any node that has all the topology keys fits.
// - The node's domains have no pod that the pod's required anti-affinity forbids.
// - No running pod's required anti-affinity keeps the pod out of the node's domains.
// Upstream: pkg/scheduler/framework/plugins/interpodaffinity/filtering.go v1.37.0.

BindPredicate inter_pod_affinity;
MakeTrial try_inter_pod_affinity;

namespace {

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
  std::span<const std::string> reasons() const override { return kInterPodAffinityReasons; }

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
  if (request.kept && request.kept->state)
    if (auto by_kept = affinity_by_kept(request)) return *std::move(by_kept);
  if (const auto error = invalid_terms_error(request.pod.spec))
    return std::make_unique<RefusesPod>(Fit::kUnresolvable, "parsing pod: " + *error);
  if (request.kept)
    if (auto to_keep = affinity_to_keep(request)) return *std::move(to_keep);
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

namespace winnow::predicates {

namespace {

bool keeps_apart(const PodSpec& spec) {
  return spec.affinity && spec.affinity->pod_anti_affinity &&
         !spec.affinity->pod_anti_affinity->required.empty();
}

bool joins(const PodSpec& spec) {
  return spec.affinity && spec.affinity->pod_affinity && !spec.affinity->pod_affinity->required.empty();
}

/// InterPodAffinity: the pod has required terms, or a victim keeps pods away.
bool is_joined_or_kept_apart(const PodSpec& pod, std::span<const PodSpec* const> victims) {
  return joins(pod) || keeps_apart(pod) ||
         std::ranges::any_of(victims, [](const PodSpec* victim) { return keeps_apart(*victim); });
}

}  // namespace

// The records.

namespace {

constexpr Record kPodAffinityPluginRecords[] = {
    {.name = "InterPodAffinity",
     .origin = RuleOrigin::kToday,
     .bind = today::inter_pod_affinity,
     .needs = needs::kNamespaces,
     .reads = Reads::kRows,
     .follows_by = today::try_inter_pod_affinity,
     .causes = causes_of_inter_pod_affinity,
     .checks = "required pod affinity and anti-affinity",
     .classic = {.predicate = "MatchInterPodAffinity",
                 .lacking = "namespaceSelector of required pod affinity and anti-affinity"},
     .turned_by_eviction = is_joined_or_kept_apart,
     .without_pre_filter = "error reading \"PreFilterInterPodAffinity\" from cycleState: not found",
     .releases = {{.release = Release::k1_18, .points = points::kPreFilterAndFilter}}},
};

}  // namespace

Records pod_affinity_plugin_records;

std::span<const Record> pod_affinity_plugin_records() { return kPodAffinityPluginRecords; }

}  // namespace winnow::predicates
