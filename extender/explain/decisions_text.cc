#include "extender/explain/decisions_text.h"

#include <algorithm>
#include <format>
#include <utility>

#include "cluster/go_math.h"
#include "cluster/text/words.h"
#include "extender/engine/ruleset.h"
#include "extender/explain/cause_text.h"
#include "extender/explain/decision_log.h"

namespace winnow {
namespace {

constexpr std::size_t kMostNamedRules = 3;

/// Why the first of the best nodes is before the second.
std::string why_first(const DecisionRecord& record) {
  const NodeTotal &first = record.best[0], &second = record.best[1];
  if (first.total == second.total) return "a tie, drawn by lot";
  if (first.total < second.total) return "that node ranks behind, since the pod did not go to it before";
  const auto shares = deciding_rules(first.scores, second.scores);
  if (shares.empty()) return "the scores of so many rules are not kept";
  std::vector<std::string> names;
  for (std::size_t i = 0; i < shares.size() && i < kMostNamedRules; ++i)
    names.push_back(shares.size() == 1
                        ? record.rules->priorities[shares[i].rule]
                        : std::format("{} (+{})", record.rules->priorities[shares[i].rule], shares[i].by));
  if (shares.size() > kMostNamedRules)
    names.push_back(std::format("{} more rules", shares.size() - kMostNamedRules));
  std::string text = joined_and(names) + " made the difference";
  return shares.size() == 1 ? text + std::format(" (+{})", shares.front().by) : text;
}

std::string chose(const KeptDecision& decision) {
  const DecisionRecord& record = *decision.record;
  if (decision.result() == DecisionResult::kBound) return "it went to ";
  if (record.verb == DecisionVerb::kNominate) return "Winnow nominated it for ";
  return record.given ? "Winnow chose " : "the best was ";
}

std::string choice_text(const KeptDecision& decision) {
  const DecisionRecord& record = *decision.record;
  if (record.best.empty())
    return std::format("{} of {} nodes fit; nothing was scored", record.fits, record.nodes);
  const std::string text = chose(decision) + record.best[0].node;
  if (record.best.size() < 2)
    return text + std::format(", the only one of {} that fits; nothing was scored",
                              record.nodes == 1 ? "1 node" : std::format("{} nodes", record.nodes));
  return text + std::format(": {} against {} for {}; {}", record.best[0].total, record.best[1].total,
                            record.best[1].node, why_first(record));
}

std::string eviction_text(const DecisionRecord& record) {
  if (record.best.empty()) return std::format("evictions free {} nodes; kube-scheduler chooses", record.fits);
  std::string text = "room on " + record.best[0].node + " by evicting ";
  std::vector<std::string> victims = record.victims;
  if (record.more_victims > 0) victims.push_back(std::format("{} more", record.more_victims));
  return text + (victims.empty() ? "nobody" : joined_and(victims));
}

std::string what_was_decided(const KeptDecision& decision) {
  const DecisionRecord& record = *decision.record;
  const bool nominates = record.verb == DecisionVerb::kNominate;
  if (!record.error.empty()) return (nominates ? "not nominated: " : "it failed: ") + record.error;
  const bool nowhere = first_result(record) == DecisionResult::kNowhere;
  switch (record.verb) {
    case DecisionVerb::kPreempt:
      return nowhere ? "no eviction helps" : eviction_text(record);
    case DecisionVerb::kBind:
      return record.best.empty() ? "binding" : "binding to " + record.best[0].node;
    default:
      return nowhere ? "nowhere: " + nowhere_message(record) : choice_text(decision);
  }
}

std::string later(const KeptDecision& decision) {
  const std::chrono::duration<double> passed = decision.ending->time - decision.record->time;
  return std::format(" {:.1f} s later", std::max(passed.count(), 0.0));
}

std::string with_words(const std::string& text, const std::string& said) {
  return said.empty() ? text : text + ": " + said;
}

/// What became of it, with a comma before; "" where that is said already.
std::string ending_text(const KeptDecision& decision) {
  const DecisionRecord& record = *decision.record;
  const std::string said = decision.ending ? decision.ending->said : "";
  switch (decision.result()) {
    case DecisionResult::kWaiting:
      return ", and the pod is not bound yet" + (said.empty() ? "" : "; kube-scheduler says: " + said);
    case DecisionResult::kBound:
      return (record.best.empty() ? ", bound to " + decision.ending->node : ", bound there") +
             later(decision);
    case DecisionResult::kElsewhere:
      return ", but bound to " + decision.ending->node + later(decision);
    case DecisionResult::kRefused:
      return said.empty() ? ", but kube-scheduler asked again" + later(decision)
                          : ", but kube-scheduler refused it" + later(decision) + ": " + said;
    case DecisionResult::kDeleted:
      return ", but the pod was deleted" + later(decision);
    case DecisionResult::kBindFailed:
      return with_words(", but the binding failed", said);
    case DecisionResult::kWithdrawn:
      return with_words(", but the nomination ended", said);
    case DecisionResult::kNowhere:
    case DecisionResult::kError:
    case DecisionResult::kSame:
    case DecisionResult::kTie:
    case DecisionResult::kOther:
      return "";
  }
  return "";
}

// ---- a shadow's decision, and what kube-scheduler did ----

/// "NodeResourcesFit (Insufficient cpu) and TaintToleration (…)".
std::string refusing_rules(const DecisionRecord& record) {
  std::vector<std::string> rules;
  for (const RefusedByRule& refused : record.refused_there) {
    std::string reasons;
    for (const KeptReason& reason : refused.reasons)
      reasons.append(reasons.empty() ? "" : ", ").append(reason.text);
    const std::string& name = record.rules->predicates[refused.rule];
    rules.push_back(reasons.empty() ? name : std::format("{} ({})", name, reasons));
  }
  return joined_and(rules);
}

std::string bound_to(const DecisionRecord& record, const DecisionEnding& end) {
  std::string text = "it was bound to " + end.node;
  if (!record.refused_there.empty()) text += ", refused by " + refusing_rules(record);
  return with_words(text, end.said);
}

/// Where the pod would go, and why rather there than to the second node.
std::string shadow_choice(const DecisionRecord& record, const DecisionEnding& end) {
  std::string text = "it would go to " + record.best[0].node;
  if (end.result == DecisionResult::kSame)
    text += record.nominated ? ", where it was nominated and bound" : ", where it was bound";
  else if (record.nominated)
    text += ", its nominated node";
  if (record.nominated) return text;
  if (record.best.size() < 2)
    return text + std::format(", the only one of {} that fits",
                              record.nodes == 1 ? "1 node" : std::format("{} nodes", record.nodes));
  const NodeTotal &first = record.best[0], &second = record.best[1];
  return text + std::format(": {} against {} for {}{}; {}", first.total, second.total, second.node,
                            second.node == end.node ? ", where it was bound" : "", why_first(record));
}

std::string shadow_text(const DecisionRecord& record, const DecisionEnding& end) {
  if (!record.error.empty()) return "it failed: " + record.error;
  if (record.best.empty() && end.node.empty())
    return "nowhere, and kube-scheduler found no node either: " + nowhere_message(record);
  if (record.best.empty())
    return std::format("nowhere, but {}; {}", bound_to(record, end), nowhere_message(record));
  const bool scored_there = record.best.size() > 1 && record.best[1].node == end.node;
  if (end.result == DecisionResult::kOther && !scored_there)
    return std::format("it would go to {}{}, but {}", record.best[0].node,
                       record.nominated ? ", its nominated node" : "", bound_to(record, end));
  const std::string text = shadow_choice(record, end);
  if (end.result != DecisionResult::kRefused) return text;
  return with_words(text + ", but kube-scheduler refused it", end.said);
}

}  // namespace

std::string decision_text(const KeptDecision& decision) {
  if (decision.record->verb == DecisionVerb::kShadow && decision.ending)
    return shadow_text(*decision.record, *decision.ending);
  return what_was_decided(decision) + ending_text(decision);
}

std::string to_text(const NearNode& node) {
  std::string text = node.node + ": ";
  bool first = true;
  for (const KeptRefusal& refusal : node.refusals)
    for (const Cause& cause : refusal.causes)
      text.append(std::exchange(first, false) ? "" : "; ").append(to_text(cause));
  return text;
}

namespace {

/// The smallest set of differences that together are at least `needed`. It is the smallest because it takes
/// the largest ones: any other of its size is less.
std::vector<RuleShare> largest_shares(std::span<const std::int64_t> differences, std::int64_t needed) {
  std::vector<RuleShare> shares;
  for (std::size_t rule = 0; rule < differences.size(); ++rule)
    if (differences[rule] > 0) shares.push_back({rule, differences[rule]});
  std::ranges::stable_sort(shares, std::ranges::greater(), &RuleShare::by);
  std::size_t taken = 0;
  for (; taken < shares.size() && needed > 0; ++taken) needed = wrap_subtract(needed, shares[taken].by);
  shares.resize(taken);
  return shares;
}

}  // namespace

std::vector<RuleShare> deciding_rules(std::span<const std::int64_t> winner,
                                      std::span<const std::int64_t> loser) {
  std::vector<std::int64_t> differences;
  std::int64_t lead = 0;
  for (std::size_t rule = 0; rule < winner.size() && rule < loser.size(); ++rule) {
    differences.push_back(wrap_subtract(winner[rule], loser[rule]));
    lead = wrap_add(lead, differences.back());
  }
  return largest_shares(differences, lead);
}

std::vector<RuleShare> turning_rules(std::int64_t lead, std::span<const std::int64_t> changes,
                                     bool tie_suffices) {
  return largest_shares(changes, tie_suffices ? lead : wrap_add(lead, 1));
}

}  // namespace winnow
