#include "extender/cli/flags/common_flags.h"

#include <limits>
#include <map>

#include "extender/cli/flags/flag_kinds.h"
#include "extender/service/scheduling/options.h"

namespace winnow {
namespace {

const std::map<std::string, ScoreScale> kScales = {{"best", ScoreScale::kBest}, {"mean", ScoreScale::kMean}};
const std::map<std::string, AnswerMode> kAnswers = {
    {"complete", AnswerMode::kComplete}, {"best", AnswerMode::kBest}, {"one", AnswerMode::kOne}};
const std::map<std::string, LogFormat> kLogFormats = {{"text", LogFormat::kText}, {"json", LogFormat::kJson}};

}  // namespace

void add_gates(CLI::App* app, CommonFlags& flags) {
  app->add_option("--feature-gates", flags.feature_gates, "A=true|false,...; ExactV116, and the rules' own")
      ->type_name("GATES");
}

void add_answer(CLI::App* app, AnswerMode& answer) {
  add_choice(app, "--answer", answer, kAnswers,
             with_default("The best; all that fit; 10 to one", answer, kAnswers));
}

void add_live(CLI::App* app, CommonFlags& flags) {
  app->add_option("--kubeconfig", flags.client.kubeconfig, "A live cluster; a pod needs none for its own")
      ->type_name("FILE");
  app->add_option("--context", flags.client.context, "The kubeconfig's context [its current one]")
      ->type_name("NAME");
  app->add_option("--master", flags.client.masters, "An API server instead of those found; repeatable")
      ->type_name("URL")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void add_namespace(CLI::App* app, CommonFlags& flags) {
  app->add_option("-n,--namespace", flags.pod_namespace, "Of pods without one [context's, or default]")
      ->type_name("NAME");
}

void add_nodes(CLI::App* app, const char* name, std::vector<std::string>& values, const char* help,
               int most) {
  app->add_option(name, values, help)
      ->type_name("NODES")
      ->expected(1, most)
      ->allow_extra_args(most < 0)  // Else pods that follow would be taken for nodes.
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void add_node_selector(CLI::App* app, NodeWords& nodes, const char* help) {
  app->add_option("-l,--selector", nodes.selector, help)->type_name("LABELS");
}

void add_files(CLI::App* app, CommonFlags& flags) {
  app->add_option("--cluster", flags.cluster, "Files of 'kubectl get ... -A -o json'; - is stdin")
      ->type_name("FILE")
      ->expected(1, -1);
}

void add_common(CLI::App* app, CommonFlags& flags, const char* seed_help) {
  add_files(app, flags);
  add_live(app, flags);
  app->add_flag("--discover-api-servers", flags.discover_api_servers,
                "Also those of EndpointSlice default/kubernetes");
  app->add_option("--config", flags.config, "A file of rules, default or classic [default]")
      ->type_name("FILE");
  add_gates(app, flags);
  add_choice(app, "--score-scale", flags.scale, kScales,
             with_default("How totals become 0-10", flags.scale, kScales));
  app->add_option("--seed", flags.seed, seed_help)
      ->type_name("N")
      ->check(whole_number(std::numeric_limits<std::uint64_t>::max()));
  app->add_option("-v,--v", flags.verbosity,
                  with_default("Verbosity of the log; 2 tells each request", flags.verbosity))
      ->type_name("N")
      ->check(CLI::Range(0, 10).description(""));
  add_choice(app, "--logging-format", flags.log_format, kLogFormats,
             with_default("How the log's lines are written", flags.log_format, kLogFormats));
}

void add_server(CLI::App* app, ServerFlags& flags, const char* help) {
  app->add_option("--server", flags.url, help)->type_name("URL");
  app->add_option("--certificate-authority", flags.authority,
                  "The authority of its certificate [the system's]")
      ->type_name("FILE");
  app->add_option("--client-certificate", flags.certificate, "The certificate that it is shown")
      ->type_name("FILE");
  app->add_option("--client-key", flags.key, "The key of that")->type_name("FILE");
  app->add_option("--tls-server-name", flags.name, "The name in its certificate [the URL's host]")
      ->type_name("NAME");
  app->add_option("--token", flags.token, "The bearer token that it is shown")->type_name("TOKEN");
}

}  // namespace winnow
