#include "extender/service/page/waiting.h"

#include <sys/resource.h>

#include <algorithm>
#include <exception>
#include <format>
#include <functional>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "cluster/rule/budget.h"
#include "cluster/state/pod_record.h"
#include "cluster/state/state.h"
#include "cluster/state/view.h"
#include "cluster/text/characters.h"
#include "cluster/text/json.h"
#include "extender/engine/engines.h"
#include "extender/engine/workers.h"
#include "extender/explain/explain.h"
#include "extender/explain/explanation.h"
#include "extender/explain/pending_summary.h"
#include "extender/service/page/page_figures.h"
#include "extender/service/scheduling/compute_limiter.h"
#include "extender/service/scheduling/decision_lock.h"

namespace winnow {
namespace {

/// What a thread has that gives way to others; see setpriority(2).
constexpr int kNiceness = 10;

/// What tells a pod apart for the rules, as far as that is known without looking into it.
using PodKind = std::tuple<GroupId, std::uint32_t, std::uint32_t, TermListId, std::uint32_t>;

/// The longest time that a watch event waits for a judgement, whose answer nobody needs at once.
constexpr std::chrono::milliseconds kWriterWaitsForViewers{50};

/// Where nodes differ in why they refuse, kube-scheduler's text names thousands of reasons.
constexpr std::size_t kReasonBytes = 1000;

struct Reason {
  std::string text;  ///< "": none, for the pod waits no longer, or was not judged in time.
  bool fits = false;
  bool in_time = true;
  Explanation summed = {};  ///< What PendingSummary reads of it; without nodes.

  bool is_gone() const { return in_time && text.empty(); }
};

/// A pod as it was when the cache was read, for the cache may change between two judgements.
struct Waiting {
  std::string ns, name;
  PodKind kind;
};

Reason reason_of(Explanation explanation) {
  Reason reason;
  if (explanation.error)
    reason.text = utf8_shortened(*explanation.error, kReasonBytes);
  else if (explanation.feasible > 0)
    reason.text = std::format("fits {} of {} nodes: kube-scheduler has not placed it yet",
                              explanation.feasible, explanation.nodes.size());
  else
    reason.text = utf8_shortened(fit_error(explanation, /*every_failure=*/false), kReasonBytes);
  reason.fits = !explanation.error && explanation.feasible > 0;
  reason.summed.error = std::move(explanation.error);
  reason.summed.feasible = explanation.feasible;
  reason.summed.kept_out = std::move(explanation.kept_out);
  return reason;
}

Reason reason_of_error(std::string error) {
  Reason reason{.text = utf8_shortened(error, kReasonBytes)};
  reason.summed.error = std::move(error);
  return reason;
}

std::string gates_reason(const std::vector<std::string>& gates) {
  std::string names;
  for (const std::string& gate : gates) names += (names.empty() ? "" : ", ") + gate;
  return utf8_shortened("Scheduling is blocked due to non-empty scheduling gates: " + names, kReasonBytes);
}

std::vector<Waiting> all_waiting(const ClusterCache& cache) {
  const ClusterCache::ReadGuard state = cache.read();
  std::vector<Waiting> pods;
  for (const PodId id : state->pending_pods()) {
    const PodRecord& pod = state->pod(id);
    pods.push_back({std::string(state->pod_namespace(pod)),
                    pod.name,
                    {pod.group, pod.spec, pod.footprint, pod.terms, pod.owner}});
  }
  return pods;
}

std::vector<RuleSet> copy_of(const std::vector<const RuleSet*>& sets) {
  std::vector<RuleSet> copies;
  for (const RuleSet* const set : sets) copies.push_back(*set);
  return copies;
}

/// One round of judgements. It runs on its own thread alone: it takes no helpers from kube-scheduler's calls.
class Round {
 public:
  using Nodes = std::optional<std::vector<std::string>>;

  /// @param nodes  those to look at; absent: all.
  Round(const ActiveConfig& active, const ExplainOptions& options, const Nodes& nodes,
        WaitingGroups::Time end, const std::stop_token& stop)
      : cache_(*active.cache),
        options_(options),
        nodes_(nodes),
        sets_(copy_of(active.engines->sets())),
        engines_(sets_, alone_),
        whole_(end, [stop] { return stop.stop_requested(); }) {}

  std::vector<Waiting> pods() const { return all_waiting(cache_); }

  Reason judge(const Waiting& pod) const {
    if (whole_.is_over()) return {.text = {}, .in_time = false};
    try {
      return judge_in_time(pod);
    } catch (const OutOfTime&) {
      return {.text = {}, .in_time = false};
    }
  }

 private:
  /// The cache is locked while the rules run, and not while their results are put into words. What a
  /// preemption would do takes many times longer, and is not asked.
  Reason judge_in_time(const Waiting& pod) const {
    std::optional<Explainer> explainer;
    {
      const ClusterCache::ReadGuard state = cache_.read();
      if (!state.whole()) throw CacheLost();
      const PodId id = state->find_pod(pod.ns, pod.name);
      if (id == kNone || state->pod(id).assigned) return {};
      const std::vector<std::string>& gates = state->spec(state->pod(id)).scheduling_gates;
      if (!gates.empty()) {
        Reason reason{.text = gates_reason(gates)};
        reason.summed.gates = gates;
        return reason;
      }
      const Pod asked = state->to_pod(id);
      const Engine* const engine = engines_.find(asked);
      if (!engine) return reason_of_error(no_profile_error(asked));
      const View view(*state);
      const auto budget = reading_time(cache_, &whole_, kWriterWaitsForViewers);
      PassTimes times;
      explainer.emplace(*engine, options_)
          .ask(view, asked, nodes_ ? find_nodes(view, *nodes_) : view.all_nodes(), times, budget.get());
    }
    return reason_of(explainer->outline());
  }

  const ClusterCache& cache_;
  const ExplainOptions options_;
  const Nodes& nodes_;
  Workers alone_{0};
  const std::vector<RuleSet> sets_;
  const Engines engines_;
  const Budget whole_;
};

}  // namespace

std::string WaitingGroups::json(const ActiveConfig& active, const ExplainOptions& options, Time now) {
  const MutexLock lock(mutex_);
  if (!judging_ && now >= until_) {
    if (now >= until_ + kForgotten) kept_.clear();
    // The thread of the round before has let go of the mutex for good, and is joined here.
    thread_ = std::jthread(
        [this, active, options](const std::stop_token& stop) { judge_all(active, options, stop); });
    judging_ = true;  // Not before: without a thread nobody would take it back.
  }
  if (!kept_.empty()) return kept_;
  return std::format(R"({{"groups":[],"more":0,"pending":{},"judged":0}})",
                     active.cache->read()->pending_count());
}

void WaitingGroups::judge_all(const ActiveConfig& active, const ExplainOptions& options,
                              const std::stop_token& stop) {
  setpriority(PRIO_PROCESS, 0, kNiceness);  // On Linux that is this thread alone.
  std::string found;
  try {
    found = judge(active, options, std::nullopt, kMayTake, stop);
  } catch (const std::exception&) {  // Out of memory, or the cache was lost. The next round may do.
  }
  const MutexLock lock(mutex_);
  if (!found.empty()) kept_ = std::move(found);
  until_ = std::chrono::steady_clock::now() + kKept;
  judging_ = false;
}

std::string WaitingGroups::json_for(const ActiveConfig& active, const ExplainOptions& options,
                                    const std::string& node) {
  return judge(active, options, std::vector{node}, kMayTakeAtOnce, {});
}

std::string WaitingGroups::judge(const ActiveConfig& active, const ExplainOptions& options,
                                 const Nodes& nodes, std::chrono::milliseconds longest,
                                 const std::stop_token& stop) {
  const Round round(active, options, nodes, std::chrono::steady_clock::now() + longest, stop);
  const std::vector<Waiting> pods = round.pods();
  std::map<PodKind, Reason> known;
  std::map<std::string_view, Group> groups;
  std::size_t judged = 0;
  PendingSummary summary;
  for (const Waiting& pod : pods) {
    auto found = known.find(pod.kind);
    if (found == known.end()) {
      Reason reason = round.judge(pod);
      if (reason.is_gone()) {  // Others of its kind may wait still.
        ++judged;
        continue;
      }
      found = known.emplace(pod.kind, std::move(reason)).first;
    }
    const Reason& reason = found->second;
    if (!reason.in_time) continue;
    ++judged;
    summary.add(reason.summed);
    Group& group = groups[reason.text];
    group.reason = reason.text;
    group.fits = reason.fits;
    ++group.count;
    if (group.pods.size() < kMostNames) group.pods.push_back(pod.ns + "/" + pod.name);
  }
  std::vector<const Group*> order;
  for (const auto& [reason, group] : groups) order.push_back(&group);
  std::ranges::stable_sort(order, std::ranges::greater(), &Group::count);
  return written(order) + (nodes ? "" : written(summary)) +
         std::format(R"(,"pending":{},"judged":{}}})", pods.size(), judged);
}

std::string WaitingGroups::written(const PendingSummary& summary) {
  std::string out = ",\"summary\":[";
  const std::vector<PendingSum> sums = summary.sums();
  for (std::size_t i = 0; i < std::min(sums.size(), kMostSums); ++i) {
    if (i > 0) out += ',';
    append_quoted(out, sums[i].text);
  }
  return out + ']';
}

std::string WaitingGroups::written(const std::vector<const Group*>& order) {
  std::string out = "{\"groups\":[";
  std::size_t more = 0;
  for (const Group* const group : order) {
    if (out.size() >= kNameBytes) {
      more += group->count;
      continue;
    }
    out += group == order.front() ? "{\"reason\":" : ",{\"reason\":";
    append_quoted(out, group->reason);
    out += std::format(",\"count\":{},\"fits\":{},\"pods\":[", group->count, group->fits);
    for (const std::string& pod : group->pods) {
      if (&pod != &group->pods.front()) out += ',';
      append_quoted(out, pod);
    }
    out += "]}";
  }
  return out + std::format("],\"more\":{}", more);
}

}  // namespace winnow
