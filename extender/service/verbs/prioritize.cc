// The verb prioritize: scores each node of the request. Predicates run for one reason only: to check that a
// node on which the pod is to be assumed still fits.
//
// The passes are those of call.h. To decide is to score here, and to choose is to pick one node, if the
// answer mode has one.
#include <algorithm>

#include "extender/engine/claimed_devices.h"
#include "extender/engine/engines.h"
#include "extender/explain/decision_log.h"
#include "extender/service/scheduling/decision_records.h"
#include "extender/service/scheduling/node_request.h"
#include "extender/service/verbs/call.h"
#include "extender/service/verbs/routes.h"

namespace winnow {
namespace {

/// What a call finds. Plain data, which outlives the cache's lock.
struct Ranking {
  std::optional<std::string> error = {};     ///< The call fails with it.
  bool by_rules = false;                     ///< The rules fail every pod so; else the pod is what is wrong.
  Scored scored = {};                        ///< Of the nodes that the cache has.
  std::optional<std::size_t> chosen = {};    ///< The one of these with a score above 0, if there is one.
  std::string given = {};                    ///< Its name.
  std::vector<ClaimedDevices> devices = {};  ///< What the pod's claims get there.
  std::vector<std::uint32_t> places = {};    ///< See LocatedRequest::places().
};

bool fails_always(const ConfiguredPriority& rule) { return rule.arguments.holds<FailsWith>(); }

/// One call.
class PrioritizeCall {
 public:
  PrioritizeCall(VerbContext& context, Call& call, Reply& reply)
      : context_(context),
        call_(call),
        reply_(reply),
        memory_(*call.memory),
        picks_one_(context.options.answer == AnswerMode::kOne),
        reader_(std::move(call.body), Origin::kScheduler, &call.budget) {}

  void answer() {
    if (!decode(reader_, reply_)) return;
    if (picks_one_) deciding_ = context_.decisions.decide_alone(call_.active);
    auto located = locate();
    if (!located) return;
    decide(*located);
    choose(*located);
    record_decision(*located);
    memory_.looked(call_.active);
    ranking_.places = std::move(*located).unlock(memory_);
    encode();
  }

 private:
  // The passes.
  std::optional<LocatedRequest> locate();
  void decide(const LocatedRequest& located);
  void choose(const LocatedRequest& located);
  void encode();

  void record_decision(const LocatedRequest& located) const;
  std::optional<std::size_t> pick_that_fits(const LocatedRequest& located) const;
  std::optional<std::size_t> pick(const LocatedRequest& located, std::span<const NodeId> nodes,
                                  const NodeTotals& totals) const {
    return picker_->pick(request_.pod(), request_.pod_key(), located.view(), nodes, totals);
  }
  std::vector<std::int64_t> answers() const;

  VerbContext& context_;
  Call& call_;
  Reply& reply_;
  CallMemory& memory_;
  const bool picks_one_;
  RequestReader reader_;
  const NodeRequest& request_ = reader_.request();
  DecisionLock::Lock deciding_;
  const Engine* engine_ = nullptr;  ///< Null: no profile is for the pod.
  const NodePicker* picker_ = nullptr;
  Ranking ranking_;
};

/// @return nothing if the body is wrong; the call has been answered so.
std::optional<LocatedRequest> PrioritizeCall::locate() {
  // If filter is not configured, this call is the one that shows that the last attempt has failed.
  const bool releases = picks_one_ && context_.options.assume;
  return winnow::locate(reader_, context_, call_, reply_,
                        releases ? IfAssumed::kIsReleased : IfAssumed::kStays, Nodes::kRequired);
}

/// Runs the priorities on the nodes.
void PrioritizeCall::decide(const LocatedRequest& located) {
  picker_ = &memory_.picker_for(request_.pod_key());
  engine_ = call_.active.engines->find(request_.pod());
  if (!engine_) {
    ranking_.error = no_profile_error(request_.pod());
    return;
  }
  auto scored = engine_->prioritize(located.request(located.known()), /*keep_raw=*/false, reply_.times);
  if (scored) {
    ranking_.scored = *std::move(scored);
    return;
  }
  ranking_.error = scored.error().text;
  ranking_.by_rules = std::ranges::any_of(engine_->rules().priorities, fails_always);
}

void PrioritizeCall::choose(const LocatedRequest& located) {
  if (ranking_.error || !picks_one_) return;
  ranking_.chosen = pick_that_fits(located);
  if (!ranking_.chosen) return;
  ranking_.given = located.view().node_name(located.known()[*ranking_.chosen]);
  if (context_.options.assume && request_.is_of_this_cluster())
    ranking_.devices = devices_on(engine_->rules(), located.request({&located.known()[*ranking_.chosen], 1}));
  memory_.picked(request_.pod_key(), ranking_.given);
}

/// Chooses a node that still fits: since the filter call another pod may have been put on the best one.
std::optional<std::size_t> PrioritizeCall::pick_that_fits(const LocatedRequest& located) const {
  const std::vector<NodeId>& nodes = located.known();
  const NodeTotals& totals = ranking_.scored.totals;
  const auto chosen = pick(located, nodes, totals);
  if (!context_.options.assume || !chosen) return chosen;
  PassTimes unused;
  const auto fits = [&](std::span<const NodeId> asked) {
    return engine_->filter(located.request(asked), /*all_rules=*/false, unused);
  };
  if (fits({&nodes[*chosen], 1}).fits(0)) return chosen;
  const Filtered filtered = fits(nodes);
  std::vector<std::size_t> places;
  std::vector<NodeId> left;
  std::vector<std::int64_t> their_totals;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (filtered.fits(i)) {
      places.push_back(i);
      left.push_back(nodes[i]);
      their_totals.push_back(totals[i]);
    }
  const auto again = pick(located, left, their_totals);
  return again ? std::optional(places[*again]) : std::nullopt;
}

/// Has the scores kept, beside what the filter call of this attempt has found.
void PrioritizeCall::record_decision(const LocatedRequest& located) const {
  DecisionLog* const log = context_.services.decision_log.get();
  if (!log || !engine_) return;
  DecisionRecord record = record_of(DecisionVerb::kPrioritize, request_.pod(), located.changed());
  record.request_id = call_.request_id;
  record.nodes = static_cast<std::uint32_t>(request_.node_count());
  record.unknown_nodes = static_cast<std::uint32_t>(located.unknown_count());
  if (ranking_.error) {
    record.error = *ranking_.error;
    return log->put_aside(std::move(record));
  }
  record.rules = call_.active.engines->rule_names(*engine_);
  add_scored(record, located.request(located.known()), ranking_.scored, *engine_, ranking_.chosen);
  log->put_scores_aside(std::move(record));
}

/// The scores of the known nodes, as the answer mode has them.
std::vector<std::int64_t> PrioritizeCall::answers() const {
  if (!picks_one_) return scale_answers(ranking_.scored, engine_->rules(), context_.options.scale);
  std::vector<std::int64_t> answers(ranking_.places.size(), 0);
  if (ranking_.chosen) answers[*ranking_.chosen] = kMaxAnswer;
  return answers;
}

/// Assumes the pod on the chosen node, and encodes the answer. The cache is unlocked.
void PrioritizeCall::encode() {
  // This answer has no field for an error. With an error status kube-scheduler continues without scores.
  if (ranking_.error && ranking_.by_rules) return reply_.refuse(500, Result::kInternal, *ranking_.error);
  if (ranking_.error) return reply_.refuse(400, Result::kBadRequest, *ranking_.error);
  const std::vector<std::int64_t> known = answers();
  reply_.times.lap(Pass::kSelect);
  if (!ranking_.given.empty() && request_.is_of_this_cluster())
    memory_.assume(*call_.active.cache, request_.pod(), ranking_.given, std::move(ranking_.devices));
  // kube-scheduler counts a host without a score worse than its equals. A host that the cache lacks gets 0.
  std::vector<std::int64_t> by_place(request_.node_count(), 0);
  for (std::size_t i = 0; i < known.size(); ++i) by_place[ranking_.places[i]] = known[i];
  std::vector<std::string_view> of_full_nodes;
  if (!request_.is_of_this_cluster())
    for (std::size_t i = 0; i < by_place.size(); ++i) of_full_nodes.push_back(request_.quoted_name(i));
  append_priorities(reply_.response.body, request_.is_of_this_cluster() ? request_.nodes() : of_full_nodes,
                    by_place);
  reply_.feasible = static_cast<std::int64_t>(known.size());
  reply_.times.lap(Pass::kEncode);
}

}  // namespace

namespace verbs {

void prioritize(VerbContext& context, Call& call, Reply& reply) {
  if (const std::string why = context.why_no_answer(); !why.empty())
    reply.refuse(503, Result::kInternal, why);
  else
    PrioritizeCall(context, call, reply).answer();
  if (reply.result != Result::kBadRequest) warn_of(context.setup.on_prioritize());
}

}  // namespace verbs

}  // namespace winnow
