// The verb preempt: finds the nodes that evictions free for the pod, and the victims there.
//
// It answers in one of two ways (--preempt-search). The first is Winnow's own search among all nodes
// (victim_search.h). The answer has one node, the best by upstream's order. kube-scheduler takes whatever
// nodes an answer names, and would choose the same one of several. With one, Winnow knows which node
// kube-scheduler nominates the pod for, before its watch tells. It keeps other pods from that node until
// then. And one node fails the call less often than many: kube-scheduler gives up if a victim is not where it
// is said to be, on whichever node.
//
// The second are the candidates given. kube-scheduler has chosen their victims by its own filters. Winnow
// tries each candidate in an overlay: without the victims, and then with as many of them as the pod still
// fits beside. A candidate without victims passes kube-scheduler's own filters (it sends such nodes since
// 1.38). Its victims are found by the search, on that node alone.
//
// The cache may lack a victim, or have it without a node. If the request has the whole pod, that pod is
// used then: it may be newer than the cache. Any other victim that is not on its node counts as gone
// already, and stays in the answer. To leave it out would promise that there is room beside it.
//
// The cache and the request may contradict each other. If the cache needs fewer victims, either may be
// the older. If the victims of the last answer are still in the cache, the cache is older. The call is
// then held until the watch has caught up (extender/service/scheduling). A second victim for the same room is
// worse than a pod that waits.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "cluster/api/decode.h"
#include "cluster/rule/device_requests.h"
#include "cluster/text/characters.h"
#include "cluster/text/json.h"
#include "cluster/text/json_scan.h"
#include "cluster/text/keyed_hash.h"
#include "extender/engine/preemption_candidates.h"
#include "extender/engine/victim_search.h"
#include "extender/engine/victims.h"
#include "extender/service/log/log.h"
#include "extender/service/protocol/preempt_args.h"
#include "extender/service/scheduling/compute_limiter.h"
#include "extender/service/scheduling/decision_records.h"
#include "extender/service/scheduling/node_request.h"
#include "extender/service/scheduling/options.h"
#include "extender/service/verbs/routes.h"

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

/// The victim for a whole pod: the cache's pod if it is on the node. It is the request's own if the cache
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
/// need, so its pods and the cache's differ.
bool takes_back(const std::vector<MetaVictims>& left, const Candidates& candidates) {
  // What is left is in the order of the candidates.
  auto given = candidates.given.begin();
  return std::ranges::any_of(left, [&](const MetaVictims& node) {
    while (given->node_name != node.node_name) ++given;
    return node.uids.size() < given->uids.size();
  });
}

/// Whether the search has come to a part of the victims that kube-scheduler names on that node. Other victims
/// say nothing: the rules here are more than kube-scheduler's own filters.
bool spares_some(const MetaVictims& found, const Candidates& candidates) {
  const auto given = std::ranges::find(candidates.given, found.node_name, &MetaVictims::node_name);
  if (given == candidates.given.end() || found.uids.size() >= given->uids.size()) return false;
  const std::unordered_set<std::string_view, TextHash> named(given->uids.begin(), given->uids.end());
  return std::ranges::all_of(found.uids, [&](const std::string& uid) { return named.contains(uid); });
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

/// What the rules say of the node; nothing if the view does not have it.
std::optional<Filtered> filtered_on(const Engine& engine, const View& view, const Pod& pod,
                                    const std::string& node_name, const Budget& budget) {
  const NodeId node = view.find_node(node_name);
  if (node == kNone) return std::nullopt;
  PassTimes unused;
  const Request request{.pod = pod,
                        .view = view,
                        .nodes = {&node, 1},
                        .accounting = view.state().options().accounting,
                        .budget = &budget};
  return engine.filter(request, /*all_rules=*/false, unused);
}

/// The decoded body.
struct PreemptQuestion {
  PreemptArgs args;
  Pod pod;
  std::vector<FullPods> full;  ///< In the order of args.nodes.
};

/// @return the request, or one line that says what is wrong with the body.
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

/// Whether the pod claims devices, which no rule of Winnow's reads. The name may also stand elsewhere in
/// the object: kube-scheduler's candidates are then used, which is no mistake.
bool may_claim_devices(std::string_view pod) { return pod.contains("\"resourceClaims\""); }

MetaVictims to_meta(const State& state, const FreedNode& freed) {
  MetaVictims node{.node_name = freed.name, .uids = {}, .violations = freed.violations};
  for (const PodId victim : freed.victims) node.uids.push_back(state.pod(victim).uid);
  return node;
}

/// The result of one look at the cache.
struct VictimsLook {
  std::vector<MetaVictims> left;
  bool cut_short = false;
  bool taken_back = false;  ///< Fewer victims than kube-scheduler named, or a node needs none.
  bool behind = false;      ///< The victims of the last answer are still in the cache.
  bool believed = false;    ///< They are; but the request says that they have gone, and is believed.
  bool room_made = false;   ///< They have gone, and the pod fits where they were.
  std::uint64_t told = 0;   ///< See RefusalHold::Seen.
  /// The pods that only Winnow has nominated: kube-scheduler refuses an answer with a victim that it does not
  /// know on the node.
  std::vector<PodId> nominated;
  std::optional<DecisionRecord> record = {};  ///< Nothing: not kept.
};

/// The victims as people name them, as many as a record has room for.
void add_victims(DecisionRecord& record, const State& state, const MetaVictims& freed) {
  add_only(record, freed.node_name, /*given=*/true);
  const NodeId node = state.find_node(freed.node_name);
  for (const std::string& uid : freed.uids) {
    if (record.victims.size() == kMostKeptVictims) break;
    std::string name = uid;
    if (node != kNone)
      for (const PodId id : state.pods_on(node))
        if (state.pod(id).uid == uid)
          name = std::string(state.pod_namespace(state.pod(id))) + '/' + state.pod(id).name;
    record.victims.push_back(utf8_shortened(name, kMostNameBytes));
  }
  record.more_victims = static_cast<std::uint32_t>(freed.uids.size() - record.victims.size());
}

/// One call.
class PreemptCall {
 public:
  PreemptCall(VerbContext& context, Call& call, Reply& reply, const PreemptQuestion& question)
      : context_(context), call_(call), reply_(reply), question_(question), key_(pod_key_of(question.pod)) {}

  void answer();

 private:
  VictimsLook look_until_settled(const Engine& first);
  VictimsLook look(const Engine& engine, const RefusalHold& hold);
  bool are_believed();
  Candidates find_candidates(const State& state, const View& view);
  bool searches_all(const Engine& engine, const State& state) const;
  void search_all(const Engine& engine, const View& view, const Candidates& candidates, const Budget& budget,
                  VictimsLook& found);
  void judge(const Engine& engine, const View& view, const Candidates& candidates, const Budget& budget,
             VictimsLook& found);
  void record(const ClusterCache::ReadGuard& reader, VictimsLook& found) const;
  void keep(VictimsLook& found, bool in_vain) const;
  void search_unnamed(const Engine& engine, const View& view, const Candidates& candidates,
                      const Budget& budget, VictimsLook& found);

  VerbContext& context_;
  Call& call_;
  Reply& reply_;
  const PreemptQuestion& question_;
  const std::string key_;
};

void PreemptCall::answer() {
  const Engine* const engine = call_.active.engines->find(question_.pod);
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
  VictimHistory& named = context_.named_victims;
  const bool in_vain = found.room_made || found.believed;
  if (found.believed) named.are_gone(key_, std::chrono::steady_clock::now());
  if (call_.trace) call_.trace->out_of_time = found.cut_short;
  keep(found, in_vain);
  if (in_vain) found.left.clear();
  reply_.feasible = static_cast<std::int64_t>(found.left.size());
  append_preempt_answer(reply_.response.body, found.left);
  if (context_.options.assume && !in_vain) {
    context_.promised_nodes.promise(question_.pod, found.left.size() == 1 ? found.left.front().node_name : "",
                                    std::chrono::steady_clock::now());
    named.named(key_, std::move(found.left));
  }
  reply_.times.lap(Pass::kEncode);
}

/// Begins the decision's record, with the cache still locked.
void PreemptCall::record(const ClusterCache::ReadGuard& reader, VictimsLook& found) const {
  if (!context_.options.decision_log) return;
  DecisionRecord& record =
      found.record.emplace(record_of(DecisionVerb::kPreempt, question_.pod, reader.changed()));
  record.nodes = static_cast<std::uint32_t>(question_.args.nodes.size());
  record.unknown_nodes = static_cast<std::uint32_t>(reply_.unknown_nodes);
  record.fits = static_cast<std::uint32_t>(found.left.size());
  if (found.left.size() == 1) add_victims(record, *reader, found.left.front());
}

void PreemptCall::keep(VictimsLook& found, bool in_vain) const {
  if (!found.record) return;
  if (in_vain) {
    found.record->fits = 0;
    found.record->best.clear();
    found.record->victims.clear();
    found.record->more_victims = 0;
  }
  context_.options.decision_log->put_aside(*std::move(found.record));
}

/// Looks until the answer is what kube-scheduler expects, or the hold ends.
VictimsLook PreemptCall::look_until_settled(const Engine& first) {
  const Engine* engine = &first;
  RefusalHold hold = context_.holds.begin({.uid = key_,
                                           .version = to_number(question_.pod.metadata.resource_version),
                                           .preempts = true,
                                           .at = call_.arrived});
  for (;;) {
    const ChangeNotifier::Count seen = call_.active.cache->news().count();
    VictimsLook found = look(*engine, hold);
    const bool differs = found.taken_back || found.behind;
    const bool settled = found.room_made || (!found.left.empty() && !differs);
    const auto now = std::chrono::steady_clock::now();
    std::optional<RefusalHold::Time> until;
    if (!settled && !found.cut_short)
      until = hold.next({.news = seen.for_others, .told = found.told, .unknown_nodes = 0, .differs = differs},
                        now);
    if (!until) {
      hold.end(!settled, now);
      return found;
    }
    wait_for_news(call_.active, seen, *until, context_.decisions, context_.limiter);
    reply_.times.lap(Pass::kHold);
    call_.budget.check();  // The client may have gone meanwhile.
    call_.active = context_.decisions.active();
    engine = call_.active.engines->find(question_.pod);
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

bool PreemptCall::searches_all(const Engine& engine, const State& state) const {
  if (!question_.args.by_name || may_claim_devices(question_.args.pod)) return false;
  // Only kube-scheduler knows on which nodes evictions would free the devices.
  if (!device_requests(state, question_.pod).empty()) return false;
  const std::optional<PreemptSearch>& asked = context_.options.preempt_search;
  return asked ? *asked == PreemptSearch::kAll : cover_all_filters(engine.rules());
}

void PreemptCall::search_all(const Engine& engine, const View& view, const Candidates& candidates,
                             const Budget& budget, VictimsLook& found) {
  std::vector<NodeId> nodes = view.all_nodes();
  const auto now = std::chrono::steady_clock::now();
  const std::vector<std::string> promised = recall(call_.trace.get(), &CallMemory::promised, [&] {
    return context_.promised_nodes.of_others(view.state(), found.told, question_.pod, now);
  });
  for (const std::string& name : promised) std::erase(nodes, view.find_node(name));
  const FreedNodes freed =
      search_victims_among(engine, view, question_.pod, std::move(nodes), found.nominated, &budget);
  found.cut_short = freed.cut_short;
  found.taken_back = freed.fitting > 0;  // To kube-scheduler no node fits.
  if (!freed.best) return;
  MetaVictims best = to_meta(view.state(), freed.nodes[*freed.best]);
  found.taken_back |= spares_some(best, candidates);
  // Where none need go the pod fits, and there is nobody to name.
  if (!best.uids.empty()) found.left.push_back(std::move(best));
}

void PreemptCall::judge(const Engine& engine, const View& view, const Candidates& candidates,
                        const Budget& budget, VictimsLook& found) {
  if (engine.rules().generation == Generation::kClassic && basic_checks(question_.pod, view)) return;
  const Evictions evictions = select_victims(engine, view, question_.pod, candidates.asked, &budget);
  found.left = answer_of(candidates, evictions.by_candidate);
  found.cut_short = evictions.cut_short;
  found.taken_back =
      takes_back(found.left, candidates) || std::ranges::contains(evictions.needless, std::uint8_t{1});
  search_unnamed(engine, view, candidates, budget, found);
}

/// Finds the victims of the candidates that have none.
void PreemptCall::search_unnamed(const Engine& engine, const View& view, const Candidates& candidates,
                                 const Budget& budget, VictimsLook& found) {
  std::vector<NodeId> nodes;
  for (const MetaVictims& given : candidates.given)
    if (const NodeId node = view.find_node(given.node_name); given.uids.empty() && node != kNone)
      nodes.push_back(node);
  if (nodes.empty()) return;
  const FreedNodes freed =
      search_victims_among(engine, view, question_.pod, std::move(nodes), found.nominated, &budget);
  found.cut_short |= freed.cut_short;
  for (const FreedNode& node : freed.nodes)
    if (!node.victims.empty()) found.left.push_back(to_meta(view.state(), node));
}

/// Whether the request is believed that the victims of the last answer are gone.
bool PreemptCall::are_believed() {
  return recall(call_.trace.get(), &CallMemory::believed,
                [&] { return context_.named_victims.would_be_gone(key_, std::chrono::steady_clock::now()); });
}

VictimsLook PreemptCall::look(const Engine& engine, const RefusalHold& hold) {
  const Pod& pod = question_.pod;
  const ClusterCache::ReadGuard reader = call_.active.cache->read();
  if (!reader.whole()) throw CacheLost();
  const auto budget = reading_time(*call_.active.cache, &call_.budget);
  // The pod's last attempt has failed, so the place that it is assumed to use is free.
  Overlay without(*reader);
  if (reader.assumed().find(pod.metadata.namespace_, pod.metadata.name))
    without.remove_pod(pod.metadata.namespace_, pod.metadata.name);
  const View view(*reader, &without);
  const Candidates candidates = find_candidates(*reader, view);
  reply_.times.lap(Pass::kDecode);

  VictimsLook found;
  found.told = reader.assumed().watched_version();
  found.nominated = reader.assumed().nominated();
  const std::string& nominated = pod.status.nominated_node_name;
  const std::vector<std::string> named = recall(call_.trace.get(), &CallMemory::named,
                                                [&] { return context_.named_victims.on(key_, nominated); });
  if (!named.empty())
    if (const auto there = filtered_on(engine, view, pod, nominated, *budget)) {
      // kube-scheduler names no victims either on a node that no eviction helps any more.
      const bool beyond_help = !there->fits(0) && !may_help(*there, 0);
      found.behind = !beyond_help && still_there(*reader, nominated, named, candidates);
      found.believed = found.behind && are_believed();
      // Winnow has refused the node in this attempt, by a cache that still had the victims.
      found.room_made =
          !found.behind && there->fits(0) &&
          recall(call_.trace.get(), &CallMemory::refused_nominated, [&] { return hold.refused_nominated(); });
    }
  if (searches_all(engine, *reader))
    search_all(engine, view, candidates, *budget, found);
  else
    judge(engine, view, candidates, *budget, found);
  record(reader, found);
  if (call_.trace) call_.trace->looked(call_.active);
  reply_.times.lap(Pass::kMap);
  return found;
}

void answer_preempt(VerbContext& context, Call& call, Reply& reply) {
  // This answer has no field for an error. With an error status kube-scheduler evicts no pods.
  if (const std::string why = why_no_answer(context.options); !why.empty())
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
