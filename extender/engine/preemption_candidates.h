// The nodes where evictions may make room for a pod, and all rules of an engine in a preemption's dry run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cluster/api/pod.h"
#include "cluster/rule/rule.h"
#include "cluster/state/overlay.h"
#include "cluster/state/view.h"

namespace winnow {

class Engine;
class State;
struct Filtered;

/// A pod that may be evicted. One that nobody knows more of (neither `pod` nor `given`) is taken as gone
/// already: it holds nothing on the node, and since nothing speaks for its staying it is evicted.
struct Victim {
  PodId pod = kNone;         ///< Where the state has it on the node.
  std::optional<Pod> given;  ///< Otherwise: as the request has it, on the node.
};

struct Candidate {
  std::string node_name;
  std::vector<Victim> victims;  ///< Each pod once.
  bool named = true;            ///< By kube-scheduler: its filters need the victims. See victims.h.
};

// All rules of an engine in the dry run of a preemption.

/// The rules that look at pods, on one node after another. The rules that look at none are not asked: see
/// passing_others(). Used by one thread; copies may be used by others.
class NodeTrials {
 public:
  /// All arguments outlive this; the request's reason lists are set. A plugin of today's that had nothing to
  /// say about the pod goes on having nothing to say. @param begun  of the view without any change.
  NodeTrials(const Engine& engine, const Filtered& begun, const Request& request);
  NodeTrials(const NodeTrials& other);
  NodeTrials& operator=(const NodeTrials&) = delete;

  /// Turns to a node, with all its pods.
  void begin(NodeId node);
  /// See Trial.
  void change(PodId pod, std::int32_t by);
  /// With the nominated pods that the pod must leave room for, and without them.
  bool fits() const;

 private:
  const View& view_;
  const Pod& pod_;
  std::vector<std::unique_ptr<Trial>> rules_;
  std::vector<PodId> promised_;  ///< Pods that are nominated for the node.
};

/// The nodes that pass all rules which look at no pods, in their order.
std::vector<NodeId> passing_others(const Engine& engine, const Filtered& begun, std::vector<NodeId> nodes);

// The rules without a trial of their own, in the dry run of a preemption: they are bound anew after each
// change.

/// Several rules in one: the pod must pass all. They read an overlay without the pods that have left, and
/// with the pending pods that have come.
class ReboundRules final : public Trial {
 public:
  /// All arguments outlive this. @param begun  of the view without any change.
  /// @param rules  indices of the engine's rules.
  ReboundRules(const Engine& engine, const Filtered& begun, const Pod& pod, const View& view,
               std::vector<std::size_t> rules)
      : engine_(engine),
        begun_(begun),
        pod_(pod),
        before_(view),
        overlay_(view.overlay()),
        unchanged_(overlay_.mark()),
        rules_(std::move(rules)) {}

  void begin(NodeId node) override;
  void change(PodId pod, std::int32_t by) override;
  bool fits() const override;
  std::unique_ptr<Trial> copy() const override { return std::make_unique<ReboundRules>(*this); }

 private:
  const Engine& engine_;
  const Filtered& begun_;
  const Pod& pod_;
  const View& before_;  ///< Without any change.
  Overlay overlay_;
  std::size_t unchanged_;
  std::vector<std::size_t> rules_;
  std::string node_name_;
  bool has_nominated_ = false;
};

// The nodes where evictions may make room for a pod, with the pods that could go.

/// The nodes that a pod does not fit, by whether evictions may help.
///
/// The functions below take `filtered` for the nodes of `names`, in that order: all rules were asked, no node
/// fits, and there is no error.
struct PreemptionCandidates {
  /// In the order of the names. Each has all its pods of lower priority, the highest priority first, and of
  /// equal ones the oldest.
  std::vector<Candidate> chosen;
  std::size_t all = 0;              ///< The number of nodes that `chosen` was chosen from.
  std::size_t beyond_help = 0;      ///< Nodes on which no eviction helps.
  std::size_t without_victims = 0;  ///< Nodes on which there is no pod of lower priority.
};

/// @param most  the most candidates to choose. They are spread evenly over all.
/// @param spared  pods that are no victims, sorted: those that wait, and only count on a node.
PreemptionCandidates find_preemption_candidates(const View& view, const Pod& pod,
                                                std::span<const std::string> names, const Filtered& filtered,
                                                std::size_t most, std::span<const PodId> spared);

/// Whether evictions may make the pod fit the node, by the verdicts of the rules that refuse it. With
/// alwaysCheckAllPredicates every rule that refuses must allow it, otherwise the first one.
/// Upstream: NodesForStatusCode v1.37.0, core/generic_scheduler.go nodesWherePreemptionMightHelp v1.16.15.
bool may_help(const Filtered& filtered, std::size_t node);

/// The reason why the pod may not preempt at all, in upstream's words; "" if it may. v1.16 waits for every
/// pod of lower priority that is being deleted on the nominated node. Today's waits for those that a
/// preemption evicts, and for none if no eviction can help there.
/// Upstream: default_preemption.go PodEligibleToPreemptOthers v1.37.0, core/generic_scheduler.go
/// podEligibleToPreemptOthers v1.16.15.
/// @param nominated  the index of the pod's nominated node among the nodes that were filtered, if it is one.
std::string not_eligible(const View& view, const Pod& pod, const Filtered& filtered,
                         std::optional<std::size_t> nominated);

/// The pod's priority; 0 if it has none.
std::int32_t priority_of(const State& state, PodId pod);
/// "namespace/name".
std::string full_name(const State& state, PodId pod);

}  // namespace winnow
