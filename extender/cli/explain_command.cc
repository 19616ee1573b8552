#include <algorithm>
#include <iostream>
#include <iterator>

#include "cluster/api/kinds.h"
#include "cluster/state/view.h"
#include "cluster/text/characters.h"
#include "extender/cli/cluster_source.h"
#include "extender/cli/commands.h"
#include "extender/cli/explain_rules.h"
#include "extender/cli/flags/flag_kinds.h"
#include "extender/cli/flags/flags.h"
#include "extender/cli/given_pods.h"
#include "extender/cli/named_nodes.h"
#include "extender/cli/named_pods.h"
#include "extender/cli/terminal.h"
#include "extender/cli/winnow_server.h"
#include "extender/config/extenders.h"
#include "extender/config/rules_summary.h"
#include "extender/engine/engines.h"
#include "extender/engine/workers.h"
#include "extender/explain/explain.h"
#include "extender/explain/explanation_json.h"
#include "extender/explain/explanation_text.h"
#include "extender/explain/pending_summary.h"
#include "extender/explain/table.h"

namespace winnow {
namespace {

int fail_explain(const std::string& line) {
  stderr_line("winnow explain: " + line);
  return kBadInput;
}

/// Explains one pod after the other, and prints each at once.
class Printer {
 public:
  /// @param nodes  those that are asked about; nothing: all.
  Printer(const State& state, const std::vector<RuleSet>& sets, const CommonFlags& common,
          const ExplainFlags& flags, std::optional<std::vector<std::string>> nodes)
      : state_(state),
        flags_(flags),
        workers_(0),
        engines_(sets, workers_),
        options_{common.scale, common.seed, clocks_for(common), flags.suggest, flags.json},
        nodes_(std::move(nodes)) {
    table_.every_failure = sets.front().always_check_all_predicates;
  }

  void known(PodId pod) { print(explain_known(engines_, state_, pod, nodes_, options_)); }

  /// The pods that wait, and behind them what keeps out most of them.
  void waiting(const std::vector<PodId>& pods) {
    PendingSummary summary;
    table_.brief = pods.size() > 1;
    for (const PodId pod : pods) {
      const Explanation explanation = explain_known(engines_, state_, pod, nodes_, options_);
      summary.add(explanation);
      print(explanation);
    }
    if (flags_.json || summary.pods() < 2) return;
    std::string out = "\n";
    for (const PendingSum& sum : summary.sums())
      append_paragraph(out, printable(sum.text), {.width = line_width(table_), .indent = 2});
    std::cout << out;
  }

  /// Explains a pod of a file. One that the cluster has on a node is explained as known() does.
  void given(const GivenPod& given) {
    const Pod& pod = given.pod;
    const PodId id = state_.find_pod(pod.metadata.namespace_, pod.metadata.name);
    if (id != kNone && state_.pod(id).assigned) return known(id);
    const View view(state_);
    Explanation explanation =
        explain(engines_, view, pod, nodes_ ? find_nodes(view, *nodes_) : view.all_nodes(), options_);
    std::ranges::copy(given.not_judged, std::back_inserter(explanation.not_judged));
    print(explanation);
  }

  int exit_code() const { return refused_ ? kAnswerIsNo : kDone; }

 private:
  /// A file may be of any day.
  static std::optional<HeldClocks> clocks_for(const CommonFlags& common) {
    return common.cluster.empty() ? std::optional(HeldClocks{}) : std::nullopt;
  }

  void print(const Explanation& explanation) {
    std::string out;
    if (flags_.json) {
      append_json(out, explanation);
      out += '\n';
    } else {
      if (printed_) out += '\n';
      append_table(out, explanation, table_);
      if (nodes_ && explanation.feasible > 0) append_scores_are_among(out, nodes_->size(), table_);
    }
    std::cout << out;
    printed_ = true;
    refused_ = refused_ || explanation.feasible == 0;
  }

  const State& state_;
  const ExplainFlags& flags_;
  Workers workers_;
  const Engines engines_;
  const ExplainOptions options_;
  TableOptions table_ = table_options(flags_.width, flags_.all_nodes);
  const std::optional<std::vector<std::string>> nodes_;
  bool printed_ = false, refused_ = false;
};

/// Prints which rules are used, unless cluster and rules are both fixed by files; and how those of --server
/// differ.
void tell_of_rules(const CommonFlags& common, const ServerFlags& server, const LoadedRules& rules) {
  if (!common.cluster.empty() && server.url.empty()) return;
  stderr_line("winnow explain: rules: " + describe_rules(common.config, rules));
  if (server.url.empty()) return;
  const std::string kWarning = "winnow explain: warning: ";
  const auto theirs = rules_of_server(server);
  if (!theirs) {
    stderr_line(kWarning + "--server: its rules are not known: " + theirs.error());
    return;
  }
  if (const std::string how = difference(summarize(rules), *theirs); !how.empty())
    stderr_line(kWarning + "the Winnow at " + server.url + " answers by other rules: " + how);
}

/// The nodes that --nodes and -l name; nothing: all.
std::expected<std::optional<std::vector<std::string>>, std::string> nodes_to_ask(const State& state,
                                                                                 const NodeWords& words) {
  if (words.empty()) return std::nullopt;
  auto named = named_nodes(labelled_nodes(state), words);
  if (!named) return std::unexpected(std::move(named).error());
  return std::move(*named);
}

}  // namespace

int explain_pods(const CommonFlags& common, const ExplainFlags& flags) {
  if (const std::string wrong = wrong_server(flags.server); !wrong.empty()) return fail_explain(wrong);
  const std::expected<LoadedRules, std::string> rules = rules_from(common);
  if (!rules) return fail_explain(rules.error());
  stderr_lines("note: ", rules->notes);
  stderr_lines("warning: ", rules->warnings);
  const auto cache =
      snapshot_from(common, *rules, flags.pod_files.empty() ? needs::kNothing : needs::kClasses);
  if (!cache) return fail_explain(cache.error());
  const ClusterCache::ReadGuard state = (*cache)->read();
  if (const std::string none = lacks_nodes(common, *state); !none.empty()) return fail_explain(none);
  auto nodes = nodes_to_ask(*state, flags.nodes);
  if (!nodes) return fail_explain(nodes.error());
  tell_of_rules(common, flags.server, *rules);

  Printer printer(*state, rules->sets, common, flags, std::move(*nodes));
  if (!flags.pod_files.empty()) {
    auto pods = read_given_pods("--pods", flags.pod_files, *state);
    if (pods) pods = wanted_of(std::move(*pods), common, flags.pods);
    if (!pods) return fail_explain(pods.error());
    for (const GivenPod& pod : *pods) printer.given(pod);
  } else if (flags.pods.empty()) {
    const std::vector<PodId> pending = state->pending_pods();
    if (pending.empty())
      stderr_line(
          lacks_pods(common, *state)
              ? "winnow explain: warning: " + common.cluster.front() +
                    ": the dump has no Pod: add pods to the command, as in 'kubectl get nodes,pods -A "
                    "-o json'"
              : "winnow explain: no pod of the cluster is pending");
    printer.waiting(pending);
  } else {
    std::vector<PodId> pods;
    for (const std::string& name : flags.pods) {
      const std::expected<PodId, std::string> pod = known_pod(*state, common, name);
      if (!pod) return fail_explain(pod.error());
      pods.push_back(*pod);
    }
    for (const PodId pod : pods) printer.known(pod);
  }
  std::cout.flush();
  if (!std::cout) return fail_explain("standard output cannot be written");
  return printer.exit_code();
}

}  // namespace winnow
