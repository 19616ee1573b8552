#include "extender/decisions/decisions_query.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <format>
#include <span>
#include <system_error>
#include <vector>

#include "cluster/text/encoding/query.h"
#include "cluster/text/go_quote.h"
#include "cluster/text/near_names.h"
#include "cluster/text/rfc3339.h"
#include "extender/decisions/difference.h"

namespace winnow {
namespace {

constexpr std::array<std::string_view, 8> kParameters = {"pod",    "node",  "rule",  "verb",
                                                         "result", "since", "until", "limit"};

using Error = std::unexpected<std::string>;

Error expects(std::string_view name, std::string_view value, std::string_view expected) {
  return Error(std::format("{}: {} is not {}", name, go_quote(value), expected));
}

/// Reads a word into a value of an enum that begins at 0. @return the error; "": none.
template <class Enum>
std::string read_word(std::string_view query, std::string_view name, std::size_t count,
                      std::optional<Enum>& target) {
  const std::string word = query_value(query, name);
  std::string words;
  for (std::size_t i = 0; i < count; ++i) {
    const auto value = static_cast<Enum>(i);
    if (to_string(value) == word) target = value;
    words.append(i == 0 ? "" : ", ").append(to_string(value));
  }
  return word.empty() || target ? "" : expects(name, word, "one of " + words).error();
}

std::string read_time(std::string_view query, std::string_view name, std::optional<std::int64_t>& target) {
  const std::string text = query_value(query, name);
  target = parse_rfc3339(text);
  return text.empty() || target ? "" : expects(name, text, "a time such as 2026-01-31T12:00:00Z").error();
}

std::string read_limit(std::string_view query, std::size_t& limit) {
  const std::string text = query_value(query, "limit");
  if (text.empty()) return "";
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), limit);
  const bool good = error == std::errc() && end == text.data() + text.size() && limit >= 1 &&
                    limit <= DecisionsQuery::kMostLimit;
  return good ? ""
              : expects("limit", text, std::format("a number from 1 to {}", DecisionsQuery::kMostLimit))
                    .error();
}

/// The error for a parameter that nothing reads; "": none.
std::string unknown_parameter(std::string_view query) {
  while (!query.empty()) {
    const std::size_t end = std::min(query.find('&'), query.size());
    const std::string_view pair = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    const std::string_view name = pair.substr(0, pair.find('='));
    if (pair.empty() || std::ranges::contains(kParameters, name)) continue;
    std::string known;
    for (const std::string_view one : kParameters) known.append(known.empty() ? "" : ", ").append(one);
    return std::format("unknown parameter {}{}; there are {}", go_quote(name),
                       did_you_mean(name, kParameters), known);
  }
  return "";
}

/// "NAMESPACE/NAME"; nothing: it is neither that nor a name.
std::optional<std::string> full_pod_name(std::string pod) {
  const std::size_t slash = pod.find('/');
  if (slash == std::string::npos) return "default/" + pod;
  const bool whole = slash > 0 && slash + 1 < pod.size() && pod.find('/', slash + 1) == std::string::npos;
  return whole ? std::optional(std::move(pod)) : std::nullopt;
}

bool has_node(const KeptDecision& decision, std::string_view node) {
  return std::ranges::contains(decision.record->best, node, &NodeTotal::node) ||
         (decision.ending && decision.ending->node == node);
}

bool has_rule(const DecisionRecord& record, std::string_view name) {
  if (!record.rules) return false;
  const auto is_of = [&](const RefusedByRule& refused) {
    return record.rules->predicates[refused.rule] == name;
  };
  if (std::ranges::any_of(record.refused, is_of) || std::ranges::any_of(record.refused_there, is_of))
    return true;
  if (record.best.size() < 2) return false;
  return std::ranges::any_of(
      deciding_rules(record.best[0].scores, record.best[1].scores),
      [&](const RuleShare& share) { return record.rules->priorities[share.rule] == name; });
}

}  // namespace

bool DecisionsQuery::matches(const KeptDecision& decision) const {
  const DecisionRecord& record = *decision.record;
  const std::int64_t at = std::chrono::floor<std::chrono::seconds>(record.time).time_since_epoch().count();
  return (!verb || *verb == record.verb) && (!result || *result == decision.result()) &&
         (!since || at >= *since) && (!until || at <= *until) && (pod.empty() || record.pod == pod) &&
         (node.empty() || has_node(decision, node)) && (rule.empty() || has_rule(record, rule));
}

std::expected<DecisionsQuery, std::string> read_decisions_query(std::string_view query) {
  DecisionsQuery asked;
  std::vector<std::string> errors = {
      unknown_parameter(query),
      read_word(query, "verb", kDecisionVerbs, asked.verb),
      read_word(query, "result", kDecisionResults, asked.result),
      read_time(query, "since", asked.since),
      read_time(query, "until", asked.until),
      read_limit(query, asked.limit),
  };
  for (std::string& error : errors)
    if (!error.empty()) return Error(std::move(error));
  asked.node = query_value(query, "node");
  asked.rule = query_value(query, "rule");
  const std::string pod = query_value(query, "pod");
  if (pod.empty()) return asked;
  auto full = full_pod_name(pod);
  if (!full) return expects("pod", pod, "NAMESPACE/NAME");
  asked.pod = *std::move(full);
  return asked;
}

}  // namespace winnow
