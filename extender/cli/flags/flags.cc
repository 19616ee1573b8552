#include "extender/cli/flags/flags.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <limits>
#include <memory>
#include <sstream>

#include "cluster/client/access/exec_credential.h"
#include "cluster/client/access/kubeconfig.h"
#include "cluster/client/access/server_url.h"
#include "cluster/text/go_format.h"
#include "extender/cli/flags/flag_kinds.h"
#include "extender/cli/flags/flag_table.h"
#include "extender/cli/flags/node_metrics_flags.h"
#include "extender/cli/flags/serve_flags.h"
#include "extender/cli/flags/unknown_words.h"
#include "extender/cli/flags/why_flags.h"
#include "extender/config/rules.h"
#include "extender/version.h"
#include "predicates/records.h"

namespace winnow {
namespace {

const std::map<std::string, FailedNodes> kFailedNodes = {{"judged", FailedNodes::kJudged},
                                                         {"quiet", FailedNodes::kQuiet}};

const std::map<std::string, PreemptSearch> kPreemptSearches = {{"all", PreemptSearch::kAll},
                                                               {"candidates", PreemptSearch::kCandidates}};

const std::map<std::string, Command> kCommands = {
    {"serve", Command::kServe},           {"explain", Command::kExplain},
    {"simulate", Command::kSimulate},     {"compare", Command::kCompare},
    {"check", Command::kCheck},           {"configure", Command::kConfigure},
    {"doctor", Command::kDoctor},         {"why", Command::kWhy},
    {"replay", Command::kReplay},         {"withdraw", Command::kWithdraw},
    {"completion", Command::kCompletion}, {"eval", Command::kEval}};

const std::map<std::string, AuthorizationWebhook> kWebhooks = {
    {"none", AuthorizationWebhook::kOff}, {"apiserver", AuthorizationWebhook::kApiServer}};

void add_rarer_of_port(CLI::App& serve, ServeFlags& flags) {
  serve
      .add_option(
          "--path-prefix", flags.path_prefix,
          "Put it before all paths, as /scheduler; /livez,\n/readyz and /healthz stay without it, too,\n"
          "and --metrics-bind-address has none [none]")
      ->type_name("PATH");
  serve.add_flag(
      "--enable-profiling", flags.enable_profiling,
      "Answer GET /debug/pprof/profile?seconds=N;\non loopback, or to those who show a certificate\n"
      "(--client-ca-file) or a token (see\n--authorization-webhook)");
}

void add_about_scheduler(CLI::App& serve, ServeFlags& flags) {
  add_list(&serve, "--scheduler-filters", flags.scheduler_filters, "A,B",
           "Filter plugins that it runs before it asks [not known]");
  serve.add_flag("--nominate-refused", flags.nominate.refused,
                 "Nominate for nodes not asked [best, one: true]");
}

void add_serve(CLI::App& app, CommandLine& line) {
  CLI::App* serve = app.add_subcommand("serve", "Answer kube-scheduler's extender calls");
  add_common(serve, line.common, "Repeatable draws among equal nodes [random]");
  serve
      ->add_option("--bind-address", line.serve.bind_address,
                   with_default("To listen on; or WINNOW_BIND_ADDRESS", line.serve.bind_address))
      ->envname("WINNOW_BIND_ADDRESS")
      ->option_text("IP");  // Without the variable, which would take a line of its own.
  serve
      ->add_option("--port", line.serve.port,
                   with_default("Listen there; 0 is any; see --help-port", line.serve.port))
      ->type_name("PORT")
      ->check(whole_number(std::numeric_limits<std::uint16_t>::max()));
  add_with_own_help(
      *serve, line.serve, add_rarer_of_port,
      {"--help-port", "What --port serves, and where", "winnow serve --path-prefix=/scheduler"});
  add_tls(*serve, line.serve.tls);
  add_choice(serve, "--authorization-webhook", line.serve.authorization_webhook, kWebhooks,
             with_default("apiserver: it says what tokens open", line.serve.authorization_webhook, kWebhooks))
      ->type_name("WHO");
  serve
      ->add_option("--metrics-bind-address", line.serve.metrics_bind_address,
                   "Serve health and metrics alone, here too [off]")
      ->type_name("ADDR");
  add_answer(serve, line.serve.answer);
  add_choice(serve, "--failed-nodes", line.serve.failed_nodes, kFailedNodes,
             "What is said of refused nodes [if live: quiet]");
  add_choice(serve, "--preempt-search", line.serve.preempt_search, kPreemptSearches,
             "Where victims are sought [all, if rules allow]");
  serve->get_option("--preempt-search")->type_name("NODES");
  serve->add_flag("--enable-bind", line.serve.enable_bind,
                  "Bind pods; on loopback, or with --client-ca-file");
  serve->add_flag("--allow-missing-rules", line.serve.allow_missing_rules,
                  "With --answer=best: warn of checks that lack");
  serve
      ->add_option("--last-good-config", line.serve.last_good_config,
                   "Keep a copy of the configuration in force")
      ->type_name("FILE");
  add_duration(serve, "--max-staleness", line.serve.max_staleness, "Silence that makes the cache stale");
  add_duration(serve, "--catch-up", line.serve.catch_up, "What a refusal waits for the watch");
  serve
      ->add_option("--keep-decisions", line.serve.keep_decisions,
                   with_default("Decisions that are kept; 0: none", line.serve.keep_decisions))
      ->type_name("N")
      ->check(whole_number(kMostKeptDecisions));
  add_duration(serve, "--request-timeout", line.serve.request_timeout, "Until a call is answered 503");
  serve->add_flag("--serve-stale", line.serve.serve_stale, "Answer from a stale cache nevertheless");
  add_duration(serve, "--shutdown-delay-duration", line.serve.shutdown_delay,
               "How long calls are served after SIGTERM")
      ->type_name("T");  // So that it fits its line.
  add_with_own_help(*serve, line.serve, add_about_scheduler,
                    {"--help-scheduler", "What Winnow may rely on in kube-scheduler",
                     "winnow serve --answer=best --scheduler-filters=NodeResourcesFit,NodePorts"});
  add_node_metrics(*serve, line.serve.node_metrics);
  add_nominate(*serve, line.serve.nominate);
  add_record(*serve, line.serve.record);
  add_reuse(*serve, line.serve.reuse);
  add_shadow(*serve, line.serve.shadow);
  serve->footer(
      "SIGHUP reloads it. See also --help-{node-metrics,record,reuse,scheduler}.\n"
      "Example: winnow serve --kubeconfig admin.conf --config policy.yaml --v=2");
}

void add_explain(CLI::App& app, CommandLine& line) {
  CLI::App* explain = app.add_subcommand("explain", "Say why a pod fits where, and which node is best");
  ExplainFlags& flags = line.explain;
  add_common(explain, line.common, "Draw among equals as serve does [first by name]");
  explain->add_option("PODS", flags.pods, "The pods: [NAMESPACE/]NAME [all pending pods]")
      ->type_name("")
      ->expected(0, -1);
  explain->add_option("--pods", flags.pod_files, "Explain the pods of a file instead")
      ->type_name("FILE")
      ->expected(1, -1);
  add_namespace(explain, line.common);
  add_nodes(explain, "--nodes", flags.nodes.values, "Ask about these nodes only: NODES as below");
  add_node_selector(explain, flags.nodes, "Ask about nodes with these labels only");
  explain->add_flag_callback(
      "--no-suggestions", [&flags] { flags.suggest = false; }, "Do not look for what would help a pod");
  add_table_output(explain, flags.json, flags.all_nodes, flags.width,
                   "wide: as --width 0; json: a line for each pod [table]");
  add_server(explain, flags.server, "A Winnow: warn if it has other rules");
  explain->footer(
      "NODES are names, patterns ('pool-a-*') or labels (pool=spot, zone=eu-1a).\n"
      "Exit code: 0 every pod fits somewhere, 1 a pod fits nowhere, 2 bad input.\n"
      "Example: winnow explain default/web-1 --cluster cluster.json");
}

/// --cluster takes several values, so in `--cluster c.json default/web-1` it takes the pod too. A later value
/// that is no file, and has no name of a file, is moved to the pods.
void give_back_pods(CommandLine& line) {
  std::vector<std::string>& files = line.common.cluster;
  while (files.size() > 1 && !names_file(files.back())) {
    line.explain.pods.insert(line.explain.pods.begin(), files.back());
    files.pop_back();
  }
}

void add_completion(CLI::App& app, CommandLine& line) {
  CLI::App* completion = app.add_subcommand("completion", "Print the completion of a shell");
  completion->add_option("SHELL", line.shell, "bash, zsh or fish")
      ->required()
      ->type_name("")
      ->check(CLI::IsMember({"bash", "zsh", "fish"}).description(""));
  completion->footer("Example: winnow completion bash >/etc/bash_completion.d/winnow");
}

void add_commands(CLI::App& app, CommandLine& line) {
  add_serve(app, line);
  add_explain(app, line);
  add_eval(app, line.eval, line.common);
  add_simulate(app, line.simulate, line.common);
  add_compare(app, line.compare, line.common);
  add_check(app, line.check, line.common);
  add_configure(app, line.configure, line.common);
  add_doctor(app, line.doctor, line.common);
  add_why(app, line.why, line.common);
  add_replay(app, line.replay);
  add_withdraw(app, line.withdraw, line.common);
  add_completion(app, line);
}

/// CLI11's own exit, whose text has the words of the command line in it. @return its code.
int exit_of(const CLI::App& app, const CLI::Error& error) {
  std::ostringstream said;
  const int code = app.exit(error, std::cout, said);
  stderr_text(said.view());
  return code;
}

}  // namespace

std::vector<CommandShape> winnow_commands() {
  CommandLine unused;
  CLI::App app;
  add_commands(app, unused);
  std::vector<CommandShape> shapes;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    shapes.push_back(shape_of(*command));
  return shapes;
}

std::variant<CommandLine, int> parse_flags(int argc, char** argv) {
  CommandLine line;
  if (argc > 1 && std::string_view(argv[1]) == "__complete") {
    line.command = Command::kComplete;
    line.words.assign(argv + 2, argv + argc);
    return line;
  }
  CLI::App app("Winnow: a kube-scheduler extender that knows every classic rule, and says why.", "winnow");
  app.set_version_flag("--version",
                       [] { return "winnow " + build_info().version + " (" + build_info().revision + ")"; });
  app.require_subcommand(1);
  app.formatter(std::make_shared<HelpFormatter>());
  app.get_formatter()->column_width(31);
  add_commands(app, line);
  app.footer("'winnow COMMAND --help' shows a command's flags.");
  const auto refuse = [](const std::string& why) {
    stderr_line("winnow: " + why + "; --help lists what there is");
    return kBadInput;
  };
  try {
    app.parse(argc, argv);
  } catch (const CLI::ExtrasError&) {
    return refuse(unknown_words(app));
  } catch (const CLI::RequiredError& error) {
    // A flag that is missing may be the one that is misspelt.
    if (const std::string unknown = unknown_words(app, /*flags_only=*/true); !unknown.empty())
      return refuse(unknown);
    if (argc < 2 || !app.get_subcommands().empty()) return exit_of(app, error), kBadInput;
    return refuse(unknown_command(app, argv[1]));
  } catch (const CLI::ParseError& error) {
    return exit_of(app, error) == 0 ? kDone : kBadInput;
  }
  line.serve.shown = shown_flags(*app.get_subcommand("serve"));
  line.command = kCommands.at(app.get_subcommands().front()->get_name());
  if (line.command == Command::kExplain) give_back_pods(line);
  if (line.command == Command::kEval) give_back_expression(line.eval, line.common);
  // Somebody waits for these, as for kubectl. A service would have to log in again and again.
  if (line.command != Command::kServe) {
    line.common.client.plugins = std::make_shared<live::ExecPlugins>();
    line.common.client.files = live::files_of_variable();
  }
  return line;
}

bool names_live_cluster(const CommonFlags& flags) {
  return !flags.client.kubeconfig.empty() || !flags.client.files.empty() || !flags.client.masters.empty() ||
         std::getenv("KUBERNETES_SERVICE_HOST") != nullptr;
}

std::string no_cluster_error(bool of_serve) {
  std::string text = "no cluster: give --cluster FILE..., or --kubeconfig FILE (or ";
  if (!of_serve) text += "KUBECONFIG, or ";
  text += "--master URL), or run in a pod, which has a service account";
  const char* const listed = std::getenv("KUBECONFIG");
  if (!of_serve && listed != nullptr && *listed != '\0') text += "; no file that KUBECONFIG names is there";
  return text;
}

std::string wrong_webhook(const CommonFlags& common, const ServeFlags& flags) {
  if (flags.authorization_webhook == AuthorizationWebhook::kOff) return {};
  if (!common.cluster.empty())
    return "--authorization-webhook=apiserver: there is no API server to ask: --cluster is a picture from "
           "files";
  if (flags.tls.cert_file.empty() && !live::is_loopback(flags.bind_address))
    return "--authorization-webhook=apiserver: --bind-address " + flags.bind_address +
           " is not loopback, and tokens would travel in clear: give --tls-cert-file";
  return {};
}

std::string wrong_profiling(const ServeFlags& flags) {
  if (!flags.enable_profiling) return {};
  if (!live::is_loopback(flags.bind_address) && flags.tls.client_ca_file.empty() &&
      flags.authorization_webhook == AuthorizationWebhook::kOff)
    return "--enable-profiling: --bind-address " + flags.bind_address +
           " is not loopback, and whoever reaches the port could take profiles: give --client-ca-file or "
           "--authorization-webhook=apiserver";
  if (std::ranges::contains(flags.tls.anonymous_paths, "/debug/pprof/profile"))
    return "--anonymous-paths: /debug/pprof/profile may not be among them, or everybody could take profiles";
  return {};
}

bool nominates_refused(const ServeFlags& flags, bool live) {
  if (!live || flags.nominate.nominate || flags.shadow.shadow) return false;
  return flags.nominate.refused.value_or(flags.answer != AnswerMode::kComplete);
}

std::string wrong_serve_flags(const CommonFlags& common, const ServeFlags& flags) {
  const bool fixed = !common.cluster.empty();
  if (!fixed && !names_live_cluster(common)) return no_cluster_error(/*of_serve=*/true);
  if (fixed && (!common.client.kubeconfig.empty() || !common.client.masters.empty()))
    return "--cluster is a picture that stays as it is: it does not go with --kubeconfig or --master";
  if (fixed && flags.enable_bind) return "--enable-bind needs a live cluster, and --cluster is not one";
  if (const auto where = parse_listen_address(flags.metrics_bind_address); !where)
    return "--metrics-bind-address: " + where.error();
  if (std::string wrong = wrong_path_prefix(flags.path_prefix); !wrong.empty()) return wrong;
  if (std::string wrong = wrong_tls_flags(flags.tls); !wrong.empty()) return wrong;
  if (std::string wrong = wrong_webhook(common, flags); !wrong.empty()) return wrong;
  if (std::string wrong = wrong_node_metrics_flags(flags.node_metrics, !fixed); !wrong.empty()) return wrong;
  if (std::string wrong = wrong_nominate_flags(flags.nominate, !fixed); !wrong.empty()) return wrong;
  if (std::string wrong =
          wrong_shadow_flags(flags.shadow, !fixed, flags.nominate.nominate, flags.enable_bind);
      !wrong.empty())
    return wrong;
  if (flags.shadow.shadow && flags.nominate.refused.value_or(false))
    return "--shadow writes nothing: it does not go with --nominate-refused";
  for (const std::string& name : flags.scheduler_filters)
    if (predicates::find_plugin(name) == nullptr)
      return "--scheduler-filters: " + go_quote(name) + " is no filter plugin of kube-scheduler";
  const bool open = !live::is_loopback(flags.bind_address);
  if (flags.enable_bind && open && flags.tls.client_ca_file.empty())
    return "--enable-bind: --bind-address " + flags.bind_address +
           " is not loopback, and whoever reaches the port could bind pods: listen on 127.0.0.1 or ::1, "
           "beside kube-scheduler, or give --client-ca-file";
  if (flags.enable_bind && open && std::ranges::contains(flags.tls.anonymous_paths, "/bind"))
    return "--anonymous-paths: /bind may not be among them, or whoever reaches the port could bind pods";
  if (std::string wrong = wrong_profiling(flags); !wrong.empty()) return wrong;
  if (flags.shadow.shadow && !flags.record.dir.empty())
    return "--shadow answers no call, and --record keeps answers: they do not go together";
  if (!flags.last_good_config.empty() && names_rules(common.config))
    return "--last-good-config keeps a copy of --config, and there is none";
  return {};
}

}  // namespace winnow
