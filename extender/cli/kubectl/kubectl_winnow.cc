#include "extender/cli/kubectl/kubectl_winnow.h"

#include <algorithm>
#include <chrono>
#include <format>
#include <iostream>
#include <memory>
#include <utility>

#include "cluster/api/names.h"
#include "cluster/client/access/kubeconfig.h"
#include "cluster/text/characters.h"
#include "cluster/text/encoding.h"
#include "extender/cli/commands.h"
#include "extender/cli/completion.h"
#include "extender/cli/flags/flag_kinds.h"
#include "extender/cli/flags/flags.h"
#include "extender/cli/flags/kubectl_flags.h"
#include "extender/cli/kubectl/api_reader.h"
#include "extender/cli/kubectl/explain_client.h"
#include "extender/cli/kubectl/node_list.h"
#include "extender/cli/kubectl/pending_list.h"
#include "extender/cli/kubectl/pending_table.h"
#include "extender/cli/named_nodes.h"
#include "extender/cli/terminal.h"
#include "extender/explain/decisions_json.h"
#include "extender/explain/explanation_json.h"
#include "extender/explain/explanation_text.h"
#include "extender/explain/pending_summary.h"
#include "extender/explain/table.h"

namespace winnow {
namespace {

/// Asking about one takes as long as the rules take on all nodes.
constexpr std::size_t kMostPending = 200;

void note_line(const std::string& line) { stderr_line("kubectl winnow: " + line); }

int kubectl_fail(const std::string& line) { return note_line(line), kBadInput; }

/// What is found of the pods that wait.
struct PendingAnswer {
  PendingGroups groups;
  std::vector<PendingRow> rows;
  PendingSummary summary;
  std::size_t asked = 0, left_out = 0;

  void add_gated(const WaitingPod& pod) {
    groups.add_gated(pod);
    rows.push_back(gated_row(pod));
  }
  void add(const WaitingPod& pod, const Explanation& explanation) {
    groups.add(pod.object, explanation);
    rows.push_back(explained_row(pod, explanation));
    summary.add(explanation);
    ++asked;
  }
  void add_unknown(const WaitingPod& pod, const std::string& why) {
    groups.add_unknown(pod.object, why);
    rows.push_back(unexplained_row(pod, why));
  }
  std::string text(OutputForm form);
};

std::string PendingAnswer::text(OutputForm form) {
  std::string out;
  if (form == OutputForm::kJson)
    return append_pending_json(out, groups.take(), summary.sums(), left_out), out;
  if (left_out > 0)
    note_line(std::format("{} pods more were not asked about; choose a namespace by -n", left_out));
  if (form == OutputForm::kName) {
    for (const PendingRow& row : rows) out += "pod/" + printable(row.pod.name) + '\n';
    return out;
  }
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const int width = has_terminal() ? terminal_width() : 0;
  append_pending_table(out, rows,
                       {.now = std::chrono::duration_cast<std::chrono::seconds>(now).count(),
                        .wide = form == OutputForm::kWide,
                        .width = static_cast<std::size_t>(width)});
  if (summary.pods() < 2) return out;
  out += '\n';
  for (const PendingSum& sum : summary.sums()) out += printable(sum.text) + '\n';
  return out;
}

/// One run of the plugin.
class PluginRun {
 public:
  PluginRun(const KubectlFlags& flags, ApiReader& api)
      : flags_(flags),
        api_(api),
        asker_(flags, api, note_line),
        namespace_(flags.pod_namespace.empty() ? api.context_namespace() : flags.pod_namespace) {}

  int explain();
  int why();
  int nodes();
  int pending();

 private:
  /// parse_kubectl_flags() has seen that it is a name.
  ObjectName named(const std::string& pod) const {
    ObjectName name = parse_pod_name(pod, flags_.pod_namespace).value();
    if (name.ns.empty()) name.ns = namespace_;
    return name;
  }
  /// The nodes of --nodes and -l: they are listed only if others than names are said.
  std::expected<std::vector<std::string>, std::string> wanted_nodes() const;
  int fail_about(const std::string& error, const ObjectName& pod) {
    return kubectl_fail(error + (asker_.answers() ? asker_.near_pods_of(pod) : ""));
  }
  int print(const std::string& out) const {
    std::cout << out << std::flush;
    return std::cout ? kDone : kubectl_fail("standard output cannot be written");
  }

  const KubectlFlags& flags_;
  ApiReader& api_;
  ExplainClient asker_;
  const std::string namespace_;
};

std::expected<std::vector<std::string>, std::string> PluginRun::wanted_nodes() const {
  if (flags_.nodes.empty()) return {};
  if (auto names = plain_names(flags_.nodes); names && !names->empty()) return *std::move(names);
  auto list = api_.get("/api/v1/nodes");
  if (!list) return std::unexpected(advice(list.error(), api_.server()));
  const auto nodes = read_labelled_nodes(std::move(*list));
  if (!nodes) return std::unexpected(unreadable(api_.server(), "a list of nodes", nodes.error()));
  return named_nodes(*nodes, flags_.nodes);
}

int PluginRun::explain() {
  const TableOptions table{.colour = wants_colour(),
                           .width = flags_.width.value_or(terminal_width()),
                           .all_nodes = flags_.all_nodes};
  const auto nodes = wanted_nodes();
  if (!nodes) return kubectl_fail(nodes.error());
  bool refused = false;
  std::string out;
  for (const std::string& pod : flags_.pods) {
    const auto explanation = asker_.explain(named(pod), *nodes);
    if (!explanation) return print(out), fail_about(explanation.error(), named(pod));
    if (flags_.output == OutputForm::kJson) {
      append_json(out, *explanation);
      out += '\n';
    } else {
      if (!out.empty()) out += '\n';
      append_table(out, *explanation, table);
      if (!nodes->empty() && explanation->feasible > 0) append_scores_are_among(out, nodes->size(), table);
    }
    refused = refused || explanation->feasible == 0;
  }
  if (const int code = print(out); code != kDone) return code;
  return refused ? kAnswerIsNo : kDone;
}

int PluginRun::why() {
  const ObjectName pod = named(flags_.pods.front());
  const auto explanation = asker_.explain(pod);
  if (!explanation) return fail_about(explanation.error(), pod);
  std::string out;
  if (flags_.output == OutputForm::kJson) {
    append_why_json(out, *explanation);
    return print(out);
  }
  const bool wide = flags_.output == OutputForm::kWide;
  const NodeNames names = wide ? NodeNames() : names_of(explanation->nodes);
  append_why(out, *explanation, names, wide ? 0 : static_cast<std::size_t>(terminal_width()));
  if (const auto last = asker_.last_decision(pod)) out += "Last decision: " + line_of(*last, names) + '\n';
  return print(out);
}

int PluginRun::nodes() {
  std::optional<Explanation> explanation;
  if (!flags_.pods.empty()) {
    auto asked = asker_.explain(named(flags_.pods.front()));
    if (!asked) return fail_about(asked.error(), named(flags_.pods.front()));
    explanation = *std::move(asked);
    if (explanation->error) note_line(explanation->pod + ": error: " + *explanation->error);
  }
  const auto cache = asker_.cache();
  if (!cache) return kubectl_fail(cache.error());
  const ClusterCache::ReadGuard state = (*cache)->state();
  const Explanation* const asked = explanation ? &*explanation : nullptr;
  std::vector<NodeLine> lines = node_lines(*state, asked);
  if (!flags_.nodes.empty()) {
    const auto wanted = named_nodes(labelled_nodes(*state), flags_.nodes);
    if (!wanted) return kubectl_fail(wanted.error());
    std::erase_if(lines, [&](const NodeLine& line) { return !std::ranges::contains(*wanted, line.name); });
  }
  std::string out;
  append_node_list(out, lines, asked, flags_.output);
  return print(out);
}

int PluginRun::pending() {
  const std::string path = flags_.all_namespaces
                               ? "/api/v1/pods"
                               : std::format("/api/v1/namespaces/{}/pods", percent_encoded(namespace_));
  auto list = api_.get(Query(path).add("fieldSelector", "spec.nodeName=").path());
  if (!list) return kubectl_fail(advice(list.error(), api_.server()));
  const auto waiting = read_waiting(std::move(*list));
  if (!waiting) return kubectl_fail(unreadable(api_.server(), "a list of pods", waiting.error()));
  if (waiting->empty() && flags_.output != OutputForm::kJson) {
    note_line("no pod waits " + (flags_.all_namespaces ? "in any namespace" : "in namespace " + namespace_));
    return kDone;
  }
  PendingAnswer answer;
  for (const WaitingPod& pod : *waiting) {
    if (!pod.gates.empty()) {
      answer.add_gated(pod);
    } else if (answer.asked == kMostPending) {
      ++answer.left_out;
    } else if (auto explanation = asker_.explain(pod.object)) {
      answer.add(pod, *explanation);
    } else if (!asker_.answers()) {
      return kubectl_fail(explanation.error());
    } else {
      answer.add_unknown(pod, explanation.error());
    }
  }
  return print(answer.text(flags_.output));
}

int run_plugin(const KubectlFlags& flags) {
  auto api = ApiReader::make(flags.client);
  if (!api) return kubectl_fail(api.error());
  PluginRun run(flags, **api);
  switch (flags.command) {
    case KubectlCommand::kExplain:
      return run.explain();
    case KubectlCommand::kWhy:
      return run.why();
    case KubectlCommand::kNodes:
      return run.nodes();
    case KubectlCommand::kPending:
      return run.pending();
    case KubectlCommand::kEval:
    case KubectlCommand::kSimulate:
    case KubectlCommand::kCompare:
    case KubectlCommand::kWithdraw:
    case KubectlCommand::kCompletion:
    case KubectlCommand::kComplete:
      break;
  }
  return kBadInput;
}

int run_withdraw(const KubectlFlags& flags) {
  WithdrawFlags withdrawn = flags.withdraw;
  withdrawn.json = flags.output == OutputForm::kJson;
  return withdraw(flags.client, withdrawn, "kubectl winnow");
}

}  // namespace

int kubectl_winnow(int argc, char** argv) {
  const auto parsed = parse_kubectl_flags(argc, argv);
  if (const int* code = std::get_if<int>(&parsed)) return *code;
  const auto& flags = std::get<KubectlFlags>(parsed);
  if (flags.command == KubectlCommand::kComplete) return std::cout << complete(flags.words), kDone;
  if (flags.command == KubectlCommand::kCompletion)
    return std::cout << completion_script(flags.shell, "kubectl-winnow"), kDone;
  if (flags.command == KubectlCommand::kWithdraw) return run_withdraw(flags);
  if (flags.command == KubectlCommand::kEval) return try_on_nodes(flags.common, flags.eval);
  if (flags.command == KubectlCommand::kSimulate) return simulate(flags.common, flags.simulate);
  if (flags.command == KubectlCommand::kCompare) return compare(flags.common, flags.compare);
  return run_plugin(flags);
}

namespace {

constexpr int kMost = 500;

/// The names of the objects. A name that Kubernetes does not allow is left out: a shell would read it.
std::vector<std::string> names_at(ApiReader& api, const std::string& path) {
  std::vector<std::string> names;
  if (auto list = api.get(std::format("{}?limit={}", path, kMost)))
    for (ObjectName& object : read_names(std::move(*list)))
      if (is_dns_subdomain(object.name)) names.push_back(std::move(object.name));
  return names;
}

/// The names in the cluster, by the flags that the words have; none where it cannot be asked.
std::vector<std::string> cluster_names(const std::vector<std::string>& words, std::string_view plural) {
  // Nobody sees what a plugin asks for at the prompt.
  const live::ExecPlugins::Options at_tab{.has_input = false, .limit = std::chrono::seconds(10)};
  live::ClientFlags flags{.kubeconfig = value_among(words, "--kubeconfig", ""),
                          .context = value_among(words, "--context", ""),
                          .masters = {},
                          .as_kubectl = true,
                          .plugins = std::make_shared<live::ExecPlugins>(at_tab)};
  const auto api = ApiReader::make(flags);
  if (!api) return {};
  if (plural != "pods") return names_at(**api, std::format("/api/v1/{}", plural));
  std::string ns = value_among(words, "--namespace", "-n");
  if (ns.empty()) ns = (*api)->context_namespace();
  return names_at(**api, std::format("/api/v1/namespaces/{}/pods", percent_encoded(ns)));
}

bool names_nodes(std::string_view flag) {
  return flag == "--nodes" || flag == "--drain" || flag == "--remove-nodes" || flag == "--cordon";
}

/// The values of a flag; nothing for one that takes none, or a file.
std::vector<std::string> values_of(std::string_view flag, const std::vector<std::string>& words) {
  const bool list = !words.empty() && (words.front() == "nodes" || words.front() == "pending");
  if (flag == "-n" || flag == "--namespace") return cluster_names(words, "namespaces");
  if (names_nodes(flag)) return cluster_names(words, "nodes");
  if (flag == "--pod" && !words.empty() && words.front() == "eval") return cluster_names(words, "pods");
  if (flag == "--context") {
    const std::string file = value_among(words, "--kubeconfig", "");
    return live::context_names(file.empty() ? live::kubectl_files() : std::vector{file});
  }
  if (flag == "-o" || flag == "--output") {
    if (list) return {"table", "wide", "json", "name"};
    if (!words.empty() && (words.front() == "why" || words.front() == "eval"))
      return {"table", "wide", "json"};
    return {"table", "json"};
  }
  return {};
}

std::vector<std::string> arguments_of(const std::vector<std::string>& words) {
  const std::string& command = words.front();
  if (command == "completion") return {"bash", "fish", "zsh"};
  if (command == "explain" || command == "why" || command == "nodes") return cluster_names(words, "pods");
  return {};
}

std::vector<std::string> candidates(const std::vector<std::string>& words) {
  const std::string& before = words.size() > 1 ? words[words.size() - 2] : words.back();
  if (words.size() > 1 && takes_value(before)) return values_of(before, words);
  if (words.back().starts_with('-')) return kubectl_flag_names(words.front());
  const bool has_command = words.size() > 1 && !words.front().starts_with('-');
  if (!has_command)
    return {"compare", "completion", "eval", "explain", "nodes", "pending", "simulate", "why", "withdraw"};
  return arguments_of(words);
}

/// The words with the command first, and "--namespace=x" at the cursor as two words. Shells put values of
/// that form behind the "=" themselves, and bash gives the "=" as a word.
std::vector<std::string> tidy(std::vector<std::string> words) {
  std::string last;
  if (!words.empty()) {
    last = std::move(words.back());
    words.pop_back();
  }
  std::erase(words, "=");
  put_command_first(words);
  if (last == "=") last.clear();
  const std::size_t sign = last.find('=');
  if (last.starts_with('-') && sign != std::string::npos) {
    words.push_back(last.substr(0, sign));
    last.erase(0, sign + 1);
  }
  words.push_back(std::move(last));
  return words;
}

}  // namespace

std::string complete(const std::vector<std::string>& words) {
  const std::vector<std::string> asked = tidy(words);
  const std::string& before = asked.size() > 1 ? asked[asked.size() - 2] : asked.back();
  if (takes_file(before)) return std::string(kFileNames);
  // Of `--nodes a,b` the last name is completed.
  const std::string& unfinished = asked.back();
  const std::size_t comma = names_nodes(before) ? unfinished.rfind(',') : std::string::npos;
  const std::string kept = comma == std::string::npos ? "" : unfinished.substr(0, comma + 1);
  std::string out;
  for (const std::string& word : candidates(asked))
    if ((kept + word).starts_with(unfinished)) out += kept + printable(word) + '\n';
  return out + std::string(kNoFileNames);
}

}  // namespace winnow
