// The verb preempt: on which of the candidate nodes the victims given make room for the pod, and which of
// them need not go. A victim that the picture does not have on its node is judged by what the request says of
// it, where it gives the whole pod and the picture has no such pod at all (it may be younger than the
// picture); otherwise it counts as gone already, and stays among the victims: kube-scheduler knows it, and to
// leave it out would be to promise that there is room beside it.
//
// What kube-scheduler named is needed by its own filters. Where the picture says otherwise it may be the
// older of the two, and where the victims named before are still in it, it is: the call is held until the
// watch has caught up (recency.h). A second victim for the same room is worse than a pod that waits.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "cluster/decode/decode.h"
#include "cluster/decode/json_scan.h"
#include "extender/engine/victims.h"
#include "extender/log/log.h"
#include "extender/protocol/preempt_args.h"
#include "extender/service/extender.h"
#include "extender/service/question.h"

namespace winnow {
namespace {

/// The pods of a candidate that is given in full.
using FullPods = std::vector<Pod>;

/// What is wrong with a pod of the request, in one line; nothing if all is well.
std::optional<std::string> decode_victims(const std::vector<GivenVictims>& given,
                                          std::vector<FullPods>& decoded) {
  for (const GivenVictims& node : given) {
    FullPods& pods = decoded.emplace_back();
    for (std::size_t i = 0; i < node.pods.size(); ++i) {
      auto pod = decode_pod(node.pods[i]);
      if (!pod) {
        std::string where = "NodeNameToVictims[";
        append_quoted(where, node.node_name);
        return where + "].Pods[" + std::to_string(i) + "]: " + pod.error().message;
      }
      if (pod->metadata.namespace_.empty()) pod->metadata.namespace_ = "default";
      pod->spec.node_name = node.node_name;
      pods.push_back(std::move(*pod));
    }
  }
  return std::nullopt;
}

/// The candidates in the form that they are answered in, and that the engine asks for.
struct Candidates {
  std::vector<MetaVictims> given;
  std::vector<Candidate> asked;
};

/// The pod of the picture that a full victim is, if it is on the node; or the request's own, if the picture
/// knows of no node for it.
Victim find_victim(const State& state, NodeId node, Pod pod) {
  const PodId id = state.find_pod(pod.metadata.namespace_, pod.metadata.name);
  if (id == kNone) return {kNone, std::move(pod)};
  const PodRecord& record = state.pod(id);
  if (record.uid != pod.metadata.uid) return {};
  if (!record.assigned) return {kNone, std::move(pod)};
  return {record.node == node ? id : kNone, std::nullopt};
}

void add_full(const State& state, const std::string& node_name, const FullPods& pods,
              Candidates& candidates) {
  MetaVictims& answer = candidates.given.emplace_back(node_name);
  Candidate& asked = candidates.asked.emplace_back(node_name);
  const NodeId node = state.find_node(node_name);
  std::unordered_set<std::string> seen;
  for (const Pod& pod : pods) {
    if (!seen.insert(pod.metadata.uid).second) continue;
    answer.uids.push_back(pod.metadata.uid);
    asked.victims.push_back(find_victim(state, node, pod));
  }
}

void add_meta(const State& state, const GivenVictims& given, Candidates& candidates) {
  MetaVictims& answer = candidates.given.emplace_back(given.node_name);
  Candidate& asked = candidates.asked.emplace_back(given.node_name);
  std::unordered_map<std::string_view, PodId> there;
  if (const NodeId node = state.find_node(given.node_name); node != kNone)
    for (const PodId id : state.pods_on(node)) there.emplace(state.pod(id).uid, id);
  std::unordered_set<std::string_view> seen;
  for (const std::string& uid : given.uids) {
    if (!seen.insert(uid).second) continue;
    const auto found = there.find(uid);
    answer.uids.push_back(uid);
    asked.victims.push_back({found == there.end() || uid.empty() ? kNone : found->second, std::nullopt});
  }
}

/// What is left of the candidates.
std::vector<MetaVictims> answer_of(const Candidates& candidates,
                                   const std::vector<std::optional<Eviction>>& evictions) {
  std::vector<MetaVictims> left;
  for (std::size_t i = 0; i < evictions.size(); ++i) {
    if (!evictions[i]) continue;
    MetaVictims& node = left.emplace_back(candidates.given[i].node_name);
    node.violations = evictions[i]->violations;
    for (const std::size_t victim : evictions[i]->victims)
      node.uids.push_back(candidates.given[i].uids[victim]);
  }
  return left;
}

/// Whether the candidates name fewer victims than were given. kube-scheduler names none that its filters can
/// do without: it knows of more pods than the picture, or of fewer.
bool takes_back(const std::vector<MetaVictims>& left, const Candidates& candidates) {
  const auto given = [&](const std::string& node) {
    return std::ranges::find(candidates.given, node, &MetaVictims::node_name)->uids.size();
  };
  return std::ranges::any_of(
      left, [&](const MetaVictims& node) { return node.uids.size() < given(node.node_name); });
}

/// Whether one of these pods is on the node, though kube-scheduler does not name it: for kube-scheduler it is
/// gone, or going.
bool still_there(const State& state, const std::string& node_name, const std::vector<std::string>& uids,
                 const Candidates& candidates) {
  const NodeId node = state.find_node(node_name);
  if (node == kNone) return false;
  const auto given = std::ranges::find(candidates.given, node_name, &MetaVictims::node_name);
  return std::ranges::any_of(state.pods_on(node), [&](PodId id) {
    const std::string& uid = state.pod(id).uid;
    if (std::ranges::find(uids, uid) == uids.end()) return false;
    return given == candidates.given.end() || std::ranges::find(given->uids, uid) == given->uids.end();
  });
}

bool fits_on(const Engine& engine, const View& view, const Pod& pod, const std::string& node_name) {
  const NodeId node = view.find_node(node_name);
  if (node == kNone) return false;
  PassTimes unused;
  const Request request{pod, view, {&node, 1}, view.state().options().accounting};
  return engine.filter(request, /*all_rules=*/false, unused).fits(0);
}

}  // namespace

struct Extender::PreemptQuestion {
  PreemptArgs args;
  Pod pod;
  std::vector<FullPods> full;  ///< By args.nodes.
};

struct Extender::PreemptJudged {
  std::vector<MetaVictims> left;
  bool cut_short = false;
  bool taken_back = false;  ///< Victims that kube-scheduler named need not go.
  bool behind = false;      ///< The victims named before are still in the picture.
  bool room_made = false;   ///< They have gone, and the pod fits where they were.
  std::uint64_t told = 0;
};

std::expected<Extender::PreemptQuestion, std::string> Extender::read_preempt(std::string_view body) {
  auto args = read_preempt_args(body);
  if (!args) return std::unexpected(args.error());
  if (args->pod.empty()) return std::unexpected("Pod: the request has none");
  if (!args->has_victims)
    return std::unexpected(
        "the request names no victims: expected NodeNameToMetaVictims or NodeNameToVictims");
  auto pod = decode_pod(args->pod);
  if (!pod) return std::unexpected("Pod: " + pod.error().message);
  if (pod->metadata.namespace_.empty()) pod->metadata.namespace_ = "default";
  PreemptQuestion question{std::move(*args), std::move(*pod), {}};
  if (auto error = decode_victims(question.args.nodes, question.full)) return std::unexpected(*error);
  return question;
}

void Extender::preempt(Call& call) {
  // There is no place for an error in this answer: without one kube-scheduler evicts nobody.
  if (const std::string why = unusable(); !why.empty()) return refuse(call, 503, Result::kInternal, why);
  const std::string body = std::move(call.request.body);
  const auto question = read_preempt(body);
  if (!question) return refuse(call, 400, Result::kBadRequest, "bad request body: " + question.error());
  const Pod& pod = question->pod;
  call.pod = pod.metadata.namespace_ + '/' + pod.metadata.name;
  call.record.nodes = static_cast<std::int64_t>(question->args.nodes.size());
  call.engine = call.world.engines->find(pod);
  if (!call.engine) return refuse(call, 500, Result::kInternal, no_profile_error(pod));

  PreemptJudged judged = judge_held(call, *question);
  // Some candidates in time are worth more than all of them too late.
  if (judged.cut_short) {
    log_warn("preempt: too many candidates to judge all in time",
             {{"pod", call.pod}, {"candidates", question->args.nodes.size()}, {"left", judged.left.size()}});
    if (judged.left.empty())
      return refuse(call, 503, Result::kShed, "overloaded: no candidate was found in time");
  }
  // kube-scheduler asks about the pod again, since what it says of its last attempt changes. What was named
  // before is remembered then.
  const std::string key = pod_key_of(pod);
  const bool in_vain =
      judged.room_made || (judged.behind && named_victims_.are_gone(key, std::chrono::steady_clock::now()));
  if (in_vain) judged.left.clear();
  call.record.feasible = static_cast<std::int64_t>(judged.left.size());
  append_preempt_answer(call.response.body, judged.left);
  if (options_.assume && !in_vain) named_victims_.named(key, std::move(judged.left));
  call.times.lap(Pass::kEncode);
}

/// Judges until the answer is what kube-scheduler expects, or the picture is as recent as it gets.
Extender::PreemptJudged Extender::judge_held(Call& call, const PreemptQuestion& question) {
  Hold hold(recency_, refusals_,
            {.uid = pod_key_of(question.pod),
             .version = to_number(question.pod.metadata.resource_version),
             .preempts = true,
             .at = call.deadline - kPatience});
  for (;;) {
    const News::Count seen = call.world.picture->news().count();
    PreemptJudged judged = judge_preempt(call, question);
    // We have refused the node a moment ago, by a picture that still had the victims.
    judged.room_made &= hold.refused_nominated();
    const bool differs = judged.taken_back || judged.behind;
    const bool settled = judged.room_made || (!judged.left.empty() && !differs);
    const auto now = std::chrono::steady_clock::now();
    const auto until =
        settled || judged.cut_short
            ? std::nullopt
            : hold.next(
                  {.news = seen.for_others, .told = judged.told, .unknown_nodes = 0, .differs = differs},
                  now);
    if (!until) {
      hold.end(!settled, now);
      return judged;
    }
    wait_for_news(call, seen, *until);
    call.world = world();
    call.engine = call.world.engines->find(question.pod);
    if (!call.engine) return judged;  // The rules of now do not know the pod: those before have judged it.
  }
}

Extender::PreemptJudged Extender::judge_preempt(Call& call, const PreemptQuestion& question) const {
  const Pod& pod = question.pod;
  const Picture::Reader reader = call.world.picture->read();
  // The pod's last attempt has failed: what it was on its way to is not taken.
  Overlay without(*reader);
  if (reader.assumed().find(pod.metadata.namespace_, pod.metadata.name))
    without.remove_pod(pod.metadata.namespace_, pod.metadata.name);
  const View view(*reader, &without);
  Candidates candidates;
  call.record.unknown_nodes = 0;
  for (std::size_t i = 0; i < question.args.nodes.size(); ++i) {
    const GivenVictims& given = question.args.nodes[i];
    if (view.find_node(given.node_name) == kNone) ++call.record.unknown_nodes;
    if (question.full[i].empty())
      add_meta(*reader, given, candidates);
    else
      add_full(*reader, given.node_name, question.full[i], candidates);
  }
  call.times.lap(Pass::kDecode);
  PreemptJudged judged;
  judged.told = reader.assumed().told();
  const std::string& nominated = pod.status.nominated_node_name;
  const std::vector<std::string> named = named_victims_.on(pod_key_of(pod), nominated);
  judged.behind = !named.empty() && still_there(*reader, nominated, named, candidates);
  judged.room_made = !named.empty() && !judged.behind && fits_on(*call.engine, view, pod, nominated);
  if (call.engine->rules().generation != Generation::kClassic || !basic_checks(pod, view)) {
    const Evictions evictions = select_victims(*call.engine, view, pod, candidates.asked, call.deadline);
    judged.left = answer_of(candidates, evictions.by_candidate);
    judged.cut_short = evictions.cut_short;
  }
  judged.taken_back = takes_back(judged.left, candidates);
  call.times.lap(Pass::kMap);
  return judged;
}

}  // namespace winnow
