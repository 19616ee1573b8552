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
#include "extender/cli/flags/flag_kinds.h"
#include "extender/cli/flags/flags.h"
#include "extender/cli/flags/kubectl_flags.h"
#include "extender/cli/kubectl/api_reader.h"
#include "extender/cli/kubectl/explain_client.h"
#include "extender/cli/kubectl/node_list.h"
#include "extender/cli/kubectl/pending_list.h"
#include "extender/cli/terminal.h"
#include "extender/explain/decisions_json.h"
#include "extender/explain/explanation_json.h"
#include "extender/explain/explanation_text.h"
#include "extender/explain/table.h"

namespace winnow {
namespace {

/// Asking about one takes as long as the rules take on all nodes.
constexpr std::size_t kMostPending = 200;

void note_line(const std::string& line) { stderr_line("kubectl winnow: " + line); }

int kubectl_fail(const std::string& line) { return note_line(line), kBadInput; }

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
  ObjectName named(const std::string& pod) const { return {.ns = namespace_, .name = pod}; }
  int print(const std::string& out) const {
    std::cout << out << std::flush;
    return std::cout ? kDone : kubectl_fail("standard output cannot be written");
  }

  const KubectlFlags& flags_;
  ApiReader& api_;
  ExplainClient asker_;
  const std::string namespace_;
};

int PluginRun::explain() {
  const TableOptions table{.colour = wants_colour(),
                           .width = flags_.width.value_or(terminal_width()),
                           .all_nodes = flags_.all_nodes};
  bool refused = false;
  std::string out;
  for (const std::string& pod : flags_.pods) {
    const auto explanation = asker_.explain(named(pod), flags_.nodes);
    if (!explanation) return print(out), kubectl_fail(explanation.error());
    if (flags_.output == OutputForm::kJson) {
      append_json(out, *explanation);
      out += '\n';
    } else {
      if (!out.empty()) out += '\n';
      append_table(out, *explanation, table);
    }
    refused = refused || explanation->feasible == 0;
  }
  if (const int code = print(out); code != kDone) return code;
  return refused ? kAnswerIsNo : kDone;
}

int PluginRun::why() {
  const auto explanation = asker_.explain(named(flags_.pods.front()));
  if (!explanation) return kubectl_fail(explanation.error());
  std::string out;
  if (flags_.output == OutputForm::kJson) {
    append_why_json(out, *explanation);
    return print(out);
  }
  append_why(out, *explanation);
  if (const auto last = asker_.last_decision(named(flags_.pods.front())))
    out += "Last decision: " + line_of(*last) + '\n';
  return print(out);
}

int PluginRun::nodes() {
  std::optional<Explanation> explanation;
  if (!flags_.pods.empty()) {
    auto asked = asker_.explain(named(flags_.pods.front()));
    if (!asked) return kubectl_fail(asked.error());
    explanation = *std::move(asked);
    if (explanation->error) note_line(explanation->pod + ": error: " + *explanation->error);
  }
  const auto cache = asker_.cache();
  if (!cache) return kubectl_fail(cache.error());
  const ClusterCache::ReadGuard state = (*cache)->state();
  const Explanation* const asked = explanation ? &*explanation : nullptr;
  std::string out;
  append_node_list(out, node_lines(*state, asked), asked, flags_.output);
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
  PendingGroups groups;
  std::size_t asked = 0, left_out = 0;
  for (const WaitingPod& pod : *waiting) {
    if (!pod.gates.empty()) {
      groups.add_gated(pod);
    } else if (asked == kMostPending) {
      ++left_out;
    } else if (auto explanation = asker_.explain(pod.object)) {
      groups.add(pod.object, *explanation);
      ++asked;
    } else if (!asker_.answers()) {
      return kubectl_fail(explanation.error());
    } else {
      groups.add_unknown(pod.object, explanation.error());
    }
  }
  std::string out;
  append_pending(out, groups.take(), left_out, flags_.output);
  return print(out);
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
  if (flags.command == KubectlCommand::kCompletion) return std::cout << completion_script(flags.shell), kDone;
  if (flags.command == KubectlCommand::kWithdraw) return run_withdraw(flags);
  return run_plugin(flags);
}

namespace {

constexpr std::string_view kBash = R"sh(# bash completion of kubectl-winnow
_kubectl_winnow() {
  local cur=${COMP_WORDS[COMP_CWORD]} line
  COMPREPLY=()
  while IFS= read -r line; do
    [[ $line == :* ]] || COMPREPLY+=("$line")
  done < <(kubectl-winnow __complete "${COMP_WORDS[@]:1:COMP_CWORD-1}" "$cur" 2>/dev/null)
}
complete -F _kubectl_winnow kubectl-winnow
)sh";

constexpr std::string_view kZsh = R"sh(#compdef kubectl-winnow
# zsh completion of kubectl-winnow
_kubectl_winnow() {
  local -a found
  found=(${(f)"$(kubectl-winnow __complete "${(@)words[2,CURRENT]}" 2>/dev/null)"})
  compadd -- ${found:#:*}
}
compdef _kubectl_winnow kubectl-winnow
)sh";

constexpr std::string_view kFish = R"sh(# fish completion of kubectl-winnow
function __kubectl_winnow
  set -l words (commandline -opc) (commandline -ct)
  kubectl-winnow __complete $words[2..-1] 2>/dev/null | string match -v ':*'
end
complete -c kubectl-winnow -f -a '(__kubectl_winnow)'
)sh";

constexpr std::string_view kNoFiles = ":4\n";  // cobra.ShellCompDirectiveNoFileComp
constexpr std::string_view kFileNames = ":0\n";
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

/// The values of a flag; nothing for one that takes none, or a file.
std::vector<std::string> values_of(std::string_view flag, const std::vector<std::string>& words) {
  const bool list = !words.empty() && (words.front() == "nodes" || words.front() == "pending");
  if (flag == "-n" || flag == "--namespace") return cluster_names(words, "namespaces");
  if (flag == "--nodes") return cluster_names(words, "nodes");
  if (flag == "--context") {
    const std::string file = value_among(words, "--kubeconfig", "");
    return live::context_names(file.empty() ? live::kubectl_files() : std::vector{file});
  }
  if (flag == "-o" || flag == "--output")
    return list ? std::vector<std::string>{"table", "wide", "json", "name"}
                : std::vector<std::string>{"table", "json"};
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
  if (!has_command) return {"completion", "explain", "nodes", "pending", "why", "withdraw"};
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

std::string_view completion_script(std::string_view shell) {
  if (shell == "bash") return kBash;
  if (shell == "zsh") return kZsh;
  return shell == "fish" ? kFish : std::string_view();
}

std::string complete(const std::vector<std::string>& words) {
  const std::vector<std::string> asked = tidy(words);
  const std::string& before = asked.size() > 1 ? asked[asked.size() - 2] : asked.back();
  if (before == "--kubeconfig" || before == "--config") return std::string(kFileNames);
  // Of `--nodes a,b` the last name is completed.
  const std::string& unfinished = asked.back();
  const std::size_t comma = before == "--nodes" ? unfinished.rfind(',') : std::string::npos;
  const std::string kept = comma == std::string::npos ? "" : unfinished.substr(0, comma + 1);
  std::string out;
  for (const std::string& word : candidates(asked))
    if ((kept + word).starts_with(unfinished)) out += kept + printable(word) + '\n';
  return out + std::string(kNoFiles);
}

}  // namespace winnow
