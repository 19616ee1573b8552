// What Winnow would do for a pod, held against what kube-scheduler did.
#pragma once

#include <string>

#include "cluster/rule/budget.h"
#include "cluster/state/view.h"
#include "extender/calls/picks/node_picker.h"
#include "extender/decisions/decision_record.h"
#include "extender/engine/engine.h"
#include "extender/shadow/scheduler_decisions.h"

namespace winnow {

/// Who decides, and on what.
struct Judgement {
  const View& view;  ///< As kube-scheduler had it: without the pod.
  const Engine& engine;
  const NodePicker& picker;
  const Budget& budget;
};

/// Decides for the pod as `best` does, over all nodes; with today's rules its nominated node is asked about
/// first. Where the pod was bound is looked at only afterwards. Throws OutOfTime.
/// @param record  of that pod, with the rules' names. Gets what was found: the pick, behind it the node where
///   the pod was bound if that was scored, then others by total; the rules that refuse that node.
/// @return kSame, kTie, kOther, kRefused or kNowhere; kError: the rules have failed, as record.error says.
///   With it what is to be said of the node where the pod was bound; "": nothing.
struct Compared {
  DecisionResult result = DecisionResult::kError;
  std::string said;
};
Compared compare(const SchedulerDecision& told, const Judgement& by, DecisionRecord& record);

}  // namespace winnow
