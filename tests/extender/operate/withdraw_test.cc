// What is taken away, and what is left: beside kube-scheduler, beside a Winnow that still writes, and where
// the API servers answer in odd ways.
#include "extender/operate/withdraw.h"

#include <doctest/doctest.h>
#include <rapidjson/document.h>

#include <algorithm>
#include <format>
#include <functional>
#include <map>
#include <ranges>
#include <string>
#include <vector>

#include "cluster/client/servers/api_servers.h"
#include "cluster/client/servers/pod_patcher.h"
#include "extender/operate/held_leases.h"
#include "tests/cluster/client/servers/faulty_servers.h"

namespace winnow::test::withdraw_test {
namespace {

using live::ApiRequest;
using live::ApiResponse;
using live::test::FakeClock;
using Fault = live::test::FaultyServers::Fault;

struct FakePod {
  std::string nominated = {}, by = {};
  std::vector<std::string> gates = {};
  std::string node = {};
  int version = 7;
  bool deleting = false;
};

/// Pods of the namespace default in etcd, behind a server that lists them two a page.
class WaitingPodServers : public live::test::FaultyServers {
 public:
  explicit WaitingPodServers(FakeClock& clock) : FaultyServers(clock) {}

  std::map<std::string, FakePod> pods;
  std::vector<std::string> listed;  ///< The paths of lists.
  std::vector<ApiRequest> patches;
  std::function<void()> before_patch, before_list;  ///< What others do then.
  int expired = 0;                                  ///< Next pages that are answered 410.
  std::string lease_holder;
  std::vector<std::string> log;  ///< "PATCH a/status"

 protected:
  ApiResponse carry_out(const ApiRequest& request) override {
    if (request.method == "PATCH") return patch(request);
    if (request.path.starts_with("/api/v1/pods?")) return list(request.path);
    if (request.path.starts_with("/api/v1/namespaces/default/pods/")) return show(name_in(request.path));
    if (request.path.starts_with("/apis/coordination.k8s.io/v1/leases?")) return leases();
    return status(404, "not found");
  }

 private:
  static std::string name_in(const std::string& path) {
    const std::string rest = path.substr(std::string("/api/v1/namespaces/default/pods/").size());
    return rest.substr(0, rest.find_first_of("/?"));
  }
  std::string json(const std::string& name) const {
    const FakePod& pod = pods.at(name);
    std::string gates;
    for (const std::string& gate : pod.gates)
      gates += std::format(R"({}{{"name":"{}"}})", gates.empty() ? "" : ",", gate);
    return std::format(
        R"({{"metadata":{{"namespace":"default","name":"{0}","uid":"u-{0}","resourceVersion":"{1}"{2},
             "managedFields":[{{"manager":"{3}","operation":"Update","time":"2026-01-01T00:00:00Z",
             "fieldsV1":{{"f:status":{{"f:nominatedNodeName":{{}}}}}}}}]}},
             "spec":{{"nodeName":"{4}","schedulingGates":[{5}]}},
             "status":{{"phase":"Pending","nominatedNodeName":"{6}"}}}})",
        name, pod.version, pod.deleting ? R"(,"deletionTimestamp":"2026-01-01T00:00:00Z")" : "", pod.by,
        pod.node, gates, pod.nominated);
  }
  ApiResponse list(const std::string& path) {
    listed.push_back(path);
    if (before_list) before_list();
    const std::size_t at = path.find("&continue=");
    if (at != std::string::npos && expired-- > 0)
      return status(410, "The provided continue parameter is too old");
    const std::string from = at == std::string::npos ? "" : path.substr(at + 10);
    std::string items, next;
    int count = 0;
    for (auto pod = pods.lower_bound(from); pod != pods.end(); ++pod) {
      if (!pod->second.node.empty()) continue;
      if (++count > 2) {
        next = pod->first;
        break;
      }
      items += (items.empty() ? "" : ",") + json(pod->first);
    }
    return {
        200, R"({"kind":"PodList","metadata":{"continue":")" + next + R"("},"items":[)" + items + "]}", {}};
  }
  ApiResponse show(const std::string& name) {
    return pods.contains(name) ? ApiResponse{200, json(name), {}} : status(404, "pods not found");
  }
  ApiResponse leases() const {
    const std::string item =
        std::format(R"({{"metadata":{{"namespace":"kube-system","name":"winnow-nominator"}},
            "spec":{{"holderIdentity":"{}","leaseDurationSeconds":15,"renewTime":"{:%FT%T}Z"}}}})",
                    lease_holder, std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now()));
    return {200, R"({"metadata":{},"items":[)" + item + "]}", {}};
  }
  ApiResponse patch(const ApiRequest& request) {
    if (before_patch) before_patch();
    const std::string name = name_in(request.path);
    log.push_back(name + (request.path.contains("/status") ? "/status" : ""));
    if (!pods.contains(name)) return status(404, "pods \"" + name + "\" not found");
    FakePod& pod = pods.at(name);
    rapidjson::Document body;
    body.Parse(request.body.c_str());
    CHECK(std::string("u-" + name) == body["metadata"]["uid"].GetString());
    if (body.HasMember("status")) {
      if (body["metadata"]["resourceVersion"].GetString() != std::to_string(pod.version))
        return status(409, "the object has been modified");
      pod.nominated = body["status"]["nominatedNodeName"].GetString();
      pod.by = "winnow-nominator";
    } else {
      std::erase(pod.gates, body["spec"]["schedulingGates"][0]["name"].GetString());
    }
    ++pod.version;
    patches.push_back(request);
    return {200, json(name), {}};
  }
};

struct Bed {
  FakeClock clock;
  WaitingPodServers server{clock};
  live::ApiServers servers{{"https://one"}, clock};
  live::PodPatcher patcher{servers, server, clock};
  std::function<std::expected<ApiResponse, std::string>(const ApiRequest&)> ask =
      [this](const ApiRequest& request) -> std::expected<ApiResponse, std::string> {
    auto answer = server.call("https://one", request, std::chrono::seconds(5), {});
    if (!answer) return std::unexpected(answer.error().message);
    return *answer;
  };

  WithdrawReport run(const WithdrawOptions& options = {}) {
    auto report = withdraw_from_pods(ask, patcher, clock, options);
    REQUIRE_MESSAGE(report, report.error());
    return *report;
  }
};

constexpr const char* kOurs = "winnow-nominator";
constexpr const char* kGate = "winnow.dev/nominate";

TEST_SUITE("withdraw") {
  TEST_CASE("Winnow's nominations go, over all pages; those of others and bound pods stay") {
    Bed bed;
    bed.server.pods = {{"a", {"n1", kOurs}},
                       {"b", {"n2", "kube-scheduler"}},
                       {"c", {}},
                       {"d", {"n3", kOurs, {kGate}}},
                       {"e", {"", "", {kGate, "example.com/quota"}}},
                       {"f", {.node = "n4"}},
                       {"g", {"n5", kOurs, {}, "", 7, true}}};
    SUBCASE("a dry run writes nothing, and tells the same") {
      const WithdrawReport report = bed.run({.gate = "", .dry_run = true});
      CHECK(bed.server.patches.empty());
      CHECK(report_text(report) ==
            "would clear  default/a: the nomination for n1\n"
            "left         default/b: the nomination for n2: it is of kube-scheduler\n"
            "would clear  default/d: the nomination for n3\n"
            "2 would be cleared, 1 left, 0 failed\n");
      CHECK(report.is_done());
    }
    SUBCASE("without the gate") {
      const WithdrawReport report = bed.run();
      CHECK(report_text(report) ==
            "cleared  default/a: the nomination for n1\n"
            "left     default/b: the nomination for n2: it is of kube-scheduler\n"
            "cleared  default/d: the nomination for n3\n"
            "2 cleared, 1 left, 0 failed\n");
      CHECK(bed.server.pods["d"].gates.size() == 1);
    }
    SUBCASE("with the gate: each pod's nomination goes first") {
      const WithdrawReport report = bed.run({.gate = kGate, .dry_run = false});
      CHECK(report.count(WithdrawResult::kCleared) == 4);
      CHECK(bed.server.log == std::vector<std::string>{"a/status", "d/status", "d", "e"});
      CHECK(bed.server.pods["d"].gates.empty());
      CHECK(bed.server.pods["e"].gates == std::vector<std::string>{"example.com/quota"});
      CHECK(report_json(report) ==
            R"({"dryRun":false,"cleared":4,"left":1,"failed":0,"pods":[)"
            R"({"pod":"default/a","nomination":"n1","result":"cleared"},)"
            R"({"pod":"default/b","nomination":"n2","result":"left","why":"it is of kube-scheduler"},)"
            R"({"pod":"default/d","nomination":"n3","result":"cleared"},)"
            R"({"pod":"default/d","gate":"winnow.dev/nominate","result":"cleared"},)"
            R"({"pod":"default/e","gate":"winnow.dev/nominate","result":"cleared"}]})"
            "\n");
    }
    CHECK(bed.server.pods["b"].nominated == "n2");
    CHECK(bed.server.pods["g"].nominated == "n5");
    CHECK(bed.server.listed[0] == "/api/v1/pods?fieldSelector=spec.nodeName%3D&limit=500");
    CHECK(bed.server.listed[1].ends_with("&continue=c"));
  }

  TEST_CASE("what happens to the pod meanwhile") {
    struct Row {
      const char* sentence;
      std::function<void(WaitingPodServers&)> others;  ///< Once, before the first patch.
      WithdrawResult result;
      const char* says;
    };
    const Row rows[] = {
        {"another version of the pod: it is read again, and cleared",
         [](WaitingPodServers& s) { ++s.pods["a"].version; }, WithdrawResult::kCleared, ""},
        {"kube-scheduler nominates it: that stays",
         [](WaitingPodServers& s) { s.pods["a"] = {"n9", "kube-scheduler", {}, "", 8}; },
         WithdrawResult::kLeft, "kube-scheduler"},
        {"it is bound", [](WaitingPodServers& s) { s.pods["a"] = {"", kOurs, {}, "n1", 8}; },
         WithdrawResult::kLeft, "is assigned to node"},
        {"it is gone", [](WaitingPodServers& s) { s.pods.clear(); }, WithdrawResult::kLeft, "not found"},
        {"Winnow nominates another node for it: that goes, too",
         [](WaitingPodServers& s) { s.pods["a"] = {"n2", kOurs, {}, "", 8}; }, WithdrawResult::kCleared, ""},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      Bed bed;
      bed.server.pods = {{"a", {"n1", kOurs}}};
      bed.server.before_patch = [&] {
        row.others(bed.server);
        bed.server.before_patch = nullptr;
      };
      const WithdrawReport report = bed.run();
      REQUIRE(report.all.size() == 1);
      CHECK(report.all[0].result == row.result);
      CHECK_MESSAGE(report.all[0].why.contains(row.says), report.all[0].why);
      for (const auto& [name, pod] : bed.server.pods)
        CHECK_FALSE((pod.by == kOurs && !pod.nominated.empty()));
    }
  }

  TEST_CASE("what is written after the list is found by the next one") {
    Bed bed;
    bed.server.pods = {{"a", {"n1", kOurs}}};
    bed.server.before_patch = [&] {
      bed.server.pods["late"] = {"n1", kOurs};
      bed.server.before_patch = nullptr;
    };
    CHECK(bed.run().count(WithdrawResult::kCleared) == 2);
    CHECK(bed.server.pods["late"].nominated.empty());
  }

  TEST_CASE("a Winnow that writes again each time is told of") {
    Bed bed;
    bed.server.pods = {{"a", {"n1", kOurs}}};
    bed.server.before_list = [&] { bed.server.pods["a"].nominated = "n1"; };
    const WithdrawReport report = bed.run();
    CHECK_FALSE(report.is_done());
    CHECK(report.all[0].why == "it was written again each time: a Winnow still nominates");
  }

  TEST_CASE("pages that expire are read anew; a list that is not shown is an error") {
    Bed bed;
    bed.server.pods = {{"a", {"n1", kOurs}}, {"b", {}}, {"c", {"n2", kOurs}}};
    bed.server.expired = 1;
    CHECK(bed.run().count(WithdrawResult::kCleared) == 2);

    bed.server.pods["a"].nominated = "n1";
    bed.server.expired = 100;
    CHECK(withdraw_from_pods(bed.ask, bed.patcher, bed.clock, {}).error().starts_with("410: The provided"));
    bed.server.expired = 0;
    bed.server.faults = {Fault::k403};
    CHECK(withdraw_from_pods(bed.ask, bed.patcher, bed.clock, {}).error() ==
          "403: pods \"web\" is forbidden");
  }

  TEST_CASE("without the right each pod is told of, and the servers are asked once") {
    Bed bed;
    for (int i = 0; i < 9; ++i) bed.server.pods[std::format("p{}", i)] = {"n1", kOurs};
    bed.server.missing_right = R"(patch resource "pods/status")";
    // The lists are answered, and the writes denied.
    int lists = 0;
    const auto ask = [&](const ApiRequest& request) {
      ++lists;
      bed.server.starting.clear();
      auto answer = bed.ask(request);
      bed.server.starting = {"https://one"};
      return answer;
    };
    const auto report = withdraw_from_pods(ask, bed.patcher, bed.clock, {});
    REQUIRE(report);
    CHECK(report->count(WithdrawResult::kFailed) == 9);
    CHECK_FALSE(report->is_done());
    for (const Withdrawn& one : report->all) CHECK(one.why.contains("cannot patch resource \"pods/status\""));
    CHECK(lists == 5);
    CHECK(bed.server.asked.size() < 10);
  }

  TEST_CASE("a nominator that holds its Lease is seen, and waited for") {
    Bed bed;
    const LeaseName lease{"kube-system", "winnow-nominator"};
    CHECK(await_no_nominator(bed.ask, bed.clock, lease, {})->leases.empty());
    bed.server.lease_holder = "pod-1";
    const auto held = await_no_nominator(bed.ask, bed.clock, lease, {});
    REQUIRE(held->leases.size() == 1);
    CHECK(to_text(held->leases) == "kube-system/winnow-nominator by pod-1");
    const auto start = bed.clock.now();
    CHECK(await_no_nominator(bed.ask, bed.clock, lease, std::chrono::seconds(5))->leases.size() == 1);
    CHECK(bed.clock.now() - start == std::chrono::seconds(5));
    int asked = 0;
    const auto ending = [&](const ApiRequest& request) {
      if (++asked > 4) bed.server.lease_holder.clear();
      return bed.ask(request);
    };
    CHECK(await_no_nominator(ending, bed.clock, lease, std::chrono::seconds(60))->leases.empty());
  }
}

}  // namespace
}  // namespace winnow::test::withdraw_test
