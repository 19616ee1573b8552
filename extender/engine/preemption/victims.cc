#include "extender/engine/preemption/victims.h"

#include <algorithm>
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

/// The candidates whose nodes the view knows, judged in chunks.
class Selection {
 public:
  Selection(const Engine& engine, const View& view, const Pod& pod, std::span<const Candidate> candidates,
            const Budget* budget, Evictions& evictions)
      : engine_(engine),
        view_(view),
        pod_(pod),
        candidates_(candidates),
        budget_(budget),
        evictions_(evictions) {
    for (std::size_t i = 0; i < candidates.size(); ++i)
      if (const NodeId node = view.find_node(candidates[i].node_name); node != kNone) {
        nodes_.push_back(node);
        places_.push_back(i);
      }
  }

  void run() {
    if (nodes_.empty()) return;
    begun_ = engine_.begin({pod_, view_, nodes_, view_.state().options().accounting, true, nullptr, budget_});
    engine_.workers().for_each_chunk(nodes_.size(), kCandidatesPerCopy,
                                     [this](std::size_t begin, std::size_t end) { judge(begin, end); });
  }

 private:
  void judge(std::size_t begin, std::size_t end) {
    Overlay overlay = view_.overlay();
    for (std::size_t i = begin; i < end; ++i) {
      if (budget_) budget_->check();
      const std::size_t place = places_[i];
      if (begun_.fits(i))
        evictions_.by_candidate[place] =
            DryRun(engine_, begun_, pod_, overlay, candidates_[place]).run(evictions_.why[place]);
      evictions_.judged[place] = 1;
    }
  }

  const Engine& engine_;
  const View& view_;
  const Pod& pod_;
  std::span<const Candidate> candidates_;
  const Budget* const budget_;
  Evictions& evictions_;
  std::vector<NodeId> nodes_;
  std::vector<std::size_t> places_;
  Filtered begun_;
};

}  // namespace

Evictions select_victims(const Engine& engine, const View& view, const Pod& pod,
                         std::span<const Candidate> candidates, const Budget* budget) {
  Evictions evictions;
  evictions.by_candidate.resize(candidates.size());
  evictions.why.resize(candidates.size());
  evictions.judged.resize(candidates.size());
  try {
    Selection(engine, view, pod, candidates, budget, evictions).run();
  } catch (const OutOfTime&) {
    evictions.cut_short = true;  // What has been judged stands.
  }
  return evictions;
}

}  // namespace winnow
