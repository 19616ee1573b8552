#include "extender/explain/decision_record.h"

#include <algorithm>
#include <array>
#include <format>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <tuple>

#include "cluster/go_math.h"
#include "cluster/text/characters.h"
#include "extender/engine/engine.h"
#include "extender/engine/ruleset.h"

namespace winnow {

std::string_view to_string(DecisionVerb verb) {
  constexpr std::string_view kTexts[kDecisionVerbs] = {"filter", "prioritize", "preempt",
                                                       "bind",   "nominate",   "shadow"};
  return kTexts[static_cast<std::size_t>(verb)];
}

std::string_view to_string(DecisionResult result) {
  constexpr std::string_view kTexts[kDecisionResults] = {"waiting", "bound",       "elsewhere", "refused",
                                                         "deleted", "bind_failed", "withdrawn", "nowhere",
                                                         "error",   "same",        "tie",       "other"};
  return kTexts[static_cast<std::size_t>(result)];
}

DecisionResult first_result(const DecisionRecord& record) {
  if (!record.error.empty()) return DecisionResult::kError;
  const bool may_find_none = record.verb != DecisionVerb::kBind && record.verb != DecisionVerb::kPrioritize;
  return may_find_none && record.fits == 0 ? DecisionResult::kNowhere : DecisionResult::kWaiting;
}

std::string nowhere_message(const DecisionRecord& record) {
  if (record.nodes == 0) return "no nodes available to schedule pods";
  std::map<std::string_view, std::size_t> counts;
  for (const RefusedByRule& rule : record.refused) {
    for (const KeptReason& reason : rule.reasons) counts[reason.text] += reason.nodes;
    if (rule.other_reasons > 0) counts["node(s) for other reasons"] += rule.other_reasons;
  }
  if (record.unknown_nodes > 0) counts[kNotInCache] += record.unknown_nodes;
  return fit_error(counts, record.nodes);
}

namespace {

/// Room for the texts of one record.
struct Room {
  std::size_t texts = kMostKeptReasons;
  std::size_t bytes = kMostKeptReasonBytes;
};

RefusedByRule& of_rule(std::vector<RefusedByRule>& rules, std::uint32_t rule) {
  const auto known = std::ranges::find(rules, rule, &RefusedByRule::rule);
  return known != rules.end() ? *known : rules.emplace_back(RefusedByRule{.rule = rule});
}

/// Adds nodes for a reason. @return false: there is no room for its text.
bool add_reason(RefusedByRule& rule, std::string_view text, std::uint32_t nodes, Room& room) {
  std::string kept = utf8_shortened(text, kMostKeptReasonBytes);
  const auto known = std::ranges::find(rule.reasons, kept, &KeptReason::text);
  if (known != rule.reasons.end()) {
    known->nodes += nodes;
    return true;
  }
  if (room.texts == 0 || room.bytes == 0) return false;
  --room.texts;
  room.bytes -= std::min(room.bytes, kept.size());
  rule.reasons.push_back({std::move(kept), nodes});
  return true;
}

}  // namespace

void RefusalCounts::add_other(std::uint16_t rule, Verdict verdict) {
  for (std::size_t i = 0; i < used_; ++i)
    if (kinds_[i].is(rule, verdict)) {
      ++kinds_[i].nodes;
      last_ = i;
      return;
    }
  if (used_ < kinds_.size()) {
    last_ = used_++;
    kinds_[last_] = {.verdict = verdict, .nodes = 1, .rule = rule};
    return;
  }
  if (left_out_.size() <= rule) left_out_.resize(rule + std::size_t{1});
  ++left_out_[rule];
}

std::vector<RefusedByRule> RefusalCounts::told(const Filtered& filtered) const {
  std::vector<RefusedByRule> rules;
  rules.reserve(used_);
  Room room;
  auto kinds = kinds_;
  const auto counted = std::span(kinds).first(used_);
  // Room goes to what is frequent.
  std::ranges::sort(counted, std::ranges::greater(),
                    [](const Kind& kind) { return std::tuple(kind.nodes, kind.rule, kind.verdict.bits()); });
  for (const Kind& kind : counted) {
    RefusedByRule& rule = of_rule(rules, kind.rule);
    rule.nodes += kind.nodes;
    bool all = true;
    for (const std::string_view text : filtered.reasons(kind.rule, kind.verdict))
      all = add_reason(rule, text, kind.nodes, room) && all;
    if (!all) rule.other_reasons += kind.nodes;
  }
  for (std::size_t i = 0; i < left_out_.size(); ++i) {
    if (left_out_[i] == 0) continue;
    RefusedByRule& rule = of_rule(rules, static_cast<std::uint32_t>(i));
    rule.nodes += left_out_[i];
    rule.other_reasons += left_out_[i];
  }
  std::ranges::sort(rules, std::ranges::greater(),
                    [](const RefusedByRule& rule) { return std::tuple(rule.nodes, rule.rule); });
  if (rules.size() > kMostRefusingRules) rules.resize(kMostRefusingRules);
  return rules;
}

namespace {

/// The nodes with the highest totals, in order; of equal totals the earlier ones. One pass, one comparison
/// for most nodes.
struct Highest {
  std::array<std::size_t, kBestNodes> places{};
  std::size_t count = 0;

  explicit Highest(std::span<const std::int64_t> totals) {
    std::size_t i = 0;
    for (; i < totals.size() && count < places.size(); ++i) insert(totals, i, count++);
    std::int64_t last = count > 0 ? totals[places[count - 1]] : 0;
    for (; i < totals.size(); ++i) {
      if (totals[i] <= last) [[likely]]
        continue;
      insert(totals, i, count - 1);
      last = totals[places[count - 1]];
    }
  }

  /// Puts a node first, in place of the last one if it is not among them.
  void put_first(std::size_t node) {
    const auto used = std::span(places).first(count);
    auto at = std::ranges::find(used, node);
    if (at == used.end()) *(at = used.end() - 1) = node;
    std::rotate(used.begin(), at, at + 1);
  }

 private:
  void insert(std::span<const std::int64_t> totals, std::size_t node, std::size_t at) {
    for (; at > 0 && totals[places[at - 1]] < totals[node]; --at) places[at] = places[at - 1];
    places[at] = node;
  }
};

NodeTotal total_of(const ScoredNodes& scored, std::size_t node) {
  NodeTotal total{.node = utf8_shortened(scored.name_of(node), kMostNameBytes),
                  .total = scored.totals[node],
                  .scores = {}};
  const auto& rules = scored.rules.priorities;
  if (rules.size() > kMostScoredRules) return total;
  total.scores.reserve(rules.size());
  for (std::size_t rule = 0; rule < rules.size(); ++rule)
    total.scores.push_back(wrap_multiply(rules[rule].weight, scored.scores(rule, node)));
  return total;
}

}  // namespace

std::vector<NodeTotal> best_nodes(const ScoredNodes& scored, std::optional<std::size_t> picked) {
  Highest highest(scored.totals);
  if (picked) highest.put_first(*picked);
  std::vector<NodeTotal> best;
  best.reserve(highest.count);
  for (std::size_t i = 0; i < highest.count; ++i) best.push_back(total_of(scored, highest.places[i]));
  return best;
}

}  // namespace winnow
