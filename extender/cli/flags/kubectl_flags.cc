#include "extender/cli/flags/kubectl_flags.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <set>

#include "cluster/client/access/kubeconfig.h"
#include "extender/cli/flags/flag_kinds.h"
#include "extender/cli/flags/flag_table.h"
#include "extender/cli/flags/flags.h"
#include "extender/cli/flags/object_name.h"
#include "extender/cli/flags/serve_flags.h"
#include "extender/cli/flags/unknown_words.h"
#include "extender/version.h"

namespace winnow {
namespace {

const std::map<std::string, OutputForm> kListForms = {{"table", OutputForm::kTable},
                                                      {"wide", OutputForm::kWide},
                                                      {"json", OutputForm::kJson},
                                                      {"name", OutputForm::kName}};
const std::map<std::string, OutputForm> kPodForms = {{"table", OutputForm::kTable},
                                                     {"json", OutputForm::kJson}};

const std::map<std::string, OutputForm> kWhyForms = {
    {"table", OutputForm::kTable}, {"wide", OutputForm::kWide}, {"json", OutputForm::kJson}};

void add_cluster(CLI::App* app, KubectlFlags& flags) {
  app->add_option("--context", flags.client.context, "The kubeconfig's context [its current one]")
      ->type_name("NAME");
  app->add_option("--kubeconfig", flags.client.kubeconfig, "The kubeconfig [KUBECONFIG, or ~/.kube/config]")
      ->type_name("FILE");
}

void add_access(CLI::App* app, KubectlFlags& flags) {
  app->option_defaults()->group("Which cluster, and who answers");
  add_cluster(app, flags);
  app->add_option("--winnow", flags.winnow,
                  "NAMESPACE/SERVICE of the Winnow to ask; none: read the cluster itself [one that is found]")
      ->type_name("SERVICE");
  // With "=" and nothing behind it there is none, and the next flag is not its value.
  app->add_option_function<std::string>(
         "--path-prefix", [&flags](const std::string& prefix) { flags.path_prefix = prefix; },
         "What is before that Winnow's paths, as /scheduler [as its Service says]")
      ->type_name("PATH")
      ->expected(0, 1);
  app->add_option("--config", flags.config,
                  "The rules, where the cluster itself is read [kube-scheduler 1.37's]")
      ->type_name("FILE");
}

void add_output(CLI::App* app, KubectlFlags& flags, const std::map<std::string, OutputForm>& forms) {
  add_choice(app, "-o,--output", flags.output, forms,
             with_default("The form of the answer", flags.output, forms));
}

void add_pods_namespace(CLI::App* app, KubectlFlags& flags) {
  app->add_option("-n,--namespace", flags.pod_namespace, "The pods' namespace [the context's]")
      ->type_name("NAME");
}

CLI::Option* add_pods(CLI::App* app, KubectlFlags& flags, int least, int most) {
  return app->add_option("POD", flags.pods, "The pod: NAME, NAMESPACE/NAME or pod/NAME")
      ->type_name("")
      ->expected(least, most);
}

void add_kubectl_explain(CLI::App& app, KubectlFlags& flags) {
  CLI::App* explain = app.add_subcommand("explain", "Every rule's verdict and score for every node");
  add_pods(explain, flags, 1, -1)->required();
  add_pods_namespace(explain, flags);
  add_output(explain, flags, kPodForms);
  add_nodes(explain, "--nodes", flags.nodes.values, "Ask about these nodes only: NODES as below");
  add_node_selector(explain, flags.nodes, "Ask about nodes with these labels only");
  explain->add_flag("--all-nodes", flags.all_nodes, "Show every node in the table");
  explain->add_option("--width", flags.width, "Columns; 0 is no limit [the terminal's, or 80]")
      ->type_name("N")
      ->check(CLI::Range(0, 100'000).description(""));
  add_access(explain, flags);
  explain->footer(
      "NODES are names, patterns ('pool-a-*') or labels (pool=spot, zone=eu-1a).\n"
      "Exit code: 0 each pod fits somewhere, 1 one fits nowhere, 2 bad input or no answer.\n"
      "Examples:\n"
      "  kubectl winnow explain web-1\n"
      "  kubectl winnow explain web-1 -n shop --nodes node-7,node-8\n"
      "  kubectl winnow explain web-1 -o json | jq .selected");
}

void add_kubectl_why(CLI::App& app, KubectlFlags& flags) {
  CLI::App* why = app.add_subcommand("why", "Why a pod waits, or where it fits best: a few lines");
  add_pods(why, flags, 1, 1)->required();
  add_pods_namespace(why, flags);
  add_output(why, flags, kWhyForms);
  add_access(why, flags);
  why->footer("Examples:\n  kubectl winnow why web-1\n  kubectl winnow why pod/web-1 -n shop --context prod");
}

void add_kubectl_nodes(CLI::App& app, KubectlFlags& flags) {
  CLI::App* nodes = app.add_subcommand("nodes", "What nodes have free, and which of them take a pod");
  add_pods(nodes, flags, 0, 1);
  add_pods_namespace(nodes, flags);
  nodes->add_flag("-A,--all-namespaces", flags.all_namespaces,
                  "Changes nothing: nodes have no namespace, and kubectl takes it there too");
  add_node_selector(nodes, flags.nodes, "List nodes with these labels only");
  add_output(nodes, flags, kListForms);
  add_access(nodes, flags);
  nodes->footer(
      "Examples:\n  kubectl winnow nodes\n  kubectl winnow nodes web-1 -n shop\n"
      "  kubectl winnow nodes web-1 -o name   # those that take it, best first");
}

void add_pending(CLI::App& app, KubectlFlags& flags) {
  CLI::App* pending = app.add_subcommand("pending", "The pods that wait, by why they wait");
  add_pods_namespace(pending, flags);
  pending->add_flag("-A,--all-namespaces", flags.all_namespaces, "The pods of all namespaces");
  add_output(pending, flags, kListForms);
  add_access(pending, flags);
  pending->footer("Examples:\n  kubectl winnow pending -A\n  kubectl winnow pending -n shop -o wide");
}

/// Those of `winnow`, on the current context.
void add_what_if(CLI::App& app, KubectlFlags& flags) {
  add_eval(app, flags.eval, flags.common);
  app.get_subcommand("eval")->footer(
      "Exit code: 0 it has a value, 1 it fails on a node, 2 bad input.\n"
      "Example: kubectl winnow eval 'node.pods < 100' -l pool=spot");
  add_simulate(app, flags.simulate, flags.common);
  app.get_subcommand("simulate")
      ->footer(
          "NODES are names, patterns ('pool-a-*') or labels (pool=spot, zone=eu-1a).\n"
          "Exit code: 0 all fit, 1 one does not, 2 bad input, 130 stopped by Ctrl-C.\n"
          "Example: kubectl winnow simulate --drain zone=eu-1a");
  add_compare(app, flags.compare, flags.common);
  app.get_subcommand("compare")->footer(
      "Exit code: 0 all choices are the same, 1 one differs, 2 bad input, 130 Ctrl-C.\n"
      "Example: kubectl winnow compare --config old.yaml --with new.yaml");
}

void add_kubectl_withdraw(CLI::App& app, KubectlFlags& flags) {
  CLI::App* withdraw = app.add_subcommand("withdraw", "Clear Winnow's nominations, when it is removed");
  add_withdraw_choices(withdraw, flags.withdraw);
  add_output(withdraw, flags, kPodForms);
  add_cluster(withdraw, flags);
  withdraw->footer(
      "Exit code: 0 all are cleared, 1 some could not be, 2 bad input, or a Winnow still nominates.\n"
      "Examples:\n  kubectl winnow withdraw --dry-run\n"
      "  kubectl winnow withdraw --nominate-gate winnow.dev/nominate");
}

void add_completion(CLI::App& app, KubectlFlags& flags) {
  CLI::App* completion = app.add_subcommand("completion", "Print the completion of a shell");
  completion->add_option("SHELL", flags.shell, "bash, zsh or fish")
      ->required()
      ->type_name("")
      ->check(CLI::IsMember({"bash", "zsh", "fish"}).description(""));
  completion->footer(
      "It is for the program's own name, kubectl-winnow. 'kubectl winnow' is completed by kubectl's "
      "completion,\n"
      "if kubectl_complete-winnow is in the PATH.\n"
      "Example: source <(kubectl winnow completion bash)");
}

/// The app with all its sub-commands, bound to the flags.
std::unique_ptr<CLI::App> kubectl_app(KubectlFlags& flags) {
  auto app = std::make_unique<CLI::App>(
      "Winnow for kubectl: why pods wait, where they fit, and what nodes have free.", "kubectl winnow");
  app->set_version_flag("--version",
                        [] { return "winnow " + build_info().version + " (" + build_info().revision + ")"; });
  app->require_subcommand(1);
  app->formatter(std::make_shared<HelpFormatter>());
  app->get_formatter()->column_width(31);
  add_kubectl_explain(*app, flags);
  add_kubectl_why(*app, flags);
  add_kubectl_nodes(*app, flags);
  add_pending(*app, flags);
  add_what_if(*app, flags);
  add_kubectl_withdraw(*app, flags);
  add_completion(*app, flags);
  app->footer("'kubectl winnow COMMAND --help' shows a command's flags.");
  return app;
}

KubectlCommand command_of(const std::string& name) {
  if (name == "why") return KubectlCommand::kWhy;
  if (name == "nodes") return KubectlCommand::kNodes;
  if (name == "pending") return KubectlCommand::kPending;
  if (name == "eval") return KubectlCommand::kEval;
  if (name == "simulate") return KubectlCommand::kSimulate;
  if (name == "compare") return KubectlCommand::kCompare;
  if (name == "withdraw") return KubectlCommand::kWithdraw;
  return name == "completion" ? KubectlCommand::kCompletion : KubectlCommand::kExplain;
}

constexpr const char* kOneNamespace = "-A: a pod is in one namespace; name that one by -n";

std::string wrong_kubectl_flags(const KubectlFlags& flags) {
  for (const std::string& pod : flags.pods)
    if (const auto name = parse_pod_name(pod, flags.pod_namespace); !name) return name.error();
  const std::size_t slash = flags.winnow.find('/');
  const bool both = slash != std::string::npos && slash > 0 && slash + 1 < flags.winnow.size() &&
                    flags.winnow.find('/', slash + 1) == std::string::npos;
  if (!flags.winnow.empty() && flags.winnow != "none" && !both)
    return "--winnow: \"" + flags.winnow + "\": expected NAMESPACE/SERVICE, or none";
  if (flags.path_prefix && flags.winnow == "none") return "--path-prefix: --winnow none asks no Winnow";
  if (std::string wrong = wrong_path_prefix(flags.path_prefix.value_or("")); !wrong.empty()) return wrong;
  if (flags.all_namespaces && !flags.pods.empty()) return kOneNamespace;
  if (flags.all_namespaces && !flags.pod_namespace.empty()) return "-A and -n exclude each other";
  return {};
}

int kubectl_bad_line(const std::string& line) {
  stderr_line("kubectl winnow: " + line + "; --help lists what there is");
  return kBadInput;
}

bool is_about_program(std::string_view word) {
  return word == "-h" || word == "--help" || word == "--version";
}

/// The words in the order that CLI11 wants: the last one first. It does not know `-o=json`, as kubectl does.
std::vector<std::string> for_parser(std::vector<std::string> words) {
  for (std::string& word : words)
    if (word.size() > 2 && word[0] == '-' && word[1] != '-' && word[2] == '=') word.erase(2, 1);
  std::ranges::reverse(words);
  return words;
}

}  // namespace

bool is_kubectl_plugin(std::string_view program) {
  return program.substr(program.rfind('/') + 1) == "kubectl-winnow";
}

std::variant<KubectlFlags, int> parse_kubectl_flags(int argc, char** argv) {
  KubectlFlags flags;
  if (argc > 1 &&
      (std::string_view(argv[1]) == "__complete" || std::string_view(argv[1]) == "__completeNoDesc")) {
    flags.command = KubectlCommand::kComplete;
    flags.words.assign(argv + 2, argv + argc);
    return flags;
  }
  std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  const bool has_command = put_command_first(words);
  if (!words.empty() && !has_command && std::ranges::none_of(words, is_about_program))
    return kubectl_bad_line(
        "expected a command: explain, why, nodes, pending, eval, simulate, compare, withdraw or completion");
  const auto app = kubectl_app(flags);
  try {
    app->parse(for_parser(words));
  } catch (const CLI::ExtrasError&) {
    const std::vector<std::string> extra = app->remaining(/*recurse=*/true);
    const bool of_pods = words.front() == "explain" || words.front() == "why";
    if (of_pods && (extra.front() == "-A" || extra.front() == "--all-namespaces"))
      return kubectl_bad_line(kOneNamespace);
    return kubectl_bad_line(unknown_words(*app));
  } catch (const CLI::RequiredError& error) {
    if (words.empty()) return std::cout << app->help(), kBadInput;
    if (app->get_subcommands().empty()) return kubectl_bad_line(unknown_command(*app, words.front()));
    if (const std::string unknown = unknown_words(*app, /*flags_only=*/true); !unknown.empty())
      return kubectl_bad_line(unknown);
    return kubectl_bad_line(error.what());
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app->exit(error) == 0 ? kDone : kBadInput;
    return kubectl_bad_line(error.what());
  }
  flags.command = command_of(app->get_subcommands().front()->get_name());
  if (flags.command == KubectlCommand::kEval) give_back_expression(flags.eval, flags.common);
  if (const std::string wrong = wrong_kubectl_flags(flags); !wrong.empty()) return kubectl_bad_line(wrong);
  flags.common.client.plugins = flags.client.plugins;
  flags.common.client.files = live::kubectl_files();
  return flags;
}

namespace {

/// The flags of all commands that satisfy a condition.
std::set<std::string, std::less<>> flags_with(bool FlagShape::* condition) {
  KubectlFlags unused;
  const auto app = kubectl_app(unused);
  std::set<std::string, std::less<>> names;
  for (const CLI::App* sub : app->get_subcommands([](const CLI::App*) { return true; }))
    for (const FlagShape& flag : shape_of(*sub).flags)
      if (flag.*condition) names.insert(flag.names.begin(), flag.names.end());
  return names;
}

}  // namespace

bool takes_value(std::string_view flag) {
  static const auto taking = flags_with(&FlagShape::takes_value);
  return taking.contains(flag);
}

bool takes_file(std::string_view flag) {
  static const auto taking = flags_with(&FlagShape::takes_file);
  return taking.contains(flag);
}

bool put_command_first(std::vector<std::string>& words) {
  for (auto word = words.begin(); word != words.end(); ++word) {
    if (!word->starts_with('-')) {
      std::rotate(words.begin(), word, word + 1);
      return true;
    }
    if (takes_value(*word) && ++word == words.end()) break;
  }
  return false;
}

std::vector<std::string> kubectl_flag_names(std::string_view command) {
  KubectlFlags unused;
  const auto app = kubectl_app(unused);
  for (const CLI::App* sub : app->get_subcommands([](const CLI::App*) { return true; }))
    if (sub->get_name() == command) return flag_names(*sub);
  return {};
}

std::string value_among(const std::vector<std::string>& words, std::string_view name,
                        std::string_view short_name) {
  std::string value;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    const bool is_short = !short_name.empty() && word.starts_with(short_name);
    if ((word == name || (is_short && word == short_name)) && i + 1 < words.size()) {
      value = words[++i];
    } else if (is_short) {
      value = word.substr(short_name.size() + (word.substr(short_name.size()).starts_with('=') ? 1 : 0));
    } else if (word.starts_with(name) && word.substr(name.size()).starts_with('=')) {
      value = word.substr(name.size() + 1);
    }
  }
  return value;
}

}  // namespace winnow
