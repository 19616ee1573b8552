#include "extender/page/waiting.h"

#include <sys/resource.h>

#include <algorithm>
#include <exception>
#include <format>
#include <functional>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "cluster/text/json/json_string.h"
#include "extender/explain/failures.h"

namespace winnow {
namespace {

/// What a thread has that gives way to others; see setpriority(2).
constexpr int kNiceness = 10;

/// What tells a pod apart for the rules, as far as that is known without looking into it.
using Kind = std::tuple<GroupId, std::uint32_t, std::uint32_t, TermListId, std::uint32_t>;

struct Reason {
  std::string text;
  bool fits = false;
};

/// A pod as it was when the picture was read, for the picture may change between two judgements.
struct Waiting {
  std::string ns, name;
  Kind kind;
};

Reason reason_of(const Explanation& explanation) {
  if (explanation.error) return {*explanation.error};
  if (explanation.feasible > 0)
    return {std::format("fits {} of {} nodes: kube-scheduler has not placed it yet", explanation.feasible,
                        explanation.nodes.size()),
            true};
  return {fit_error(explanation, /*every_failure=*/false)};
}

std::vector<Waiting> all_waiting(const Picture& picture) {
  const Picture::Reader state = picture.read();
  std::vector<Waiting> pods;
  for (const PodId id : state->pending_pods()) {
    const PodRecord& pod = state->pod(id);
    pods.push_back({std::string(state->pod_namespace(pod)),
                    pod.name,
                    {pod.group, pod.spec, pod.footprint, pod.terms, pod.owner}});
  }
  return pods;
}

/// Judges one pod. The picture is locked meanwhile.
std::optional<Reason> judge_one(const Serving& serving, const ExplainOptions& options, const Waiting& pod,
                                const std::optional<std::vector<std::string>>& nodes) {
  const Picture::Reader state = serving.picture->read();
  const PodId id = state->find_pod(pod.ns, pod.name);
  if (id == kNone || state->pod(id).assigned) return std::nullopt;
  const std::vector<std::string>& gates = state->spec(state->pod(id)).scheduling_gates;
  if (!gates.empty()) {
    std::string names;
    for (const std::string& gate : gates) names += (names.empty() ? "" : ", ") + gate;
    return Reason{"Scheduling is blocked due to non-empty scheduling gates: " + names};
  }
  return reason_of(explain_known(*serving.engines, *state, id, nodes, options));
}

}  // namespace

std::string WaitingGroups::json(const Serving& serving, const ExplainOptions& options) {
  const MutexLock lock(mutex_);
  if (!judging_ && std::chrono::steady_clock::now() >= until_) {
    judging_ = true;
    // The thread of the round before has let go of the mutex for good, and is joined here.
    thread_ = std::jthread(
        [this, serving, options](const std::stop_token& stop) { judge_all(serving, options, stop); });
  }
  if (!kept_.empty()) return kept_;
  return std::format(R"({{"groups":[],"pending":{},"judged":0}})", serving.picture->read()->pending_count());
}

void WaitingGroups::judge_all(const Serving& serving, const ExplainOptions& options,
                              const std::stop_token& stop) {
  setpriority(PRIO_PROCESS, 0, kNiceness);  // On Linux that is this thread alone.
  std::string found;
  try {
    found = judge(serving, options, std::nullopt, stop);
  } catch (const std::exception&) {  // Out of memory, or the picture was lost. The next round may do.
  }
  const MutexLock lock(mutex_);
  if (!found.empty()) kept_ = std::move(found);
  until_ = std::chrono::steady_clock::now() + kKept;
  judging_ = false;
}

std::string WaitingGroups::json_for(const Serving& serving, const ExplainOptions& options,
                                    const std::string& node) {
  return judge(serving, options, std::vector{node}, {});
}

std::string WaitingGroups::judge(const Serving& serving, const ExplainOptions& options, const Nodes& nodes,
                                 const std::stop_token& stop) {
  const Time end = std::chrono::steady_clock::now() + kMayTake;
  const std::vector<Waiting> pods = all_waiting(*serving.picture);
  std::map<Kind, std::optional<Reason>> known;
  std::map<std::string, Group> groups;
  std::size_t judged = 0;
  for (const Waiting& pod : pods) {
    auto found = known.find(pod.kind);
    if (found == known.end()) {
      if (stop.stop_requested() || std::chrono::steady_clock::now() > end) continue;
      found = known.emplace(pod.kind, judge_one(serving, options, pod, nodes)).first;
    }
    ++judged;
    if (!found->second) continue;
    Group& group = groups[found->second->text];
    group.reason = found->second->text;
    group.fits = found->second->fits;
    ++group.count;
    if (group.pods.size() < kMostNames) group.pods.push_back(pod.ns + "/" + pod.name);
  }
  std::vector<const Group*> order;
  for (const auto& [reason, group] : groups) order.push_back(&group);
  std::ranges::stable_sort(order, std::ranges::greater(), &Group::count);
  std::string out = "{\"groups\":[";
  for (const Group* const group : order) {
    out += group == order.front() ? "{\"reason\":" : ",{\"reason\":";
    append_quoted(out, group->reason);
    out += std::format(",\"count\":{},\"fits\":{},\"pods\":[", group->count, group->fits);
    for (const std::string& pod : group->pods) {
      if (&pod != &group->pods.front()) out += ',';
      append_quoted(out, pod);
    }
    out += "]}";
  }
  return out + std::format("],\"pending\":{},\"judged\":{}}}", pods.size(), judged);
}

}  // namespace winnow
