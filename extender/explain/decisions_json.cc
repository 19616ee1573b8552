#include "extender/explain/decisions_json.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <format>
#include <memory>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "cluster/text/characters.h"
#include "cluster/text/encoding.h"
#include "cluster/text/go_format.h"
#include "cluster/text/json.h"
#include "cluster/text/json_document.h"
#include "cluster/text/json_reader.h"
#include "cluster/text/words.h"
#include "extender/engine/ruleset.h"
#include "extender/explain/decision_log.h"
#include "extender/explain/decisions_text.h"
#include "extender/explain/explanation_json.h"

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

namespace {

/// Writes the members of an object or the elements of a list, with what stands between them.
class JsonParts {
 public:
  JsonParts(std::string& out, char open, char close) : out_(out), close_(close), before_(open) {}
  ~JsonParts() { out_ += before_ == ',' ? std::string(1, close_) : std::string({before_, close_}); }
  JsonParts(const JsonParts&) = delete;
  JsonParts& operator=(const JsonParts&) = delete;

  std::string& next() { return out_ += std::exchange(before_, ','); }
  std::string& key(std::string_view name) { return next().append(1, '"').append(name).append("\":"); }
  void text(std::string_view name, std::string_view value) { append_quoted(key(name), value); }
  void number(std::string_view name, std::int64_t value) { key(name) += std::to_string(value); }
  /// Left out where it is empty.
  void text_if(std::string_view name, std::string_view value) {
    if (!value.empty()) text(name, value);
  }
  void number_if(std::string_view name, std::int64_t value) {
    if (value != 0) number(name, value);
  }

 private:
  std::string& out_;
  const char close_;
  char before_;
};

std::string rfc3339(DecisionRecord::Time time) {
  return std::format("{:%FT%T}Z", std::chrono::floor<std::chrono::milliseconds>(time));
}

void append_refused(std::string& out, const DecisionRecord& record, const std::vector<RefusedByRule>& all) {
  JsonParts list(out, '[', ']');
  for (const RefusedByRule& refused : all) {
    JsonParts rule(list.next(), '{', '}');
    rule.text("rule", record.rules->predicates[refused.rule]);
    rule.number("nodes", refused.nodes);
    {
      JsonParts reasons(rule.key("reasons"), '[', ']');
      for (const KeptReason& kept : refused.reasons) {
        JsonParts reason(reasons.next(), '{', '}');
        reason.text("reason", kept.text);
        reason.number("nodes", kept.nodes);
      }
    }
    rule.number_if("otherReasons", refused.other_reasons);
  }
}

void append_best(std::string& out, const DecisionRecord& record) {
  JsonParts list(out, '[', ']');
  for (const NodeTotal& best : record.best) {
    JsonParts node(list.next(), '{', '}');
    node.text("node", best.node);
    if (record.scored < 2) continue;
    node.number("total", best.total);
    if (best.scores.empty()) continue;
    JsonParts scores(node.key("scores"), '[', ']');
    for (std::size_t rule = 0; rule < best.scores.size(); ++rule) {
      JsonParts score(scores.next(), '{', '}');
      score.text("rule", record.rules->priorities[rule]);
      score.number("weighted", best.scores[rule]);
    }
  }
}

void append_nearest(std::string& out, const DecisionRecord& record) {
  JsonParts list(out, '[', ']');
  for (const NearNode& near : record.nearest) {
    JsonParts node(list.next(), '{', '}');
    node.text("node", near.node);
    JsonParts refused(node.key("refused"), '[', ']');
    for (const KeptRefusal& refusal : near.refusals) {
      JsonParts rule(refused.next(), '{', '}');
      rule.text("rule", record.rules->predicates[refusal.rule]);
      JsonParts causes(rule.key("causes"), '[', ']');
      for (const Cause& cause : refusal.causes) append_cause(causes.next(), cause);
    }
  }
}

void append_difference(std::string& out, const DecisionRecord& record) {
  JsonParts list(out, '[', ']');
  for (const RuleShare& share : deciding_rules(record.best[0].scores, record.best[1].scores)) {
    JsonParts rule(list.next(), '{', '}');
    rule.text("rule", record.rules->priorities[share.rule]);
    rule.number("by", share.by);
  }
}

void append_victims(std::string& out, const DecisionRecord& record) {
  JsonParts list(out, '[', ']');
  for (const std::string& victim : record.victims) append_quoted(list.next(), victim);
}

void append_nodes(JsonParts& object, const DecisionRecord& record) {
  object.number("nodes", record.nodes);
  object.number_if("unknownNodes", record.unknown_nodes);
  object.number("fits", record.fits);
  object.number("scored", record.scored);
  append_refused(object.key("refused"), record, record.refused);
  if (!record.nearest.empty()) append_nearest(object.key("nearest"), record);
  if (!record.best.empty()) {
    object.text(record.given || record.verb == DecisionVerb::kBind ? "picked" : "first", record.best[0].node);
    append_best(object.key("best"), record);
  }
  if (record.best.size() > 1) {
    object.text("runnerUp", record.best[1].node);
    append_difference(object.key("difference"), record);
  }
  if (record.nominated) object.key("nominated") += "true";
  if (!record.refused_there.empty()) append_refused(object.key("refusedThere"), record, record.refused_there);
  if (record.verb != DecisionVerb::kPreempt) return;
  append_victims(object.key("victims"), record);
  object.number_if("moreVictims", record.more_victims);
}

void append_ending(JsonParts& object, const KeptDecision& decision) {
  object.text("result", to_string(decision.result()));
  if (!decision.ending) return;
  object.text_if("boundTo", decision.ending->node);
  object.text_if("said", decision.ending->said);
  object.text("known", rfc3339(decision.ending->time));
}

}  // namespace

void append_decision(std::string& out, const KeptDecision& decision) {
  const DecisionRecord& record = *decision.record;
  JsonParts object(out, '{', '}');
  object.text("time", rfc3339(record.time));
  object.text("verb", to_string(record.verb));
  object.text("pod", record.pod);
  object.text_if("uid", record.uid);
  object.text_if("requestId", record.request_id);
  object.key("pictureAgeSeconds") +=
      std::format("{:.3f}", std::chrono::duration<double>(record.cache_age).count());
  append_nodes(object, record);
  object.text_if("error", record.error);
  append_ending(object, decision);
  object.text("text", decision_text(decision));
  if (record.nearest.empty()) return;
  JsonParts lines(object.key("nearestText"), '[', ']');
  for (const NearNode& node : record.nearest) append_quoted(lines.next(), to_text(node));
}

namespace {

/// The decision as a caller sees it who may not be told the names of all pods.
KeptDecision seen_by(const SeesPods& sees, const KeptDecision& decision) {
  auto record = std::make_shared<DecisionRecord>(*decision.record);
  hide_pods(*record, sees);
  return {.record = std::move(record), .ending = decision.ending};
}

}  // namespace

std::string decisions_json(DecisionLog& log, const DecisionsQuery& query, SeesPods sees) {
  constexpr std::size_t kEnd = 100;  // What follows the list.
  std::string out = R"({"decisions":[)";
  std::size_t shown = 0, more = 0;
  std::string one;
  log.visit(query.pod, [&](const KeptDecision& decision) {
    if (!query.matches(decision)) return true;
    if (more == 0 && shown < query.limit) {
      one.clear();
      append_decision(one, sees ? seen_by(sees, decision) : decision);
      if (out.size() + one.size() + kEnd <= kMostDecisionsBytes) {
        out.append(shown++ == 0 ? "" : ",").append(one);
        return true;
      }
    }
    ++more;
    return true;
  });
  return out +
         std::format("],\"more\":{},\"kept\":{},\"keeps\":{}}}\n", more, log.figures().kept, log.most());
}

namespace {

/// What is read of a node's object in a decision.
struct ToldNode {
  std::string node;
};

bool read_fields(const Reader& reader, ToldNode& told) { return reader.read("node", told.node); }

}  // namespace

// Not in an unnamed namespace: it is found by its argument.
static bool read_fields(const Reader& reader, ToldDecision& decision) {
  std::vector<ToldNode> best, nearest;
  std::string bound_to;
  const bool good = reader.read("time", decision.time) && reader.read("verb", decision.verb) &&
                    reader.read("requestId", decision.request_id) && reader.read("text", decision.text) &&
                    reader.read("nearestText", decision.nearest) && reader.read("best", best) &&
                    reader.read("nearest", nearest) && reader.read("boundTo", bound_to);
  for (const auto* nodes : {&best, &nearest})
    for (const ToldNode& told : *nodes) decision.nodes.push_back(told.node);
  if (!bound_to.empty()) decision.nodes.push_back(std::move(bound_to));
  return good;
}

std::expected<std::vector<ToldDecision>, std::string> read_decisions(std::string json) {
  const auto document = load_document(std::move(json));
  if (!document) return std::unexpected(document.error().text());
  std::string error;
  const Reader root(document->root(), nullptr, error);
  std::vector<ToldDecision> decisions;
  if (!root.expect_object() || !root.read("decisions", decisions)) return std::unexpected(std::move(error));
  if (!root.has("decisions")) return std::unexpected("decisions is missing");
  return decisions;
}

NodeNames node_names_of(const std::vector<ToldDecision>& decisions) {
  std::vector<std::string> all;
  for (const ToldDecision& decision : decisions)
    all.insert(all.end(), decision.nodes.begin(), decision.nodes.end());
  return NodeNames(std::move(all));
}

std::string line_of(const ToldDecision& decision, const NodeNames& names) {
  constexpr std::size_t kToSeconds = std::string_view("2026-11-25T12:04:31").size();
  std::string time = decision.time.substr(0, kToSeconds);
  if (const std::size_t t = time.find('T'); t != std::string::npos) time[t] = ' ';
  const std::string request = decision.request_id.empty() ? "" : " (request " + decision.request_id + ')';
  return printable(time + ' ' + decision.verb + ": " + names.in(decision.text) + request);
}

std::vector<std::string> nearest_lines_of(const ToldDecision& decision, const NodeNames& names) {
  std::vector<std::string> lines;
  for (const std::string& node : decision.nearest) lines.push_back(printable("  " + names.in(node)));
  return lines;
}

}  // namespace winnow
