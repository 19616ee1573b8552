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
// The cache and the request may contradict each other. If the cache needs fewer victims, either may be
// the older. If the victims of the last answer are still in the cache, the cache is older. The call is
// then held until the watch has caught up, as one of filter. A second victim for the same room is worse than
// a pod that waits.
//
// The passes are those of call.h. To decide is to try evictions, which also chooses: an answer of the search
// has one node.
#include <algorithm>

#include "cluster/rule/device_requests.h"
#include "cluster/state/state.h"
#include "cluster/text/characters.h"
#include "extender/engine/claimed_devices.h"
#include "extender/engine/engines.h"
#include "extender/engine/victim_search.h"
#include "extender/engine/victims.h"
#include "extender/explain/decision_log.h"
#include "extender/explain/decision_record.h"
#include "extender/service/log/log.h"
#include "extender/service/scheduling/decision_records.h"
#include "extender/service/scheduling/feasible_nodes.h"
#include "extender/service/scheduling/node_request.h"
#include "extender/service/verbs/call.h"
#include "extender/service/verbs/preempt_candidates.h"
#include "extender/service/verbs/routes.h"

namespace winnow {
namespace {

/// The candidates in a cache, which is locked for reading while this object lives. The pod's last attempt has
/// failed, so the place that it is assumed to use is free in the view. Throws CacheLost.
class LocatedCandidates {
 public:
  LocatedCandidates(ClusterCache& cache, const PreemptRequest& request, const Budget* budget)
      : reader_(cache.read()),
        budget_(reading_time(cache, budget)),
        without_(*reader_),
        view_(state_without(request.pod), &without_),
        candidates_(candidates_of(request, *reader_)) {}

  const State& state() const { return *reader_; }
  const AssumedPods& assumed() const { return reader_.assumed(); }
  ClusterCache::Time changed() const { return reader_.changed(); }
  const View& view() const { return view_; }
  const Budget& budget() const { return *budget_; }
  const Candidates& candidates() const { return candidates_; }

 private:
  const State& state_without(const Pod& pod) {
    if (!reader_.whole()) throw CacheLost();
    if (reader_.assumed().find(pod.metadata.namespace_, pod.metadata.name))
      without_.remove_pod(pod.metadata.namespace_, pod.metadata.name);
    return *reader_;
  }

  const ClusterCache::ReadGuard reader_;
  const std::unique_ptr<const Budget> budget_;
  Overlay without_;
  const View view_;
  const Candidates candidates_;
};

/// The result of one look at the cache. Plain data.
struct PreemptResult {
  std::vector<MetaVictims> left;
  bool cut_short = false;
  bool taken_back = false;    ///< Fewer victims than kube-scheduler named, or a node needs none.
  bool behind = false;        ///< The victims of the last answer are still in the cache.
  bool believed = false;      ///< They are; but the request says that they have gone, and is believed.
  bool room_made = false;     ///< They have gone, and the pod fits where they were.
  bool fits_outside = false;  ///< The pod fits on a node that kube-scheduler has not looked at.
  std::uint64_t told = 0;     ///< See RefusalHold::Seen.
  std::optional<DecisionRecord> record = {};  ///< Nothing: not kept.

  /// Whether it is another one than kube-scheduler expects.
  bool differs() const { return taken_back || behind; }
  bool is_settled() const { return room_made || fits_outside || (!left.empty() && !differs()); }
  /// Whether nobody is to be named. After an answer without candidates kube-scheduler tries the pod again,
  /// because the pod's status changes.
  bool names_nobody() const { return room_made || fits_outside || believed; }
};

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

MetaVictims to_meta(const State& state, const FreedNode& freed) {
  MetaVictims node{.node_name = freed.name, .uids = {}, .violations = freed.violations};
  for (const PodId victim : freed.victims) node.uids.push_back(state.pod(victim).uid);
  return node;
}

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
  PreemptCall(VerbContext& context, Call& call, Reply& reply)
      : context_(context), call_(call), reply_(reply), memory_(*call.memory) {}

  void answer() {
    if (!decode()) return;
    look_until_final(context_, call_, reply_, [this] { return look(); });
    encode();
  }

 private:
  bool decode();
  std::optional<Held> look();
  void decide(const LocatedCandidates& located);
  void encode();

  // What hooks in between the passes.
  void begin_look(const LocatedCandidates& located);
  std::optional<Held> hold(ChangeNotifier::Count news);
  void record_decision(const LocatedCandidates& located);

  void compare_with_last_answer(const LocatedCandidates& located);
  bool fits_outside(const LocatedCandidates& located) const;
  bool fits_somewhere(const LocatedCandidates& located) const;
  bool searches_all(const State& state) const;
  void search_all(const LocatedCandidates& located);
  void try_candidates(const LocatedCandidates& located);
  void search_unnamed(const LocatedCandidates& located);

  VerbContext& context_;
  Call& call_;
  Reply& reply_;
  CallMemory& memory_;
  PreemptRequest request_;
  std::string key_;
  std::optional<RefusalHold> hold_;
  // Of the last look.
  const Engine* engine_ = nullptr;
  /// The pods that only Winnow has nominated: kube-scheduler refuses an answer with a victim that it does not
  /// know on the node.
  std::vector<PodId> nominated_;
  PreemptResult result_;
};

/// @return false: the call has been answered.
bool PreemptCall::decode() {
  auto request = read_preempt(call_.body, call_.budget);
  if (!request) {
    reply_.refuse_body(request.error());
    return false;
  }
  request_ = *std::move(request);
  key_ = pod_key_of(request_.pod);
  reply_.pod = pod_name_of(request_.pod);
  reply_.nodes = static_cast<std::int64_t>(request_.args.nodes.size());
  if (call_.active.engines->find(request_.pod)) {
    hold_.emplace(memory_.begin_hold({.uid = key_,
                                      .version = to_number(request_.pod.metadata.resource_version),
                                      .preempts = true,
                                      .at = call_.arrived}));
    return true;
  }
  reply_.refuse(400, Result::kBadRequest, no_profile_error(request_.pod));
  return false;
}

/// One look at the cache in force, which may be another one than before.
std::optional<Held> PreemptCall::look() {
  engine_ = call_.active.engines->find(request_.pod);
  if (!engine_)
    return std::nullopt;  // New rules have no profile for the pod. The result of the old ones stands.
  const ChangeNotifier::Count news = call_.active.cache->news().count();
  {
    const LocatedCandidates located(*call_.active.cache, request_, &call_.budget);
    begin_look(located);
    compare_with_last_answer(located);
    decide(located);
    record_decision(located);
    memory_.set_out_of_time(result_.cut_short);
    memory_.looked(call_.active);
    reply_.times.lap(Pass::kMap);
  }
  return hold(news);
}

/// Notes what the cache has of the request when the look begins.
void PreemptCall::begin_look(const LocatedCandidates& located) {
  reply_.unknown_nodes =
      static_cast<std::uint64_t>(std::ranges::count_if(request_.args.nodes, [&](const GivenVictims& given) {
        return located.view().find_node(given.node_name) == kNone;
      }));
  reply_.times.lap(Pass::kDecode);
  result_ = {};
  result_.told = located.assumed().watched_version();
  nominated_ = located.assumed().nominated();
}

/// Compares the request with the victims that were named last on the pod's nominated node.
void PreemptCall::compare_with_last_answer(const LocatedCandidates& located) {
  const std::string& nominated = request_.pod.status.nominated_node_name;
  const std::vector<std::string> named = memory_.named_victims(key_, nominated);
  if (named.empty()) return;
  const auto there = filtered_on(*engine_, located.view(), request_.pod, nominated, located.budget());
  if (!there) return;
  // kube-scheduler names no victims either on a node that no eviction helps any more.
  const bool beyond_help = !there->fits(0) && !may_help(*there, 0);
  result_.behind = !beyond_help && still_there(located.state(), nominated, named, located.candidates());
  result_.believed = result_.behind && memory_.believes_gone(key_);
  // Winnow has refused the node in this attempt, by a cache that still had the victims.
  result_.room_made = !result_.behind && there->fits(0) && memory_.refused_nominated(*hold_);
}

/// Finds the nodes that evictions free, and the victims there.
void PreemptCall::decide(const LocatedCandidates& located) {
  result_.fits_outside = fits_outside(located);
  if (result_.fits_outside) return;
  if (searches_all(located.state()))
    search_all(located);
  else
    try_candidates(located);
}

/// Whether the pod is nominated, or is about to be, for a node that it fits: then nobody is to be evicted.
/// Where the rules lack a check, kube-scheduler may refuse that node for ever, and evictions go on.
bool PreemptCall::fits_outside(const LocatedCandidates& located) const {
  if (!context_.options.nominates_refused || !cover_all_filters(engine_->rules())) return false;
  const ObjectMeta& meta = request_.pod.metadata;
  const AssumedPods::Entry* const assumed = located.assumed().find(meta.namespace_, meta.name);
  const bool is_nominated = assumed != nullptr && assumed->nomination;
  return (memory_.fits_outside(*hold_) || is_nominated) && fits_somewhere(located);
}

bool PreemptCall::fits_somewhere(const LocatedCandidates& located) const {
  const std::vector<NodeId> nodes = located.view().all_nodes();
  PassTimes unused;
  return find_feasible_nodes({.pod = request_.pod,
                              .view = located.view(),
                              .nodes = nodes,
                              .accounting = located.state().options().accounting,
                              .budget = &located.budget()},
                             *engine_, unused)
      .fits();
}

bool PreemptCall::searches_all(const State& state) const {
  if (!request_.args.by_name) return false;
  // Where no rule judges devices, only kube-scheduler knows on which nodes the pod could have them.
  const bool asks_for_devices = request_.may_claim_devices() || !device_requests(state, request_.pod).empty();
  if (asks_for_devices && rule_of_devices(engine_->rules(), View(state)) == nullptr) return false;
  const std::optional<PreemptSearch>& asked = context_.options.preempt_search;
  return asked ? *asked == PreemptSearch::kAll : cover_all_filters(engine_->rules());
}

void PreemptCall::search_all(const LocatedCandidates& located) {
  const View& view = located.view();
  std::vector<NodeId> nodes = view.all_nodes();
  for (const std::string& name : memory_.promised_to_others(located.state(), result_.told, request_.pod))
    std::erase(nodes, view.find_node(name));
  const FreedNodes freed =
      search_victims_among(*engine_, view, request_.pod, std::move(nodes), nominated_, &located.budget());
  result_.cut_short = freed.cut_short;
  result_.taken_back = freed.fitting > 0;  // To kube-scheduler no node fits.
  if (!freed.best) return;
  MetaVictims best = to_meta(located.state(), freed.nodes[*freed.best]);
  result_.taken_back |= spares_some(best, located.candidates());
  // Where none need go the pod fits, and there is nobody to name.
  if (!best.uids.empty()) result_.left.push_back(std::move(best));
}

void PreemptCall::try_candidates(const LocatedCandidates& located) {
  const View& view = located.view();
  if (engine_->rules().generation == Generation::kClassic && basic_checks(request_.pod, view)) return;
  const Candidates& candidates = located.candidates();
  const Evictions evictions =
      select_victims(*engine_, view, request_.pod, candidates.asked, &located.budget());
  result_.left = remaining(candidates, evictions.by_candidate);
  result_.cut_short = evictions.cut_short;
  result_.taken_back =
      takes_back(result_.left, candidates) || std::ranges::contains(evictions.needless, std::uint8_t{1});
  search_unnamed(located);
}

/// Finds the victims of the candidates that have none.
void PreemptCall::search_unnamed(const LocatedCandidates& located) {
  const View& view = located.view();
  std::vector<NodeId> nodes;
  for (const MetaVictims& given : located.candidates().given)
    if (const NodeId node = view.find_node(given.node_name); given.uids.empty() && node != kNone)
      nodes.push_back(node);
  if (nodes.empty()) return;
  const FreedNodes freed =
      search_victims_among(*engine_, view, request_.pod, std::move(nodes), nominated_, &located.budget());
  result_.cut_short |= freed.cut_short;
  for (const FreedNode& node : freed.nodes)
    if (!node.victims.empty()) result_.left.push_back(to_meta(located.state(), node));
}

/// Makes the decision's record, with the cache still locked.
void PreemptCall::record_decision(const LocatedCandidates& located) {
  if (!context_.services.decision_log) return;
  DecisionRecord& record =
      result_.record.emplace(record_of(DecisionVerb::kPreempt, request_.pod, located.changed()));
  record.request_id = call_.request_id;
  record.nodes = static_cast<std::uint32_t>(request_.args.nodes.size());
  record.unknown_nodes = static_cast<std::uint32_t>(reply_.unknown_nodes);
  if (result_.names_nobody()) return;
  record.fits = static_cast<std::uint32_t>(result_.left.size());
  if (result_.left.size() == 1) add_victims(record, located.state(), result_.left.front());
}

/// @return when to look again, if the result is not what kube-scheduler expects.
std::optional<Held> PreemptCall::hold(ChangeNotifier::Count news) {
  const auto now = std::chrono::steady_clock::now();
  const bool settled = result_.is_settled();
  if (!settled && !result_.cut_short)
    if (const auto until = hold_->next(
            {.news = news.for_others, .told = result_.told, .unknown_nodes = 0, .differs = result_.differs()},
            now))
      return Held{news, *until};
  hold_->end(!settled, now);
  return std::nullopt;
}

/// Notes what is answered, and encodes it. The cache is unlocked.
void PreemptCall::encode() {
  // Some candidates in time are better than all of them too late.
  if (result_.cut_short) {
    log_warn(
        "preempt: too many candidates to judge all in time",
        {{"pod", reply_.pod}, {"candidates", request_.args.nodes.size()}, {"left", result_.left.size()}});
    if (result_.left.empty())
      return reply_.refuse(503, Result::kShed, "overloaded: no candidate was found in time");
  }
  if (result_.believed) memory_.note_gone(key_);
  if (!result_.fits_outside) memory_.note_preempts(request_.pod);
  if (result_.record) context_.services.decision_log->put_aside(*std::move(result_.record));
  // The victims of the last answer stay remembered for the call that follows.
  const bool names_nobody = result_.names_nobody();
  if (names_nobody) result_.left.clear();
  reply_.feasible = static_cast<std::int64_t>(result_.left.size());
  append_preempt_answer(reply_.response.body, result_.left);
  if (!names_nobody) memory_.note_victims(request_.pod, std::move(result_.left));
  reply_.times.lap(Pass::kEncode);
}

}  // namespace

namespace verbs {

void preempt(VerbContext& context, Call& call, Reply& reply) {
  // This answer has no field for an error. With an error status kube-scheduler evicts no pods.
  if (const std::string why = context.why_no_answer(); !why.empty())
    reply.refuse(503, Result::kInternal, why);
  else
    PreemptCall(context, call, reply).answer();
  if (reply.result != Result::kBadRequest) warn_of(context.setup.on_preempt());
}

}  // namespace verbs

}  // namespace winnow
