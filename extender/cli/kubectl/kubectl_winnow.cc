#include "extender/cli/kubectl/kubectl_winnow.h"

#include <format>
#include <iostream>
#include <utility>

#include "cluster/text/encoding/percent_encoding.h"
#include "cluster/text/encoding/query.h"
#include "extender/cli/commands.h"
#include "extender/cli/flags/flags.h"
#include "extender/cli/flags/stderr_line.h"
#include "extender/cli/kubectl/asker.h"
#include "extender/cli/kubectl/completion.h"
#include "extender/cli/kubectl/node_list.h"
#include "extender/cli/kubectl/pending_list.h"
#include "extender/cli/kubectl/why_lines.h"
#include "extender/cli/terminal.h"
#include "extender/explain/json.h"
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
  Asker asker_;
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
  const auto picture = asker_.picture();
  if (!picture) return kubectl_fail(picture.error());
  const Picture::Reader state = (*picture)->state();
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

}  // namespace winnow
