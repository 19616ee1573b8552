// The verb explain: each rule's verdict and score for each node. The body is {"Pod": …} or {"Namespace": …,
// "Name": …}, with NodeNames or Nodes to choose some nodes. A body that kube-scheduler has sent to another
// verb is accepted too. With ?limit=N in the path it answers a page of the nodes; see
// extender/service/page/pod_page.h.
#include "extender/explain/explain.h"

#include <charconv>
#include <chrono>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

#include "cluster/client/servers/pod_patcher.h"
#include "cluster/expand/admission.h"
#include "cluster/memory_budget.h"
#include "cluster/state/pod_requests.h"
#include "cluster/state/state.h"
#include "cluster/text/encoding.h"
#include "cluster/text/json.h"
#include "cluster/text/json_scan.h"
#include "extender/engine/engines.h"
#include "extender/engine/ruleset.h"
#include "extender/explain/explanation_json.h"
#include "extender/explain/hidden_pods.h"
#include "extender/service/page/pod_asks.h"
#include "extender/service/page/pod_page.h"
#include "extender/service/scheduling/node_request.h"
#include "extender/service/verbs/call.h"
#include "extender/service/verbs/routes.h"
#include "extender/service/verbs/tried_pod.h"
#include "predicates/records.h"

namespace winnow {

namespace {

constexpr const char* kNothingAsked =
    R"(bad request body: expected {"Pod": …} or {"Namespace": …, "Name": …})";

/// How long a writer has waited when a preview gives way to it, and how often a look begins anew then. After
/// the last look what was found stands.
constexpr std::chrono::milliseconds kGivesWay{2};
constexpr int kLooks = 4;

void answer(Reply& reply, const Explanation& explanation) {
  append_json(reply.response.body, explanation);
  reply.response.body += '\n';
}

/// Answers with one page of the nodes, and what the page needs to know of the others and of the pod.
/// @param explainer  see page_json(). @param about  more members of the answer.
void answer_page(Reply& reply, Explanation& explanation, const NodePage& wanted, const Explainer* explainer,
                 const std::string& about) {
  const std::string page = ",\"page\":" + page_json(explanation, wanted, explainer);
  append_json(reply.response.body, explanation);
  reply.response.body.pop_back();
  reply.response.body += page + about + "}\n";
}

std::size_t number_in(const std::string& query, std::string_view name) {
  const std::string text = query_value(query, name);
  std::size_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

/// The filters by which kube-scheduler preempts; see PreviewOptions. Without --scheduler-filters they are
/// those of manifests/kube-scheduler-best.yaml.
std::optional<std::vector<std::string>> preempting_filters(const ExtenderOptions& options) {
  if (options.answer != AnswerMode::kBest) return std::nullopt;
  if (!options.scheduler_filters.empty()) return options.scheduler_filters;
  std::vector<std::string> filters;
  for (const predicates::Record& plugin : predicates::plugins())
    if (preempts_in_best(plugin)) filters.emplace_back(plugin.name);
  return filters;
}

/// The pod of the cache with the request's namespace, name and UID; kNone if there is none.
PodId find_asked(const LocatedRequest& located) {
  const ObjectMeta& meta = located.pod().metadata;
  const PodId id = located.state().find_pod(meta.namespace_, meta.name);
  return id != kNone && located.state().pod(id).uid == meta.uid ? id : kNone;
}

void put_since(const Remembered::HeldPlaces& since, HeldPlace& place) {
  const auto told = since.find(place.pod());
  if (told == since.end()) return;
  if (place.seconds) place.seconds = told->second.seconds;
  place.tried = told->second.tried;
}

RefusalEntry entry_of(const Remembered::Refused& refused) {
  RefusalEntry entry{.times = refused.times, .seconds = refused.seconds};
  if (refused.would_fit_seconds) {
    entry.would_fit_on = refused.would_fit_on;
    entry.would_fit_seconds = *refused.would_fit_seconds;
  }
  return entry;
}

/// The node of a pod in the cache. All are empty for a pod without a node. `nominated` is one by Winnow,
/// for which the pod is assumed there, and waits.
struct Place {
  std::optional<std::string> assumed, bound, nominated;
  bool waits() const { return !assumed && !bound; }

  static Place of(const LocatedRequest& located, PodId id) {
    const State& state = located.state();
    if (id == kNone || !state.pod(id).assigned) return {};
    const PodRecord& record = state.pod(id);
    const AssumedPods::Entry* const entry =
        located.assumed().find(std::string(state.pod_namespace(record)), record.name);
    const bool assumed = entry && entry->uid == record.uid;
    if (assumed && entry->nomination) return {.assumed = {}, .bound = {}, .nominated = entry->node};
    if (assumed) return {.assumed = entry->node, .bound = {}, .nominated = {}};
    return {.assumed = {}, .bound = state.node_name_of(id), .nominated = {}};
  }
};

/// One call. The rules run while the cache is locked. Their results are put into words afterwards.
class ExplainCall {
 public:
  /// @param tried  null: the pod is in the body, or named there.
  ExplainCall(VerbContext& context, Call& call, Reply& reply, TriedPod* tried)
      : context_(context),
        call_(call),
        reply_(reply),
        memory_(*call.memory),
        tried_(tried),
        reader_(tried ? "{}" : std::move(call.body), Origin::kAnybody, &call.budget) {
    if (tried) of_cache_ = tried->pod;
  }

  void answer() {
    if (!decode(reader_, reply_) || !ask()) return;
    Explanation explanation = explainer_->outline();
    explanation.assumed = place_.assumed;
    explanation.node = place_.bound;
    if (place_.nominated) {
      explanation.nominated = place_.nominated;
      explanation.nominated_by = live::kNominationManager;
    }
    if (!not_nominated_.empty()) explanation.not_nominated = not_nominated_;
    if (refused_ && place_.waits()) explanation.refused = entry_of(*refused_);
    for (HeldPlace& place : explanation.held) put_since(held_, place);
    reply_.feasible = explanation.feasible;
    answer_with_warnings(std::move(explanation));
    reply_.times.lap(Pass::kEncode);
  }

 private:
  void answer_with_warnings(Explanation outline);
  bool ask();
  bool find_pod(LocatedRequest& located);
  void apply_classes(LocatedRequest& located);
  void set_pod(LocatedRequest& located, PodId id);
  bool ask_rules(const LocatedRequest& located, const Engine& engine);
  bool may_look_again() const {
    return !memory_.looks_once() && (!request_.asks_for_nodes() || request_.is_of_this_cluster());
  }

  VerbContext& context_;
  Call& call_;
  Reply& reply_;
  CallMemory& memory_;
  const TriedPod* const tried_;
  RequestReader reader_;
  const NodeRequest& request_ = reader_.request();
  std::optional<Pod> of_cache_;  ///< The cache's pod, or that of Try, if the call is about that one.
  std::string asks_;             ///< See asks_json(). Empty: no page wants it.
  ClassRemarks classes_;         ///< What is told of a new pod's.
  Place place_;
  std::optional<Explainer> explainer_;
  std::optional<Remembered::Refused> refused_;
  Remembered::HeldPlaces held_;
  std::string not_nominated_;  ///< Why it gets no nomination; "": that is not so, or not told.
};

void ExplainCall::answer_with_warnings(Explanation outline) {
  // A replay would be told all names.
  if (call_.sees_pods && hide_pods(outline, call_.sees_pods)) memory_.set_out_of_time(true);
  if (tried_) {
    for (const FieldError& error : tried_->refused) outline.warnings.push_back(error.text);
    std::ranges::copy(tried_->not_judged, std::back_inserter(outline.not_judged));
  } else {
    outline.warnings = request_.warnings();
  }
  std::ranges::copy(classes_.refused, std::back_inserter(outline.warnings));
  std::ranges::copy(classes_.not_judged, std::back_inserter(outline.not_judged));
  const NodePage page{.from = number_in(call_.query, "from"),
                      .limit = number_in(call_.query, "limit"),
                      .match = query_value(call_.query, "match"),
                      .by = query_value(call_.query, "by")};
  const Explainer* const explainer = explainer_ ? &*explainer_ : nullptr;
  if (page.limit > 0)
    return answer_page(
        reply_, outline, page, explainer,
        (asks_.empty() ? "" : ",\"asks\":" + asks_) + (tried_ ? ",\"tried\":" + tried_->about : ""));
  if (explainer)
    for (NodeExplanation& node : outline.nodes) explainer->complete(node);
  winnow::answer(reply_, outline);
}

/// @return whether there is an explanation to make. Otherwise the call has been answered.
bool ExplainCall::ask() {
  auto located = locate(reader_, context_, call_, reply_, IfAssumed::kStays, Nodes::kOptional);
  if (!located || !find_pod(*located)) return false;
  if (number_in(call_.query, "limit") > 0)
    asks_ = asks_json(located->pod(), pod_requests(located->pod(), located->state().options().accounting,
                                                   /*with_status=*/false));
  const Engine* const engine = call_.active.engines->find(located->pod());
  if (!engine) {
    answer_with_warnings(explain_no_profile(located->pod()));
    return false;
  }
  for (int looks = 1; !ask_rules(*located, *engine) && looks < kLooks && may_look_again(); ++looks) {
    located.reset();  // It is the turn of those who wait.
    located.emplace(LocatedRequest::again(request_, *call_.active.cache, IfAssumed::kStays, &call_.budget));
    if (!find_pod(*located)) return false;
  }
  return true;
}

/// Sets the request up as if the pod were to be scheduled now. @return as ask().
bool ExplainCall::find_pod(LocatedRequest& located) {
  const auto named = request_.has_pod() || of_cache_ ? std::nullopt : request_.named_pod();
  if (!request_.has_pod() && !of_cache_ && !named) {
    reply_.refuse(400, Result::kBadRequest, kNothingAsked);
    return false;
  }
  if (named) reply_.pod = named->first + '/' + named->second;
  // filter gives the same error for every pod.
  if (std::string why = context_.services.cluster->unusable(); !why.empty()) {
    reply_.result = Result::kError;
    winnow::answer(reply_, Explanation{.pod = reply_.pod, .error = std::move(why)});
    return false;
  }
  apply_classes(located);
  if (of_cache_) located.ask_about(*of_cache_);
  const PodId id = named ? located.state().find_pod(named->first, named->second) : find_asked(located);
  if (named && id == kNone) {
    std::string line = "pod ";
    append_quoted(line, reply_.pod);
    reply_.refuse(404, Result::kNotFound, line + " is not in the picture of the cluster");
    return false;
  }
  place_ = Place::of(located, id);
  not_nominated_.clear();
  if (id != kNone && place_.waits()) {
    const PodRecord& record = located.state().pod(id);
    not_nominated_ =
        memory_.why_not_nominated(located.state().pod_namespace(record), record.name, record.uid);
  }
  set_pod(located, id);
  return true;
}

/// Gives a new pod what its classes give. Each look finds them anew.
void ExplainCall::apply_classes(LocatedRequest& located) {
  const PodClasses* const classes = tried_ ? &tried_->classes : request_.classes();
  if (!classes || (!tried_ && (!request_.has_pod() || of_cache_))) return;
  Pod pod = tried_ ? tried_->pod : request_.pod();
  classes_ = Admission(located.state()).apply_classes(pod, *classes);
  if (tried_)
    of_cache_ = std::move(pod);
  else
    located.complete_pod(std::move(pod));
}

/// A pod that is sent with spec.nodeName, as the API server shows a bound one, would fit only its own node.
/// The cache's pod is asked about then, and where the request names it.
void ExplainCall::set_pod(LocatedRequest& located, PodId id) {
  const bool by_name = !request_.has_pod() && !of_cache_;
  if (!by_name && (!place_.bound || located.pod().spec.node_name.empty())) return located.set_apart();
  of_cache_ = located.state().to_pod(id);
  located.ask_about(*of_cache_);
  of_cache_->spec.node_name.clear();
}

/// @return false: what a preemption would do was not worked out to its end, for others waited.
bool ExplainCall::ask_rules(const LocatedRequest& located, const Engine& engine) {
  const ExtenderOptions& options = context_.options;
  explainer_.emplace(engine, ExplainOptions{.scale = options.scale,
                                            .seed = options.seed,
                                            .facts = query_value(call_.query, "facts") == "true"});
  std::vector<NodeId> nodes = request_.asks_for_nodes() ? located.known() : located.view().all_nodes();
  reply_.nodes = static_cast<std::int64_t>(nodes.size());
  explainer_->ask(located.view(), located.pod(), std::move(nodes), reply_.times, located.budget());
  const auto now = std::chrono::steady_clock::now();
  refused_ = memory_.last_refusal(pod_key_of(located.pod()));
  const auto held = held_places(located.state(), &located.assumed(), HeldClocks{});
  explainer_->ask_held(located.view(), located.pod(), held, located.budget());
  held_ = memory_.held_since(explainer_->held());
  const auto deadline = std::min(call_.deadline(), now + options.preview);
  // Behind a writer, such as a watch event, wait the calls of kube-scheduler.
  const auto others_wait = [&cache = *call_.active.cache] { return cache.writer_waits() > kGivesWay; };
  const std::vector<PodId> nominated = located.assumed().nominated();
  const bool whole = !place_.waits() || explainer_->ask_preemption(located.view(), located.pod(),
                                                                   {.deadline = deadline,
                                                                    .filters = preempting_filters(options),
                                                                    .spared = nominated,
                                                                    .others_wait = others_wait});
  if (whole && place_.waits()) explainer_->ask_help(located.view(), located.pod(), located.budget());
  memory_.set_out_of_time(!whole || std::chrono::steady_clock::now() >= deadline);
  memory_.looked(call_.active);
  return whole;
}

}  // namespace

namespace verbs {

namespace {

void explain_within_memory(VerbContext& context, Call& call, Reply& reply, TriedPod* tried) {
  try {
    ExplainCall(context, call, reply, tried).answer();
  } catch (const MemoryExceeded& exceeded) {
    std::string().swap(reply.response.body);  // Assigning nothing would keep its memory.
    reply.result = Result::kError;
    answer(reply, Explanation{.pod = reply.pod,
                              .error = exceeded.text() + "; ask about fewer nodes, or for a page (?limit=)"});
  }
}

}  // namespace

void explain(VerbContext& context, Call& call, Reply& reply) {
  explain_within_memory(context, call, reply, nullptr);
}

void explain_tried(VerbContext& context, Call& call, Reply& reply, TriedPod tried) {
  explain_within_memory(context, call, reply, &tried);
}

}  // namespace verbs

}  // namespace winnow
