// The verb preempt: on which of the candidate nodes the victims given make room for the pod, and which of
// them need not go. A victim that the picture does not have on its node is judged by what the request says of
// it, where it gives the whole pod and the picture has no such pod at all (it may be younger than the
// picture); otherwise it counts as gone already, and stays among the victims: kube-scheduler knows it, and to
// leave it out would be to promise that there is room beside it.
#include <unordered_map>
#include <unordered_set>

#include "cluster/decode/decode.h"
#include "cluster/decode/json_scan.h"
#include "extender/engine/victims.h"
#include "extender/log/log.h"
#include "extender/protocol/preempt_args.h"
#include "extender/service/extender.h"

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

void add_full(const State& state, const std::string& node_name, FullPods pods, Candidates& candidates) {
  MetaVictims& answer = candidates.given.emplace_back(node_name);
  Candidate& asked = candidates.asked.emplace_back(node_name);
  const NodeId node = state.find_node(node_name);
  std::unordered_set<std::string> seen;
  for (Pod& pod : pods) {
    if (!seen.insert(pod.metadata.uid).second) continue;
    answer.uids.push_back(pod.metadata.uid);
    asked.victims.push_back(find_victim(state, node, std::move(pod)));
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

}  // namespace

void Extender::preempt(Call& call) {
  // There is no place for an error in this answer: without one kube-scheduler evicts nobody.
  if (const std::string why = unusable(); !why.empty()) return refuse(call, 503, Result::kInternal, why);
  const std::string body = std::move(call.request.body);
  const auto wrong = [&](const std::string& what) {
    refuse(call, 400, Result::kBadRequest, "bad request body: " + what);
  };
  const auto args = read_preempt_args(body);
  if (!args) return wrong(args.error());
  if (args->pod.empty()) return wrong("Pod: the request has none");
  if (!args->has_victims)
    return wrong("the request names no victims: expected NodeNameToMetaVictims or NodeNameToVictims");
  auto pod = decode_pod(args->pod);
  if (!pod) return wrong("Pod: " + pod.error().message);
  if (pod->metadata.namespace_.empty()) pod->metadata.namespace_ = "default";
  call.pod = pod->metadata.namespace_ + '/' + pod->metadata.name;
  std::vector<FullPods> pods;
  if (const auto error = decode_victims(args->nodes, pods)) return wrong(*error);
  call.record.nodes = static_cast<std::int64_t>(args->nodes.size());
  call.engine = call.world.engines->find(*pod);
  if (!call.engine) return refuse(call, 500, Result::kInternal, no_profile_error(*pod));

  std::vector<MetaVictims> left;
  bool cut_short = false;
  {
    const Picture::Reader reader = call.world.picture->read();
    // The pod's last attempt has failed: what it was on its way to is not taken.
    Overlay without(*reader);
    if (reader.assumed().find(pod->metadata.namespace_, pod->metadata.name))
      without.remove_pod(pod->metadata.namespace_, pod->metadata.name);
    const View view(*reader, &without);
    Candidates candidates;
    for (std::size_t i = 0; i < args->nodes.size(); ++i) {
      const GivenVictims& given = args->nodes[i];
      if (view.find_node(given.node_name) == kNone) ++call.record.unknown_nodes;
      if (pods[i].empty())
        add_meta(*reader, given, candidates);
      else
        add_full(*reader, given.node_name, std::move(pods[i]), candidates);
    }
    call.times.lap(Pass::kDecode);
    if (call.engine->rules().generation != Generation::kClassic || !basic_checks(*pod, view)) {
      const Evictions evictions = select_victims(*call.engine, view, *pod, candidates.asked, call.deadline);
      left = answer_of(candidates, evictions.by_candidate);
      cut_short = evictions.cut_short;
    }
    call.times.lap(Pass::kMap);
  }
  // Some candidates in time are worth more than all of them too late.
  if (cut_short) {
    log_warn("preempt: too many candidates to judge all in time",
             {{"pod", call.pod}, {"candidates", args->nodes.size()}, {"left", left.size()}});
    if (left.empty()) return refuse(call, 503, Result::kShed, "overloaded: no candidate was found in time");
  }
  call.record.feasible = static_cast<std::int64_t>(left.size());
  append_preempt_answer(call.response.body, left);
  call.times.lap(Pass::kEncode);
}

}  // namespace winnow
