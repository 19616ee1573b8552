#include "extender/engine/preemption/victims.h"

#include <algorithm>
#include <atomic>
#include <numeric>

#include "extender/engine/preemption/disruption_budgets.h"
#include "extender/engine/preemption/taking_back.h"

namespace winnow {
namespace {

/// How many candidates one copy of the view's overlay serves.
constexpr std::size_t kCandidatesPerCopy = 8;

/// One candidate's dry run on an overlay that it leaves as it was.
class DryRun {
 public:
  DryRun(const Engine& engine, const Filtered& begun, const Pod& pod, Overlay& overlay,
         const Candidate& candidate)
      : engine_(engine), begun_(begun), pod_(pod), overlay_(overlay), candidate_(candidate) {}

  /// @param why  is given the reasons of a node that refuses the pod with all victims gone.
  std::optional<Eviction> run(std::vector<std::string>& why) {
    const std::size_t mark = overlay_.mark();
    for (const Victim& victim : candidate_.victims) take_away(victim);
    std::optional<Eviction> eviction;
    if (engine_.fits_after(begun_, pod_, overlay_, candidate_.node_name, &why)) eviction = put_back();
    overlay_.return_to(mark);
    return eviction;
  }

 private:
  bool fits() const { return engine_.fits_after(begun_, pod_, overlay_, candidate_.node_name); }

  std::optional<Eviction> put_back() {
    const std::vector<std::size_t> order = by_priority();
    std::vector<ObjectMeta> pods;
    for (const std::size_t i : order) pods.push_back(metadata(candidate_.victims[i]));
    const std::vector<bool> breaks =
        break_budgets(overlay_.state().objects.of<PodDisruptionBudget>(), pods, engine_.rules().generation);
    const bool may_stay = !candidate_.named || may_take_back(engine_.rules(), state(), pod_, candidate_);
    Eviction eviction;
    for (const bool breaking : {true, false})
      for (std::size_t i = 0; i < order.size(); ++i) {
        if (breaks[i] != breaking || (may_stay && stays(candidate_.victims[order[i]]))) continue;
        eviction.victims.push_back(order[i]);
        eviction.violations += breaking;
      }
    std::ranges::sort(eviction.victims);
    return eviction.victims.empty() ? std::nullopt : std::optional(std::move(eviction));
  }

  bool stays(const Victim& victim) {
    if (victim.pod == kNone && !victim.given) return false;
    const std::size_t mark = overlay_.mark();
    if (victim.pod == kNone) {
      overlay_.add_pod(*victim.given);
    } else {
      const PodRecord& record = state().pod(victim.pod);
      overlay_.restore_pod(state().pod_namespace(record), record.name);
    }
    if (fits()) return true;
    overlay_.return_to(mark);
    return false;
  }

  void take_away(const Victim& victim) {
    if (victim.pod == kNone) return;
    const PodRecord& record = state().pod(victim.pod);
    overlay_.remove_pod(state().pod_namespace(record), record.name);
  }

  std::vector<std::size_t> by_priority() const {
    std::vector<std::size_t> order(candidate_.victims.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater(), [&](std::size_t i) {
      const Victim& victim = candidate_.victims[i];
      if (victim.pod != kNone) return state().spec(state().pod(victim.pod)).priority.value_or(0);
      return victim.given ? victim.given->spec.priority.value_or(0) : 0;
    });
    return order;
  }

  ObjectMeta metadata(const Victim& victim) const {
    if (victim.pod != kNone) return state().metadata_of(victim.pod);
    return victim.given ? victim.given->metadata : ObjectMeta();
  }

  const State& state() const { return overlay_.state(); }

  const Engine& engine_;
  const Filtered& begun_;
  const Pod& pod_;
  Overlay& overlay_;
  const Candidate& candidate_;
};

}  // namespace

Evictions select_victims(const Engine& engine, const View& view, const Pod& pod,
                         std::span<const Candidate> candidates,
                         std::chrono::steady_clock::time_point deadline) {
  Evictions evictions;
  evictions.by_candidate.resize(candidates.size());
  evictions.why.resize(candidates.size());
  evictions.judged.resize(candidates.size());
  std::atomic<bool> late = false;
  std::vector<NodeId> nodes;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < candidates.size(); ++i)
    if (const NodeId node = view.find_node(candidates[i].node_name); node != kNone) {
      nodes.push_back(node);
      places.push_back(i);
    }
  if (nodes.empty()) return evictions;
  const Filtered begun = engine.begin({pod, view, nodes, view.state().options().accounting});
  engine.workers().for_each_chunk(nodes.size(), kCandidatesPerCopy, [&](std::size_t begin, std::size_t end) {
    Overlay overlay = view.overlay();
    for (std::size_t i = begin; i < end; ++i) {
      if (!begun.fits(i)) {
        evictions.judged[places[i]] = 1;
        continue;
      }
      if (std::chrono::steady_clock::now() > deadline) {
        late = true;
        return;
      }
      const std::size_t place = places[i];
      evictions.judged[place] = 1;
      evictions.by_candidate[place] =
          DryRun(engine, begun, pod, overlay, candidates[place]).run(evictions.why[place]);
    }
  });
  evictions.cut_short = late;
  return evictions;
}

}  // namespace winnow
