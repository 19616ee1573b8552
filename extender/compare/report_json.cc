#include "extender/compare/report_json.h"

#include <array>
#include <string>

#include "extender/compare/cause_text.h"
#include "extender/simulate/report/json_pieces.h"
#include "extender/simulate/report/report_json.h"
#include "extender/simulate/report/tally.h"

namespace winnow {
namespace {

/// The keys of the sides: "a" and "b", or "now" and "a".
using Keys = std::array<std::string_view, 2>;

Keys keys_of(const Comparison& result) { return result.one_sided ? Keys{"now", "a"} : Keys{"a", "b"}; }

void write_refusals(JsonPieces& json, const std::vector<RuleRefusal>& refusals) {
  json.list(refusals, [&](const RuleRefusal& refusal) {
    json.raw("{");
    if (!refusal.rule.empty()) json.key("rule").text(refusal.rule).raw(",");
    json.key("reason").text(refusal.reason).raw("}");
  });
}

/// An object with a key for each side that has rules, and this one among them.
void write_weights(JsonPieces& json, const std::optional<std::int64_t> (&weight)[2],
                   const Comparison& result) {
  json.key("weight").raw("{");
  bool is_first = true;
  for (const std::size_t side : {kA, kB}) {
    if (!weight[side] || (result.one_sided && side == kA)) continue;
    json.raw(is_first ? "" : ",").key(keys_of(result)[side]).number(*weight[side]);
    is_first = false;
  }
  json.raw("}");
}

void write_turn(JsonPieces& json, const ChoiceTurn& turn, const Comparison& result) {
  const Keys keys = keys_of(result);
  json.key("kind").text(to_string(turn.kind)).raw(",").key("text").text(turn_text(turn, result));
  if (turn.kind == TurnKind::kRefused) {
    json.raw(",").key("refuses").raw("{").key(keys[kA]);
    write_refusals(json, turn.refuses[kA]);
    json.raw(",").key(keys[kB]);
    write_refusals(json, turn.refuses[kB]);
    json.raw("}");
  }
  if (turn.kind == TurnKind::kScores)
    json.raw(",").key("rules").list(turn.changes, [&](const ScoreChange& change) {
      json.raw("{").key("rule").text(change.rule).raw(",").key("by").number(change.by).raw(",");
      write_weights(json, change.weight, result);
      json.raw("}");
    });
}

void write_pod(JsonPieces& json, const ComparedPod& pod, const Comparison& result) {
  const Keys keys = keys_of(result);
  json.raw("{").key("pod").text(pod.name);
  if (pod.workload != kNone) json.raw(",").key("workload").text(result.workloads[pod.workload]);
  if (result.placed && !result.one_sided) json.raw(",").key("now").text(result.nodes[pod.now].name);
  json.raw(",").key("differs").flag(pod.differs());
  for (const std::size_t side : {kA, kB}) {
    json.raw(",").key(keys[side]).raw("{").key("result").text(to_string(pod.end[side]));
    if (pod.node[side] != kNone) json.raw(",").key("node").text(result.nodes[pod.node[side]].name);
    if (pod.why[side] != kNone) json.raw(",").key("message").text(result.whys[pod.why[side]]);
    json.raw("}");
  }
  if (pod.cause != kNone) json.raw(",").key("cause").number(pod.cause);
  json.raw("}");
}

void write_said(JsonPieces& json, const NodeSaid& said) {
  json.raw("{").key("fits").flag(said.refusals.empty());
  if (said.total) json.raw(",").key("total").number(*said.total);
  json.raw(",").key("refusals");
  write_refusals(json, said.refusals);
  json.raw("}");
}

void write_detail(JsonPieces& json, const PodDetail& detail, const Comparison& result) {
  const Keys keys = keys_of(result);
  json.raw(",").key("detail").raw("{").key("pod").text(detail.pod);
  if (detail.in_own_run) json.raw(",").key("inOwnRun").text(*detail.in_own_run);
  if (detail.turn) {
    json.raw(",").key("turn").raw("{");
    write_turn(json, *detail.turn, result);
    json.raw("}");
  }
  json.raw(",").key("nodes").raw("[");
  for (std::size_t node = 0; node < detail.nodes.size(); ++node) {
    json.raw(node == 0 ? "" : ",").raw("{").key("node").text(detail.nodes[node]);
    for (const std::size_t side : {kA, kB}) {
      if (result.one_sided && side == kA) continue;
      json.raw(",").key(keys[side]);
      write_said(json, detail.said[node][side]);
    }
    json.raw("}");
  }
  json.raw("],").key("scores").list(detail.scores, [&](const ScoreRow& row) {
    json.raw("{").key("rule").text(row.rule).raw(",");
    write_weights(json, row.weight, result);
    for (const std::size_t side : {kA, kB}) {
      if (!row.weight[side] || (result.one_sided && side == kA)) continue;
      json.raw(",").key(keys[side]).raw("[");
      for (std::size_t node = 0; node < detail.nodes.size(); ++node) {
        json.raw(node == 0 ? "" : ",");
        if (row.scores[side][node])
          json.number(*row.scores[side][node]);
        else
          json.raw("null");
      }
      json.raw("]");
    }
    json.raw("}");
  });
  json.raw("}");
}

}  // namespace

void write_json(const Comparison& result, const std::function<void(std::string_view)>& write) {
  const Keys keys = keys_of(result);
  JsonPieces json(write);
  json.raw("{").key("config").raw("{");
  bool is_first = true;
  for (const std::size_t side : {kA, kB}) {
    if (result.config[side].empty()) continue;
    json.raw(is_first ? "" : ",").key(keys[side]).text(result.config[side]);
    is_first = false;
  }
  const std::size_t differ = result.count_differing(), known = result.count_known();
  json.raw("},").key("same").number(known - differ).raw(",").key("differ").number(differ);
  if (!result.placed) json.raw(",").key("differByWorkload").number(result.count_differing_by_workload());
  json.raw(",").key("untried").number(result.pods.size() - known);
  json.raw(",").key("daemonPods").number(result.daemon_pods).raw(",").key("leaving").number(result.leaving);
  json.raw(",").key("cutShort").flag(result.cut_short);
  json.raw(",").key("causes").list(result.causes, [&](const Cause& cause) {
    json.raw("{").key("pods").number(cause.pods).raw(",");
    write_turn(json, cause.turn, result);
    json.raw("}");
  });
  json.raw(",").key("pods").list(result.pods, [&](const ComparedPod& pod) { write_pod(json, pod, result); });
  if (!result.placed)
    json.raw(",").key("nodes").list(
        result.nodes, [&](const NodeUsage& node) { write_node(json, node, keys[kA], keys[kB]); });
  if (result.detail) write_detail(json, *result.detail, result);
  json.raw("}\n").flush();
}

}  // namespace winnow
