#include "cluster/api/node.h"

#include "cluster/api/selector.h"
#include "cluster/rule/policy_argument.h"
#include "cluster/rule/shared_args.h"
#include "cluster/state/pod_requests.h"
#include "cluster/state/view.h"
#include "predicates/node_causes.h"
#include "predicates/records.h"
#include "predicates/rules.h"

namespace winnow::predicates {
namespace {

class FailsOnFlag final : public Predicate {
 public:
  FailsOnFlag(const View& view, NodeFlag flag, std::string reason)
      : flags_(view.column(&NodeTable::flags)), flag_(flag), reasons_{std::move(reason)} {}

  void map(std::span<const NodeId> nodes, std::span<Verdict> out) const override {
    for (std::size_t i = 0; i < nodes.size(); ++i)
      if ((flags_[nodes[i]] & flag_) != 0) [[unlikely]]
        out[i] = Verdict::of(Fit::kUnresolvable, 1);
  }
  std::span<const std::string> reasons() const override { return reasons_; }

 private:
  const Column<std::uint16_t> flags_;
  const std::uint16_t flag_;
  const std::array<std::string, 1> reasons_;
};

}  // namespace

std::unique_ptr<const Predicate> fails_on_flag(const View& view, NodeFlag flag, std::string reason) {
  return std::make_unique<FailsOnFlag>(view, flag, std::move(reason));
}

// CheckNodeCondition: the node is Ready, has its network, and is schedulable. Reasons come in the order of
// the node's conditions; a condition that is listed twice gives its reason twice.
// Upstream: predicates.go CheckNodeConditionPredicate v1.16.15.

BindPredicate check_node_condition;

namespace {

/// Two for each place in the list of conditions, and the last for cordoned nodes.
const std::vector<std::string> kConditionReasons = [] {
  std::vector<std::string> reasons;
  for (unsigned place = 0; place < kMaxBadConditions; ++place) {
    reasons.emplace_back("node(s) were not ready");
    reasons.emplace_back("node(s) had unavailable network");
  }
  reasons.emplace_back("node(s) were unschedulable");
  return reasons;
}();

class CheckNodeCondition final : public Predicate {
 public:
  explicit CheckNodeCondition(const View& view) : flags_(view.column(&NodeTable::flags)) {}

  void map(std::span<const NodeId> nodes, std::span<Verdict> out) const override {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const std::uint16_t flags = flags_[nodes[i]];
      if ((flags & kUnfit) == 0) [[likely]]
        continue;
      out[i] = Verdict::of(Fit::kUnresolvable, reasons_of(flags));
    }
  }
  std::span<const std::string> reasons() const override { return kConditionReasons; }

 private:
  static constexpr unsigned kUnfit = kUnschedulable | ((1u << (2 * kMaxBadConditions)) - 1) << 8;

  /// Each place in the list of conditions has two bits, one a reason. The last bit is for cordoned nodes.
  static std::uint64_t reasons_of(std::uint16_t flags) {
    std::uint64_t failed = flags & kUnschedulable ? std::uint64_t{1} << (2 * kMaxBadConditions) : 0;
    for (unsigned place = 0; place < kMaxBadConditions; ++place)
      if (const unsigned condition = bad_condition(flags, place))
        failed |= std::uint64_t{1} << (2 * place + (condition == kNetworkUnavailable ? 1 : 0));
    return failed;
  }

  const Column<std::uint16_t> flags_;
};

}  // namespace

std::unique_ptr<const Predicate> check_node_condition(const Request& request, const Arguments&) {
  return std::make_unique<CheckNodeCondition>(request.view);
}

// CheckNodeDiskPressure: the node does not report disk pressure.
// Upstream: predicates.go CheckNodeDiskPressurePredicate v1.16.15.

BindPredicate check_node_disk_pressure;

std::unique_ptr<const Predicate> check_node_disk_pressure(const Request& request, const Arguments&) {
  return fails_on_flag(request.view, kDiskPressure, "node(s) had disk pressure");
}

// CheckNodeMemoryPressure: the node does not report memory pressure, or the pod is not BestEffort.
// Upstream: predicates.go CheckNodeMemoryPressurePredicate v1.16.15.

BindPredicate check_node_memory_pressure;

std::unique_ptr<const Predicate> check_node_memory_pressure(const Request& request, const Arguments&) {
  if (!is_best_effort(request.pod, request.accounting)) return nullptr;
  return fails_on_flag(request.view, kMemoryPressure, "node(s) had memory pressure");
}

// CheckNodePIDPressure: the node does not report PID pressure.
// Upstream: predicates.go CheckNodePIDPressurePredicate v1.16.15.

BindPredicate check_node_pid_pressure;

std::unique_ptr<const Predicate> check_node_pid_pressure(const Request& request, const Arguments&) {
  return fails_on_flag(request.view, kPidPressure, "node(s) had pid pressure");
}

// CheckNodeUnschedulable: the node is not cordoned, or the pod tolerates the taint of cordoned nodes.
// Upstream: predicates.go CheckNodeUnschedulablePredicate v1.16.15.

std::unique_ptr<const Predicate> check_node_unschedulable(const Request& request, const Arguments&) {
  static const Taint cordoned{"node.kubernetes.io/unschedulable", "", "NoSchedule"};
  if (tolerates(request.pod.spec.tolerations, cordoned)) return nullptr;
  return fails_on_flag(request.view, kUnschedulable, "node(s) were unschedulable");
}

}  // namespace winnow::predicates

namespace winnow::predicates::today {

// NodeUnschedulable: the node is not cordoned, or the pod tolerates the taint of cordoned nodes. Upstream's
// PreFilter skips pods only with the gate InPlacePodVerticalScalingSchedulerPreemption, which is off.
// Upstream: pkg/scheduler/framework/plugins/nodeunschedulable/node_unschedulable.go v1.37.0.

BindPredicate node_unschedulable;

std::unique_ptr<const Predicate> node_unschedulable(const Request& request, const Arguments& arguments) {
  return check_node_unschedulable(request, arguments);
}

}  // namespace winnow::predicates::today

namespace winnow::predicates {

// CheckNodeLabelPresence: the node has all of the configured labels, with any value; with presence false it
// has none of them.
// Upstream: predicates.go CheckNodeLabelPresence v1.16.15.

BindPredicate check_node_label_presence;

namespace {

class NodeLabels final : public OneReason<NodeLabels> {
 public:
  NodeLabels(const View& view, const std::vector<std::string>& present,
             const std::vector<std::string>& absent)
      : OneReason(Fit::kUnresolvable, "node(s) didn't have the requested labels") {
    for (const std::string& label : present) present_.push_back(view.label(label));
    for (const std::string& label : absent) absent_.push_back(view.label(label));
  }

  bool fits(NodeId node) const {
    const auto has = [node](const Column<Symbol>& label) { return label[node] != kNone; };
    return std::ranges::all_of(present_, has) && std::ranges::none_of(absent_, has);
  }

 private:
  std::vector<Column<Symbol>> present_;
  std::vector<Column<Symbol>> absent_;
};

}  // namespace

std::unique_ptr<const Predicate> requires_labels(const View& view, const std::vector<std::string>& present,
                                                 const std::vector<std::string>& absent) {
  return std::make_unique<NodeLabels>(view, present, absent);
}

std::unique_ptr<const Predicate> check_node_label_presence(const Request& request,
                                                           const Arguments& arguments) {
  const auto& [labels, presence] = arguments.get<LabelsPresence>();
  return presence ? requires_labels(request.view, labels, {}) : requires_labels(request.view, {}, labels);
}

}  // namespace winnow::predicates

namespace winnow::predicates::removed {

// NodeLabel as a filter: the node has all of presentLabels, with any values, and none of absentLabels.
// Upstream: plugins/nodelabel/node_label.go v1.22.17.

BindPredicate node_label;

std::unique_ptr<const Predicate> node_label(const Request& request, const Arguments& arguments) {
  const auto* const args = arguments.get_if<NodeLabelArgs>();
  if (!args || (args->present_labels.empty() && args->absent_labels.empty())) return nullptr;
  return requires_labels(request.view, args->present_labels, args->absent_labels);
}

}  // namespace winnow::predicates::removed

namespace winnow::predicates {

// HostName: the pod's spec.nodeName is empty or is this node.
// Upstream: predicates.go PodFitsHost v1.16.15.

namespace {

class IsNamedNode final : public OneReason<IsNamedNode> {
 public:
  IsNamedNode(const View& view, const std::string& name, std::string reason)
      : OneReason(Fit::kUnresolvable, std::move(reason)), names_{name}, wanted_(view.find_node(name)) {}

  bool fits(NodeId node) const { return node == wanted_; }
  const std::vector<std::string>* only() const override { return &names_; }

 private:
  const std::vector<std::string> names_;
  const NodeId wanted_;  // kNone, which is no node's id, if there is no such node.
};

}  // namespace

std::unique_ptr<const Predicate> is_named_node(const Request& request, std::string reason) {
  const std::string& name = request.pod.spec.node_name;
  if (name.empty()) return nullptr;
  return std::make_unique<IsNamedNode>(request.view, name, std::move(reason));
}

std::unique_ptr<const Predicate> host_name(const Request& request, const Arguments&) {
  return is_named_node(request, "node(s) didn't match the requested hostname");
}

}  // namespace winnow::predicates

namespace winnow::predicates::today {

// NodeName: the pod's spec.nodeName is empty or is this node. PreFilter leaves only the named node.
// Upstream: pkg/scheduler/framework/plugins/nodename/node_name.go v1.37.0.

BindPredicate node_name;

std::unique_ptr<const Predicate> node_name(const Request& request, const Arguments&) {
  return is_named_node(request, "node(s) didn't match the requested node name");
}

// NodeDeclaredFeatures: the node's software declares every feature that the pod needs.
// Upstream: pkg/scheduler/framework/plugins/nodedeclaredfeatures/nodedeclaredfeatures.go v1.37.0.
// Upstream can end a feature's requirement at some version. No feature that v1.37 knows has such an end.

BindPredicate node_declared_features;

namespace {

class NodeDeclaredFeatures final : public OneReason<NodeDeclaredFeatures> {
 public:
  NodeDeclaredFeatures(const View& view, std::uint8_t needed)
      : OneReason(Fit::kUnresolvable, "node(s) didn't match Pod's required features"),
        declared_(view.column(&NodeTable::features)),
        needed_(needed) {}

  bool fits(NodeId node) const { return (needed_ & ~declared_[node]) == 0; }

 private:
  const Column<std::uint8_t> declared_;
  const std::uint8_t needed_;
};

}  // namespace

std::unique_ptr<const Predicate> node_declared_features(const Request& request, const Arguments&) {
  const std::uint8_t needed = needed_features(request.pod.spec);
  if (needed == 0) return nullptr;
  return std::make_unique<NodeDeclaredFeatures>(request.view, needed);
}

}  // namespace winnow::predicates::today

namespace winnow::predicates {

namespace {

constexpr ArgsField<LabelsPresence> kLabelsPresenceFields[] = {field<&LabelsPresence::labels>("labels"),
                                                               field<&LabelsPresence::presence>("presence")};
constexpr PolicyArgument kLabelsPresence = policy_argument<kLabelsPresenceFields>("labelsPresence");

}  // namespace

// The records.

namespace {

constexpr Record kNodeRecords[] = {
    {.name = "CheckNodeCondition",
     .origin = RuleOrigin::kClassic,
     .bind = check_node_condition,
     .needs = needs::kNothing,
     .reads = Reads::kNode,
     .follows_by = kNever,
     .causes = causes_of_conditions,
     .known = AtGates::kNoTaintNodesByCondition,
     .by_default = AtGates::kNoTaintNodesByCondition,
     .mandatory = AtGates::kNoTaintNodesByCondition},
    {.name = "CheckNodeUnschedulable",
     .origin = RuleOrigin::kClassic,
     .bind = check_node_unschedulable,
     .needs = needs::kNothing,
     .reads = Reads::kNode,
     .follows_by = kNever,
     .causes = causes_of_cordon,
     .known = AtGates::kTaintNodesByCondition,
     .by_default = AtGates::kTaintNodesByCondition,
     .mandatory = AtGates::kTaintNodesByCondition},
    {.name = "CheckNodeMemoryPressure",
     .origin = RuleOrigin::kClassic,
     .bind = check_node_memory_pressure,
     .needs = needs::kNothing,
     .reads = Reads::kNode,
     .follows_by = kNever,
     .causes = causes_of_memory_pressure,
     .known = AtGates::kNoTaintNodesByCondition,
     .by_default = AtGates::kNoTaintNodesByCondition},
    {.name = "CheckNodePIDPressure",
     .origin = RuleOrigin::kClassic,
     .bind = check_node_pid_pressure,
     .needs = needs::kNothing,
     .reads = Reads::kNode,
     .follows_by = kNever,
     .causes = causes_of_pid_pressure,
     .known = AtGates::kNoTaintNodesByCondition,
     .by_default = AtGates::kNoTaintNodesByCondition},
    {.name = "CheckNodeDiskPressure",
     .origin = RuleOrigin::kClassic,
     .bind = check_node_disk_pressure,
     .needs = needs::kNothing,
     .reads = Reads::kNode,
     .follows_by = kNever,
     .causes = causes_of_disk_pressure,
     .known = AtGates::kNoTaintNodesByCondition,
     .by_default = AtGates::kNoTaintNodesByCondition},
    {.name = "HostName",
     .origin = RuleOrigin::kClassic,
     .bind = host_name,
     .needs = needs::kNothing,
     .reads = Reads::kNode,
     .follows_by = kNever,
     .causes = causes_of_node_name,
     .aliases = {"PodFitsHost"}},
    {.name = "CheckNodeLabelPresence",
     .origin = RuleOrigin::kClassic,
     .bind = check_node_label_presence,
     .needs = needs::kNothing,
     .reads = Reads::kNode,
     .follows_by = kNever,
     .causes = causes_of_label_presence,
     .argument = &kLabelsPresence},
    {.name = "NodeName",
     .origin = RuleOrigin::kToday,
     .bind = today::node_name,
     .needs = needs::kNothing,
     .reads = Reads::kNode,
     .follows_by = kNever,
     .causes = causes_of_node_name,
     .checks = "a pod's spec.nodeName",
     .classic = {.predicate = "GeneralPredicates", .also = "HostName"},
     .may_skip = false,
     .releases = {{.release = Release::k1_18, .points = points::kFilter},
                  {.release = Release::k1_37, .points = points::kPreFilterAndFilter}}},
    {.name = "NodeUnschedulable",
     .origin = RuleOrigin::kToday,
     .bind = today::node_unschedulable,
     .needs = needs::kNothing,
     .reads = Reads::kNode,
     .follows_by = kNever,
     .causes = causes_of_cordon,
     .checks = "cordoned nodes",
     .classic = {.predicate = "CheckNodeUnschedulable", .also = "CheckNodeCondition"},
     .may_skip = false,
     .releases = {{.release = Release::k1_18, .points = points::kFilter},
                  {.release = Release::k1_37, .points = points::kPreFilterAndFilter}}},
    {.name = "NodeDeclaredFeatures",
     .origin = RuleOrigin::kToday,
     .bind = today::node_declared_features,
     .needs = needs::kNothing,
     .reads = Reads::kNode,
     .follows_by = kNever,
     .causes = causes_of_features,
     .checks = "features that nodes declare",
     .without_pre_filter = "error reading \"PreFilterNodeDeclaredFeatures\" from cycle-state: not found",
     .releases = {{.release = Release::k1_37, .points = points::kPreFilterAndFilter}}},
    // Of v1.22.17. No PreFilter of that time skips; so it is with all removed plugins.
    {.name = "NodeLabel",
     .origin = RuleOrigin::kRemoved,
     .bind = removed::node_label,
     .needs = needs::kNothing,
     .reads = Reads::kNode,
     .follows_by = kNever,
     .causes = causes_of_node_label,
     .checks = "labels that a node must have or lack",
     .may_skip = false,
     .releases = {{.release = Release::k1_18, .points = points::kFilter, .args = &kNodeLabelArgs118},
                  {.release = Release::k1_22, .points = points::kFilter, .args = &kNodeLabelArgs},
                  {.release = Release::k1_27, .points = points::kNone},
                  {.release = Release::k1_37, .points = points::kFilter, .args = &kNodeLabelArgs}}},
};

}  // namespace

Records node_records;

std::span<const Record> node_records() { return kNodeRecords; }

}  // namespace winnow::predicates
