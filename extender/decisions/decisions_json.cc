#include "extender/decisions/decisions_json.h"

#include <format>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/text/json/json_string.h"
#include "extender/decisions/decision_text.h"
#include "extender/decisions/difference.h"

namespace winnow {
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
  object.key("pictureAgeSeconds") +=
      std::format("{:.3f}", std::chrono::duration<double>(record.picture_age).count());
  append_nodes(object, record);
  object.text_if("error", record.error);
  append_ending(object, decision);
  object.text("text", decision_text(decision));
}

std::string decisions_json(DecisionLog& log, const DecisionsQuery& query) {
  constexpr std::size_t kEnd = 100;  // What follows the list.
  std::string out = R"({"decisions":[)";
  std::size_t shown = 0, more = 0;
  std::string one;
  log.visit(query.pod, [&](const KeptDecision& decision) {
    if (!query.matches(decision)) return true;
    if (more == 0 && shown < query.limit) {
      one.clear();
      append_decision(one, decision);
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

}  // namespace winnow
