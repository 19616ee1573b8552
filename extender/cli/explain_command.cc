#include <iostream>

#include "cluster/files/cluster_file.h"
#include "cluster/files/object_reader.h"
#include "cluster/state/view.h"
#include "cluster/text/words.h"
#include "extender/cli/cluster_source.h"
#include "extender/cli/commands.h"
#include "extender/cli/explain_rules.h"
#include "extender/cli/flags/flag_kinds.h"
#include "extender/cli/flags/flags.h"
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

int fail(const std::string& line) {
  stderr_line("winnow explain: " + line);
  return kBadInput;
}

/// Explains one pod after the other, and prints each at once.
class Printer {
 public:
  Printer(const State& state, const std::vector<RuleSet>& sets, const CommonFlags& common,
          const ExplainFlags& flags)
      : state_(state),
        flags_(flags),
        workers_(0),
        engines_(sets, workers_),
        options_{common.scale, common.seed, clocks_for(common), flags.suggest} {
    table_.every_failure = sets.front().always_check_all_predicates;
    if (!flags.nodes.empty()) nodes_ = flags.nodes;
  }

  void known(PodId pod) { print(explain_known(engines_, state_, pod, nodes_, options_)); }

  /// The pods that wait, and behind them what keeps out most of them.
  void waiting(const std::vector<PodId>& pods) {
    PendingSummary summary;
    for (const PodId pod : pods) {
      const Explanation explanation = explain_known(engines_, state_, pod, nodes_, options_);
      summary.add(explanation);
      print(explanation);
    }
    if (flags_.json || summary.pods() < 2) return;
    std::string out = "\n";
    for (const std::string& line : summary.lines())
      append_paragraph(out, line, {.width = line_width(table_), .indent = 2});
    std::cout << out;
  }

  /// Explains a pod of a file. One that the cluster has on a node is explained as known() does.
  void given(const Pod& pod) {
    const PodId id = state_.find_pod(pod.metadata.namespace_, pod.metadata.name);
    if (id != kNone && state_.pod(id).assigned) return known(id);
    const View view(state_);
    print(explain(engines_, view, pod, nodes_ ? find_nodes(view, *nodes_) : view.all_nodes(), options_));
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
  std::optional<std::vector<std::string>> nodes_;
  bool printed_ = false, refused_ = false;
};

/// Reads the pods of --pods.
std::expected<std::vector<Pod>, std::string> read_pods(const std::vector<std::string>& files) {
  std::expected<ClusterObjects, FileError> objects = read_cluster(files);
  if (!objects) return std::unexpected(objects.error().message);
  if (objects->of<Pod>().empty()) return std::unexpected("--pods: no pod in " + files.front());
  warn_of_fields(objects->warnings);
  warn_of_refused(objects->refused);
  return std::move(objects->of<Pod>());
}

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

std::string full_name(const Pod& pod) { return pod.metadata.namespace_ + '/' + pod.metadata.name; }

/// The pods with these names, or all; or the error if one is missing.
std::expected<std::vector<Pod>, std::string> wanted_of(std::vector<Pod> pods,
                                                       const std::vector<std::string>& names) {
  if (names.empty()) return pods;
  std::vector<Pod> wanted;
  for (const std::string& name : names) {
    const std::string full = name.contains('/') ? name : "default/" + name;
    const auto found = std::ranges::find(pods, full, full_name);
    if (found == pods.end()) {
      std::vector<std::string> known;
      for (const Pod& pod : pods) known.push_back(full_name(pod));
      const std::vector<std::string_view> near(known.begin(), known.end());
      return std::unexpected("pod \"" + full + "\" is not in the files of --pods" + did_you_mean(full, near));
    }
    wanted.push_back(*found);
  }
  return wanted;
}

}  // namespace

int explain_pods(const CommonFlags& common, const ExplainFlags& flags) {
  if (const std::string wrong = wrong_server(flags.server); !wrong.empty()) return fail(wrong);
  const std::expected<LoadedRules, std::string> rules = rules_from(common);
  if (!rules) return fail(rules.error());
  stderr_lines("note: ", rules->notes);
  stderr_lines("warning: ", rules->warnings);
  const auto cache = snapshot_from(common, *rules);
  if (!cache) return fail(cache.error());
  const ClusterCache::ReadGuard state = (*cache)->read();
  if (const auto error = unknown_node(*state, "--nodes", flags.nodes)) return fail(*error);
  tell_of_rules(common, flags.server, *rules);

  Printer printer(*state, rules->sets, common, flags);
  if (!flags.pod_files.empty()) {
    std::expected<std::vector<Pod>, std::string> pods = read_pods(flags.pod_files);
    if (pods) pods = wanted_of(std::move(*pods), flags.pods);
    if (!pods) return fail(pods.error());
    for (const Pod& pod : *pods) printer.given(pod);
  } else if (flags.pods.empty()) {
    const std::vector<PodId> pending = state->pending_pods();
    if (pending.empty()) stderr_line("winnow explain: no pod of the cluster is pending");
    printer.waiting(pending);
  } else {
    std::vector<PodId> pods;
    for (const std::string& name : flags.pods) {
      const std::expected<PodId, std::string> pod = known_pod(*state, name);
      if (!pod) return fail(pod.error());
      pods.push_back(*pod);
    }
    for (const PodId pod : pods) printer.known(pod);
  }
  std::cout.flush();
  if (!std::cout) return fail("standard output cannot be written");
  return printer.exit_code();
}

}  // namespace winnow
