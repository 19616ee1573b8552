#include "extender/engine/preemption_preview.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <tuple>

#include "cluster/function_ref.h"
#include "cluster/rule/budget.h"
#include "cluster/state/state.h"
#include "cluster/state/view.h"
#include "extender/engine/engine.h"
#include "extender/engine/preemption_candidates.h"
#include "extender/engine/ruleset.h"
#include "extender/engine/victims.h"

namespace winnow {
namespace {

constexpr std::string_view kNotHelpful = "Preemption is not helpful for scheduling";
constexpr std::string_view kNoVictims = "No preemption victims found for incoming pod";

/// Upstream's order of preference among nodes.
auto rank(const State& state, const Candidate& candidate, const Eviction& eviction) {
  std::int64_t highest = std::numeric_limits<std::int64_t>::min(), sum = 0, earliest = kNotStarted;
  for (const std::size_t victim : eviction.victims) {
    const PodId pod = candidate.victims[victim].pod;
    const std::int64_t priority = priority_of(state, pod), start = state.pod(pod).start_time;
    earliest = priority > highest ? start : priority == highest ? std::min(earliest, start) : earliest;
    highest = std::max(highest, priority);
    // So that fewer pods are better also where priorities are negative.
    sum += priority + std::numeric_limits<std::int32_t>::max() + 1;
  }
  // Of the oldest of the most important victims the youngest: it has done the least.
  return std::tuple(eviction.violations, highest, sum, eviction.victims.size(), -earliest);
}

std::optional<std::size_t> pick(const State& state, const std::vector<Candidate>& candidates,
                                const Evictions& found) {
  std::optional<std::size_t> best;
  const auto rank_of = [&](std::size_t i) { return rank(state, candidates[i], *found.by_candidate[i]); };
  for (std::size_t i = 0; i < candidates.size(); ++i)
    if (found.by_candidate[i] && (!best || rank_of(i) < rank_of(*best))) best = i;
  return best;
}

/// The candidates that are tried before it is asked whether others wait. Each needs about as long as a filter
/// call.
constexpr std::size_t kTriedAtOnce = 5;

/// The time of a preview: it is over at its deadline, or when others wait.
class PreviewTime {
 public:
  explicit PreviewTime(const PreviewOptions& options)
      : others_wait_(options.others_wait), budget_(options.deadline) {}

  Evictions select(const Engine& engine, const View& view, const Pod& pod,
                   std::span<const Candidate> candidates, bool reasons = false) {
    if (!others_wait_) return select_victims(engine, view, pod, candidates, &budget_, reasons);
    Evictions all;
    for (std::size_t begin = 0; begin < candidates.size() && !is_over(); begin += kTriedAtOnce) {
      const auto some = candidates.subspan(begin, std::min(kTriedAtOnce, candidates.size() - begin));
      append(all, select_victims(engine, view, pod, some, &budget_, reasons));
      gave_way_ = gave_way_ || (begin + some.size() < candidates.size() && others_wait_());
    }
    all.cut_short = is_over();
    resize(all, candidates.size());
    return all;
  }
  bool is_over() const { return gave_way_ || budget_.is_over(); }
  bool gave_way() const { return gave_way_; }

 private:
  static void resize(Evictions& evictions, std::size_t size) {
    evictions.by_candidate.resize(size);
    evictions.why.resize(size);
    evictions.needless.resize(size);
    evictions.judged.resize(size);
  }
  static void append(Evictions& all, Evictions some) {
    std::ranges::move(some.by_candidate, std::back_inserter(all.by_candidate));
    std::ranges::move(some.why, std::back_inserter(all.why));
    all.needless.insert(all.needless.end(), some.needless.begin(), some.needless.end());
    all.judged.insert(all.judged.end(), some.judged.begin(), some.judged.end());
  }

  const FunctionRef<bool()> others_wait_;
  const Budget budget_;
  bool gave_way_ = false;
};

/// The candidates with the victims that kube-scheduler would name, where it has only the filters of its own
/// that it keeps with --answer=best; without any where it would name none.
std::vector<Candidate> named_in_best(const Engine& engine, const View& view, const Pod& pod,
                                     const std::vector<std::string>& filters,
                                     std::vector<Candidate> candidates, PreviewTime& time) {
  RuleSet rules = engine.rules();
  std::erase_if(rules.predicates,
                [&](const auto& rule) { return !is_made_by(filters, rules.generation, rule); });
  rules.pre_filter_order.clear();
  const Engine its_own(rules, engine.workers());
  const Evictions found = time.select(its_own, view, pod, candidates);
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    std::vector<Victim> named;
    if (found.by_candidate[i])
      for (const std::size_t victim : found.by_candidate[i]->victims)
        named.push_back(candidates[i].victims[victim]);
    candidates[i].victims = std::move(named);
    candidates[i].named = true;
  }
  return candidates;
}

void tell(PreemptionPreview& preview, const State& state, const Candidate& candidate,
          const Eviction& eviction) {
  preview.node = candidate.node_name;
  preview.violations = eviction.violations;
  for (const std::size_t victim : eviction.victims)
    preview.victims.push_back(full_name(state, candidate.victims[victim].pod));
}

std::string why_not(const PreemptionCandidates& candidates, const Evictions& found, std::size_t nodes) {
  if (!candidates.chosen.empty() && std::ranges::count(found.judged, 1) == 0)
    return "no candidate could be asked about in time";
  std::map<std::string_view, std::size_t> counts;
  if (candidates.beyond_help > 0) counts[kNotHelpful] = candidates.beyond_help;
  if (candidates.without_victims > 0) counts[kNoVictims] = candidates.without_victims;
  for (std::size_t i = 0; i < candidates.chosen.size(); ++i) {
    for (const std::string& reason : found.why[i]) ++counts[reason];
    // A rule has refused the pod before it looked at any node.
    if (found.judged[i] != 0 && found.why[i].empty()) ++counts[kNotHelpful];
  }
  return fit_error(counts, nodes);
}

}  // namespace

PreemptionPreview preview_preemption(const Engine& engine, const View& view, const Pod& pod,
                                     std::span<const std::string> names, const Filtered& filtered,
                                     const PreviewOptions& options) {
  PreemptionPreview preview;
  const auto nominated = std::ranges::find(names, pod.status.nominated_node_name);
  preview.message = not_eligible(
      view, pod, filtered,
      nominated == names.end() ? std::nullopt : std::optional<std::size_t>(nominated - names.begin()));
  if (!preview.message.empty()) return preview;
  const PreemptionCandidates candidates =
      find_preemption_candidates(view, pod, names, filtered, kPreviewCandidates, options.spared);
  PreviewTime time(options);
  const Evictions found = time.select(engine, view, pod, candidates.chosen, /*reasons=*/true);
  preview.gave_way = time.gave_way();
  preview.candidates = candidates.all;
  preview.judged = static_cast<std::size_t>(std::ranges::count(found.judged, 1));

  const auto best = pick(view.state(), candidates.chosen, found);
  if (!best) {
    preview.message = why_not(candidates, found, names.size());
    return preview;
  }
  if (options.filters) {
    const auto named = named_in_best(engine, view, pod, *options.filters, candidates.chosen, time);
    const Evictions enough = time.select(engine, view, pod, named);
    preview.gave_way = time.gave_way();
    if (const auto its_own = pick(view.state(), named, enough)) {
      tell(preview, view.state(), named[*its_own], *enough.by_candidate[*its_own]);
      return preview;
    }
    preview.in_vain = !time.is_over();  // Else it is not known.
  }
  tell(preview, view.state(), candidates.chosen[*best], *found.by_candidate[*best]);
  return preview;
}

}  // namespace winnow
