#include "extender/cli/flags/check_flags.h"

#include <charconv>
#include <map>

#include "extender/cli/flags/flag_kinds.h"

namespace winnow {
namespace {

/// Adds the flags of serve that kube-scheduler's file must match.
void add_start(CLI::App* app, StartFlags& flags) {
  add_answer(app, flags.answer);
  app->add_flag("--enable-bind", flags.enable_bind, "Bind pods for kube-scheduler");
  app->add_flag("--allow-missing-rules", flags.allow_missing_rules, "Warn, where nobody makes a check");
  add_list(app, "--scheduler-filters", flags.scheduler_filters, "A,B",
           "Filters of kube-scheduler's own [not known]");
  app->add_flag("--nominate-refused", flags.nominate_refused,
                "Nominate for nodes not asked [best, one: true]");
  app->add_option("--bind-address", flags.bind_address, "The address that it listens on [any]")
      ->type_name("IP");
  app->add_option("--port", flags.port, with_default("The port that it listens on", kDefaultPort))
      ->type_name("PORT");
  app->add_option("--path-prefix", flags.path_prefix, "What is before its paths, as /scheduler [none]")
      ->type_name("PATH");
  app->add_option("--tls-cert-file", flags.tls_cert_file, "The certificate of its port [plain HTTP]")
      ->type_name("FILE");
  app->add_option("--client-ca-file", flags.client_ca_file, "The authority of its clients")
      ->type_name("FILE");
}

/// Adds the flags of `serve --nominate` that Leases and events depend on.
void add_rarer_nominating(CLI::App& app, DoctorFlags& flags) {
  app.add_flag("--nominate-events", flags.events, "Write events of nominations [true]");
  app.add_flag("--leader-elect", flags.leader_elect, "Of several replicas one nominates [true]");
  app.add_option("--leader-elect-resource-name", flags.lease_name,
                 with_default("The Lease", flags.lease_name))
      ->type_name("NAME");
  app.add_option("--leader-elect-resource-namespace", flags.lease_namespace,
                 "Its namespace [the account's, or kube-system]")
      ->type_name("NAME");
}

/// Adds the flags of `serve --nominate` that rights and Leases depend on.
void add_nominating(CLI::App& app, DoctorFlags& flags) {
  app.add_flag("--nominate", flags.nominate, "Nominate nodes for pods; see --help-nominate");
  app.add_option("--nominate-gate", flags.gate, "The gate that it removes [none]")->type_name("GATE");
  add_with_own_help(
      app, flags, add_rarer_nominating,
      {"--help-nominate", "What 'winnow serve --nominate' is given besides", "winnow doctor --nominate"});
}

/// Adds the flags that name a cluster for named_cluster(), which takes no pod's service account.
void add_uses(CLI::App* app, CommonFlags& flags,
              const char* group = "The cluster, to see which of kube-scheduler's own filters it needs") {
  app->option_defaults()->group(group);
  add_files(app, flags);
  add_live(app, flags);
  app->get_option("--kubeconfig")->description("A live cluster");
}

}  // namespace

void add_check(CLI::App& app, CheckFlags& flags, CommonFlags& common) {
  CLI::App* check = app.add_subcommand("check", "Check files of rules, or look through a cluster");
  check->add_option("FILES", flags.files, "Policies, or KubeSchedulerConfigurations")
      ->type_name("")
      ->expected(0, -1);
  check
      ->add_option("--scheduler-config", flags.scheduler_config,
                   "kube-scheduler's own file: does it go with them?")
      ->type_name("FILE");
  check->add_flag("--strict", flags.strict, "A warning is as bad as an error: exit code 2");
  add_gates(check, common);
  add_uses(check, common, "A cluster to look through; with other files, to see which filters it needs");
  check->option_defaults()->group("Flags that 'winnow serve' has, too");
  add_start(check, flags.start);
  check->footer(
      "Exit code: 0 all is well, or there are warnings alone; 2 something is wrong,\n"
      "or --strict and a warning.\n"
      "Example: winnow check rules.yaml --scheduler-config kube-scheduler.yaml\n"
      "         winnow check --kubeconfig FILE");
}

void add_doctor(CLI::App& app, DoctorFlags& flags, CommonFlags& common) {
  CLI::App* doctor = app.add_subcommand("doctor", "Say what ails an installation, and what mends it");
  doctor->add_option("--scheduler-config", flags.scheduler_config, "kube-scheduler's own file; - is stdin")
      ->type_name("FILE");
  doctor->add_option("--config", common.config, "A file of rules, default or classic [default]")
      ->type_name("FILE");
  add_gates(doctor, common);
  add_live(doctor, common);
  doctor->add_option("--as", flags.user, "Whose rights are asked about [yours]")->type_name("USER");
  add_server(doctor, flags.server, "A Winnow that runs, as https://HOST:PORT");
  doctor
      ->add_option("--scheduler-metrics", flags.scheduler_metrics,
                   "kube-scheduler's /metrics, as it answers it")
      ->type_name("FILE");
  doctor->add_option("-o,--output", "text, or json: one object [text]")
      ->type_name("text|json")
      ->check(CLI::IsMember({"text", "json"}).description(""))
      ->each([&flags](const std::string& word) { flags.json = word == "json"; });
  doctor->option_defaults()->group("Flags that 'winnow serve' has; the Winnow of --server tells its own");
  add_start(doctor, flags.start);
  add_nominating(*doctor, flags);
  doctor->add_flag("--discover-api-servers", common.discover_api_servers, "Find all API servers");
  doctor->add_option("--authorization-webhook", "Who is asked what bearer tokens open [none]")
      ->type_name("WHO")
      ->check(CLI::IsMember({"none", "apiserver"}).description(""))
      ->each([&flags](const std::string& word) { flags.reviews_tokens = word == "apiserver"; });
  add_list(doctor, "--node-metrics", flags.node_metrics, "A,B", "Who measures nodes [nobody]");
  doctor->footer(
      "Exit code: 0 nothing is wrong, but for warnings; 1 something is; 2 bad input.\n"
      "Example: winnow doctor --scheduler-config kube-scheduler.yaml --kubeconfig FILE");
}

namespace {

const std::map<std::string, DeploymentMode> kWays = {{"nominate", DeploymentMode::kNominate},
                                                     {"scores", DeploymentMode::kScores},
                                                     {"everything", DeploymentMode::kEverything},
                                                     {"best", DeploymentMode::kBest}};
const std::map<std::string, ConfigureShows> kShows = {{"diff", ConfigureShows::kDiff},
                                                      {"kube-scheduler", ConfigureShows::kScheduler},
                                                      {"rules", ConfigureShows::kRules}};

/// The first release that has kubescheduler.config.k8s.io/v1.
constexpr int kFirstRelease = 25;

/// Reads "1.37", "v1.37" or "1.37.2". @return 37, or 0.
int minor_of(std::string_view text) {
  if (text.starts_with('v')) text.remove_prefix(1);
  if (!text.starts_with("1.")) return 0;
  int minor = 0;
  const auto [end, error] = std::from_chars(text.data() + 2, text.data() + text.size(), minor);
  const bool is_whole = end == text.data() + text.size() || *end == '.';
  return error == std::errc() && is_whole && minor >= kFirstRelease && minor < 100 ? minor : 0;
}

}  // namespace

void add_configure(CLI::App& app, ConfigureFlags& flags, CommonFlags& common) {
  CLI::App* configure = app.add_subcommand("configure", "Make kube-scheduler's file, and Winnow's rules");
  configure
      ->add_option("--scheduler-config", flags.scheduler_config,
                   "The file that kube-scheduler has now; - is stdin")
      ->type_name("FILE")
      ->required();
  add_choice(configure, "--way", flags.way, kWays, "How the work is divided: see docs/install.md")
      ->type_name("WAY")
      ->required();
  const auto read_release = [&flags](const std::string& text) {
    flags.release = minor_of(text);
    if (flags.release == 0)
      throw CLI::ValidationError("--for", "\"" + text + "\" is no release from 1.25 on, such as 1.37");
  };
  configure->add_option_function<std::string>("--for", read_release, "kube-scheduler's release [1.37]")
      ->type_name("1.N");
  configure->add_option("--config", common.config, "Winnow's rules [made of the same file]")
      ->type_name("FILE");
  configure->add_option("--url-prefix", flags.url_prefix, "Where Winnow is [http://127.0.0.1:10290]")
      ->type_name("URL");
  add_choice(configure, "-o,--output", flags.shows, kShows,
             with_default("What is printed: what changes, or one file", flags.shows, kShows))
      ->type_name("WHAT");
  configure->add_option("--output-dir", flags.output_dir, "Write kube-scheduler.yaml and rules.yaml there")
      ->type_name("DIR");
  add_gates(configure, common);
  add_uses(configure, common);
  configure->footer(
      "WAY: nominate, scores, everything, best. WHAT: diff, kube-scheduler, rules.\n"
      "Your settings stay; comments do not. Nothing is overwritten.\n"
      "Example: winnow configure --scheduler-config scheduler.yaml --way everything");
}

}  // namespace winnow
