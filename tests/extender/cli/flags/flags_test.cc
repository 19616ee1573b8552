#include "extender/cli/flags/flags.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "extender/cli/flags/serve_flags.h"
#include "tests/cluster/client/access/environment.h"
#include "tests/cluster/client/transport/temp_folder.h"
#include "tests/extender/cli/flags/parse.h"

namespace winnow::test {
namespace {

TEST_CASE("serve, with everything said") {
  std::string printed;
  const auto parsed = parse_words({"serve",
                                   "--cluster",
                                   "a.json",
                                   "b.yaml",
                                   "--cluster",
                                   "-",
                                   "--config=p.yaml",
                                   "--answer",
                                   "one",
                                   "--score-scale",
                                   "mean",
                                   "--seed",
                                   "18446744073709551615",
                                   "--bind-address",
                                   "::",
                                   "--port",
                                   "0",
                                   "--metrics-bind-address=:10291",
                                   "--v=2",
                                   "--logging-format=json",
                                   "--scheduler-filters=NodeResourcesFit,NodePorts",
                                   "--allow-missing-rules",
                                   "--last-good-config",
                                   "copy.yaml",
                                   "--keep-decisions=500",
                                   "--feature-gates",
                                   "ExactV116=true"},
                                  printed);
  REQUIRE(std::holds_alternative<CommandLine>(parsed));
  const CommandLine& line = std::get<CommandLine>(parsed);
  CHECK(line.command == Command::kServe);
  CHECK(line.common.cluster == std::vector<std::string>{"a.json", "b.yaml", "-"});
  CHECK(line.common.config == "p.yaml");
  CHECK(line.common.feature_gates == "ExactV116=true");
  CHECK(line.common.scale == ScoreScale::kMean);
  CHECK(line.common.seed == ~std::uint64_t{0});
  CHECK(line.common.verbosity == 2);
  CHECK(line.common.log_format == LogFormat::kJson);
  CHECK(line.serve.answer == AnswerMode::kOne);
  CHECK(line.serve.bind_address == "::");
  CHECK(line.serve.port == 0);
  CHECK(line.serve.metrics_bind_address == ":10291");
  CHECK(line.serve.scheduler_filters == std::vector<std::string>{"NodeResourcesFit", "NodePorts"});
  CHECK(line.serve.allow_missing_rules);
  CHECK(line.serve.last_good_config == "copy.yaml");
  CHECK(line.serve.keep_decisions == 500);
}

TEST_CASE("credential plugins are run for the commands that somebody waits for") {
  const auto runs = [](const char* command) {
    std::string printed;
    const auto parsed = parse_words({command, "--kubeconfig", "k"}, printed);
    REQUIRE_MESSAGE(std::holds_alternative<CommandLine>(parsed), printed);
    return std::get<CommandLine>(parsed).common.client.plugins != nullptr;
  };
  CHECK_FALSE(runs("serve"));
  CHECK(runs("explain"));
  CHECK(runs("eval"));
  CHECK(runs("simulate"));
  CHECK(runs("compare"));
  CHECK(runs("check"));
  CHECK(runs("doctor"));
  CHECK(runs("withdraw"));
}

TEST_CASE("every command but serve takes the kubeconfigs of KUBECONFIG") {
  const live::test::TempFolder folder;
  const std::string file = folder.write("config", "{}");
  const live::test::Variable list("KUBECONFIG", (file + ":/no/such").c_str());
  const live::test::Variable host("KUBERNETES_SERVICE_HOST", nullptr);
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{{"explain"},
                                                                                     {"simulate"},
                                                                                     {"compare"},
                                                                                     {"check"},
                                                                                     {"doctor"},
                                                                                     {"withdraw"},
                                                                                     {"why", "web"},
                                                                                     {"serve"}}) {
    CAPTURE(words.front());
    std::string printed;
    const auto parsed = parse_words(words, printed);
    REQUIRE_MESSAGE(std::holds_alternative<CommandLine>(parsed), printed);
    const CommonFlags& common = std::get<CommandLine>(parsed).common;
    const bool serves = words.front() == "serve";
    CHECK(common.client.files == (serves ? std::vector<std::string>{} : std::vector<std::string>{file}));
    CHECK(names_live_cluster(common) == !serves);
  }
}

TEST_CASE("where KUBECONFIG names files that are not there, the error says so") {
  const live::test::Variable list("KUBECONFIG", "/no/such");
  CHECK(no_cluster_error().ends_with("; no file that KUBECONFIG names is there"));
  CHECK_FALSE(no_cluster_error(/*of_serve=*/true).contains("KUBECONFIG"));
}

TEST_CASE("tokens are asked about at the API server, or not at all") {
  const auto webhook = [](const std::vector<std::string>& words) {
    std::string printed;
    const auto parsed = parse_words(words, printed);
    REQUIRE_MESSAGE(std::holds_alternative<CommandLine>(parsed), printed);
    return std::get<CommandLine>(parsed).serve.authorization_webhook;
  };
  CHECK(webhook({"serve"}) == AuthorizationWebhook::kOff);
  CHECK(webhook({"serve", "--authorization-webhook=none"}) == AuthorizationWebhook::kOff);
  CHECK(webhook({"serve", "--authorization-webhook", "apiserver"}) == AuthorizationWebhook::kApiServer);
}

TEST_CASE("explain: a server and what it is shown, as kubectl spells them") {
  std::string printed;
  const auto parsed =
      parse_words({"explain", "--server=https://w", "--certificate-authority=ca", "--client-certificate=c",
                   "--client-key=k", "--tls-server-name=n", "--token=t"},
                  printed);
  REQUIRE_MESSAGE(std::holds_alternative<CommandLine>(parsed), printed);
  const ServerFlags& server = std::get<CommandLine>(parsed).explain.server;
  CHECK(server.url == "https://w");
  CHECK(server.authority == "ca");
  CHECK(server.certificate == "c");
  CHECK(server.key == "k");
  CHECK(server.name == "n");
  CHECK(server.token == "t");
}

TEST_CASE("how long a refusal may be held") {
  struct Row {
    const char* sentence;
    std::vector<std::string> words;
    std::chrono::milliseconds catch_up;
  };
  const Row rows[] = {
      {"a quarter of a second unless said otherwise", {"serve"}, std::chrono::milliseconds(250)},
      {"as Go writes it", {"serve", "--catch-up", "1.5s"}, std::chrono::milliseconds(1500)},
      {"not at all", {"serve", "--catch-up=0s"}, std::chrono::milliseconds(0)},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    std::string printed;
    const auto parsed = parse_words(row.words, printed);
    REQUIRE(std::holds_alternative<CommandLine>(parsed));
    CHECK(std::get<CommandLine>(parsed).serve.catch_up == row.catch_up);
  }
}

TEST_CASE("durations are kept to the millisecond") {
  std::string printed;
  const auto parsed =
      parse_words({"serve", "--max-staleness=500ms", "--shutdown-delay-duration=1.5s"}, printed);
  REQUIRE(std::holds_alternative<CommandLine>(parsed));
  const ServeFlags& serve = std::get<CommandLine>(parsed).serve;
  CHECK(serve.max_staleness == std::chrono::milliseconds(500));
  CHECK(serve.shutdown_delay == std::chrono::milliseconds(1500));
}

TEST_CASE("help says what holds where a flag is not given") {
  struct Row {
    const char* command;
    const char* flag;
    const char* ends_in;
  };
  const Row rows[] = {
      {"serve", "--answer", "[complete]"},
      {"serve", "--score-scale", "[best]"},
      {"serve", "--bind-address", "[127.0.0.1]"},
      {"serve", "--port", "[10290]"},
      {"serve", "--max-staleness", "[60s]"},
      {"serve", "--catch-up", "[250ms]"},
      {"serve", "--keep-decisions", "[10000]"},
      {"why", "--limit", "[10]"},
      {"serve", "--authorization-webhook", "[none]"},
      {"serve", "--v", "[0]"},
      {"serve", "--logging-format", "[text]"},
      {"serve", "--shutdown-delay-duration", "[0s]"},
      {"serve", "--seed", "[random]"},
      {"explain", "--seed", "[first by name]"},
      {"check", "--port", "[10290]"},
      {"check", "--answer", "[complete]"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.flag);
    std::string printed;
    parse_words({row.command, "--help"}, printed);
    const std::size_t flag = printed.find(row.flag);
    REQUIRE(flag != std::string::npos);
    const std::size_t next = printed.find("\n  -", flag);
    CHECK_MESSAGE(printed.substr(flag, next - flag).contains(row.ends_in), printed);
  }
}

TEST_CASE("explain: pods, nodes and files do not run into each other") {
  std::string printed;
  const auto parsed =
      parse_words({"explain", "default/a", "b", "--nodes", "x,y", "--nodes", "z", "--pods", "p.yaml",
                   "--cluster", "c.json", "-o", "json", "--width", "0", "--server", "http://w"},
                  printed);
  REQUIRE(std::holds_alternative<CommandLine>(parsed));
  const CommandLine& line = std::get<CommandLine>(parsed);
  CHECK(line.command == Command::kExplain);
  CHECK(line.explain.pods == std::vector<std::string>{"default/a", "b"});
  CHECK(line.explain.nodes.values == std::vector<std::string>{"x,y", "z"});
  CHECK(line.explain.pod_files == std::vector<std::string>{"p.yaml"});
  CHECK(line.explain.json);
  CHECK(line.explain.server.url == "http://w");
  CHECK(line.explain.width == 0);
  CHECK_FALSE(line.common.seed);
  CHECK(line.common.scale == ScoreScale::kBest);
}

TEST_CASE("simulate, with everything said") {
  std::string printed;
  const auto parsed = parse_words(
      {"simulate",     "--cluster",   "c.json",    "--pods",        "a.yaml", "b.yaml",
       "--replicas",   "3",           "--pending", "--drain",       "n1,n2",  "--remove-nodes",
       "n3",           "--cordon",    "n4",        "--delete-pods", "a/b,c",  "--set-label",
       "n5:k=v,n6:k-", "--add-nodes", "n.yaml",    "--count",       "4",      "--add-nodes-until-fits",
       "m.yaml",       "--most",      "9",         "--preemption",  "-o",     "table",
       "--all-pods",   "--all-nodes", "--width",   "100",           "--seed", "5"},
      printed);
  REQUIRE_MESSAGE(std::holds_alternative<CommandLine>(parsed), printed);
  const CommandLine& line = std::get<CommandLine>(parsed);
  using Words = std::vector<std::string>;
  const SimulateFlags& flags = line.simulate;
  CHECK(line.command == Command::kSimulate);
  CHECK(line.common.cluster == Words{"c.json"});
  CHECK(line.common.seed == 5);
  CHECK(flags.pod_files == Words{"a.yaml", "b.yaml"});
  CHECK(flags.replicas == 3);
  CHECK(flags.pending);
  CHECK(flags.drain == Words{"n1,n2"});
  CHECK(flags.remove_nodes == Words{"n3"});
  CHECK(flags.cordon == Words{"n4"});
  CHECK(flags.delete_pods == Words{"a/b", "c"});
  CHECK(flags.set_labels == Words{"n5:k=v", "n6:k-"});
  CHECK(flags.add_nodes == "n.yaml");
  CHECK(flags.count == 4);
  CHECK_FALSE(flags.until_full);
  CHECK(flags.add_nodes_until_fits == "m.yaml");
  CHECK(flags.most == 9);
  CHECK(flags.preemption);
  CHECK_FALSE(flags.json);
  CHECK(flags.all_pods);
  CHECK(flags.all_nodes);
  CHECK(flags.width == 100);
  CHECK(wrong_simulate_flags(flags) == "");
}

TEST_CASE("compare, with everything said") {
  std::string printed;
  const auto parsed =
      parse_words({"compare", "--cluster",  "c.json",          "--config", "a.yaml",
                   "--with",  "b.yaml",     "--feature-gates", "A=true",   "--with-feature-gates",
                   "B=false", "--pods",     "p.yaml",          "q.yaml",   "--replicas",
                   "3",       "--pending",  "--pod",           "shop/web", "-o",
                   "table",   "--all-pods", "--all-nodes",     "--width",  "100",
                   "--seed",  "5"},
                  printed);
  REQUIRE_MESSAGE(std::holds_alternative<CommandLine>(parsed), printed);
  const CommandLine& line = std::get<CommandLine>(parsed);
  using Words = std::vector<std::string>;
  const CompareFlags& flags = line.compare;
  CHECK(line.command == Command::kCompare);
  CHECK(line.common.config == "a.yaml");
  CHECK(line.common.feature_gates == "A=true");
  CHECK(line.common.seed == 5);
  CHECK(flags.with == "b.yaml");
  CHECK(flags.with_gates == "B=false");
  CHECK(flags.pod_files == Words{"p.yaml", "q.yaml"});
  CHECK(flags.replicas == 3);
  CHECK(flags.pending);
  CHECK_FALSE(flags.placed);
  CHECK(flags.pod == "shop/web");
  CHECK_FALSE(flags.json);
  CHECK(flags.all_pods);
  CHECK(flags.all_nodes);
  CHECK(flags.width == 100);
  CHECK(wrong_compare_flags(flags) == "");
}

TEST_CASE("check: files, kube-scheduler's own, and what serve is given") {
  std::string printed;
  const auto parsed =
      parse_words({"check", "a.yaml", "--scheduler-config", "s.yaml", "b.yaml", "--answer=best",
                   "--enable-bind", "--scheduler-filters=NodePorts", "--allow-missing-rules",
                   "--bind-address=127.0.0.1", "--port=1", "--feature-gates=ExactV116=true"},
                  printed);
  REQUIRE(std::holds_alternative<CommandLine>(parsed));
  const CommandLine& line = std::get<CommandLine>(parsed);
  CHECK(line.command == Command::kCheck);
  CHECK(line.check.files == std::vector<std::string>{"a.yaml", "b.yaml"});
  CHECK(line.check.scheduler_config == "s.yaml");
  CHECK(line.check.start.answer == AnswerMode::kBest);
  CHECK(line.check.start.enable_bind);
  CHECK(line.check.start.scheduler_filters == std::vector<std::string>{"NodePorts"});
  CHECK(line.check.start.allow_missing_rules);
  CHECK(line.check.start.bind_address == "127.0.0.1");
  CHECK(line.check.start.port == 1);
  CHECK(line.common.feature_gates == "ExactV116=true");
}

TEST_CASE("what Winnow may rely on in kube-scheduler has a page of help of its own") {
  std::string printed;
  const auto parsed = parse_words({"serve", "--help-scheduler"}, printed);
  REQUIRE(std::holds_alternative<int>(parsed));
  CHECK(std::get<int>(parsed) == kDone);
  CHECK(printed.contains("--scheduler-filters"));
  parse_words({"serve", "--help"}, printed);
  CHECK(printed.contains("See also --help-{node-metrics,record,reuse,scheduler}"));
}

TEST_CASE("refused pods are nominated with best and one on a live cluster, unless a flag says otherwise") {
  struct Row {
    const char* sentence;
    std::vector<std::string> words;
    bool live, nominates;
  };
  const Row rows[] = {
      {"best", {"--answer=best"}, true, true},
      {"one", {"--answer=one"}, true, true},
      {"complete", {"--answer=complete"}, true, false},
      {"without --answer, which is complete", {}, true, false},
      {"best over files", {"--answer=best"}, false, false},
      {"switched off", {"--answer=best", "--nominate-refused=false"}, true, false},
      {"switched on", {"--answer=complete", "--nominate-refused"}, true, true},
      {"a nominator does it for all pods", {"--answer=best", "--nominate"}, true, false},
      {"a shadow writes nothing", {"--answer=best", "--shadow"}, true, false},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    std::vector<std::string> words{"serve"};
    words.insert(words.end(), row.words.begin(), row.words.end());
    std::string printed;
    const auto parsed = parse_words(words, printed);
    REQUIRE_MESSAGE(std::holds_alternative<CommandLine>(parsed), printed);
    CHECK(nominates_refused(std::get<CommandLine>(parsed).serve, row.live) == row.nominates);
  }
}

TEST_CASE("where refused pods cannot be nominated, the flag is an error") {
  CommonFlags common;
  common.cluster = {"c.json"};
  ServeFlags flags;
  flags.nominate.refused = true;
  CHECK(wrong_serve_flags(common, flags) ==
        "--nominate-refused needs a live cluster, and --cluster is not one");
  common = {};
  common.client.kubeconfig = "k";
  CHECK(wrong_serve_flags(common, flags) == "");
  flags.shadow.shadow = true;
  CHECK(wrong_serve_flags(common, flags) ==
        "--shadow writes nothing: it does not go with --nominate-refused");
}

TEST_CASE("a filter that Winnow is to rely on is one that kube-scheduler has") {
  CommonFlags common;
  common.cluster = {"c.json"};
  ServeFlags flags;
  flags.scheduler_filters = {"NodeResourcesFit", "VolumeBinding"};
  CHECK(wrong_serve_flags(common, flags) == "");
  flags.scheduler_filters = {"NodePorts", "NodeResources"};
  CHECK(wrong_serve_flags(common, flags) ==
        "--scheduler-filters: \"NodeResources\" is no filter plugin of kube-scheduler");
}

TEST_CASE("what is refused, and that it is named") {
  struct Row {
    const char* sentence;
    std::vector<std::string> words;
    const char* says;
  };
  const Row rows[] = {
      {"no command", {}, "subcommand"},
      {"two commands", {"serve", "explain"}, "explain"},
      {"a port over the last", {"serve", "--port", "65536"}, "--port"},
      {"a port below the first", {"serve", "--port", "-1"}, "--port"},
      {"a port that is no number", {"serve", "--port", "http"}, "--port"},
      {"an answer that is none", {"serve", "--answer", "worst"}, "--answer"},
      {"a webhook that is none", {"serve", "--authorization-webhook=mine"}, "--authorization-webhook"},
      {"a negative seed", {"serve", "--seed", "-1"}, "--seed"},
      {"a seed that is too large", {"serve", "--seed", "18446744073709551616"}, "--seed"},
      {"a verbosity that is none", {"serve", "--v", "loud"}, "--v"},
      {"a format of the log that is none", {"serve", "--logging-format=xml"}, "--logging-format"},
      {"a pod of serve's", {"serve", "default/web"}, "default/web"},
      {"explain's flag of serve's", {"serve", "--nodes", "a"}, "--nodes"},
      {"serve's flag of explain's", {"explain", "--answer", "best"}, "--answer"},
      {"a hold that is no duration", {"serve", "--catch-up", "250"}, "--catch-up"},
      {"a hold that is negative", {"serve", "--catch-up", "-1s"}, "--catch-up"},
      {"decisions without number", {"serve", "--keep-decisions", "all"}, "--keep-decisions"},
      {"too many decisions", {"serve", "--keep-decisions=1000001"}, "--keep-decisions"},
      {"why without a pod", {"why", "--server=http://w:1"}, "POD"},
      {"why without decisions", {"why", "a", "--limit=0"}, "--limit"},
      {"why in a form that is none", {"why", "a", "-o", "yaml"}, "--output"},
      {"a duration that would be cut to nothing", {"serve", "--max-staleness", "500us"}, "--max-staleness"},
      {"a flag without its value", {"serve", "--config"}, "--config"},
      {"a flag misspelt", {"serve", "--clutser", "x"}, "did you mean \"--cluster\""},
      {"a flag misspelt, with its value", {"explain", "--node=a"}, "did you mean \"--nodes\""},
      {"a command misspelt", {"expain"}, "did you mean \"explain\""},
      {"another command misspelt", {"chek"}, "did you mean \"check\""},
      {"a flag misspelt where one is missing",
       {"configure", "--scheduler-confg", "s.yaml", "--way", "best"},
       "unknown flag \"--scheduler-confg\" (did you mean \"--scheduler-config\"?)"},
      {"a flag misspelt before the command", {"--verison"}, "(did you mean \"--version\"?)"},
      {"a flag of a page of its own, misspelt",
       {"serve", "--nominate-gat=x"},
       "did you mean \"--nominate-gate\""},
      {"a flag of another command",
       {"serve", "--preemption"},
       "\"--preemption\": it is one of 'winnow simulate'"},
      {"a flag before its command",
       {"--cluster", "x", "explain"},
       "flags stand behind the command, as in 'winnow explain --cluster'"},
      {"a command of kubectl winnow's",
       {"pending", "--cluster", "x"},
       "unknown command \"pending\": it is one of kubectl's, 'kubectl winnow pending'"},
      {"serve's flag of check's", {"serve", "--scheduler-config", "s.yaml"}, "--scheduler-config"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    std::string printed;
    const auto parsed = parse_words(row.words, printed);
    REQUIRE(std::holds_alternative<int>(parsed));
    CHECK(std::get<int>(parsed) == kBadInput);
    CHECK_MESSAGE(printed.contains(row.says), printed);
  }
}

/// The words of the line `args: [serve, …]` of a manifest, or of another command.
std::vector<std::string> words_of_manifest(const std::string& name, const std::string& command = "serve") {
  std::ifstream file(std::string(WINNOW_ROOT) + "/manifests/" + name);
  std::vector<std::string> words;
  for (std::string line; std::getline(file, line);) {
    const std::size_t begin = line.find("args: [" + command);
    if (begin == std::string::npos) continue;
    // A comma without a blank is one of a word's own.
    std::string rest = line.substr(begin + 7, line.rfind(']') - begin - 7) + ", ";
    for (std::size_t end = 0; (end = rest.find(", ")) != std::string::npos; rest.erase(0, end + 2)) {
      std::string word = rest.substr(0, end);
      std::erase(word, '"');
      words.push_back(std::move(word));
    }
  }
  return words;
}

TEST_CASE("what the manifests say on the command line is understood, ports included") {
  struct Row {
    const char* manifest;
    const char* address;
    const char* metrics;
  };
  const Row rows[] = {
      {"nominator.yaml", "127.0.0.1", ":10291"},
      {"second-scheduler.yaml", "127.0.0.1", ":10291"},
      {"static-pod.yaml", "127.0.0.1", ":10291"},
      {"standalone.yaml", "127.0.0.1", ""},  // The image's environment has another.
  };
  for (const Row& row : rows) {
    CAPTURE(row.manifest);
    std::string printed;
    const auto parsed = parse_words(words_of_manifest(row.manifest), printed);
    REQUIRE_MESSAGE(std::holds_alternative<CommandLine>(parsed), printed);
    const ServeFlags& serve = std::get<CommandLine>(parsed).serve;
    CHECK(serve.bind_address == row.address);
    CHECK(serve.port == 10290);
    CHECK(serve.metrics_bind_address == row.metrics);
    CHECK(parse_listen_address(serve.metrics_bind_address).has_value());
    CHECK(serve.nominate.nominate == std::string(row.manifest).starts_with("nominator"));
  }
}

TEST_CASE("what withdraw.yaml says on the command line is understood") {
  std::string printed;
  const auto parsed = parse_words(words_of_manifest("withdraw.yaml", "withdraw"), printed);
  REQUIRE_MESSAGE(std::holds_alternative<CommandLine>(parsed), printed);
  const CommandLine& line = std::get<CommandLine>(parsed);
  CHECK(line.command == Command::kWithdraw);
  CHECK(line.withdraw.gate == "winnow.dev/nominate");
  CHECK(line.withdraw.wait == std::chrono::seconds(60));
  CHECK_FALSE(line.withdraw.dry_run);
}

TEST_CASE("help fits a screen and shows an example") {
  for (const char* command : {"serve", "explain", "eval", "simulate", "compare", "check", "configure",
                              "doctor", "why", "replay", "withdraw", "completion"}) {
    CAPTURE(command);
    std::string printed;
    const auto parsed = parse_words({command, "--help"}, printed);
    REQUIRE(std::holds_alternative<int>(parsed));
    CHECK(std::get<int>(parsed) == kDone);
    CHECK(printed.contains(std::string("Example: winnow ") + command));
    CHECK(std::ranges::count(printed, '\n') <= 40);
    std::istringstream lines(printed);
    for (std::string line; std::getline(lines, line);) CHECK_MESSAGE(line.size() <= 80, line);
  }
}

TEST_CASE("pages of help of their own fit 80 columns") {
  const std::vector<std::string> pages[] = {{"--help"},
                                            {"serve", "--help-tls"},
                                            {"serve", "--help-nominate"},
                                            {"serve", "--help-node-metrics"},
                                            {"serve", "--help-record"},
                                            {"serve", "--help-shadow"},
                                            {"serve", "--help-scheduler"},
                                            {"doctor", "--help-nominate"}};
  for (const std::vector<std::string>& words : pages) {
    CAPTURE(words.back());
    std::string printed;
    const auto parsed = parse_words(words, printed);
    REQUIRE(std::holds_alternative<int>(parsed));
    CHECK(std::get<int>(parsed) == kDone);
    std::istringstream lines(printed);
    for (std::string line; std::getline(lines, line);) CHECK_MESSAGE(line.size() <= 80, line);
  }
}

}  // namespace
}  // namespace winnow::test
