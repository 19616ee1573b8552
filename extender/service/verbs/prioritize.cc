// The verb prioritize: scores each node of the request. Predicates run for one reason only: to check that a
// node on which the pod is to be assumed still fits.
#include <algorithm>

#include "extender/service/scheduling/decision_records.h"
#include "extender/service/verbs/call.h"
#include "extender/service/verbs/routes.h"

namespace winnow {
namespace {

/// The scores of the nodes that the cache has.
struct Ranking {
  std::optional<std::string> error;        ///< The call fails with it.
  bool by_rules = false;                   ///< The rules fail every pod so; else the pod is what is wrong.
  std::vector<std::int64_t> answers = {};  ///< In the order of the known nodes.
  std::optional<std::string> picked = {};  ///< The one node with a score above 0, if there is one.
};

bool fails_always(const ConfiguredPriority& rule) {
  return std::holds_alternative<FailsWith>(rule.arguments);
}

/// One call.
class PrioritizeCall {
 public:
  PrioritizeCall(VerbContext& context, Call& call, Reply& reply)
      : context_(context),
        call_(call),
        reply_(reply),
        picks_one_(context.options.answer == AnswerMode::kOne),
        question_(std::move(call.body)) {}

  void answer() {
    if (picks_one_) deciding_ = context_.decisions.decide_alone(call_.active);
    const std::optional<Ranking> ranking = look();
    if (!ranking) return;
    question_.finish_release(*call_.active.cache);
    // This answer has no field for an error. With an error status kube-scheduler continues without scores.
    if (ranking->error && ranking->by_rules) return reply_.refuse(500, Result::kInternal, *ranking->error);
    if (ranking->error) return reply_.refuse(400, Result::kBadRequest, *ranking->error);
    if (ranking->picked && question_.is_of_this_cluster())
      context_.decisions.assume(call_.active, question_.pod(), *ranking->picked,
                                call_.trace ? call_.trace->pod_text() : "");
    encode(ranking->answers);
  }

 private:
  /// @return nothing if the body was wrong; the call has been answered then.
  std::optional<Ranking> look() {
    // If filter is not configured, this call is the one that shows that the last attempt has failed.
    const bool releases = picks_one_ && context_.options.assume;
    const auto located =
        read_question(question_, context_, call_, reply_,
                      releases ? IfAssumed::kIsReleased : IfAssumed::kStays, Nodes::kRequired);
    if (!located) return std::nullopt;
    if (call_.trace) recall_picks(call_.trace.get(), context_.picker, question_.pod_key());
    const Engine* const engine = call_.active.engines->find(question_.pod());
    Ranking ranking = engine ? rank(*located, *engine) : Ranking{.error = no_profile_error(question_.pod())};
    if (call_.trace) call_.trace->looked(call_.active);
    return ranking;
  }

  Ranking rank(const LockedRequest& located, const Engine& engine);
  std::optional<std::size_t> pick_that_fits(const LockedRequest& located, const Engine& engine,
                                            std::span<const std::int64_t> totals) const;
  void record(const LockedRequest& located, const Engine& engine, const Scored& scored,
              std::optional<std::size_t> picked);
  void record_failure(const LockedRequest& located, const std::string& error);
  DecisionRecord new_record(const LockedRequest& located) const;
  std::optional<std::size_t> pick(const LockedRequest& located, std::span<const NodeId> nodes,
                                  std::span<const std::int64_t> totals) const {
    return context_.picker.pick(question_.pod(), question_.pod_key(), located.view(), nodes, totals);
  }
  void encode(const std::vector<std::int64_t>& answers);

  VerbContext& context_;
  Call& call_;
  Reply& reply_;
  const bool picks_one_;
  NodeRequest question_;
  DecisionLock::Lock deciding_;
};

Ranking PrioritizeCall::rank(const LockedRequest& located, const Engine& engine) {
  const std::vector<NodeId>& nodes = located.known();
  const auto scored = engine.prioritize(located.request(nodes), /*keep_raw=*/false, reply_.times);
  if (!scored) {
    record_failure(located, scored.error().text);
    return Ranking{.error = scored.error().text,
                   .by_rules = std::ranges::any_of(engine.rules().priorities, fails_always)};
  }
  Ranking ranking{.error = std::nullopt};
  std::optional<std::size_t> chosen;
  if (picks_one_) {
    ranking.answers.assign(nodes.size(), 0);
    if (chosen = pick_that_fits(located, engine, scored->totals); chosen) {
      ranking.answers[*chosen] = kMaxAnswer;
      ranking.picked = located.view().node_name(nodes[*chosen]);
      context_.picker.answered(question_.pod_key(), *ranking.picked);
    }
  } else {
    ranking.answers = scale_answers(*scored, engine.rules(), context_.options.scale);
  }
  record(located, engine, *scored, chosen);
  reply_.times.lap(Pass::kSelect);
  return ranking;
}

DecisionRecord PrioritizeCall::new_record(const LockedRequest& located) const {
  DecisionRecord record = record_of(DecisionVerb::kPrioritize, question_.pod(), located.changed());
  record.nodes = static_cast<std::uint32_t>(question_.node_count());
  record.unknown_nodes = static_cast<std::uint32_t>(question_.unknown_count());
  return record;
}

void PrioritizeCall::record_failure(const LockedRequest& located, const std::string& error) {
  if (!context_.options.decision_log) return;
  DecisionRecord record = new_record(located);
  record.error = error;
  context_.options.decision_log->put_aside(std::move(record));
}

/// Keeps the scores, with what the filter call of this attempt has found.
void PrioritizeCall::record(const LockedRequest& located, const Engine& engine, const Scored& scored,
                            std::optional<std::size_t> picked) {
  if (!context_.options.decision_log) return;
  DecisionRecord record = new_record(located);
  record.rules = call_.active.engines->rule_names(engine);
  add_scored(record, located.request(located.known()), scored, engine, picked);
  context_.options.decision_log->put_scores_aside(std::move(record));
}

/// Chooses a node that still fits: since the filter call another pod may have been put on the best one.
std::optional<std::size_t> PrioritizeCall::pick_that_fits(const LockedRequest& located, const Engine& engine,
                                                          std::span<const std::int64_t> totals) const {
  const std::vector<NodeId>& nodes = located.known();
  const auto chosen = pick(located, nodes, totals);
  if (!context_.options.assume || !chosen) return chosen;
  PassTimes unused;
  const auto fits = [&](std::span<const NodeId> asked) {
    return engine.filter(located.request(asked), /*all_rules=*/false, unused);
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

void PrioritizeCall::encode(const std::vector<std::int64_t>& answers) {
  // kube-scheduler counts a host without a score worse than its equals. A host that the cache lacks gets 0.
  std::vector<std::int64_t> by_place(question_.node_count(), 0);
  for (std::size_t i = 0; i < answers.size(); ++i) by_place[question_.places()[i]] = answers[i];
  std::vector<std::string_view> names;
  names.reserve(by_place.size());
  for (std::size_t i = 0; i < by_place.size(); ++i) names.push_back(question_.quoted_name(i));
  append_priorities(reply_.response.body, names, by_place);
  reply_.feasible = static_cast<std::int64_t>(answers.size());
  reply_.times.lap(Pass::kEncode);
}

}  // namespace

namespace verbs {

void prioritize(VerbContext& context, Call& call, Reply& reply) {
  if (const std::string why = why_no_answer(context.options); !why.empty())
    reply.refuse(503, Result::kInternal, why);
  else
    PrioritizeCall(context, call, reply).answer();
  if (reply.result != Result::kBadRequest) warn_of(context.setup.on_prioritize());
}

}  // namespace verbs

}  // namespace winnow
