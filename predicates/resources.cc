#include "predicates/resources.h"

#include <algorithm>
#include <utility>

#include "cluster/api/resource_name.h"
#include "cluster/go_math.h"
#include "cluster/rule/reasons.h"
#include "cluster/rule/shared_args.h"
#include "cluster/state/footprint.h"
#include "cluster/state/state.h"
#include "predicates/records.h"
#include "predicates/rules.h"

namespace winnow::predicates {
namespace {

std::int64_t amount_of(const Amount& amount, const Footprint& pod) {
  if (!amount.is_scalar) return amount.of_pod ? pod.requests.*amount.of_pod : 1;
  std::int64_t sum = 0;
  for (const auto& [name, requested] : pod.scalars)
    if (name == amount.scalar) sum = wrap_add(sum, requested);
  return sum;
}

class AmountsTrial final : public Trial {
 public:
  AmountsTrial(const State& state, std::vector<Amount> amounts, Lacks* lacks)
      : state_(state),
        amounts_(std::make_shared<const std::vector<Amount>>(std::move(amounts))),
        lacks_(lacks),
        now_(amounts_->size()) {}

  void begin(NodeId node) override {
    for (std::size_t i = 0; i < now_.size(); ++i)
      now_[i] = {(*amounts_)[i].allocatable[node], (*amounts_)[i].requested[node]};
  }

  void change(PodId pod, std::int32_t by) override {
    const Footprint& footprint = state_.footprint(state_.pod(pod));
    for (std::size_t i = 0; i < now_.size(); ++i)
      now_[i].requested =
          wrap_add(now_[i].requested, wrap_multiply(by, amount_of((*amounts_)[i], footprint)));
  }

  bool fits() const override {
    for (std::size_t i = 0; i < now_.size(); ++i) {
      const Amount& amount = (*amounts_)[i];
      if (amount.by_devices && now_[i].allocatable <= 0) continue;
      if (lacks_(amount.wanted, now_[i].allocatable, now_[i].requested)) return false;
    }
    return true;
  }

  std::unique_ptr<Trial> copy() const override { return std::make_unique<AmountsTrial>(*this); }

 private:
  struct Now {
    std::int64_t allocatable = 0, requested = 0;
  };
  const State& state_;
  std::shared_ptr<const std::vector<Amount>> amounts_;
  Lacks* lacks_;
  std::vector<Now> now_;  ///< By amount.
};

}  // namespace

std::unique_ptr<Trial> make_amounts_trial(const Request& request, std::vector<Amount> amounts, Lacks* lacks) {
  return std::make_unique<AmountsTrial>(request.view.state(), std::move(amounts), lacks);
}

namespace {

/// The pods of a node that request a resource.
struct Holders {
  std::int64_t pods = 0;
  std::string largest;  ///< Which requests most; of several the first by name.
};

std::int64_t requested_by(const Footprint& footprint, const std::string& resource, Symbol symbol) {
  if (resource == "cpu") return footprint.requests.milli_cpu;
  if (resource == "memory") return footprint.requests.memory;
  if (resource == "ephemeral-storage") return footprint.requests.ephemeral_storage;
  const auto found = std::ranges::find(footprint.scalars, symbol, &std::pair<Symbol, std::int64_t>::first);
  return found == footprint.scalars.end() ? 0 : found->second;
}

Holders holders_of(const std::string& resource, const View& view, NodeId node) {
  Holders holders;
  std::int64_t most = 0;
  const Symbol symbol = view.symbol(resource);
  view.first_pod_on(node, [&](const View::PodHere& pod) {
    const std::int64_t amount = requested_by(pod.footprint, resource, symbol);
    if (amount <= 0) return false;
    ++holders.pods;
    std::string name = pod.full_name();
    if (amount > most || (amount == most && name < holders.largest)) holders.largest = std::move(name);
    most = std::max(most, amount);
    return false;  // So all are looked at.
  });
  return holders;
}

}  // namespace

Cause lack_of(std::string_view reason, std::int64_t wanted, std::int64_t allocatable, std::int64_t requested,
              const View& view, NodeId node) {
  constexpr std::string_view kInsufficient = "Insufficient ";
  const std::string resource(reason.starts_with(kInsufficient) ? reason.substr(kInsufficient.size())
                                                               : "pods");
  const auto text = [&](std::int64_t amount) { return amount_text(resource, amount); };
  Cause cause{"resource"};
  cause.with("resource", resource).with("wanted", text(wanted));
  cause.with("free", text(wrap_subtract(allocatable, requested))).with("allocatable", text(allocatable));
  cause.with("requested", text(requested));
  if (resource == "pods") return cause.with("pods", view.column(&NodeTable::pods)[node]);
  const Holders holders = holders_of(resource, view, node);
  cause.with("pods", holders.pods);
  // Of cpu and memory nearly all pods hold some.
  if (holders.pods > 0 && is_extended_resource(resource)) cause.with("heldBy", holders.largest);
  return cause;
}

namespace {

template <class Rule>
std::unique_ptr<const CauseFinder> find_lacks(const Request& request, Rule rule) {
  return make_cause_finder(
      [&view = request.view, rule = std::move(rule)](NodeId node, std::vector<Cause>& causes) {
        rule.add_causes(view, node, causes);
      });
}

}  // namespace

// PodFitsResources: the node has room for the pod's requests beside those of its pods. For a pod that
// requests nothing only the number of pods is checked. For any other pod cpu, memory and ephemeral storage
// are all checked, even those that it does not request. Extended resources that only an extender counts are
// not checked. A resource that a DeviceClass provides is checked as by today's NodeResourcesFit: v1.16 knows
// no devices, and would keep such a pod waiting for ever.
// Upstream: predicates.go PodFitsResources v1.16.15.

namespace {

class FitsResources final : public FitsAmounts<FitsResources> {
 public:
  /// @param ignored  null: no resource is.
  FitsResources(const Request& request, const PodRequests& requests, const IgnoredResources* ignored)
      : FitsAmounts(request) {
    const View& view = request.view;
    add("Insufficient pods", against(view, kPods, 1));
    if (requests.asks_for_nothing()) return;
    add("Insufficient cpu", against(view, kCpu, requests.milli_cpu));
    add("Insufficient memory", against(view, kMemory, requests.memory));
    add("Insufficient ephemeral-storage", against(view, kEphemeral, requests.ephemeral_storage));
    for (const auto& [name, wanted] : requests.scalars)
      if (!ignored || !is_extended_resource(name) || !std::ranges::contains(ignored->names, name))
        add("Insufficient " + name, against(request, name, wanted));
  }

  static bool lacks(std::int64_t wanted, std::int64_t allocatable, std::int64_t requested) {
    return allocatable < wrap_add(wanted, requested);
  }
};

FitsResources bound_to(const Request& request, const Arguments& arguments) {
  return FitsResources(request, pod_requests(request.pod, request.accounting, /*with_status=*/false),
                       arguments.get_if<IgnoredResources>());
}

}  // namespace

std::unique_ptr<const Predicate> fits_resources(const Request& request, const Arguments& arguments) {
  return std::make_unique<FitsResources>(bound_to(request, arguments));
}

std::unique_ptr<Trial> try_fits_resources(const Request& request, const Arguments& arguments) {
  return bound_to(request, arguments).trial(request);
}

std::unique_ptr<const CauseFinder> causes_of_fits_resources(const Request& request,
                                                            const Arguments& arguments) {
  return find_lacks(request, bound_to(request, arguments));
}

// GeneralPredicates: PodFitsResources, HostName, PodFitsHostPorts and MatchNodeSelector in one. All four are
// always checked, and all their reasons are given, in this order.
// Upstream: predicates.go GeneralPredicates v1.16.15.

BindPredicate general_predicates;
MakeTrial try_general_predicates;

namespace {

class GeneralPredicates final : public Predicate {
 public:
  /// @param parts  in order; at least one.
  GeneralPredicates(const Request& request, std::vector<std::unique_ptr<const Predicate>> parts)
      : lists_(request.reason_lists) {
    for (std::unique_ptr<const Predicate>& part : parts) {
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
  std::vector<Part> parts_;
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
  // The arguments are those of PodFitsResources, which is never null; the other parts take none.
  std::vector<std::unique_ptr<const Predicate>> parts;
  for (BindPredicate* bind : {&fits_resources, &host_name, &fits_host_ports, &match_node_selector})
    if (std::unique_ptr<const Predicate> part = bind(request, arguments)) parts.push_back(std::move(part));
  if (parts.size() == 1) return std::move(parts.front());  // As for most pods.
  return std::make_unique<GeneralPredicates>(request, std::move(parts));
}

std::unique_ptr<Trial> try_general_predicates(const Request& request, const Arguments& arguments) {
  return std::make_unique<GeneralTrial>(request, arguments);
}

FindCauses causes_of_general_predicates;

std::unique_ptr<const CauseFinder> causes_of_general_predicates(const Request& request,
                                                                const Arguments& arguments) {
  std::vector<std::unique_ptr<const CauseFinder>> parts;
  for (FindCauses* find :
       {&causes_of_fits_resources, &causes_of_node_name, &causes_of_host_ports, &causes_of_node_selector})
    if (auto part = find(request, arguments)) parts.push_back(std::move(part));
  return make_cause_finder([parts = std::move(parts)](NodeId node, std::vector<Cause>& causes) {
    for (const auto& part : parts) part->find(node, causes);
  });
}

}  // namespace winnow::predicates

namespace winnow::predicates::today {

// NodeResourcesFit as a filter: the node has room for the pod's requests beside those of its pods. A resource
// that the pod does not request is not checked, even if it is overcommitted. A request larger than the node's
// allocatable makes the node unresolvable. PreFilter neither refuses nor skips a pod.
// Upstream goes through scalar resources in the order of a map; here they come by name. A resource that a
// DeviceClass provides is checked on the nodes that offer it alone: elsewhere DynamicResources looks for
// devices.
// Upstream: pkg/scheduler/framework/plugins/noderesources/fit.go v1.37.0.

BindPredicate node_resources_fit;
MakeTrial try_node_resources_fit;

namespace {

bool is_ignored(const std::string& resource, const NodeResourcesFitArgs& args) {
  if (!is_extended_resource(resource)) return false;
  return std::ranges::contains(args.ignored_resources, resource) ||
         std::ranges::contains(args.ignored_resource_groups, resource.substr(0, resource.find('/')));
}

class NodeResourcesFit final : public FitsAmounts<NodeResourcesFit> {
 public:
  NodeResourcesFit(const Request& request, const PodRequests& requests, const NodeResourcesFitArgs& args)
      : FitsAmounts(request) {
    const View& view = request.view;
    add("Too many pods", against(view, kPods, 1));
    want("cpu", against(view, kCpu, requests.milli_cpu));
    want("memory", against(view, kMemory, requests.memory));
    want("ephemeral-storage", against(view, kEphemeral, requests.ephemeral_storage));
    for (const auto& [name, wanted] : requests.scalars)
      if (!is_ignored(name, args)) want(name, against(request, name, wanted));
  }

  static bool lacks(std::int64_t wanted, std::int64_t allocatable, std::int64_t requested) {
    return wanted > wrap_subtract(allocatable, requested);
  }

 private:
  void want(const std::string& resource, Amount amount) {
    amount.needs_size = true;
    if (amount.wanted > 0) add("Insufficient " + resource, amount);
  }
};

NodeResourcesFit bound(const Request& request, const Arguments& arguments) {
  static const NodeResourcesFitArgs kDefaults;
  const auto* const given = arguments.get_if<NodeResourcesFitArgs>();
  return NodeResourcesFit(request, pod_requests(request.pod, request.accounting, /*with_status=*/false),
                          given ? *given : kDefaults);
}

}  // namespace

std::unique_ptr<const Predicate> node_resources_fit(const Request& request, const Arguments& arguments) {
  return std::make_unique<NodeResourcesFit>(bound(request, arguments));
}

FindCauses causes_of_resources;

std::unique_ptr<const CauseFinder> causes_of_resources(const Request& request, const Arguments& arguments) {
  return find_lacks(request, bound(request, arguments));
}

std::unique_ptr<Trial> try_node_resources_fit(const Request& request, const Arguments& arguments) {
  return bound(request, arguments).trial(request);
}

}  // namespace winnow::predicates::today

namespace winnow::predicates {

namespace {

/// NodeResourcesFit: always, for a node has room for so many pods.
bool needs_room(const PodSpec&, std::span<const PodSpec* const>) { return true; }

}  // namespace

// The records.

namespace {

constexpr Record kResourcesRecords[] = {
    {.name = "GeneralPredicates",
     .origin = RuleOrigin::kClassic,
     .bind = general_predicates,
     .needs = needs::kResources,
     .reads = Reads::kNode,
     .follows_by = try_general_predicates,
     .causes = causes_of_general_predicates,
     .by_default = AtGates::kAllGates},
    {.name = "PodFitsResources",
     .origin = RuleOrigin::kClassic,
     .bind = fits_resources,
     .needs = needs::kResources,
     .reads = Reads::kNode,
     .follows_by = try_fits_resources,
     .causes = causes_of_fits_resources},
    {.name = "NodeResourcesFit",
     .origin = RuleOrigin::kToday,
     .bind = today::node_resources_fit,
     .needs = needs::kResources,
     .reads = Reads::kNode,
     .follows_by = today::try_node_resources_fit,
     .causes = today::causes_of_resources,
     .checks = "requests of resources",
     .classic = {.predicate = "GeneralPredicates", .also = "PodFitsResources"},
     .best = Best::kKubeScheduler,
     .turned_by_eviction = needs_room,
     .without_pre_filter = "error reading \"PreFilterNodeResourcesFit\" from cycleState: not found",
     .releases = {{.release = Release::k1_18, .points = points::kPreFilterAndFilter, .args = &kFitArgs118},
                  {.release = Release::k1_22, .points = points::kPreFilterAndFilter, .args = &kFitArgs122},
                  {.release = Release::k1_27, .points = points::kPreFilterAndFilter, .args = &kFitArgs128},
                  {.release = Release::k1_37,
                   .points = points::kPreFilterAndFilter,
                   .args = &kNodeResourcesFitArgs}}},
};

}  // namespace

Records resources_records;

std::span<const Record> resources_records() { return kResourcesRecords; }

}  // namespace winnow::predicates
