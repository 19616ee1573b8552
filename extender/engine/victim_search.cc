#include "extender/engine/victim_search.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "cluster/rule/budget.h"
#include "cluster/rule/reasons.h"
#include "cluster/state/state.h"
#include "cluster/state/view.h"
#include "extender/engine/disruption_budgets.h"
#include "extender/engine/engine.h"
#include "extender/engine/preemption_candidates.h"
#include "extender/engine/ruleset.h"
#include "extender/engine/workers.h"
#include "predicates/records.h"

namespace winnow {
namespace {

/// Each chunk copies the trials once, and compares budgets with pods anew. Few enough that no thread waits
/// long for another one's last chunk.
constexpr std::size_t kNodesPerTrials = 64;

/// A pod that may be evicted, with what says how important it is.
struct Evictable {
  std::int64_t priority = 0;
  std::int64_t start_time = 0;
  PodId pod = kNone;
};

/// Upstream: pkg/scheduler/framework/preemption/util.go MoreImportantVictim v1.37.0, util/utils.go
/// MoreImportantPod v1.16.15.
class MoreImportant {
 public:
  explicit MoreImportant(const State& state) : state_(state) {}
  bool operator()(const Evictable& a, const Evictable& b) const {
    if (a.priority != b.priority) return a.priority > b.priority;
    if (a.start_time != b.start_time) return a.start_time < b.start_time;
    return name_of(a) < name_of(b);
  }

 private:
  std::pair<std::string_view, std::string_view> name_of(const Evictable& one) const {
    const PodRecord& record = state_.pod(one.pod);
    return {state_.pod_namespace(record), record.name};
  }
  const State& state_;
};

/// The dry run on one node after another. One thread's.
class DryRuns {
 public:
  DryRuns(const View& view, const Pod& pod, std::span<const PodId> spared, const NodeTrials& trials,
          const NodeBudgets& budgets, Generation generation)
      : view_(view),
        state_(view.state()),
        priority_(pod.spec.priority.value_or(0)),
        spared_(spared),
        trials_(trials),
        budgets_(budgets),
        generation_(generation) {}

  /// @return nothing where the pod does not fit without all pods of lower priority.
  std::optional<FreedNode> run(NodeId node) {
    const std::string_view name = view_.node_name(node);
    find_evictable(name);
    if (pods_.empty()) return std::nullopt;
    trials_.begin(node);
    for (const Evictable& one : pods_) trials_.change(one.pod, -1);
    if (!trials_.fits()) return std::nullopt;
    std::ranges::sort(pods_, MoreImportant(state_));
    FreedNode freed{.name = std::string(name)};
    choose(freed);
    if (freed.victims.empty() && generation_ == Generation::kToday) return std::nullopt;
    return freed;
  }

 private:
  void find_evictable(std::string_view node_name) {
    pods_.clear();
    const NodeId node = state_.find_node(node_name);
    if (node == kNone) return;
    for (const PodId id : state_.pods_on(node)) {
      const PodRecord& record = state_.pod(id);
      const std::int32_t priority = state_.spec(record).priority.value_or(0);
      if (priority < priority_ && !std::ranges::binary_search(spared_, id))
        pods_.push_back({priority, record.start_time, id});
    }
  }

  /// Brings back the pods that may stay.
  void choose(FreedNode& freed) {
    std::vector<PodId> ids;
    for (const Evictable& one : pods_) ids.push_back(one.pod);
    const std::vector<bool> breaks = budgets_.breaks(ids);
    std::vector<std::size_t> victims;
    for (const bool breaking : {true, false})
      for (std::size_t i = 0; i < ids.size(); ++i) {
        if (breaks[i] != breaking) continue;
        trials_.change(ids[i], +1);
        if (trials_.fits()) continue;
        trials_.change(ids[i], -1);
        victims.push_back(i);
        freed.violations += breaking ? 1 : 0;
      }
    // As upstream's last sort: of equally important victims those of broken budgets stay in front. Pods that
    // have not started are never equally important: upstream takes the time at which it looked at each.
    if (generation_ == Generation::kToday)
      std::ranges::stable_sort(victims, {}, [this](std::size_t i) {
        const Evictable& one = pods_[i];
        return std::tuple(-one.priority, one.start_time, one.start_time == kNotStarted ? i : 0);
      });
    for (const std::size_t victim : victims) freed.victims.push_back(ids[victim]);
  }

  const View& view_;
  const State& state_;
  const std::int32_t priority_;
  const std::span<const PodId> spared_;
  NodeTrials trials_;
  NodeBudgets budgets_;
  const Generation generation_;
  std::vector<Evictable> pods_;  ///< Of the node: those of lower priority.
};

/// The nodes that evictions may help, by the verdicts of filtering and of all rules that look at no pods.
std::vector<NodeId> nodes_to_try(const Engine& engine, const Filtered& filtered,
                                 std::span<const NodeId> nodes) {
  std::vector<NodeId> left;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (may_help(filtered, i)) left.push_back(nodes[i]);
  return passing_others(engine, filtered, std::move(left));
}

/// Upstream's order of preference; the smallest is the best.
auto rank(const State& state, const FreedNode& freed) {
  const auto priority = [&](PodId id) { return std::int64_t{priority_of(state, id)}; };
  std::int64_t sum = 0, highest = std::numeric_limits<std::int64_t>::min(), earliest = kNotStarted;
  for (const PodId victim : freed.victims) {
    // So that fewer pods are better also where priorities are negative.
    sum += priority(victim) + std::numeric_limits<std::int32_t>::max() + 1;
    const std::int64_t start = state.pod(victim).start_time;
    earliest = priority(victim) > highest    ? start
               : priority(victim) == highest ? std::min(earliest, start)
                                             : earliest;
    highest = std::max(highest, priority(victim));
  }
  const std::int64_t first =
      freed.victims.empty() ? std::numeric_limits<std::int64_t>::min() : priority(freed.victims.front());
  // v1.16 takes a node without victims at once.
  return std::tuple(!freed.victims.empty(), freed.violations, first, sum, freed.victims.size(),
                    earliest == kNotStarted ? std::numeric_limits<std::int64_t>::min() : -earliest,
                    std::string_view(freed.name));
}

/// One search.
class Search {
 public:
  Search(const Engine& engine, const View& view, const Pod& pod, std::vector<NodeId> nodes,
         std::span<const PodId> spared, const Budget* budget)
      : engine_(engine), view_(view), pod_(pod), spared_(spared), budget_(budget), all_(std::move(nodes)) {}

  FreedNodes run() {
    try {
      find();
    } catch (const OutOfTime&) {
      result_.cut_short = true;  // What has been found stands.
    }
    for (std::optional<FreedNode>& one : freed_)
      if (one) result_.nodes.push_back(std::move(*one));
    std::ranges::sort(result_.nodes, {}, &FreedNode::name);
    const auto best = std::ranges::min_element(
        result_.nodes, {}, [&](const FreedNode& one) { return rank(view_.state(), one); });
    if (best != result_.nodes.end()) result_.best = static_cast<std::size_t>(best - result_.nodes.begin());
    return std::move(result_);
  }

 private:
  void find() {
    if (engine_.rules().generation == Generation::kClassic && basic_checks(pod_, view_)) return;
    const Request request{.pod = pod_,
                          .view = view_,
                          .nodes = all_,
                          .accounting = view_.state().options().accounting,
                          .budget = budget_};
    PassTimes unused;
    const Filtered filtered = engine_.filter(request, engine_.rules().always_check_all_predicates, unused);
    if (filtered.error()) return;  // Upstream preempts only for a pod that is refused.
    for (std::size_t i = 0; i < all_.size(); ++i) result_.fitting += filtered.fits(i) ? 1 : 0;
    result_.message = not_eligible(view_, pod_, filtered, nominated());
    if (!result_.message.empty()) return;
    const std::vector<NodeId> nodes = nodes_to_try(engine_, filtered, all_);
    if (nodes.empty()) return;
    ReasonLists lists;
    Request asked = request;
    asked.reason_lists = &lists;
    const NodeTrials trials(engine_, filtered, asked);
    const NodeBudgets budgets(view_.state(), engine_.rules().generation);
    freed_.resize(nodes.size());
    engine_.workers().for_each_chunk(nodes.size(), kNodesPerTrials, [&](std::size_t begin, std::size_t end) {
      DryRuns runs(view_, pod_, spared_, trials, budgets, engine_.rules().generation);
      for (std::size_t i = begin; i < end; ++i) {
        if (budget_) budget_->check();
        freed_[i] = runs.run(nodes[i]);
      }
    });
  }

  std::optional<std::size_t> nominated() const {
    const auto node = std::ranges::find(all_, view_.find_node(pod_.status.nominated_node_name));
    if (node == all_.end()) return std::nullopt;
    return static_cast<std::size_t>(node - all_.begin());
  }

  const Engine& engine_;
  const View& view_;
  const Pod& pod_;
  const std::span<const PodId> spared_;
  const Budget* const budget_;
  const std::vector<NodeId> all_;
  std::vector<std::optional<FreedNode>> freed_;
  FreedNodes result_;
};

}  // namespace

FreedNodes search_victims(const Engine& engine, const View& view, const Pod& pod, const Budget* budget) {
  return search_victims_among(engine, view, pod, view.all_nodes(), {}, budget);
}

FreedNodes search_victims_among(const Engine& engine, const View& view, const Pod& pod,
                                std::vector<NodeId> nodes, std::span<const PodId> spared,
                                const Budget* budget) {
  return Search(engine, view, pod, std::move(nodes), spared, budget).run();
}

bool cover_all_filters(const RuleSet& rules) {
  if (rules.generation == Generation::kClassic || rules.others_filter) return false;
  return std::ranges::all_of(predicates::plugins(), [&](const predicates::Record& plugin) {
    if (plugin.is_own()) return true;
    const ConfiguredPredicate* const rule = find_check(rules, plugin);
    return rule && rule->filters && rule->pre_filters;
  });
}

}  // namespace winnow
