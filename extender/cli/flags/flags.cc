#include "extender/cli/flags/flags.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <memory>
#include <sstream>

#include "cluster/client/access/exec_credential.h"
#include "cluster/client/access/server_url.h"
#include "cluster/text/go_format.h"
#include "cluster/text/words.h"
#include "extender/cli/flags/flag_kinds.h"
#include "extender/cli/flags/serve_flags.h"
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

const std::map<std::string, AuthorizationWebhook> kWebhooks = {
    {"none", AuthorizationWebhook::kOff}, {"apiserver", AuthorizationWebhook::kApiServer}};

void add_about_scheduler(CLI::App& serve, ServeFlags& flags) {
  add_list(&serve, "--scheduler-filters", flags.scheduler_filters, "A,B",
           "Filter plugins that it runs before it asks [not known]");
  serve.add_flag("--nominate-refused", flags.nominate.refused,
                 "Nominate pods that only other nodes fit\nthan those asked [with best and one: true]");
}

void add_serve(CLI::App& app, CommandLine& line) {
  CLI::App* serve = app.add_subcommand("serve", "Answer kube-scheduler's extender calls");
  add_common(serve, line.common, "Makes the draw among equal nodes repeatable [random]");
  serve
      ->add_option("--bind-address", line.serve.bind_address,
                   with_default("The address to listen on, or WINNOW_BIND_ADDRESS", line.serve.bind_address))
      ->envname("WINNOW_BIND_ADDRESS")
      ->option_text("IP");  // Without the variable, which would take a line of its own.
  serve
      ->add_option("--port", line.serve.port,
                   with_default("The port to listen on; 0 is any", line.serve.port))
      ->type_name("PORT")
      ->check(whole_number(std::numeric_limits<std::uint16_t>::max()));
  add_tls(*serve, line.serve.tls);
  add_choice(serve, "--authorization-webhook", line.serve.authorization_webhook, kWebhooks,
             with_default("none, or apiserver: it says what bearer tokens open",
                          line.serve.authorization_webhook, kWebhooks))
      ->type_name("WHO");
  serve
      ->add_option("--metrics-bind-address", line.serve.metrics_bind_address,
                   "Serve health and metrics here too, and nothing else [off]")
      ->type_name("ADDR");
  add_answer(serve, line.serve.answer);
  add_choice(serve, "--failed-nodes", line.serve.failed_nodes, kFailedNodes,
             "List for nodes that evictions could help [quiet for a live cluster]");
  add_choice(serve, "--preempt-search", line.serve.preempt_search, kPreemptSearches,
             "Where preempt looks for victims [all, if the rules allow it]");
  serve->get_option("--preempt-search")->type_name("NODES");
  serve->add_flag("--enable-bind", line.serve.enable_bind,
                  "Bind pods; on loopback, or with --client-ca-file");
  serve->add_flag("--allow-missing-rules", line.serve.allow_missing_rules,
                  "With --answer=best: warn of checks that the rules lack");
  serve
      ->add_option("--last-good-config", line.serve.last_good_config,
                   "Keep a copy of what was taken: a start that fails names it")
      ->type_name("FILE");
  add_duration(serve, "--max-staleness", line.serve.max_staleness,
               "Silence of all API servers that makes the cache stale");
  add_duration(serve, "--catch-up", line.serve.catch_up,
               "How long a refusal may wait for the watch; 0s: not");
  serve
      ->add_option("--keep-decisions", line.serve.keep_decisions,
                   with_default("Decisions kept for GET /decisions; 0: none", line.serve.keep_decisions))
      ->type_name("N")
      ->check(whole_number(kMostKeptDecisions));
  add_duration(serve, "--request-timeout", line.serve.request_timeout,
               "How long a call may take before it is answered 503");
  serve->add_flag("--serve-stale", line.serve.serve_stale, "Answer from a stale cache nevertheless");
  add_duration(serve, "--shutdown-delay-duration", line.serve.shutdown_delay,
               "How long calls are served after SIGTERM")
      ->type_name("T");  // So that it fits its line.
  add_with_own_help(*serve, line.serve, add_about_scheduler,
                    {"--help-scheduler", "What Winnow may rely on in kube-scheduler",
                     "winnow serve --answer=best --scheduler-filters=NodeResourcesFit,NodePorts"});
  add_nominate(*serve, line.serve.nominate);
  add_record(*serve, line.serve.record);
  add_shadow(*serve, line.serve.shadow);
  serve->footer(
      "SIGHUP, or changed files, loads --config and certificates anew. See --help-record, --help-scheduler.\n"
      "Example: winnow serve --kubeconfig admin.conf --config policy.yaml --v=2");
}

void add_explain(CLI::App& app, CommandLine& line) {
  CLI::App* explain = app.add_subcommand("explain", "Say why a pod fits where, and which node is best");
  ExplainFlags& flags = line.explain;
  add_common(explain, line.common, "Draw among equal nodes as serve with this seed [first by name]");
  explain->add_option("PODS", flags.pods, "NAMESPACE/NAME of the pods to explain [all pending pods]")
      ->type_name("")
      ->expected(0, -1);
  explain->add_option("--pods", flags.pod_files, "Explain the pods of a file instead")
      ->type_name("FILE")
      ->expected(1, -1);
  explain->add_option("--nodes", flags.nodes, "Ask about these nodes only")->type_name("A,B")->delimiter(',');
  explain->add_flag_callback(
      "--no-suggestions", [&flags] { flags.suggest = false; },
      "Do not look for what would help a pod that fits nowhere");
  add_table_output(explain, flags.json, flags.all_nodes, flags.width,
                   "table or json: one object for each pod, a line each [table]");
  add_server(
      explain, flags.server,
      "A Winnow that runs, as https://HOST:PORT or http://: warn\nif it has other rules than --config");
  explain->footer(
      "Exit code: 0 every pod fits somewhere, 1 a pod fits nowhere, 2 bad input.\n"
      "Example: winnow explain default/web-1 --cluster cluster.json");
}

/// --cluster takes several values, so in `--cluster c.json default/web-1` it takes the pod too. A later value
/// that is no file, and has no name of a file, is moved to the pods.
void give_back_pods(CommandLine& line) {
  std::vector<std::string>& files = line.common.cluster;
  const auto is_file = [](const std::string& word) {
    const bool named_so =
        std::ranges::any_of(std::initializer_list<std::string_view>{".json", ".yaml", ".yml", ".gz"},
                            [&](std::string_view ending) { return word.ends_with(ending); });
    return named_so || word == "-" || std::filesystem::exists(word);
  };
  while (files.size() > 1 && !is_file(files.back())) {
    line.explain.pods.insert(line.explain.pods.begin(), files.back());
    files.pop_back();
  }
}

/// The error for arguments that nothing takes: the first one, and the nearest known name.
std::string unknown_words(const CLI::App& app) {
  const std::vector<CLI::App*> used = app.get_subcommands();
  const CLI::App& command = used.empty() ? app : *used.front();
  std::vector<std::string> known;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  for (const CLI::App* sub : command.get_subcommands([](const CLI::App*) { return true; }))
    known.push_back(sub->get_name());

  const std::vector<std::string> words = app.remaining(/*recurse=*/true);
  const auto flag =
      std::ranges::find_if(words, [](const std::string& word) { return word.starts_with('-'); });
  const std::string& word = flag == words.end() ? words.front() : *flag;
  const std::vector<std::string_view> names(known.begin(), known.end());
  return "unknown " + std::string(word.starts_with('-') ? "flag " : "argument ") + go_quote(word) +
         did_you_mean(word.substr(0, word.find('=')), names);
}

/// CLI11's own exit, whose text has the words of the command line in it. @return its code.
int exit_of(const CLI::App& app, const CLI::Error& error) {
  std::ostringstream said;
  const int code = app.exit(error, std::cout, said);
  stderr_text(said.view());
  return code;
}

}  // namespace

std::variant<CommandLine, int> parse_flags(int argc, char** argv) {
  CommandLine line;
  CLI::App app("Winnow: a kube-scheduler extender that knows every classic rule, and says why.", "winnow");
  app.set_version_flag("--version",
                       [] { return "winnow " + build_info().version + " (" + build_info().revision + ")"; });
  app.require_subcommand(1);
  app.formatter(std::make_shared<HelpFormatter>());
  app.get_formatter()->column_width(31);
  add_serve(app, line);
  add_explain(app, line);
  add_simulate(app, line.simulate, line.common);
  add_compare(app, line.compare, line.common);
  add_check(app, line.check, line.common);
  add_configure(app, line.configure, line.common);
  add_doctor(app, line.doctor, line.common);
  add_why(app, line.why);
  add_replay(app, line.replay);
  add_withdraw(app, line.withdraw, line.common);
  app.footer("'winnow COMMAND --help' shows a command's flags.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ExtrasError&) {
    stderr_line("winnow: " + unknown_words(app) + "; --help lists what there is");
    return kBadInput;
  } catch (const CLI::RequiredError& error) {
    constexpr std::string_view kCommands[] = {"serve",     "explain", "simulate", "compare", "check",
                                              "configure", "doctor",  "why",      "replay",  "withdraw"};
    const bool is_known = argc >= 2 && std::ranges::contains(kCommands, std::string_view(argv[1]));
    if (argc < 2 || argv[1][0] == '-' || is_known) return exit_of(app, error), kBadInput;
    stderr_line("winnow: unknown command " + go_quote(argv[1]) + did_you_mean(argv[1], kCommands) +
                "; --help lists what there is");
    return kBadInput;
  } catch (const CLI::ParseError& error) {
    return exit_of(app, error) == 0 ? kDone : kBadInput;
  }
  line.serve.shown = shown_flags(*app.get_subcommand("serve"));
  if (app.got_subcommand("explain")) line.command = Command::kExplain;
  if (app.got_subcommand("simulate")) line.command = Command::kSimulate;
  if (app.got_subcommand("compare")) line.command = Command::kCompare;
  if (app.got_subcommand("check")) line.command = Command::kCheck;
  if (app.got_subcommand("configure")) line.command = Command::kConfigure;
  if (app.got_subcommand("doctor")) line.command = Command::kDoctor;
  if (app.got_subcommand("why")) line.command = Command::kWhy;
  if (app.got_subcommand("replay")) line.command = Command::kReplay;
  if (app.got_subcommand("withdraw")) line.command = Command::kWithdraw;
  if (line.command == Command::kExplain) give_back_pods(line);
  // Somebody waits for these, and named the kubeconfig. A service would have to log in again and again.
  if (line.command == Command::kExplain || line.command == Command::kSimulate ||
      line.command == Command::kCompare || line.command == Command::kCheck ||
      line.command == Command::kDoctor || line.command == Command::kWithdraw)
    line.common.client.plugins = std::make_shared<live::ExecPlugins>();
  return line;
}

bool names_live_cluster(const CommonFlags& flags) {
  return !flags.client.kubeconfig.empty() || !flags.client.masters.empty() ||
         std::getenv("KUBERNETES_SERVICE_HOST") != nullptr;
}

std::string no_cluster_error() {
  return "no cluster: give --cluster FILE..., or --kubeconfig FILE (or --master URL), or run in a pod, which "
         "has a "
         "service account";
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

bool nominates_refused(const ServeFlags& flags, bool live) {
  if (!live || flags.nominate.nominate || flags.shadow.shadow) return false;
  return flags.nominate.refused.value_or(flags.answer != AnswerMode::kComplete);
}

std::string wrong_serve_flags(const CommonFlags& common, const ServeFlags& flags) {
  const bool fixed = !common.cluster.empty();
  if (!fixed && !names_live_cluster(common)) return no_cluster_error();
  if (fixed && (!common.client.kubeconfig.empty() || !common.client.masters.empty()))
    return "--cluster is a picture that stays as it is: it does not go with --kubeconfig or --master";
  if (fixed && flags.enable_bind) return "--enable-bind needs a live cluster, and --cluster is not one";
  if (const auto where = parse_listen_address(flags.metrics_bind_address); !where)
    return "--metrics-bind-address: " + where.error();
  if (std::string wrong = wrong_tls_flags(flags.tls); !wrong.empty()) return wrong;
  if (std::string wrong = wrong_webhook(common, flags); !wrong.empty()) return wrong;
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
  if (flags.shadow.shadow && !flags.record.dir.empty())
    return "--shadow answers no call, and --record keeps answers: they do not go together";
  if (!flags.last_good_config.empty() && names_rules(common.config))
    return "--last-good-config keeps a copy of --config, and there is none";
  return {};
}

}  // namespace winnow
