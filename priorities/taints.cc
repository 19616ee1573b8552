// TaintTolerationPriority: prefers nodes with fewer PreferNoSchedule taints that the pod does not tolerate. A
// node without any gets 10. Tolerations count if they are for that effect or for all effects.
// Upstream: priorities/taint_toleration.go v1.16.15.
#include "cluster/api/node.h"
#include "cluster/state/dictionaries.h"
#include "priorities/records.h"
#include "priorities/rules.h"

namespace winnow::priorities {

BindPriority taint_toleration;

namespace {

/// Nodes share taint sets: each set is counted once, and a node costs two array reads.
class TaintToleration final : public Priority {
 public:
  TaintToleration(const View& view, std::vector<std::int64_t> intolerable, std::int64_t max)
      : taints_(view.column(&NodeTable::taints)), intolerable_(std::move(intolerable)), max_(max) {}

  void map(std::span<const NodeId> nodes, std::span<std::int64_t> out) const override {
    for (std::size_t i = 0; i < nodes.size(); ++i) out[i] = intolerable_[taints_[nodes[i]]];
  }
  void reduce(std::span<const NodeId>, std::span<std::int64_t> scores) const override {
    normalize(scores, max_, /*reversed=*/true);
  }
  ReducesBy reduces_by() const override { return ReducesBy::kValues; }

 private:
  const Column<std::uint32_t> taints_;
  const std::vector<std::int64_t> intolerable_;  // By taint set.
  const std::int64_t max_;
};

}  // namespace

namespace {

/// The pod's tolerations of PreferNoSchedule taints.
Tolerations tolerations_of(const Pod& pod) {
  Tolerations tolerations;
  for (const Toleration& toleration : pod.spec.tolerations)
    if (toleration.effect.empty() || toleration.effect == "PreferNoSchedule") tolerations.add(toleration);
  return tolerations;
}

bool is_intolerable(const Taint& taint, const Tolerations& tolerations) {
  return taint.effect == "PreferNoSchedule" && !tolerations.tolerate(taint);
}

/// The taints that are counted.
std::unique_ptr<const CauseFinder> find_intolerable(const Request& request, const Arguments&) {
  return make_cause_finder(
      [&view = request.view, taints = request.view.column(&NodeTable::taints),
       tolerations = tolerations_of(request.pod)](NodeId node, std::vector<Cause>& facts) {
        for (const Taint& taint : view.names().taints[taints[node]])
          if (is_intolerable(taint, tolerations))
            facts.push_back(
                Cause{"preferNoSchedule"}.with("taint", taint_text(taint.key, taint.value, taint.effect)));
      });
}

}  // namespace

std::unique_ptr<const Priority> tolerates_preferences(const Request& request, std::int64_t max) {
  const Tolerations tolerations = tolerations_of(request.pod);
  const auto& sets = request.view.names().taints;
  std::vector<std::int64_t> intolerable(sets.capacity(), 0);
  for (std::uint32_t id = 0; id < sets.capacity(); ++id)
    intolerable[id] = std::ranges::count_if(
        sets[id], [&](const Taint& taint) { return is_intolerable(taint, tolerations); });
  return std::make_unique<TaintToleration>(request.view, std::move(intolerable), max);
}

BoundPriority taint_toleration(const Request& request, const Arguments&) {
  return tolerates_preferences(request, kMaxClassicScore);
}

}  // namespace winnow::priorities

namespace winnow::priorities::today {

// TaintToleration: prefers nodes with fewer PreferNoSchedule taints that the pod does not tolerate. No pod is
// skipped.
// Upstream: pkg/scheduler/framework/plugins/tainttoleration/taint_toleration.go v1.37.0.

BindPriority taint_toleration;

BoundPriority taint_toleration(const Request& request, const Arguments&) {
  return tolerates_preferences(request, kMaxNodeScore);
}

}  // namespace winnow::priorities::today

namespace winnow::priorities {

// The records.

namespace {

constexpr Record kTaintsRecords[] = {
    {.name = "TaintTolerationPriority",
     .origin = RuleOrigin::kClassic,
     .bind = taint_toleration,
     .needs = needs::kNothing,
     .reads = Reads::kNode,
     .made_by = find_intolerable,
     .by_default = AtGates::kAllGates},
    {.name = "TaintToleration",
     .origin = RuleOrigin::kToday,
     .bind = today::taint_toleration,
     .needs = needs::kNothing,
     .reads = Reads::kNode,
     .made_by = find_intolerable,
     .without_pre_score = "failed to read \"PreScoreTaintToleration\" from cycleState: not found",
     .may_skip = false,
     .releases = {{.release = Release::k1_18, .points = points::kPreScoreAndScore, .weight = 1},
                  {.release = Release::k1_28, .points = points::kPreScoreAndScore, .weight = 3}}},
};

}  // namespace

Records taints_records;

std::span<const Record> taints_records() { return kTaintsRecords; }

}  // namespace winnow::priorities
