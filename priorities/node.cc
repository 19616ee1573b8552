// The priority of the argument labelPreference: 10 for nodes that have the label (with presence false: that
// lack it), and 0 for others.
// Upstream: priorities/node_label.go v1.16.15.
#include "cluster/api/node.h"

#include "cluster/rule/policy_argument.h"
#include "cluster/rule/shared_args.h"
#include "cluster/state/dictionaries.h"
#include "priorities/records.h"
#include "priorities/rules.h"

namespace winnow::priorities {

BindPriority label_preference;

namespace {

class LabelPreferencePriority final : public PerNode<LabelPreferencePriority> {
 public:
  LabelPreferencePriority(const View& view, const LabelPreference& arguments)
      : label_(view.label(arguments.label)), presence_(arguments.presence) {}
  std::int64_t score(NodeId node) const {
    return (label_[node] != kNone) == presence_ ? kMaxClassicScore : 0;
  }

 private:
  const Column<Symbol> label_;
  const bool presence_;
};

void add_label(const View& view, const std::string& key, bool present, Symbol value,
               std::vector<Cause>& facts) {
  Cause& fact = facts.emplace_back("preferredLabel");
  fact.with("key", key).with("wanted", std::string(present ? "present" : "absent"));
  if (value != kNone) fact.with("value", std::string(view.text(value)));
}

std::unique_ptr<const CauseFinder> find_label(const Request& request, const Arguments& arguments) {
  return make_cause_finder([&view = request.view, wanted = arguments.get<LabelPreference>(),
                            label = request.view.label(arguments.get<LabelPreference>().label)](
                               NodeId node, std::vector<Cause>& facts) {
    add_label(view, wanted.label, wanted.presence, label[node], facts);
  });
}

}  // namespace

BoundPriority label_preference(const Request& request, const Arguments& arguments) {
  return std::make_unique<LabelPreferencePriority>(request.view, arguments.get<LabelPreference>());
}

}  // namespace winnow::priorities

namespace winnow::priorities::removed {

// NodeLabel as a score: 100 for each preferred label that the node has, and for each that it should lack and
// does. The node's score is their mean, truncated.
// Upstream: plugins/nodelabel/node_label.go v1.22.17.

BindPriority node_label;

namespace {

class NodeLabel final : public PerNode<NodeLabel> {
 public:
  NodeLabel(const View& view, const NodeLabelArgs& args) {
    for (const std::string& label : args.present_labels_preference)
      wanted_.emplace_back(view.label(label), true);
    for (const std::string& label : args.absent_labels_preference)
      wanted_.emplace_back(view.label(label), false);
  }

  std::int64_t score(NodeId node) const {
    std::int64_t met = 0;
    for (const auto& [label, present] : wanted_) met += (label[node] != kNone) == present ? 1 : 0;
    return met * kMaxNodeScore / static_cast<std::int64_t>(wanted_.size());
  }

 private:
  std::vector<std::pair<Column<Symbol>, bool>> wanted_;  // Whether the label is to be present.
};

std::unique_ptr<const CauseFinder> find_labels(const Request& request, const Arguments& arguments) {
  const auto* const args = arguments.get_if<NodeLabelArgs>();
  if (!args) return nullptr;
  struct Wanted {
    std::string key;
    bool present = false;
    Column<Symbol> label;
  };
  std::vector<Wanted> all;
  for (const std::string& key : args->present_labels_preference)
    all.emplace_back(key, true, request.view.label(key));
  for (const std::string& key : args->absent_labels_preference)
    all.emplace_back(key, false, request.view.label(key));
  return make_cause_finder(
      [&view = request.view, all = std::move(all)](NodeId node, std::vector<Cause>& facts) {
        for (const Wanted& one : all) add_label(view, one.key, one.present, one.label[node], facts);
      });
}

}  // namespace

BoundPriority node_label(const Request& request, const Arguments& arguments) {
  const auto* const args = arguments.get_if<NodeLabelArgs>();
  if (!args || (args->present_labels_preference.empty() && args->absent_labels_preference.empty()))
    return nullptr;
  return std::make_unique<NodeLabel>(request.view, *args);
}

}  // namespace winnow::priorities::removed

namespace winnow::priorities {

// NodePreferAvoidPodsPriority: 0 for a node whose annotation preferAvoidPods names this pod's
// ReplicationController or ReplicaSet (by kind and uid), 10 for every other node. The default weight is
// 10000.
// Upstream: priorities/node_prefer_avoid_pods.go v1.16.15.

BindPriority node_prefer_avoid_pods;

namespace {

class NodePreferAvoidPods final : public PerNode<NodePreferAvoidPods> {
 public:
  NodePreferAvoidPods(const View& view, std::vector<std::uint8_t> avoided, std::int64_t max)
      : avoids_(view.column(&NodeTable::avoids)), avoided_(std::move(avoided)), max_(max) {}

  std::int64_t score(NodeId node) const {
    const std::uint32_t list = avoids_[node];
    return list != kNone && avoided_[list] ? 0 : max_;
  }

 private:
  const Column<std::uint32_t> avoids_;
  const std::vector<std::uint8_t> avoided_;  // By id of the annotation's list; nodes share equal lists.
  const std::int64_t max_;
};

}  // namespace

std::unique_ptr<const Priority> heeds_avoided_pods(const Request& request, std::int64_t max) {
  const OwnerReference* owner = controller_of(request.pod.metadata);
  if (!owner || (owner->kind != "ReplicationController" && owner->kind != "ReplicaSet"))
    return std::make_unique<Constant>(max);
  const auto& lists = request.view.names().avoids;
  std::vector<std::uint8_t> avoided(lists.capacity(), 0);
  for (std::uint32_t id = 0; id < lists.capacity(); ++id)
    avoided[id] = std::ranges::contains(lists[id], AvoidedController{owner->kind, owner->uid});
  return std::make_unique<NodePreferAvoidPods>(request.view, std::move(avoided), max);
}

namespace {

/// Tells the pod's controller where the node's annotation names it.
std::unique_ptr<const CauseFinder> find_avoided(const Request& request, const Arguments&) {
  const OwnerReference* const owner = controller_of(request.pod.metadata);
  if (!owner || (owner->kind != "ReplicationController" && owner->kind != "ReplicaSet")) return nullptr;
  return make_cause_finder([&view = request.view, avoids = request.view.column(&NodeTable::avoids),
                            asked = AvoidedController{owner->kind, owner->uid},
                            told = owner->kind + '/' + owner->name](NodeId node, std::vector<Cause>& facts) {
    const std::uint32_t list = avoids[node];
    if (list != kNone && std::ranges::contains(view.names().avoids[list], asked))
      facts.emplace_back("avoidedController").with("controller", told);
  });
}

}  // namespace

BoundPriority node_prefer_avoid_pods(const Request& request, const Arguments&) {
  return heeds_avoided_pods(request, kMaxClassicScore);
}

}  // namespace winnow::priorities

namespace winnow::priorities::removed {

// NodePreferAvoidPods: the classic rule of that name, with 100 for 10.
// Upstream: plugins/nodepreferavoidpods/node_prefer_avoid_pods.go v1.22.17.

BindPriority node_prefer_avoid_pods;

BoundPriority node_prefer_avoid_pods(const Request& request, const Arguments&) {
  return heeds_avoided_pods(request, kMaxNodeScore);
}

}  // namespace winnow::priorities::removed

namespace winnow::priorities {

// EqualPriority: 1 for every node.
// Upstream: core/generic_scheduler.go EqualPriorityMap v1.16.15.

BindPriority equal;

BoundPriority equal(const Request&, const Arguments&) { return std::make_unique<Constant>(1); }

namespace {

constexpr ArgsField<LabelPreference> kLabelPreferenceFields[] = {
    field<&LabelPreference::label>("label"), field<&LabelPreference::presence>("presence")};
constexpr PolicyArgument kLabelPreference = policy_argument<kLabelPreferenceFields>("labelPreference");

}  // namespace

// The records.

namespace {

constexpr Record kNodeRecords[] = {
    {.name = "EqualPriority",
     .origin = RuleOrigin::kClassic,
     .bind = equal,
     .needs = needs::kNothing,
     .reads = Reads::kNode},
    {.name = "NodePreferAvoidPodsPriority",
     .origin = RuleOrigin::kClassic,
     .bind = node_prefer_avoid_pods,
     .needs = needs::kNothing,
     .reads = Reads::kNode,
     .made_by = find_avoided,
     .by_default = AtGates::kAllGates,
     .default_weight = 10000},
    {.name = "",
     .origin = RuleOrigin::kClassic,
     .bind = label_preference,
     .needs = needs::kNothing,
     .reads = Reads::kNode,
     .made_by = find_label,
     .argument = &kLabelPreference},
    // Of v1.22.17, with args from its filter. No PreScore of that time skips; so it is with all removed
    // plugins.
    {.name = "NodeLabel",
     .origin = RuleOrigin::kRemoved,
     .bind = removed::node_label,
     .needs = needs::kNothing,
     .reads = Reads::kNode,
     .made_by = removed::find_labels,
     .may_skip = false,
     .releases = {{.release = Release::k1_18, .points = points::kScore, .weight = 1},
                  {.release = Release::k1_27, .points = points::kNone},
                  {.release = Release::k1_37, .points = points::kScore}}},
    {.name = "NodePreferAvoidPods",
     .origin = RuleOrigin::kRemoved,
     .bind = removed::node_prefer_avoid_pods,
     .needs = needs::kNothing,
     .reads = Reads::kNode,
     .made_by = find_avoided,
     .may_skip = false,
     .absent_weight = 10000,
     .releases = {{.release = Release::k1_18, .points = points::kScore, .weight = 10000},
                  {.release = Release::k1_27, .points = points::kNone},
                  {.release = Release::k1_37, .points = points::kScore}}},
};

}  // namespace

Records node_records;

std::span<const Record> node_records() { return kNodeRecords; }

}  // namespace winnow::priorities
