#include <algorithm>
#include <iostream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/api/kinds.h"
#include "cluster/state/overlay.h"
#include "cluster/state/view.h"
#include "cluster/text/characters.h"
#include "extender/cli/cluster_source.h"
#include "extender/cli/commands.h"
#include "extender/cli/flags/eval_flags.h"
#include "extender/cli/flags/flag_kinds.h"
#include "extender/cli/flags/flags.h"
#include "extender/cli/given_pods.h"
#include "extender/cli/kubectl/node_list.h"
#include "extender/cli/named_nodes.h"
#include "extender/cli/named_pods.h"
#include "extender/cli/terminal.h"
#include "extender/config/rules.h"
#include "extender/explain/explain.h"
#include "extender/explain/explanation_text.h"
#include "extender/explain/node_names.h"
#include "extender/explain/tried_expression.h"

namespace winnow {
namespace {

using expressions::Expression;

int eval_fails(const std::string& line) {
  stderr_line("winnow eval: " + line);
  return kBadInput;
}

/// The pod of the question. One of a file is taken as it is there; one of the cluster leaves its node.
std::expected<Pod, std::string> pod_of(const EvalFlags& flags, const CommonFlags& common,
                                       const Expression& expression, const State& state) {
  if (flags.pod.empty()) {
    if (reads_pod(expression))
      return std::unexpected("the expression reads pod: expected --pod [NAMESPACE/]NAME, or a file with it");
    return Pod();
  }
  if (!names_file(flags.pod)) {
    const auto id = known_pod(state, common, flags.pod);
    if (!id) return std::unexpected(id.error());
    return state.to_pod(*id);
  }
  auto pods = read_given_pods("--pod", {flags.pod}, state);
  if (!pods) return std::unexpected(std::move(pods).error());
  if (pods->size() > 1)
    return std::unexpected("--pod: " + flags.pod + " has " + count_pods(pods->size()) + ": expected one");
  return std::move(pods->front().pod);
}

std::expected<std::vector<std::string>, std::string> names_to_ask(const State& state,
                                                                  const NodeWords& words) {
  const std::vector<LabelledNode> nodes = labelled_nodes(state);
  std::vector<std::string> names;
  if (words.empty()) {
    std::ranges::transform(nodes, std::back_inserter(names), &LabelledNode::name);
    return names;
  }
  auto named = named_nodes(nodes, words);
  if (!named) return named;
  std::ranges::sort(*named);
  return named;
}

/// The width of the columns beside the last one, see append_columns().
constexpr std::size_t kBetween = 3;
/// What is narrower is hard to read, whatever the terminal.
constexpr std::size_t kLeastCell = 24;

/// The text in lines of at most so many columns, broken at blanks.
std::vector<std::string> broken(const std::string& text, std::size_t width) {
  std::string all;
  append_paragraph(all, printable(text), {.width = width});
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < all.size();) {
    const std::size_t end = std::min(all.find('\n', begin), all.size());
    lines.push_back(all.substr(begin, end - begin));
    begin = end + 1;
  }
  if (lines.empty()) lines.emplace_back();
  return lines;
}

/// The values as a table, whose last two columns are broken where the width is limited.
class ValueTable {
 public:
  ValueTable(std::span<const TriedValue> values, const NodeNames& names, std::size_t width)
      : values_(values), names_(names), of_nodes_(!values.empty() && !values.front().node.empty()) {
    std::size_t node = std::string_view("NODE").size() + kBetween, value = std::string_view("VALUE").size();
    for (const TriedValue& one : values) {
      node = std::max(node, columns(names.of(one.node)) + kBetween);
      value = std::max(value, columns(printable(value_of(one))));
    }
    if (width == 0) return;
    const std::size_t rest = std::max(width - std::min(width, of_nodes_ ? node : 0), 2 * kLeastCell);
    value_width_ = std::min(value, std::max(rest / 2, kLeastCell));
    read_width_ = std::max(rest - std::min(rest, value_width_ + kBetween), kLeastCell);
  }

  void append_to(std::string& out) const {
    std::vector<std::vector<std::string>> rows;
    add(rows, "NODE", {"VALUE"}, {"READ"});
    for (const TriedValue& one : values_)
      add(rows, names_.of(one.node), broken(value_of(one), value_width_), broken(one.read, read_width_));
    append_columns(out, rows);
  }

 private:
  static std::string value_of(const TriedValue& one) {
    return one.is_error ? "error: " + one.value : one.value;
  }

  void add(std::vector<std::vector<std::string>>& rows, const std::string& node,
           const std::vector<std::string>& value, const std::vector<std::string>& read) const {
    for (std::size_t i = 0; i < std::max(value.size(), read.size()); ++i) {
      std::vector<std::string>& row = rows.emplace_back();
      if (of_nodes_) row.push_back(i == 0 ? node : "");
      row.push_back(i < value.size() ? value[i] : "");
      row.push_back(i < read.size() ? read[i] : "");
    }
  }

  const std::span<const TriedValue> values_;
  const NodeNames& names_;
  const bool of_nodes_;
  std::size_t value_width_ = 0, read_width_ = 0;  ///< 0: unlimited.
};

void print_table(const State& state, const EvalFlags& flags, std::span<const TriedValue> values) {
  const TableOptions table = table_options(flags.width, /*all_nodes=*/true);
  const NodeNames names = names_of(labelled_nodes(state));
  std::string out;
  ValueTable(values, names, line_width(table)).append_to(out);
  if (!values.front().node.empty()) {
    out += '\n';
    append_paragraph(out, sum_of(values) + '.', {.width = line_width(table), .indent = 2});
    if (const std::string note = names.note(); !note.empty())
      append_paragraph(out, note, {.width = line_width(table), .indent = 2});
  }
  std::cout << out;
}

/// Asks, and prints what is found.
int evaluate_on(const State& state, const CommonFlags& common, const EvalFlags& flags,
                const Expression& expression, const std::string& params) {
  if (const std::string none = lacks_nodes(common, state); reads_node(expression) && !none.empty())
    return eval_fails(none);
  auto pod = pod_of(flags, common, expression, state);
  if (!pod) return eval_fails(pod.error());
  const auto names = names_to_ask(state, flags.nodes);
  if (!names) return eval_fails(names.error());

  // As a rule sees it: without the pod, if that has a node.
  pod->spec.node_name.clear();
  const PodId id = state.find_pod(pod->metadata.namespace_, pod->metadata.name);
  std::optional<Overlay> overlay;
  if (id != kNone && state.pod(id).assigned)
    overlay.emplace(state).remove_pod(pod->metadata.namespace_, pod->metadata.name);
  const View view(state, overlay ? &*overlay : nullptr);
  const std::vector<TriedValue> values =
      try_expression(expression, {.pod = *pod, .view = view, .params = params}, find_nodes(view, *names));
  if (values.empty()) return eval_fails("the cluster has no node");
  if (flags.json) {
    std::string out;
    append_tried_json(out, flags.expression, flags.pod.empty() ? "" : key_of(pod->metadata), values);
    std::cout << out << '\n';
  } else {
    print_table(state, flags, values);
  }
  std::cout.flush();
  if (!std::cout) return eval_fails("standard output cannot be written");
  return std::ranges::any_of(values, &TriedValue::is_error) ? kAnswerIsNo : kDone;
}

}  // namespace

int try_on_nodes(const CommonFlags& common, const EvalFlags& flags) {
  if (flags.expression.empty())
    return eval_fails("no expression: expected one, as in winnow eval 'node.pods < 100' --cluster FILE");
  const auto expression = expression_to_try(flags.expression);
  if (!expression) return eval_fails(expression.error());
  const auto params = params_json(flags.params);
  if (!params) return eval_fails(params.error());
  const auto rules = rules_from(common);
  if (!rules) return eval_fails(rules.error());
  StateOptions options = state_options(*rules);
  want_fields_of(**expression, options);
  const WatchedKinds classes = names_file(flags.pod) ? needs::kClasses : needs::kNothing;
  const auto cache = snapshot_from(common, options, kind_of<Node> | kind_of<Pod> | classes);
  if (!cache) return eval_fails(cache.error());
  const ClusterCache::ReadGuard state = (*cache)->read();
  return evaluate_on(*state, common, flags, **expression, *params);
}

}  // namespace winnow
