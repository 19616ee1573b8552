// The verb preempt: finds the candidate nodes on which the given victims make room for the pod, and the
// victims that need not be evicted.
//
// kube-scheduler has chosen the victims by its own filters. Winnow tries each candidate in an overlay:
// without the victims, and then with as many of them as the pod still fits beside.
//
// The picture may lack a victim, or have it without a node. If the request has the whole pod, that pod is
// used then: it may be newer than the picture. Any other victim that is not on its node counts as gone
// already, and stays in the answer. To leave it out would promise that there is room beside it.
//
// The picture and the request may contradict each other. If the picture needs fewer victims, either may be
// the older. If the victims of the last answer are still in the picture, the picture is older. The call is
// then held until the watch has caught up (extender/catch_up). A second victim for the same room is worse
// than a pod that waits.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "cluster/decode/decode.h"
#include "cluster/text/json/json_scan.h"
#include "cluster/text/json/json_string.h"
#include "cluster/text/keyed_hash.h"
#include "extender/calls/object_limits.h"
#include "extender/calls/pod_key.h"
#include "extender/calls/wait_for_news.h"
#include "extender/engine/preemption/victims.h"
#include "extender/log/log.h"
#include "extender/protocol/preempt_args.h"
#include "extender/verbs/routes.h"

namespace winnow {
namespace {

/// The victims on one node that are given as whole pods.
using FullPods = std::vector<Pod>;

/// Decodes the victims that are whole pods. @return the error, in one line; nothing if all are valid.
std::optional<std::string> decode_victims(const std::vector<GivenVictims>& given,
                                          std::vector<FullPods>& decoded, const Budget& budget) {
  for (const GivenVictims& node : given) {
    FullPods& pods = decoded.emplace_back();
    for (std::size_t i = 0; i < node.pods.size(); ++i) {
      budget.check();
      std::string wrong = too_large(node.pods[i]);
      auto pod = wrong.empty() ? decode_pod(node.pods[i]) : std::unexpected(DecodeError{std::move(wrong)});
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

/// The candidates, in the form of the answer and in the form for the engine.
struct Candidates {
  std::vector<MetaVictims> given;
  std::vector<Candidate> asked;
};

/// The victim for a whole pod: the picture's pod if it is on the node. It is the request's own if the picture
/// has no such pod, or has it without a node. Otherwise it is a victim that counts as gone.
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
  TextSet seen;
  for (const Pod& pod : pods) {
    if (!seen.insert(pod.metadata.uid).second) continue;
    answer.uids.push_back(pod.metadata.uid);
    asked.victims.push_back(find_victim(state, node, pod));
  }
}

void add_meta(const State& state, const GivenVictims& given, Candidates& candidates) {
  MetaVictims& answer = candidates.given.emplace_back(given.node_name);
  Candidate& asked = candidates.asked.emplace_back(given.node_name);
  std::unordered_map<std::string_view, PodId, TextHash> there;
  if (const NodeId node = state.find_node(given.node_name); node != kNone)
    for (const PodId id : state.pods_on(node)) there.emplace(state.pod(id).uid, id);
  std::unordered_set<std::string_view, TextHash> seen;
  for (const std::string& uid : given.uids) {
    if (!seen.insert(uid).second) continue;
    const auto found = there.find(uid);
    answer.uids.push_back(uid);
    asked.victims.push_back({found == there.end() || uid.empty() ? kNone : found->second, std::nullopt});
  }
}

/// The answer: the candidates that have room, with the victims that remain.
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

/// Whether the answer has fewer victims than the request. kube-scheduler names only victims that its filters
/// need, so its pods and the picture's differ.
bool takes_back(const std::vector<MetaVictims>& left, const Candidates& candidates) {
  // What is left is in the order of the candidates.
  auto given = candidates.given.begin();
  return std::ranges::any_of(left, [&](const MetaVictims& node) {
    while (given->node_name != node.node_name) ++given;
    return node.uids.size() < given->uids.size();
  });
}

/// Whether one of these pods is on the node although kube-scheduler does not name it. kube-scheduler then
/// takes it for gone or terminating.
bool still_there(const State& state, const std::string& node_name, const std::vector<std::string>& uids,
                 const Candidates& candidates) {
  const NodeId node = state.find_node(node_name);
  if (node == kNone) return false;
  using Uids = std::unordered_set<std::string_view, TextHash>;
  const Uids before(uids.begin(), uids.end());
  const auto given = std::ranges::find(candidates.given, node_name, &MetaVictims::node_name);
  const Uids now = given == candidates.given.end() ? Uids() : Uids(given->uids.begin(), given->uids.end());
  return std::ranges::any_of(state.pods_on(node), [&](PodId id) {
    const std::string& uid = state.pod(id).uid;
    return before.contains(uid) && !now.contains(uid);
  });
}

bool fits_on(const Engine& engine, const View& view, const Pod& pod, const std::string& node_name,
             const Budget& budget) {
  const NodeId node = view.find_node(node_name);
  if (node == kNone) return false;
  PassTimes unused;
  const Request request{.pod = pod,
                        .view = view,
                        .nodes = {&node, 1},
                        .accounting = view.state().options().accounting,
                        .budget = &budget};
  return engine.filter(request, /*all_rules=*/false, unused).fits(0);
}

/// The decoded body.
struct PreemptQuestion {
  PreemptArgs args;
  Pod pod;
  std::vector<FullPods> full;  ///< In the order of args.nodes.
};

/// @return the question, or one line that says what is wrong with the body.
std::expected<PreemptQuestion, std::string> read_preempt(std::string_view body, const Budget& budget) {
  auto args = read_preempt_args(body);
  if (!args) return std::unexpected(args.error());
  if (args->pod.empty()) return std::unexpected("Pod: the request has none");
  if (!args->has_victims)
    return std::unexpected(
        "the request names no victims: expected NodeNameToMetaVictims or NodeNameToVictims");
  if (const std::string wrong = too_large(args->pod); !wrong.empty()) return std::unexpected("Pod: " + wrong);
  auto pod = decode_pod(args->pod);
  if (!pod) return std::unexpected("Pod: " + pod.error().message);
  if (const std::string wrong = too_long(pod->metadata); !wrong.empty())
    return std::unexpected("Pod: " + wrong);
  if (pod->metadata.namespace_.empty()) pod->metadata.namespace_ = "default";
  PreemptQuestion question{std::move(*args), std::move(*pod), {}};
  if (auto error = decode_victims(question.args.nodes, question.full, budget)) return std::unexpected(*error);
  return question;
}

/// The result of one look at the picture.
struct VictimsLook {
  std::vector<MetaVictims> left;
  bool cut_short = false;
  bool taken_back = false;  ///< Fewer victims than kube-scheduler named.
  bool behind = false;      ///< The victims of the last answer are still in the picture.
  bool room_made = false;   ///< They have gone, and the pod fits where they were.
  std::uint64_t told = 0;   ///< See Hold::Seen.
};

/// One call.
class PreemptCall {
 public:
  PreemptCall(VerbContext& context, Call& call, Reply& reply, const PreemptQuestion& question)
      : context_(context), call_(call), reply_(reply), question_(question), key_(pod_key_of(question.pod)) {}

  void answer();

 private:
  VictimsLook look_until_settled(const Engine& first);
  VictimsLook look(const Engine& engine);
  Candidates find_candidates(const State& state, const View& view);

  VerbContext& context_;
  Call& call_;
  Reply& reply_;
  const PreemptQuestion& question_;
  const std::string key_;
};

void PreemptCall::answer() {
  const Engine* const engine = call_.serving.engines->find(question_.pod);
  if (!engine) return reply_.refuse(400, Result::kBadRequest, no_profile_error(question_.pod));
  VictimsLook found = look_until_settled(*engine);
  // Some candidates in time are better than all of them too late.
  if (found.cut_short) {
    log_warn("preempt: too many candidates to judge all in time",
             {{"pod", reply_.pod}, {"candidates", question_.args.nodes.size()}, {"left", found.left.size()}});
    if (found.left.empty())
      return reply_.refuse(503, Result::kShed, "overloaded: no candidate was found in time");
  }
  // After an answer without candidates kube-scheduler tries the pod again, because the pod's status changes.
  // The victims of the last answer stay remembered for that call.
  NamedVictims& named = context_.named_victims;
  const bool in_vain =
      found.room_made || (found.behind && named.are_gone(key_, std::chrono::steady_clock::now()));
  if (in_vain) found.left.clear();
  reply_.feasible = static_cast<std::int64_t>(found.left.size());
  append_preempt_answer(reply_.response.body, found.left);
  if (context_.options.assume && !in_vain) named.named(key_, std::move(found.left));
  reply_.times.lap(Pass::kEncode);
}

/// Looks until the answer is what kube-scheduler expects, or the hold ends.
VictimsLook PreemptCall::look_until_settled(const Engine& first) {
  const Engine* engine = &first;
  Hold hold = context_.holds.begin({.uid = key_,
                                    .version = to_number(question_.pod.metadata.resource_version),
                                    .preempts = true,
                                    .at = call_.arrived});
  for (;;) {
    const News::Count seen = call_.serving.picture->news().count();
    VictimsLook found = look(*engine);
    // Winnow has refused the node in this attempt, by a picture that still had the victims.
    found.room_made &= hold.refused_nominated();
    const bool differs = found.taken_back || found.behind;
    const bool settled = found.room_made || (!found.left.empty() && !differs);
    const auto now = std::chrono::steady_clock::now();
    std::optional<Hold::Time> until;
    if (!settled && !found.cut_short)
      until = hold.next({.news = seen.for_others, .told = found.told, .unknown_nodes = 0, .differs = differs},
                        now);
    if (!until) {
      hold.end(!settled, now);
      return found;
    }
    wait_for_news(call_.serving, seen, *until, context_.decisions, context_.turns);
    reply_.times.lap(Pass::kHold);
    call_.serving = context_.decisions.serving();
    engine = call_.serving.engines->find(question_.pod);
    if (!engine)
      return found;  // The new rules have no profile for the pod. The result of the old ones
                     // stands.
  }
}

Candidates PreemptCall::find_candidates(const State& state, const View& view) {
  Candidates candidates;
  reply_.unknown_nodes = 0;
  for (std::size_t i = 0; i < question_.args.nodes.size(); ++i) {
    const GivenVictims& given = question_.args.nodes[i];
    if (view.find_node(given.node_name) == kNone) ++reply_.unknown_nodes;
    if (question_.full[i].empty())
      add_meta(state, given, candidates);
    else
      add_full(state, given.node_name, question_.full[i], candidates);
  }
  return candidates;
}

VictimsLook PreemptCall::look(const Engine& engine) {
  const Pod& pod = question_.pod;
  const Picture::Reader reader = call_.serving.picture->read();
  // The pod's last attempt has failed, so the place that it is assumed to use is free.
  Overlay without(*reader);
  if (reader.assumed().find(pod.metadata.namespace_, pod.metadata.name))
    without.remove_pod(pod.metadata.namespace_, pod.metadata.name);
  const View view(*reader, &without);
  const Candidates candidates = find_candidates(*reader, view);
  reply_.times.lap(Pass::kDecode);

  VictimsLook found;
  found.told = reader.assumed().told();
  const std::string& nominated = pod.status.nominated_node_name;
  const std::vector<std::string> named = context_.named_victims.on(key_, nominated);
  found.behind = !named.empty() && still_there(*reader, nominated, named, candidates);
  found.room_made = !named.empty() && !found.behind && fits_on(engine, view, pod, nominated, call_.budget);
  if (engine.rules().generation != Generation::kClassic || !basic_checks(pod, view)) {
    const Evictions evictions = select_victims(engine, view, pod, candidates.asked, &call_.budget);
    found.left = answer_of(candidates, evictions.by_candidate);
    found.cut_short = evictions.cut_short;
  }
  found.taken_back = takes_back(found.left, candidates);
  reply_.times.lap(Pass::kMap);
  return found;
}

void answer_preempt(VerbContext& context, Call& call, Reply& reply) {
  // This answer has no field for an error. With an error status kube-scheduler evicts no pods.
  if (const std::string why = why_unusable(context.options); !why.empty())
    return reply.refuse(503, Result::kInternal, why);
  const auto question = read_preempt(call.body, call.budget);
  if (!question) return reply.refuse_body(question.error());
  reply.pod = pod_name_of(question->pod);
  reply.nodes = static_cast<std::int64_t>(question->args.nodes.size());
  PreemptCall(context, call, reply, *question).answer();
}

}  // namespace

namespace verbs {

void preempt(VerbContext& context, Call& call, Reply& reply) {
  answer_preempt(context, call, reply);
  if (reply.result != Result::kBadRequest) warn_of(context.setup.on_preempt());
}

}  // namespace verbs

}  // namespace winnow
