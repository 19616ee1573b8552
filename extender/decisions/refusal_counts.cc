#include "extender/decisions/refusal_counts.h"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <tuple>

#include "cluster/text/utf8.h"

namespace winnow {
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

}  // namespace winnow
