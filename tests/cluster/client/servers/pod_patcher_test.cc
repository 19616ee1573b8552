// The table of what becomes of a nomination: whatever happens between us and the API servers, nobody else's
// nomination is overwritten, no other pod is hit, and the outcome says what is true.
#include "cluster/client/servers/pod_patcher.h"

#include <doctest/doctest.h>
#include <rapidjson/document.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <thread>

#include "cluster/client/servers/api_servers.h"
#include "tests/cluster/client/servers/faulty_servers.h"

namespace winnow::live::pod_patcher_test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using test::FakeClock;
using test::FaultyServers;
using Fault = FaultyServers::Fault;

/// One pod in etcd, behind servers that take patches as kube-apiserver 1.37 does.
class PodServers : public FaultyServers {
 public:
  explicit PodServers(FakeClock& clock) : FaultyServers(clock) {
    missing_right = "patch resource \"pods/status\"";
  }

  std::string uid = "u1", node, phase = "Pending", nominated, manager;
  std::vector<std::string> gates;
  bool exists = true, deleting = false;
  int version = 7;
  int written = 0;                            ///< Patches that have changed the pod.
  std::vector<std::function<void()>> before;  ///< What others do, each before one patch.
  std::vector<ApiRequest> patches;

  void nominate(const std::string& to, const std::string& by) {
    nominated = to;
    manager = by;
    ++version;
  }

 protected:
  ApiResponse carry_out(const ApiRequest& request) override {
    if (request.method == "GET") return exists ? ApiResponse{200, json(), {}} : not_found();
    patches.push_back(request);
    if (!before.empty()) {
      const auto others = before.front();
      before.erase(before.begin());
      others();
    }
    return exists ? patch(request) : not_found();
  }

 private:
  static ApiResponse not_found() { return status(404, "pods \"web\" not found"); }

  ApiResponse patch(const ApiRequest& request) {
    rapidjson::Document body;
    body.Parse(request.body.c_str());
    REQUIRE(body.IsObject());
    const auto& metadata = body["metadata"];
    if (metadata.HasMember("resourceVersion") &&
        metadata["resourceVersion"].GetString() != std::to_string(version))
      return status(409, "Operation cannot be fulfilled on pods \"web\": the object has been modified");
    if (metadata["uid"].GetString() != uid)
      return status(422, "Pod \"web\" is invalid: metadata.uid: Invalid value: field is immutable");
    return body.HasMember("status") ? set_status(body["status"]["nominatedNodeName"].GetString())
                                    : set_gates(body["spec"]["schedulingGates"][0]);
  }
  ApiResponse set_status(const std::string& to) {
    if (!node.empty())
      return status(
          422,
          "Pod \"web\" is invalid: status.nominatedNodeName: Forbidden: may not be set on pods that "
          "are already bound to a node");
    if (nominated != to) {
      nominate(to, "winnow-nominator");
      ++written;
    }
    return {200, json(), {}};
  }
  ApiResponse set_gates(const rapidjson::Value& gate) {
    CHECK(std::string(gate["$patch"].GetString()) == "delete");
    if (std::erase(gates, std::string(gate["name"].GetString())) > 0) {
      ++version;
      ++written;
    }
    return {200, json(), {}};
  }
  std::string json() const {
    std::string text = R"({"metadata":{"name":"web","namespace":"default","uid":")" + uid +
                       R"(","resourceVersion":")" + std::to_string(version) + '"';
    if (deleting) text += R"(,"deletionTimestamp":"2026-01-01T00:00:00Z")";
    if (!manager.empty() && !nominated.empty())
      text +=
          R"(,"managedFields":[{"manager":")" + manager +
          R"(","operation":"Update","subresource":"status","fieldsV1":{"f:status":{"f:nominatedNodeName":{}}}}])";
    text += R"(},"spec":{"schedulingGates":[)";
    for (const auto& gate : gates) text += (&gate == &gates[0] ? "" : ",") + (R"({"name":")" + gate) + "\"}";
    text += R"(],"nodeName":")" + node + R"("},"status":{"phase":")" + phase + R"(","nominatedNodeName":")";
    return text + nominated + "\"}}";
  }
};

struct Bed {
  explicit Bed(std::vector<std::string> urls = {"https://one", "https://two"})
      : servers(std::move(urls), clock) {}

  FakeClock clock;
  PodServers api{clock};
  ApiServers servers;
  PodPatcher patcher{servers, api, clock};
  std::string version = "7";

  /// The fault for as many requests as there are servers.
  std::deque<Fault> of_each_server(Fault fault) const {
    return std::deque<Fault>(servers.servers().size(), fault);
  }
  PatchResult nominate(const std::string& node = "a", const std::string& instead_of = "") {
    return patcher.nominate({"default", "web", "u1", version}, node, instead_of,
                            clock.now() + milliseconds(4500), {});
  }
  PatchResult remove_gate() {
    return patcher.remove_gate({"default", "web", "u1", version}, "winnow.dev/nominate",
                               clock.now() + milliseconds(4500), {});
  }
  std::size_t asked(std::string_view method) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(api.asked, [&](const std::string& one) { return one.starts_with(method); }));
  }
};

const std::vector<std::vector<Fault>> kLosses = {
    {},
    {Fault::kUnreachable},
    {Fault::kRequestLost},
    {Fault::kAnswerLost},
    {Fault::kLate},
    {Fault::k500},
    {Fault::k429, Fault::k429},
    {Fault::k401},
    {Fault::kRequestLost, Fault::k401},
    {Fault::kAnswerLost, Fault::kUnreachable},
    {Fault::kRequestLost, Fault::kRequestLost, Fault::kNone, Fault::kAnswerLost},
};

TEST_SUITE("pod patcher") {
  TEST_CASE("a nomination carries the pod's UID and version, and the name of its manager") {
    Bed bed;
    const PatchResult result = bed.nominate();
    CHECK(to_string(result.outcome) == "written");
    CHECK(result.error == "");
    CHECK(result.resource_version == "8");
    CHECK(bed.api.nominated == "a");
    REQUIRE(bed.api.patches.size() == 1);
    const ApiRequest& patch = bed.api.patches[0];
    CHECK(patch.method == "PATCH");
    CHECK(patch.path == "/api/v1/namespaces/default/pods/web/status?fieldManager=winnow-nominator");
    CHECK(patch.content_type == "application/strategic-merge-patch+json");
    CHECK(patch.body ==
          R"({"metadata":{"uid":"u1","resourceVersion":"7"},"status":{"nominatedNodeName":"a"}})");
  }

  TEST_CASE("a gate is removed by its name, from whichever version of the pod") {
    Bed bed;
    bed.api.gates = {"example.com/other", "winnow.dev/nominate", "example.com/third"};
    bed.api.version = 20;
    const PatchResult result = bed.remove_gate();
    CHECK(to_string(result.outcome) == "written");
    CHECK(result.resource_version == "21");
    CHECK(bed.api.gates == std::vector<std::string>{"example.com/other", "example.com/third"});
    REQUIRE(bed.api.patches.size() == 1);
    CHECK(bed.api.patches[0].path == "/api/v1/namespaces/default/pods/web?fieldManager=winnow-nominator");
    CHECK(
        bed.api.patches[0].body ==
        R"({"metadata":{"uid":"u1"},"spec":{"schedulingGates":[{"$patch":"delete","name":"winnow.dev/nominate"}]}})");
  }

  TEST_CASE("whatever the servers do, a waiting pod is written to once") {
    for (const std::vector<Fault>& lost : kLosses)
      for (const bool gate : {false, true}) {
        CAPTURE(lost.size());
        CAPTURE(gate);
        Bed bed;
        bed.api.gates = {"winnow.dev/nominate"};
        bed.api.faults = {lost.begin(), lost.end()};
        const PatchResult result = gate ? bed.remove_gate() : bed.nominate();
        CHECK(to_string(result.outcome) == "written");
        CHECK(result.error == "");
        CHECK(result.resource_version == "8");
        CHECK(bed.api.nominated == (gate ? "" : "a"));
        CHECK(bed.api.gates.size() == (gate ? 0 : 1));
        CHECK(bed.api.written == 1);
      }
  }

  TEST_CASE("an answer 200 that is not the patched pod is not believed: the pod itself is looked at") {
    const std::string garbage[] = {
        "",
        "<html>welcome</html>",
        "{}",
        R"({"kind":"Status","status":"Success"})",
        R"({"metadata":{"name":"web","namespace":"default","uid":"u2","resourceVersion":"9"},)"
        R"("status":{"nominatedNodeName":"a"}})",
        R"({"metadata":{"name":"other","namespace":"default","uid":"u1","resourceVersion":"9"},)"
        R"("status":{"nominatedNodeName":"a"}})",
        R"({"metadata":{"name":"web","namespace":"default","uid":"u1","resourceVersion":"9"},)"
        R"("spec":{"schedulingGates":[{"name":"winnow.dev/nominate"}]},"status":{"nominatedNodeName":"b"}})",
    };
    for (const std::string& body : garbage)
      for (const Fault fault : {Fault::kGarbage, Fault::kGarbledWrite})
        for (const bool gate : {false, true}) {
          CAPTURE(body);
          CAPTURE(gate);
          Bed bed;
          bed.api.gates = {"winnow.dev/nominate"};
          bed.api.faults = {fault};
          bed.api.garbage = {body};
          const PatchResult result = gate ? bed.remove_gate() : bed.nominate();
          CHECK(to_string(result.outcome) == "written");
          CHECK(bed.api.nominated == (gate ? "" : "a"));
          CHECK(bed.api.gates.size() == (gate ? 0 : 1));
          CHECK(bed.api.written == 1);
          CHECK(bed.asked("GET") == 1);
        }
  }

  TEST_CASE("a server that answers nothing but garbage is left, and without another one nothing is known") {
    Bed two;
    two.api.faults = {Fault::kGarbage};
    CHECK(to_string(two.nominate().outcome) == "written");
    CHECK(two.api.asked[0].substr(6) != two.api.asked[1].substr(4));  // "PATCH " and "GET "
    Bed bed;
    bed.api.faults = std::deque<Fault>(1000, Fault::kGarbage);
    bed.api.garbage = std::deque<std::string>(1000, "{}");
    const PatchResult result = bed.nominate();
    CHECK(to_string(result.outcome) == "unknown");
    CHECK(result.error.contains("answered 200 with what is not the pod"));
    CHECK_FALSE(result.unchanged);
  }

  TEST_CASE("what the pod has become is told, and nothing is written to it, whatever was lost on the way") {
    struct Row {
      const char* what;
      void (*become)(PodServers&);
      PatchOutcome outcome;
      const char* error;
      const char* node;
    };
    const Row rows[] = {
        {"it has that nomination, of ours", [](PodServers& api) { api.nominate("a", "winnow-nominator"); },
         PatchOutcome::kAlreadySo, "", ""},
        {"it has that nomination, by kube-scheduler",
         [](PodServers& api) { api.nominate("a", "kube-scheduler"); }, PatchOutcome::kAlreadySo, "", ""},
        {"kube-scheduler has nominated another node",
         [](PodServers& api) { api.nominate("b", "kube-scheduler"); }, PatchOutcome::kOverruled,
         "pod default/web is nominated for node \"b\" by kube-scheduler", "b"},
        {"it has been nominated, and nobody says by whom", [](PodServers& api) { api.nominate("b", ""); },
         PatchOutcome::kOverruled, "pod default/web is nominated for node \"b\" by somebody else", "b"},
        {"it is bound to that node",
         [](PodServers& api) {
           api.node = "a";
           ++api.version;
         },
         PatchOutcome::kBound, "pod default/web is assigned to node \"a\"", "a"},
        {"it is bound to another",
         [](PodServers& api) {
           api.node = "b";
           ++api.version;
         },
         PatchOutcome::kBound, "pod default/web is assigned to node \"b\"", "b"},
        {"another pod has its name",
         [](PodServers& api) {
           api.uid = "u2";
           ++api.version;
         },
         PatchOutcome::kGone, "pod default/web is another pod now: its UID is u2, not u1", ""},
        {"it is being deleted",
         [](PodServers& api) {
           api.deleting = true;
           ++api.version;
         },
         PatchOutcome::kGone, "pod default/web is being deleted", ""},
        {"it has ended",
         [](PodServers& api) {
           api.phase = "Failed";
           ++api.version;
         },
         PatchOutcome::kGone, "pod default/web has ended: Failed", ""},
        {"it is gone", [](PodServers& api) { api.exists = false; }, PatchOutcome::kGone,
         "pods \"web\" not found", ""},
    };
    const std::vector<std::vector<Fault>> losses = {
        {}, {Fault::kUnreachable}, {Fault::k429}, {Fault::kAnswerLost, Fault::k500}, {Fault::k401}};
    for (const Row& row : rows)
      for (const std::vector<Fault>& lost : losses) {
        CAPTURE(row.what);
        CAPTURE(lost.size());
        Bed bed;
        row.become(bed.api);
        bed.api.faults = {lost.begin(), lost.end()};
        const int version = bed.api.version;
        const PatchResult result = bed.nominate();
        if (row.outcome == PatchOutcome::kAlreadySo)
          CHECK(result.done());  // After a lost answer nobody can tell whether that request did it.
        else
          CHECK(to_string(result.outcome) == to_string(row.outcome));
        CHECK(result.error == row.error);
        CHECK(result.node == row.node);
        CHECK(bed.api.version == version);
      }
  }

  TEST_CASE("a version that is no more is read again, and the pod judged anew") {
    struct Row {
      const char* what;
      void (*meanwhile)(PodServers&);
      const char* instead_of;
      const char* outcome;
      const char* nominated;
    };
    const Row rows[] = {
        {"something else of it has changed", [](PodServers& api) { ++api.version; }, "", "written", "a"},
        {"it has our former nomination", [](PodServers& api) { api.nominate("b", "winnow-nominator"); }, "b",
         "written", "a"},
        {"another Winnow, which leads as well, has nominated another node",
         [](PodServers& api) { api.nominate("c", "winnow-nominator"); }, "", "overruled", "c"},
        {"it has done so in place of our former nomination",
         [](PodServers& api) { api.nominate("c", "winnow-nominator"); }, "b", "overruled", "c"},
        {"another Winnow has nominated the same node",
         [](PodServers& api) { api.nominate("a", "winnow-nominator"); }, "", "already_so", "a"},
        {"it has our former nomination, and nobody says by whom",
         [](PodServers& api) { api.nominate("b", ""); }, "b", "written", "a"},
        {"it has another, and nobody says by whom", [](PodServers& api) { api.nominate("c", ""); }, "b",
         "overruled", "c"},
        {"kube-scheduler has nominated the node of our former one",
         [](PodServers& api) { api.nominate("b", "kube-scheduler"); }, "b", "overruled", "b"},
        {"our former nomination was cleared", [](PodServers& api) { api.nominate("", "kube-scheduler"); },
         "b", "written", "a"},
    };
    for (const Row& row : rows) {
      CAPTURE(row.what);
      Bed bed;
      bed.api.before = {[&] { row.meanwhile(bed.api); }};
      const PatchResult result = bed.nominate("a", row.instead_of);
      CHECK(to_string(result.outcome) == row.outcome);
      CHECK(bed.api.nominated == row.nominated);
      CHECK(result.resource_version == std::to_string(bed.api.version));
    }
  }

  TEST_CASE("a pod that changes all the time is written to in one of its moments, or left by the deadline") {
    Bed bed;
    for (int i = 0; i < 6; ++i) bed.api.before.emplace_back([&] { ++bed.api.version; });
    const auto start = bed.clock.now();
    CHECK(to_string(bed.nominate().outcome) == "written");
    CHECK(bed.clock.now() - start < milliseconds(1000));
    for (int i = 0; i < 1000; ++i) bed.api.before.emplace_back([&] { ++bed.api.version; });
    const auto again = bed.clock.now();
    const PatchResult result = bed.nominate("b", "a");
    CHECK(to_string(result.outcome) == "unknown");
    CHECK(result.error.ends_with("the object has been modified"));
    CHECK(bed.clock.now() - again <= milliseconds(4500));
    CHECK(bed.api.patches.size() < 30);
  }

  TEST_CASE("a nomination of ours is taken away, and nobody else's") {
    struct Row {
      const char* what;
      void (*become)(PodServers&);
      const char* outcome;
      const char* nominated;
    };
    const Row rows[] = {
        {"it is ours", [](PodServers& api) { api.nominate("b", "winnow-nominator"); }, "written", ""},
        {"it is ours, and nobody says so", [](PodServers& api) { api.nominate("b", ""); }, "written", ""},
        {"it is kube-scheduler's", [](PodServers& api) { api.nominate("b", "kube-scheduler"); }, "overruled",
         "b"},
        {"there is none", [](PodServers& api) { ++api.version; }, "already_so", ""},
    };
    for (const Row& row : rows)
      for (const std::vector<Fault>& lost : {std::vector<Fault>{}, {Fault::kUnreachable}, {Fault::k401}}) {
        CAPTURE(row.what);
        CAPTURE(lost.size());
        Bed bed;
        row.become(bed.api);
        bed.api.faults = {lost.begin(), lost.end()};
        CHECK(to_string(bed.nominate("", "b").outcome) == row.outcome);
        CHECK(bed.api.nominated == row.nominated);
      }
    Bed bed;
    bed.api.nominate("b", "winnow-nominator");
    bed.api.faults = {Fault::kAnswerLost};
    bed.version = "8";
    CHECK(to_string(bed.nominate("", "b").outcome) == "written");
    CHECK(bed.api.patches[0].body ==
          R"({"metadata":{"uid":"u1","resourceVersion":"8"},"status":{"nominatedNodeName":""}})");
  }

  TEST_CASE("without a known version the pod is read first") {
    Bed bed;
    bed.version = "";
    CHECK(to_string(bed.nominate().outcome) == "written");
    CHECK(bed.api.asked.front().starts_with("GET"));
    bed.api.nominate("b", "kube-scheduler");
    CHECK(to_string(bed.nominate().outcome) == "overruled");
    CHECK(bed.api.nominated == "b");
    bed.api.faults = {Fault::k403};
    CHECK(to_string(bed.nominate().outcome) == "denied");
    bed.api.always_down = true;
    CHECK(to_string(bed.nominate().outcome) == "unknown");
  }

  TEST_CASE("a gate that is gone already, or a pod that needs no gate any more") {
    struct Row {
      const char* what;
      void (*become)(PodServers&);
      const char* outcome;
    };
    const Row rows[] = {
        {"the gate is gone", [](PodServers& api) { api.gates = {"example.com/other"}; }, "already_so"},
        {"the pod is bound",
         [](PodServers& api) {
           api.gates = {};
           api.node = "b";
         },
         "bound"},
        {"another pod has its name", [](PodServers& api) { api.uid = "u2"; }, "gone"},
        {"it is gone", [](PodServers& api) { api.exists = false; }, "gone"},
    };
    for (const Row& row : rows)
      for (const bool lost : {false, true}) {
        CAPTURE(row.what);
        CAPTURE(lost);
        Bed bed;
        bed.api.gates = {"winnow.dev/nominate"};
        row.become(bed.api);
        if (lost) bed.api.faults = {Fault::kUnreachable};
        CHECK(to_string(bed.remove_gate().outcome) == row.outcome);
        CHECK(bed.api.written == 0);
      }
  }

  TEST_CASE("a pod that was seen bound is not written to, though its version is known") {
    Bed bed;
    bed.api.node = "b";
    const PatchResult result = bed.nominate();
    CHECK(to_string(result.outcome) == "bound");
    CHECK(result.node == "b");
    CHECK(bed.asked("GET") == 1);
  }

  TEST_CASE("a refusal that the pod does not explain is final, and what is denied is named") {
    struct Row {
      const char* what;
      Fault fault;
      const char* outcome;
      const char* error;
      const char* denied;
    };
    const std::string no_right =
        "pods \"web\" is forbidden: User \"w\" cannot patch resource \"pods/status\" in API group \"\" in "
        "the "
        "namespace \"default\"";
    const std::string not_allowed = "not allowed: " + no_right;
    const std::string line = "the API server denies Winnow a right: 403: " + no_right;
    const Row rows[] = {
        {"the status is not valid", Fault::k422, "refused", "Pod \"web\" is invalid", ""},
        {"not for this pod", Fault::k403, "denied", "not allowed: pods \"web\" is forbidden", ""},
        {"for no pod", Fault::kNoRight, "denied", not_allowed.c_str(), line.c_str()},
    };
    for (const Row& row : rows) {
      CAPTURE(row.what);
      Bed bed;
      bed.api.faults = {row.fault};
      if (row.fault == Fault::kNoRight) bed.api.faults = bed.of_each_server(row.fault);
      const PatchResult result = bed.nominate();
      CHECK(to_string(result.outcome) == row.outcome);
      CHECK(result.error == row.error);
      CHECK(bed.patcher.denied() == row.denied);
      CHECK(bed.api.written == 0);
      CHECK(to_string(bed.nominate().outcome) == "written");
      CHECK(bed.patcher.denied() == "");
    }
  }

  TEST_CASE("each right has a denial of its own") {
    Bed bed;
    bed.api.gates = {"winnow.dev/nominate"};
    bed.api.missing_right = "patch resource \"pods\"";
    bed.api.faults = bed.of_each_server(Fault::kNoRight);
    CHECK(to_string(bed.remove_gate().outcome) == "denied");
    CHECK(bed.patcher.denied().contains("cannot patch resource \"pods\""));
    CHECK(to_string(bed.nominate().outcome) == "written");
    CHECK(bed.patcher.denied().contains("cannot patch resource \"pods\""));
    CHECK(to_string(bed.remove_gate().outcome) == "written");
    CHECK(bed.patcher.denied() == "");
    bed.api.missing_right = "get resource \"pods\"";
    bed.api.before = {[&] { ++bed.api.version; }};
    bed.api.faults = bed.of_each_server(Fault::kNoRight);
    bed.api.faults.push_front(Fault::kNone);
    CHECK(to_string(bed.nominate("b", "a").outcome) == "denied");
    CHECK(bed.patcher.denied().contains("cannot get resource \"pods\""));
    bed.clock.sleep(Denials::kReportedFor, {});
    CHECK(bed.patcher.denied() == "");
  }

  TEST_CASE("where it cannot be told whether a patch was carried out, the outcome says so") {
    struct Row {
      const char* what;
      std::deque<Fault> faults;
    };
    const Row rows[] = {
        {"written, answer lost; then nobody may look, nor write",
         {Fault::kAnswerLost, Fault::k403, Fault::k403}},
        {"written, answer lost; then the token is revoked",
         {Fault::kAnswerLost, Fault::k401, Fault::k401, Fault::k401, Fault::k401}},
        {"written, answer lost; sent again: a conflict that nobody may look at",
         {Fault::kAnswerLost, Fault::k403, Fault::kNone, Fault::k403}},
    };
    for (const Row& row : rows) {
      CAPTURE(row.what);
      Bed bed;
      bed.api.faults = row.faults;
      const PatchResult result = bed.nominate();
      CHECK(to_string(result.outcome) == "unknown");
      CHECK(result.error != "");
      CHECK(bed.api.written == 1);
    }
  }

  TEST_CASE("revoked credentials: each server is asked, one of them again, and the answer comes at once") {
    Bed bed({"https://one", "https://two", "https://three"});
    bed.api.refusing = {"https://one", "https://two", "https://three"};
    const auto start = bed.clock.now();
    const PatchResult result = bed.nominate();
    CHECK(to_string(result.outcome) == "denied");
    CHECK(result.error == "the API server refuses Winnow's credentials: 401 Unauthorized");
    CHECK(bed.patcher.denied() == "the API server refuses Winnow's credentials (401): no nomination of pods");
    CHECK(bed.clock.now() == start);
    CHECK(bed.api.asked.size() == 4);
    bed.api.refusing = {"https://one", "https://three"};
    CHECK(to_string(bed.nominate().outcome) == "written");
  }

  TEST_CASE("whether the pod is known to be unchanged, where all tries have failed") {
    struct Row {
      const char* what;
      std::vector<Fault> faults;  ///< Of patches, in turn; looks succeed.
      bool unchanged;
    };
    const Row rows[] = {
        {"servers fail, as a webhook does", {Fault::k500}, true},
        {"a request was lost on the way", {Fault::k500, Fault::kRequestLost}, false},
        {"no server can be reached", {Fault::kUnreachable}, false},
        {"servers have no time", {Fault::k429}, false},
    };
    for (const Row& row : rows)
      for (const bool gate : {false, true}) {
        CAPTURE(row.what);
        CAPTURE(gate);
        Bed bed;
        bed.api.gates = {"winnow.dev/nominate"};
        for (int i = 0; i < 400; ++i) {
          const Fault fault = row.faults[static_cast<std::size_t>(i) % row.faults.size()];
          bed.api.faults.push_back(fault);
          if (fault == Fault::k500 || fault == Fault::kRequestLost) bed.api.faults.push_back(Fault::kNone);
        }
        const PatchResult result = gate ? bed.remove_gate() : bed.nominate();
        CHECK(to_string(result.outcome) == "unknown");
        CHECK(result.unchanged == row.unchanged);
        CHECK(bed.api.written == 0);
      }
  }

  TEST_CASE("a server that asks for patience is left alone by all, and asked again when it is over") {
    Bed bed({"https://one"});
    bed.api.faults = {Fault::k429Long};
    CHECK(to_string(bed.nominate().outcome) == "unknown");
    CHECK(bed.api.asked.size() == 1);
    const PatchResult still = bed.nominate();
    CHECK(to_string(still.outcome) == "unknown");
    CHECK(still.error == "https://one: it has asked for patience for longer than there is time");
    CHECK(bed.api.asked.size() == 1);
    const PatchResult patient = bed.patcher.nominate({"default", "web", "u1", "7"}, "a", "",
                                                     bed.clock.now() + std::chrono::minutes(5), {});
    CHECK(to_string(patient.outcome) == "written");
    REQUIRE(bed.api.asked.size() == 2);
    CHECK(bed.api.asked_at[1] - bed.api.asked_at[0] >= seconds(60));
    CHECK(bed.api.asked_at[1] - bed.api.asked_at[0] <= seconds(61));
  }

  TEST_CASE("while one server asks for patience, all go to another at once") {
    Bed bed;
    bed.api.faults = {Fault::k429Long};
    CHECK(to_string(bed.nominate().outcome) == "written");
    REQUIRE(bed.api.asked.size() == 2);
    const std::string resting = bed.api.asked[0].substr(6);
    for (int i = 0; i < 20; ++i) {
      bed.patcher.nominate({"default", "other-" + std::to_string(i), "u1", "8"}, "b", "",
                           bed.clock.now() + milliseconds(1000), {});
      CHECK_FALSE(bed.api.asked.back().ends_with(resting));
    }
  }

  TEST_CASE("after the deadline nothing is sent, however long ago it was") {
    for (const Clock::Time deadline : {Clock::Time::min(), Clock::Time{}, Clock::Time(seconds(3600))}) {
      Bed bed;
      const PodIdentity pod{"default", "web", "u1", "7"};
      CHECK(to_string(bed.patcher.nominate(pod, "a", "", deadline, {}).outcome) == "unknown");
      CHECK(bed.api.asked.empty());
    }
  }

  TEST_CASE("a stop request ends it, and nothing is sent afterwards") {
    Bed bed;
    std::stop_source stop;
    stop.request_stop();
    const PatchResult result = bed.patcher.nominate({"default", "web", "u1", "7"}, "a", "",
                                                    bed.clock.now() + milliseconds(4500), stop.get_token());
    CHECK(to_string(result.outcome) == "unknown");
    CHECK(bed.api.asked.empty());
  }

  TEST_CASE("the answer comes by the deadline, though no server has one") {
    Bed bed;
    bed.api.always_down = true;
    const auto start = bed.clock.now();
    const PatchResult result = bed.nominate();
    CHECK(to_string(result.outcome) == "unknown");
    CHECK(result.error.ends_with("no luck"));
    CHECK(bed.clock.now() - start <= milliseconds(4500));
  }

  TEST_CASE("names from outside cannot leave their places in path and body") {
    FakeClock clock;
    struct Recorder : PodServers {
      using PodServers::PodServers;
      std::expected<ApiResponse, TransportError> call(const std::string&, const ApiRequest& request,
                                                      milliseconds, const std::stop_token&) override {
        patches.push_back(request);
        return ApiResponse{
            200,
            R"({"metadata":{"name":"a/b?c#d%","uid":"u\"1"},"status":{"nominatedNodeName":"n\"}"}})",
            {}};
      }
    } api{clock};
    ApiServers servers({"https://one"}, clock);
    PodPatcher patcher(servers, api, clock);
    const PodIdentity pod{"../../x", "a/b?c#d%", "u\"1", "7\""};
    CHECK(patcher.nominate(pod, "n\"}", "", clock.now() + seconds(1), {}).done());
    CHECK(patcher.remove_gate(pod, "g\"}", clock.now() + seconds(1), {}).done());
    REQUIRE(api.patches.size() == 2);
    CHECK(api.patches[0].path ==
          "/api/v1/namespaces/..%2F..%2Fx/pods/a%2Fb%3Fc%23d%25/status?fieldManager=winnow-nominator");
    CHECK(api.patches[0].body ==
          R"({"metadata":{"uid":"u\"1","resourceVersion":"7\""},"status":{"nominatedNodeName":"n\"}"}})");
    CHECK(api.patches[1].path ==
          "/api/v1/namespaces/..%2F..%2Fx/pods/a%2Fb%3Fc%23d%25?fieldManager=winnow-nominator");
    CHECK(api.patches[1].body.contains(R"("name":"g\"}")"));
  }

  TEST_CASE("many at once, one of two servers dead: each is written, and the dead one is soon left alone") {
    Bed bed;
    bed.api.dead = "https://one";
    std::atomic<int> done = 0;
    std::vector<std::jthread> threads;
    for (int t = 0; t < 8; ++t)
      threads.emplace_back([&] {
        for (int i = 0; i < 50; ++i)
          if (bed.nominate().done()) ++done;
      });
    threads.clear();
    CHECK(done == 400);
    CHECK(bed.api.written == 1);
    const auto dead =
        std::ranges::count_if(bed.api.asked, [](const auto& one) { return one.ends_with("one"); });
    CHECK(dead <= 8);
  }
}

}  // namespace
}  // namespace winnow::live::pod_patcher_test
