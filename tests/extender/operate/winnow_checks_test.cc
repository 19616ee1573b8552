// winnow doctor about a Winnow that runs, and about files: each fault is planted, and named with what mends
// it.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "cluster/text/json_document.h"
#include "extender/config/gates.h"
#include "extender/config/rules.h"
#include "extender/operate/diagnosis.h"
#include "extender/operate/doctor.h"

namespace winnow::test::winnow_checks_test {
namespace {

struct Looked {
  std::vector<Diagnosis> all;

  const Diagnosis* find(std::string_view what) const {
    const auto found =
        std::ranges::find_if(all, [&](const Diagnosis& one) { return one.what.contains(what); });
    return found == all.end() ? nullptr : &*found;
  }
  bool has_errors() const { return std::ranges::contains(all, Health::kError, &Diagnosis::health); }
};

constexpr const char* kSound =
    "winnow_requests_total{verb=\"filter\",result=\"ok\"} 100\n"
    "winnow_watch_synced{resource=\"pods\"} 1\nwinnow_watch_age_seconds{resource=\"pods\"} 3\n"
    "winnow_setup_problems{problem=\"bind_called\"} 0\nwinnow_sampled_calls_total 0\n"
    "winnow_apiserver_denied_total{code=\"403\"} 0\nwinnow_state_pending_pods 4\n";

Looked examine(const std::string& metrics, const DoctorSetup& setup = {}, const char* scheduler = nullptr) {
  const RunningWinnow winnow{.ready_status = 200,
                             .ready_text = "ok",
                             .metrics = read_prometheus_text(metrics),
                             .profiles = {"default-scheduler"},
                             .other_rules = ""};
  const Samples samples = read_prometheus_text(scheduler == nullptr ? "" : scheduler);
  Diagnoses found;
  examine_winnow(winnow, scheduler == nullptr ? nullptr : &samples, setup, found);
  examine_denied(winnow.metrics, found);
  return {found.all()};
}

/// One planted fault.
struct Fault {
  const char* metrics;
  const char* what;
  const char* mend;
  Health health = Health::kError;
};

TEST_SUITE("doctor: Winnow") {
  TEST_CASE("a sound Winnow has no errors") {
    const Looked sound = examine(kSound);
    CHECK_FALSE(sound.has_errors());
    CHECK(sound.find("kube-scheduler has called 100 times") != nullptr);
    CHECK(sound.find("the last word is 3 s old") != nullptr);
    for (const Diagnosis& one : sound.all) CHECK(one.mend.empty());
  }

  TEST_CASE("each fault in the metrics is named") {
    const Fault faults[] = {
        {"winnow_watch_synced{resource=\"nodes\"} 0\n", "never listed: nodes", "which right is missing"},
        {"winnow_watch_unread{resource=\"services\"} 1\n", "answers without: services",
         "A kind that Winnow does without", Health::kWarning},
        {"winnow_watch_unread{resource=\"resourceslices\"} 1\n", "answers without: resourceslices",
         "A kind that Winnow does without", Health::kWarning},
        {"winnow_watch_age_seconds{resource=\"nodes\"} 61\nwinnow_watch_stale{resource=\"nodes\"} 1\n",
         "silent about nodes for 61 s", "WinnowWatchSilent"},
        {"winnow_setup_problems{problem=\"filter_not_called\"} 1\n", "filter", "filterVerb"},
        {"winnow_setup_problems{problem=\"prioritize_called\"} 1\n", "prioritize is called",
         "filterVerb: filter"},
        {"winnow_setup_problems{problem=\"bind_not_called\"} 1\n", "bind", "bindVerb"},
        {"winnow_setup_problems{problem=\"bind_called\"} 1\n", "bind", "bind"},
        {"winnow_setup_problems{problem=\"whole_nodes\"} 1\n", "node", "nodeCacheCapable: true"},
        {"winnow_places_held{by=\"nomination\"} 6\nwinnow_places_held{by=\"assumption\"} 2\n"
         "winnow_places_held_untried_seconds 40\n",
         "of 6 places that are held for nominated pods, one is for a pod that kube-scheduler has not tried "
         "for "
         "40 s",
         "WinnowPlaceHeldForNobody", Health::kWarning},
        {"winnow_sampled_calls_total 5\n", "a sample of the nodes in 5 calls",
         "percentageOfNodesToScore: 100"},
        {"winnow_requests_total{verb=\"filter\",result=\"error\"} 50\n", "50 of 150 calls had no good answer",
         "WinnowErrors"},
        {"winnow_apiserver_denied_total{code=\"401\"} 2\n", "have denied 2 requests",
         "Credentials and rights", Health::kWarning},
        {"winnow_apiserver_denied_total{code=\"403\"} 2\n", "have denied 2 requests",
         "which right is missing", Health::kWarning},
    };
    for (const Fault& fault : faults) {
      CAPTURE(fault.metrics);
      const Looked examined = examine(std::string(kSound) + fault.metrics);
      const auto found = std::ranges::find_if(examined.all, [&](const Diagnosis& one) {
        return one.health == fault.health && one.what.contains(fault.what) && one.mend.contains(fault.mend);
      });
      CHECK(found != examined.all.end());
    }
  }

  TEST_CASE("a sample of the nodes is sound while pods that only another node fits are nominated") {
    const std::string sampled = std::string(kSound) + "winnow_sampled_calls_total 5\n";
    CHECK(examine(sampled + "winnow_nominates_refused 0\n").has_errors());
    const Looked mended = examine(sampled + "winnow_nominates_refused 1\n");
    CHECK_FALSE(mended.has_errors());
    CHECK(mended.find("a sample of the nodes in 5 calls; pods that only another node fits are nominated") !=
          nullptr);
  }

  TEST_CASE("requests were denied, and the rights are there now") {
    const auto denied = [](Health rights, const char* code) {
      Diagnoses found;
      found.add(rights, "rights", "", "");
      examine_denied(
          read_prometheus_text(std::string("winnow_apiserver_denied_total{code=\"") + code + "\"} 15\n"),
          found);
      return found.all().back();
    };
    const Diagnosis mended = denied(Health::kOk, "403");
    CHECK(mended.check == "denied");
    CHECK(mended.what ==
          "API servers have denied 15 requests; the rights are there now; the count is since Winnow's start");
    CHECK(mended.mend.empty());
    CHECK(denied(Health::kError, "403").mend.contains("which right is missing"));
    CHECK(denied(Health::kSkipped, "403").mend.contains("which right is missing"));
    CHECK(denied(Health::kOk, "401").mend.contains("Credentials and rights"));
  }

  TEST_CASE("a watch may be as silent as serve lets it be, and serve says which is too silent") {
    const std::string quiet = std::string(kSound) + "winnow_watch_age_seconds{resource=\"nodes\"} 79\n";
    CHECK_FALSE(examine(quiet + "winnow_watch_stale{resource=\"nodes\"} 0\n").has_errors());
    CHECK(examine(quiet + "winnow_watch_stale{resource=\"nodes\"} 1\n").has_errors());
  }

  TEST_CASE("not ready, and other rules") {
    const RunningWinnow winnow{.ready_status = 503,
                               .ready_text = "waiting for pods",
                               .metrics = {},
                               .profiles = {""},
                               .other_rules = "only there: NodeName"};
    Diagnoses found;
    examine_winnow(winnow, nullptr, {}, found);
    const Looked examined{found.all()};
    REQUIRE(examined.find("/readyz is answered 503: waiting for pods") != nullptr);
    Diagnoses silent;
    examine_winnow(
        {.ready_status = 0, .ready_text = "timed out", .metrics = {}, .profiles = {""}, .other_rules = ""},
        nullptr, {}, silent);
    REQUIRE(Looked{silent.all()}.find("/readyz is not answered: timed out") != nullptr);
    REQUIRE(examined.find("Winnow runs other rules than --config: only there: NodeName") != nullptr);
  }

  TEST_CASE("ready, without a right that Winnow can do without") {
    Diagnoses found;
    examine_winnow({.ready_status = 200,
                    .ready_text = "ok\ndeviceclasses are not read: denied\n",
                    .metrics = {},
                    .profiles = {""},
                    .other_rules = ""},
                   nullptr, {}, found);
    const Looked examined{found.all()};
    REQUIRE(examined.find("/readyz: ok deviceclasses are not read: denied") != nullptr);
    CHECK(examined.find("/readyz: ok deviceclasses are not read: denied")->health == Health::kWarning);
  }

  TEST_CASE("kube-scheduler does not ask") {
    const char* const quiet = "winnow_state_pending_pods 4\n";
    CHECK(examine(quiet).find("4 pods wait, and kube-scheduler has not asked Winnow")->health ==
          Health::kWarning);
    const char* const busy =
        "scheduler_schedule_attempts_total{profile=\"default-scheduler\",result=\"scheduled\"} 9\n";
    const Looked asked = examine(quiet, {}, busy);
    REQUIRE(asked.find("kube-scheduler has tried 9 pods, and has not asked Winnow") != nullptr);
    CHECK(asked.has_errors());
    CHECK(examine("winnow_state_pending_pods 0\n").find("and no pod waits")->health == Health::kSkipped);
    CHECK_FALSE(examine(kSound, {}, busy).has_errors());
  }

  TEST_CASE("what kube-scheduler has tried before Winnow's start proves nothing") {
    const std::string winnow = "winnow_state_pending_pods 0\nprocess_start_time_seconds 2000\n";
    const std::string busy = "scheduler_schedule_attempts_total{result=\"scheduled\"} 9\n";
    const Looked later = examine(winnow, {}, (busy + "process_start_time_seconds 1000\n").c_str());
    CHECK(later.find("has not asked Winnow, which started later")->health == Health::kWarning);
    CHECK_FALSE(later.has_errors());
    CHECK(examine(winnow, {}, (busy + "process_start_time_seconds 2001\n").c_str()).has_errors());
    CHECK(examine(winnow, {}, busy.c_str()).has_errors());
  }

  TEST_CASE("profiles of kube-scheduler that Winnow's rules lack") {
    const Looked examined =
        examine(kSound, {},
                "scheduler_schedule_attempts_total{profile=\"batch\",result=\"error\"} 9\n"
                "scheduler_schedule_attempts_total{profile=\"batch\",result=\"scheduled\"} 1\n"
                "scheduler_schedule_attempts_total{profile=\"bat\",result=\"scheduled\"} 1\n"
                "scheduler_schedule_attempts_total{profile=\"idle\",result=\"error\"} 0\n");
    for (const char* const name : {"batch", "bat"}) {
      const Diagnosis* const found =
          examined.find(std::string("a profile that Winnow's rules lack: ") + name);
      REQUIRE(found != nullptr);
      CHECK(found->mend.starts_with("in Winnow's rules, under profiles: - schedulerName: bat"));
    }
    CHECK(std::ranges::count(examined.all, "profiles", &Diagnosis::check) == 2);
    CHECK(std::ranges::contains(examined.all, "in Winnow's rules, under profiles: - schedulerName: bat",
                                &Diagnosis::mend));
  }

  TEST_CASE("nominations that kube-scheduler does not follow") {
    const DoctorSetup nominator{.start = {}, .nominate = true};
    const std::string followed = "winnow_nominations_total{outcome=\"followed\"} 30\n";
    CHECK_FALSE(examine(followed, nominator).has_errors());
    CHECK(examine(followed + "winnow_nominations_total{outcome=\"refused\"} 31\n", nominator).has_errors());
    CHECK(examine("winnow_nominations_total{outcome=\"unfollowed\"} 19\n", nominator)
              .find("which proves nothing")
              ->health == Health::kSkipped);
    CHECK(examine("winnow_nominations_total{outcome=\"pod_gone\"} 99\n", nominator).find("proves nothing") !=
          nullptr);
  }

  TEST_CASE("the flags of a Winnow that runs, from its /flagz") {
    DoctorSetup setup;
    take_flags(
        "\nwinnow flagz\nWarning: "
        "x\nanswer=best\nscheduler-filters=NodeResourcesFit,NodePorts\nenable-bind=true\nbind-address=::"
        "1\nport=8080\ntls-cert-file=/c\n"
        "client-ca-file=\nnominate=true\nnominate-gate=a/b\ndiscover-api-servers=true\n"
        "authorization-webhook=apiserver\nnode-metrics=prometheus=http://"
        "p,metrics-server\nallow-missing-rules=false\n"
        "path-prefix=/scheduler\nnominate-events=false\nleader-elect=false\nleader-elect-resource-name=mine\n"
        "leader-elect-resource-namespace=ops\nodd",
        setup);
    CHECK(setup.start.scheduler_filters == std::vector<std::string>{"NodeResourcesFit", "NodePorts"});
    CHECK(setup.start.path_prefix == "/scheduler");
    CHECK_FALSE(setup.writes_events);
    CHECK_FALSE(setup.elects);
    CHECK(setup.lease_name == "mine");
    CHECK(setup.lease_namespace == "ops");
    CHECK(setup.start.answer == AnswerMode::kBest);
    CHECK(setup.start.enable_bind);
    CHECK(setup.start.bind_address == "::1");
    CHECK(setup.start.port == 8080);
    CHECK(setup.start.tls_cert_file == "/c");
    CHECK(setup.start.client_ca_file.empty());
    CHECK(setup.nominate);
    CHECK(setup.removes_gate);
    CHECK(setup.gate == "a/b");
    CHECK(setup.discovers);
    CHECK(setup.reviews_tokens);
    CHECK(setup.asks_metrics_server);
    take_flags(
        "leader-elect-resource-namespace=the pod's own, else kube-system\nnominate-gate=none\nanswer=one\n"
        "authorization-webhook=none\nnode-metrics=nobody\nport=x\npath-prefix=none\n",
        setup);
    CHECK(setup.start.path_prefix.empty());
    CHECK(setup.lease_namespace.empty());
    CHECK_FALSE(setup.removes_gate);
    CHECK_FALSE(setup.reviews_tokens);
    CHECK_FALSE(setup.asks_metrics_server);
    CHECK(setup.start.answer == AnswerMode::kOne);
    CHECK(setup.start.port == 8080);
  }
}

const std::string kHead = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n";

Looked examine_file(const std::string& extender, const std::string& rest, const DoctorSetup& setup) {
  const std::string text = kHead + "extenders: [{" + extender + "}]\n" + rest;
  const auto file = read_scheduler_setup(text);
  REQUIRE_MESSAGE(file, file.error());
  Diagnoses found;
  examine_files({"s.yaml", *file}, load_rules("r", kHead, {}).value(), setup, found);
  return {found.all()};
}

TEST_SUITE("doctor: files") {
  constexpr const char* kAll = "percentageOfNodesToScore: 100\n";
  const std::string kExtender =
      "urlPrefix: 'http://127.0.0.1:10290', filterVerb: filter, prioritizeVerb: prioritize, preemptVerb: "
      "preempt, "
      "nodeCacheCapable: true, httpTimeout: 1s, weight: 1";

  TEST_CASE("each fault in kube-scheduler's file is named with the line that mends it") {
    struct Row {
      std::string extender, rest;
      DoctorSetup setup;
      const char* mend;
    };
    DoctorSetup one, tls;
    one.start.answer = AnswerMode::kComplete;
    tls.start.tls_cert_file = "/c";
    tls.start.client_ca_file = "/a";
    const auto without = [](std::string text, const std::string& part) {
      const std::size_t at = text.find(part);
      REQUIRE(at != std::string::npos);
      return text.erase(at, part.size());
    };
    std::string path = kExtender;
    path.replace(path.find("10290"), 5, "10290/x");
    std::string far = kExtender;
    far.replace(far.find("http://"), 7, "https://");
    const Row rows[] = {
        {kExtender, "", one, "percentageOfNodesToScore: 100"},
        {without(kExtender, "nodeCacheCapable: true, "), kAll, one, "nodeCacheCapable: true"},
        {kExtender + ", managedResources: [{name: example.com/gpu}]", kAll, one, "managedResources: []"},
        {path, kAll, one, "filterVerb: filter"},
        {without(kExtender, "preemptVerb: preempt, "), kAll, one, "preemptVerb: preempt"},
        {without(kExtender, "httpTimeout: 1s, ") + ", httpTimeout: 10ms", kAll, one, "httpTimeout: 1s"},
        {kExtender + ", ignorable: true", kAll, one, "ignorable: false"},
        {kExtender + ", bindVerb: bind", kAll, one, "bindVerb: \"\""},
        {far, kAll, one, "urlPrefix: http://127.0.0.1:10290"},
        {kExtender, kAll, tls, "urlPrefix: https://127.0.0.1:10290"},
        {kExtender, kAll, tls, "tlsConfig: {caFile: FILE}"},
        {kExtender, kAll, tls, "tlsConfig: {certFile: FILE, keyFile: FILE}"},
        {kExtender, std::string(kAll) + "profiles: [{schedulerName: batch}]\n", one,
         "in Winnow's rules, under profiles: - schedulerName: batch"},
        {without(kExtender, "filterVerb: filter, "),
         "profiles: [{plugins: {filter: {disabled: [{name: NodePorts}]}}}]\n", one,
         "remove NodePorts from plugins.filter.disabled"},
        {kExtender,
         std::string(kAll) + "profiles: [{plugins: {reserve: {disabled: [{name: VolumeBinding}]}}}]\n", one,
         "remove VolumeBinding from plugins.reserve.disabled"},
        {kExtender, kAll, one, "minCandidateNodesPercentage: 100"},
    };
    for (const Row& row : rows) {
      CAPTURE(row.mend);
      const Looked examined = examine_file(row.extender, row.rest, row.setup);
      CHECK(std::ranges::any_of(examined.all, [&](const Diagnosis& d) {
        return d.mend.contains(row.mend) && d.what.starts_with("s.yaml: ") &&
               (d.health == Health::kError || d.health == Health::kWarning);
      }));
    }
  }

  TEST_CASE("a nominator needs nothing of kube-scheduler's file") {
    Diagnoses found;
    const DoctorSetup nominator{.start = {}, .nominate = true};
    examine_files({"s.yaml", read_scheduler_setup(kHead).value()}, load_rules("r", kHead, {}).value(),
                  nominator, found);
    CHECK_FALSE(found.has_errors());
    // The only extender is not Winnow, if it is elsewhere.
    const Looked other = examine_file("urlPrefix: 'http://gpu:8888', filterVerb: f", "", nominator);
    CHECK_FALSE(other.has_errors());
    CHECK(other.find("extenders[0].filterVerb: Winnow does not ask this extender")->health ==
          Health::kWarning);
    CHECK(examine_file("urlPrefix: 'http://127.0.0.1:10290', filterVerb: f", "", nominator).has_errors());
    Diagnoses without;
    examine_files({"s.yaml", read_scheduler_setup(kHead).value()}, load_rules("r", kHead, {}).value(), {},
                  without);
    CHECK(without.has_errors());
  }
}

TEST_SUITE("doctor: the report") {
  TEST_CASE("as text and as JSON") {
    Diagnoses found;
    found.ok("clock", "it agrees");
    found.error("rights", "may not\x1b[2J list \"pods\"", "kubectl x");
    found.warning("version", "old", "new");
    found.skipped("winnow", "no --server");
    CHECK(report_text(found) ==
          "ok       clock: it agrees\n"
          "error    rights: may not\uFFFD[2J list \"pods\"\n"
          "         mend: kubectl x\n"
          "warning  version: old\n"
          "         mend: new\n"
          "skipped  winnow: no --server\n"
          "1 error, 1 warning\n");
    const std::string json = report_json(found);
    const auto read = load_document(json);
    REQUIRE(read);
    CHECK(json.starts_with(
        R"({"ok":false,"errors":1,"warnings":1,"checks":[{"result":"ok","check":"clock","what":)"));
    CHECK(read->root()["checks"].Size() == 4);
    CHECK(std::string(read->root()["checks"][1]["mend"].GetString()) == "kubectl x");
    CHECK_FALSE(read->root()["checks"][0].HasMember("mend"));
    CHECK_FALSE(json.contains("\\u001b"));
    Diagnoses hostile;
    hostile.error("ready", std::string(1'000'000, 'x'), "\u009b2J\nnext");
    for (const std::string& text : {report_text(hostile), report_json(hostile)}) {
      CHECK(text.size() < 5000);
      CHECK(text.contains("xxx…"));
      CHECK(text.contains("\uFFFD2J next"));
    }
    CHECK(report_text(Diagnoses()) == "0 errors, 0 warnings\n");
    CHECK(report_json(Diagnoses()) == "{\"ok\":true,\"errors\":0,\"warnings\":0,\"checks\":[]}\n");
  }
}

}  // namespace
}  // namespace winnow::test::winnow_checks_test
