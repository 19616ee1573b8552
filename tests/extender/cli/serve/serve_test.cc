// What serve refuses before it listens, and what signals do to it.
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <sstream>

#include "extender/cli/commands.h"
#include "extender/cli/flags/flags.h"
#include "tests/cluster/client/transport/temp_folder.h"
#include "tests/extender/cli/serve/serve_in_thread.h"
#include "tests/extender/service/live_config_switch.h"

namespace winnow::test {
namespace {

std::pair<int, std::string> serve_with(const CommonFlags& common, const ServeFlags& flags) {
  std::ostringstream printed;
  std::streambuf* const before = std::cerr.rdbuf(printed.rdbuf());
  const int code = serve(common, flags);
  std::cerr.rdbuf(before);
  return {code, printed.str()};
}

TEST_CASE("serve says which flags do not go together, in one line") {
  struct Row {
    const char* sentence;
    void (*set)(CommonFlags&, ServeFlags&);
    const char* says;
  };
  const Row rows[] = {
      {"no cluster at all", [](CommonFlags&, ServeFlags&) {},
       "no cluster: give --cluster FILE..., or --kubeconfig FILE"},
      {"files and a live cluster",
       [](CommonFlags& common, ServeFlags&) {
         common.cluster = {"c.json"};
         common.client.kubeconfig = "k.conf";
       },
       "--cluster is a picture that stays as it is"},
      {"binding in files",
       [](CommonFlags& common, ServeFlags& flags) {
         common.cluster = {"c.json"};
         flags.enable_bind = true;
       },
       "--enable-bind needs a live cluster"},
      {"binding for everybody",
       [](CommonFlags& common, ServeFlags& flags) {
         common.client.masters = {"https://127.0.0.1:1"};
         flags.enable_bind = true;
         flags.bind_address = "0.0.0.0";
       },
       "--enable-bind: --bind-address 0.0.0.0 is not loopback"},
      {"binding for everybody with a certificate, and for everybody without",
       [](CommonFlags& common, ServeFlags& flags) {
         common.client.masters = {"https://127.0.0.1:1"};
         flags.enable_bind = true;
         flags.bind_address = "0.0.0.0";
         flags.tls = {.cert_file = "f", .key_file = "f", .client_ca_file = "f", .anonymous_paths = {"/bind"}};
       },
       "--anonymous-paths: /bind may not be among them"},
      {"binding for those with a certificate, whose file is not there",
       [](CommonFlags& common, ServeFlags& flags) {
         common.client.masters = {"https://127.0.0.1:1"};
         flags.enable_bind = true;
         flags.bind_address = "0.0.0.0";
         flags.tls = {.cert_file = "/nowhere/f", .key_file = "f", .client_ca_file = "f"};
       },
       "/nowhere/f: "},
      {"a certificate without a key",
       [](CommonFlags& common, ServeFlags& flags) {
         common.cluster = {"c.json"};
         flags.tls.cert_file = "f";
       },
       "--tls-cert-file and --tls-private-key-file go together"},
      {"tokens, and no API server to ask about them",
       [](CommonFlags& common, ServeFlags& flags) {
         common.cluster = {"c.json"};
         flags.authorization_webhook = AuthorizationWebhook::kApiServer;
       },
       "--authorization-webhook=apiserver: there is no API server to ask"},
      {"tokens in clear",
       [](CommonFlags& common, ServeFlags& flags) {
         common.client.masters = {"https://127.0.0.1:1"};
         flags.authorization_webhook = AuthorizationWebhook::kApiServer;
         flags.bind_address = "0.0.0.0";
       },
       "--authorization-webhook=apiserver: --bind-address 0.0.0.0 is not loopback"},
      {"a kubeconfig that is not there",
       [](CommonFlags& common, ServeFlags&) { common.client.kubeconfig = "/nowhere/k.conf"; },
       "/nowhere/k.conf"},
      {"a copy of nothing",
       [](CommonFlags& common, ServeFlags& flags) {
         common.cluster = {"c.json"};
         flags.last_good_config = "copy.yaml";
       },
       "--last-good-config keeps a copy of --config"},
      {"best, by rules that know less than kube-scheduler no longer checks",
       [](CommonFlags& common, ServeFlags& flags) {
         common.cluster = {"c.json"};
         common.config = "classic";
         flags.answer = AnswerMode::kBest;
       },
       "v1.16, default provider: no rule for ReadWriteOncePod claims"},
  };
  unsetenv("KUBERNETES_SERVICE_HOST");
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    CommonFlags common;
    ServeFlags flags;
    row.set(common, flags);
    const auto [code, printed] = serve_with(common, flags);
    CHECK(code == kBadInput);
    CHECK(printed.contains(row.says));
    CHECK(printed.starts_with("winnow serve: "));
  }
}

TEST_CASE("a broken file at start: what is wrong with it, and the last good one, if there is one") {
  const live::test::TempFolder folder;
  CommonFlags common;
  common.cluster = {std::string(WINNOW_ROOT) + "/manifests/sample-cluster.json"};
  common.config = folder.write("rules.yaml", "kind: Policy\npredicates: [{name: NoSuch}]\n");
  ServeFlags flags{.last_good_config = folder.path("copy.yaml")};
  const auto [code, without] = serve_with(common, flags);
  CHECK(code == kBadInput);
  CHECK(without.contains("unknown predicate \"NoSuch\""));
  CHECK(std::ranges::count(without, '\n') == 1);
  folder.write("copy.yaml", kReadsFew);
  const auto [again, with] = serve_with(common, flags);
  CHECK(again == kBadInput);
  CHECK(with.starts_with(without));
  CHECK(with.contains("\nwinnow serve: the last good configuration is " + flags.last_good_config +
                      " (taken 2"));
}

TEST_CASE("every configuration that is taken is copied") {
  const live::test::TempFolder folder;
  const std::string config = folder.write("config.json", kReadsFew);
  ServeFlags flags{.last_good_config = folder.path("copy.json")};
  ServeInThread active(flags, config);
  CHECK(read_file(flags.last_good_config) == kReadsFew);
  folder.write("config.json", kReadsServices);
  active.signal(SIGHUP);
  CHECK(eventually([&] { return read_file(flags.last_good_config) == kReadsServices; }));
  folder.write("config.json", "{");
  active.signal(SIGHUP);
  CHECK(
      eventually([&] { return active.get("/metrics").body.contains(std::string(kRefusedSeries) + " 1\n"); }));
  CHECK(read_file(flags.last_good_config) == kReadsServices);
  active.signal(SIGTERM);
  CHECK(active.wait() == kDone);
}

TEST_CASE("the copy may be served by, and is then left alone") {
  const live::test::TempFolder folder;
  const std::string copy = folder.write("copy.json", kReadsFew);
  const auto before = std::filesystem::last_write_time(copy);
  ServeInThread active({.last_good_config = copy}, copy);
  CHECK(active.get("/readyz").status == 200);
  CHECK(std::filesystem::last_write_time(copy) == before);
}

TEST_CASE("best is served by rules that lack nothing, and by others where that is allowed") {
  const live::test::TempFolder folder;
  ServeInThread allowed({.answer = AnswerMode::kBest, .allow_missing_rules = true});
  ServeInThread whole({.answer = AnswerMode::kBest},
                      folder.write("config.json", R"({"apiVersion":"kubescheduler.config.k8s.io/v1",
                                                "kind":"KubeSchedulerConfiguration"})"));
  CHECK(allowed.get("/readyz").status == 200);
  CHECK(whole.get("/readyz").status == 200);
}

TEST_CASE("SIGTERM: not ready first, then no more calls; what is in flight is answered, and the code is 0") {
  ServeInThread active({.shutdown_delay = std::chrono::seconds(4)});
  const std::string request = request_text("POST", "/filter", args_with_names({"node-00000"}));
  Client caller = active.client();
  caller.send(request.substr(0, request.size() - 5));
  active.signal(SIGTERM);
  REQUIRE(eventually([&] { return active.get("/readyz").status == 503; }));
  CHECK(active.get("/readyz").body == "not ready: the service is being stopped\n");
  CHECK(active.get("/livez").status == 200);
  REQUIRE(eventually([&] { return !active.client().connected(); }));
  caller.send(request.substr(request.size() - 5));
  CHECK(caller.receive().status == 200);
  CHECK(active.wait() == kDone);
}

TEST_CASE("--metrics-bind-address: health and metrics on a port of their own, until the end") {
  const std::uint16_t port = free_port();
  const std::string question = request_text("POST", "/filter", args_with_names({"node-00000"}));
  const auto get = [&](std::string_view path) { return Client(port).ask(request_text("GET", path)); };
  for (const std::string host : {"127.0.0.1", "0.0.0.0", ""}) {
    CAPTURE(host);
    ServeInThread active({.metrics_bind_address = host + ':' + std::to_string(port)});
    CHECK(get("/readyz").status == 200);
    CHECK(get("/metrics").body.contains("\nwinnow_state_nodes 12\n"));
    CHECK(Client(port).ask(question).status == 404);
    Client caller = active.client();
    CHECK(caller.ask(question).status == 200);
    caller.send(question.substr(0, question.size() - 5));
    REQUIRE(eventually([&] { return get("/metrics").body.contains("\nwinnow_http_connections_idle 0\n"); }));
    active.signal(SIGTERM);  // The call in flight is waited for.
    REQUIRE(eventually([&] { return get("/readyz").status == 503; }));
    CHECK(get("/livez").status == 200);
    caller.send(question.substr(question.size() - 5));
    CHECK(caller.receive().status == 200);
    CHECK(active.wait() == kDone);
    CHECK_FALSE(Client(port).connected());
  }
}

TEST_CASE("--metrics-bind-address: a bad address is one clear line, and exit code 2") {
  const auto [code, printed] =
      serve_with({.cluster = {"c.json"}}, {.metrics_bind_address = "localhost:10291"});
  CHECK(code == kBadInput);
  CHECK(printed ==
        "winnow serve: --metrics-bind-address: found \"localhost:10291\", expected IP:PORT, such as "
        "0.0.0.0:10291, [::]:10291 or :10291; 0 is off\n");
}

TEST_CASE("--metrics-bind-address: a port that is taken is named") {
  http::Server taken({}, http::test::describe);
  const std::string port = std::to_string(taken.listen("127.0.0.1", 0).value());
  CommonFlags common;
  common.cluster = {std::string(WINNOW_ROOT) + "/manifests/sample-cluster.json"};
  const auto [code, printed] = serve_with(common, {.port = 0, .metrics_bind_address = "127.0.0.1:" + port});
  CHECK(code == kBadInput);
  CHECK(printed.ends_with("winnow serve: --metrics-bind-address: cannot listen on 127.0.0.1 port " + port +
                          ": Address already in use\n"));
}

TEST_CASE("SIGHUP: the configuration is read anew") {
  const live::test::TempFolder folder;
  ServeInThread active({}, folder.write("config.json", kReadsFew));
  const auto has = [&](const std::string& line) { return active.get("/metrics").body.contains(line); };
  CHECK(has(std::string(kTakenSeries) + " 0\n"));
  folder.write("config.json", kReadsServices);
  active.signal(SIGHUP);
  CHECK(eventually([&] { return has(std::string(kTakenSeries) + " 1\n"); }));
  folder.write("config.json", "{");
  active.signal(SIGHUP);
  CHECK(eventually([&] { return has(std::string(kRefusedSeries) + " 1\n"); }));
  active.signal(SIGTERM);
  CHECK(active.wait() == kDone);
}

}  // namespace
}  // namespace winnow::test
