#include "extender/what_if/compare/comparison_report.h"

#include <algorithm>
#include <array>
#include <format>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/text/characters.h"
#include "extender/explain/explanation_text.h"
#include "extender/what_if/compare/causes.h"
#include "extender/what_if/simulate/simulation_report.h"

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

void write_turn(JsonPieces& json, const ChoiceDifference& turn, const Comparison& result) {
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

/// How the configurations differ. What a side does not have is left out.
void write_differences(JsonPieces& json, const std::vector<RulesDifference>& differences) {
  json.key("configDiffers").list(differences, [&](const RulesDifference& one) {
    json.raw("{").key("kind").text(to_string(one.aspect)).raw(",").key("text").text(to_text(one));
    for (const auto& [key, value] : {std::pair<std::string_view, const std::string&>("profile", one.profile),
                                     {"rule", one.rule},
                                     {"field", one.field},
                                     {"a", one.a},
                                     {"b", one.b}})
      if (!value.empty()) json.raw(",").key(key).text(value);
    json.raw("}");
  });
  json.raw(",");
}

/// By side; both at once where they are equal.
void write_unjudged(JsonPieces& json, const Comparison& result) {
  if (result.unjudged[kA] == result.unjudged[kB]) return winnow::write_unjudged(json, result.unjudged[kA]);
  json.raw(",").key("notJudgedBySide").raw("[");
  for (const std::size_t side : {kA, kB}) {
    const Unjudged& one = result.unjudged[side];
    json.raw(side == kA ? "{" : ",{").key("side").text(result.label[side]);
    winnow::write_unjudged(json, one);
    json.raw("}");
  }
  json.raw("]");
}

}  // namespace

void write_json(const Comparison& result, WriteText write) {
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
  json.raw("},");
  if (!result.one_sided) write_differences(json, result.differences);
  json.key("same").number(known - differ).raw(",").key("differ").number(differ);
  if (!result.placed) json.raw(",").key("differByWorkload").number(result.count_differing_by_workload());
  json.raw(",").key("untried").number(result.pods.size() - known);
  json.raw(",").key("daemonPods").number(result.daemon_pods).raw(",").key("leaving").number(result.leaving);
  json.raw(",").key("cutShort").flag(result.cut_short);
  write_unjudged(json, result);
  json.raw(",").key("causes").list(result.causes, [&](const MoveCause& cause) {
    json.raw("{").key("pods").number(cause.pods).raw(",");
    write_turn(json, cause.turn, result);
    json.raw("}");
  });
  json.raw(",").key("pods").list(result.pods, [&](const ComparedPod& pod) { write_pod(json, pod, result); });
  if (!result.placed)
    json.raw(",").key("nodes").list(
        result.nodes, [&](const NodeFill& node) { write_node(json, node, keys[kA], keys[kB]); });
  if (result.detail) write_detail(json, *result.detail, result);
  json.raw("}\n").flush();
}

namespace {

constexpr std::size_t kLongestRule = 32, kLongestNode = 22;

std::string number(const std::optional<std::int64_t>& score) { return score ? std::to_string(*score) : "-"; }

/// The numbers of a line: by node, by side.
using Cells = std::vector<std::string>;

/// Writes the detail of one pod.
class Detail {
 public:
  Detail(std::string& out, const Comparison& result, const ReportOptions& options)
      : out_(out),
        result_(result),
        pod_(*result.detail),
        options_(options),
        width_(line_width(options.table)),
        nodes_(names_of(result.nodes)) {}

  void write() {
    for (const std::size_t side : {kA, kB})
      if (!result_.config[side].empty()) say(result_.label[side] + ": " + result_.config[side]);
    headline();
    turned();
    scores();
    verdicts();
    if (!nodes_.note().empty())
      append_paragraph(out_, nodes_.note(), {.width = width_, .prefix = "  ", .indent = 2});
  }

 private:
  /// Names of nodes stay whole.
  void say_whole(const std::string& text, std::string_view style = kPlain) {
    append_paragraph(out_, printable(text),
                     {.width = width_, .indent = 2, .style = options_.table.colour ? style : kPlain});
  }
  void say(const std::string& text) { say_whole(nodes_.in(text)); }

  std::string takes(std::size_t side) const {
    const std::string& node = pod_.chosen[side];
    return result_.label[side] + (node.empty() ? " finds no node" : " takes " + node);
  }

  /// What B does in its own run.
  std::string ends_at() const {
    return result_.label[kB] + (pod_.in_own_run->empty() ? " finds no node" : " takes " + *pod_.in_own_run);
  }

  /// The sides that were asked: one alone where the other is the node that the pod has.
  std::vector<std::size_t> sides() const {
    return result_.one_sided ? std::vector<std::size_t>{kB} : std::vector<std::size_t>{kA, kB};
  }

  void headline() {
    const bool same = pod_.chosen[kA] == pod_.chosen[kB];
    std::string text = pod_.pod + ": ";
    if (result_.one_sided)
      text += "it is on " + pod_.nodes.front() + ", and " + (pod_.turn ? takes(kB) + " now." : "would stay.");
    else if (pod_.in_own_run)
      text += takes(kA) + ", " + ends_at() + '.';
    else if (same && !pod_.chosen[kA].empty())
      text += "both take " + pod_.chosen[kA] + (pod_.turn ? " on A's cluster." : ".");
    else if (same)
      text += "both find no node" + std::string(pod_.turn ? " on A's cluster." : ".");
    else
      text += takes(kA) + ", " + takes(kB) + '.';
    say_whole(text, pod_.turn ? kYellow : kBold);  // To be copied, as the headline of explain.
    for (const std::size_t side : sides())
      if (!pod_.why[side].empty()) say(result_.label[side] + ": " + pod_.why[side]);
  }

  void turned() {
    if (!pod_.turn) return;
    if (pod_.turn->kind == TurnKind::kEarlier) {
      say("Why: on A's cluster both take the same node. In B's own run pods before it went elsewhere" +
          (pod_.nodes.size() > 1 && !pod_.chosen[kA].empty() ? ", and it goes to " + pod_.nodes.back() : "") +
          ".");
      return;
    }
    if (pod_.in_own_run)
      say("Why, first: on A's cluster, as below, " + takes(kB) + ": " + turn_text(*pod_.turn, result_) + '.');
    else
      say("Why: " + turn_text(*pod_.turn, result_) + '.');
    if (pod_.turn->kind == TurnKind::kScores) margins();
    if (pod_.in_own_run)
      say("Why, second: in B's own run pods before it went elsewhere, so " + ends_at() + '.');
  }

  /// How far A's node was ahead, and what the rules give B's against it.
  void margins() {
    const std::string &from = pod_.nodes.front(), &to = pod_.nodes.back();
    const std::optional<std::int64_t> first = pod_.said.front()[kA].total,
                                      second = pod_.said.back()[kA].total;
    std::string text;
    if (!result_.one_sided && first && second)
      text = *first == *second ? std::format("Under A {} and {} have the same total. ", from, to)
                               : std::format("Under A {} is ahead by {}. ", from, *first - *second);
    for (const ScoreChange& change : pod_.turn->changes)
      text += result_.one_sided ? std::format("{} gives {} {} more. ", change.rule, to, change.by)
                                : std::format("Under B {} moves {} towards {}. ", change.rule, change.by, to);
    say(text);
  }

  bool turns(const std::string& rule) const {
    return pod_.turn && std::ranges::contains(pod_.turn->changes, rule, &ScoreChange::rule);
  }

  Cells cells(const ScoreRow& row) const {
    Cells cells;
    for (std::size_t node = 0; node < pod_.nodes.size(); ++node)
      for (const std::size_t side : sides()) cells.push_back(number(row.scores[side][node]));
    return cells;
  }

  /// Whether the rule tells the nodes apart, under one side at least.
  bool tells_apart(const ScoreRow& row) const {
    return pod_.nodes.size() < 2 ||
           std::ranges::any_of(
               sides(), [&](std::size_t side) { return row.scores[side][0] != row.scores[side][1]; });
  }

  /// The columns of one node, with the gap before them.
  std::size_t node_columns() const { return sides().size() * (2 + cell_) + 1; }

  void line(const std::string& name, const Cells& cells) {
    std::string text = "  " + shorten_middle(printable(name), names_);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::size_t node = i / sides().size(), side = i % sides().size();
      const std::size_t end = 2 + names_ + node * node_columns() + 1 + (side + 1) * (2 + cell_);
      text.append(end - std::min(end, columns(text) + columns(cells[i])), ' ');
      text += cells[i];
    }
    out_ += text + '\n';
  }

  void scores() {
    std::vector<const ScoreRow*> rows;
    std::string alike;
    for (const ScoreRow& row : pod_.scores) {
      if (tells_apart(row) || turns(row.rule))
        rows.push_back(&row);
      else
        alike += (alike.empty() ? "" : ", ") + row.rule;
    }
    Cells totals, heads;
    for (std::size_t node = 0; node < pod_.nodes.size(); ++node)
      for (const std::size_t side : sides()) {
        totals.push_back(number(pod_.said[node][side].total));
        heads.push_back(result_.label[side]);
      }
    if (std::ranges::all_of(totals, [](const std::string& total) { return total == "-"; })) return;
    for (const ScoreRow* row : rows) {
      names_ = std::max(names_, columns(printable(row->rule)) + 2);
      for (const std::string& cell : cells(*row)) cell_ = std::max(cell_, columns(cell));
    }
    for (const std::string& cell : totals) cell_ = std::max(cell_, columns(cell));
    names_ = std::min(names_, kLongestRule);
    const std::size_t room = width_ == 0 ? std::string::npos : (width_ - std::min(width_, 2 + names_)) / 2;
    const std::size_t longest = std::max(kLongestNode, room - std::min<std::size_t>(room, 3));
    for (const std::string& node : pod_.nodes)
      cell_ = std::max(cell_, (std::min(columns(nodes_.of(node)), longest) + 1) / sides().size() - 1);
    const bool marks = pod_.turn && !pod_.turn->changes.empty();
    out_ += marks ? "\n  SCORES, weighted; * turns the choice\n" : "\n  SCORES, weighted\n";
    node_heads();
    if (sides().size() > 1) line("", heads);
    for (const ScoreRow* row : rows) line(row->rule + (turns(row->rule) ? " *" : ""), cells(*row));
    line("total", totals);
    if (!alike.empty() && pod_.nodes.size() > 1)
      append_paragraph(out_, printable("equal for both nodes: " + alike),
                       {.width = width_, .prefix = "  ", .indent = 4});
  }

  /// The names of the nodes above their columns.
  void node_heads() {
    std::string text;
    for (std::size_t node = 0; node < pod_.nodes.size(); ++node) {
      const std::string name = shorten_middle(printable(nodes_.of(pod_.nodes[node])), node_columns() - 1);
      const std::size_t end = 2 + names_ + (node + 1) * node_columns();
      text.append(end - std::min(end, columns(text) + columns(name)), ' ');
      text += name;
    }
    out_ += text + '\n';
  }

  void verdicts() {
    if (pod_.nodes.empty()) return;
    out_ += '\n';
    bool refused = false;
    for (std::size_t node = 0; node < pod_.nodes.size(); ++node)
      for (const std::size_t side : sides())
        for (const RuleRefusal& refusal : pod_.said[node][side].refusals) {
          refused = true;
          append_paragraph(out_,
                           printable(std::format("{} is refused by {}: {}{}{}", nodes_.of(pod_.nodes[node]),
                                                 result_.label[side], refusal.rule,
                                                 refusal.rule.empty() ? "" : ": ", refusal.reason)),
                           {.width = width_, .prefix = "  ", .indent = 4});
        }
    if (refused) return;
    out_ += result_.one_sided        ? "  No rule refuses these nodes.\n"
            : pod_.nodes.size() == 1 ? "  No rule refuses the node, under A or B.\n"
                                     : "  No rule refuses either node, under A or B.\n";
  }

  std::string& out_;
  const Comparison& result_;
  const PodDetail& pod_;
  const ReportOptions& options_;
  const std::size_t width_;
  const NodeNames nodes_;
  std::size_t names_ = 5, cell_ = 6;  ///< Widths of the table of scores: the first column, and a number.
};

}  // namespace

void append_detail(std::string& out, const Comparison& result, const ReportOptions& options) {
  Detail(out, result, options).write();
}

}  // namespace winnow
