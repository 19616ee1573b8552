// winnow doctor about a live cluster: each fault is planted in what the API server answers, and is named with
// what mends it.
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <format>
#include <map>
#include <set>
#include <string>

#include "extender/doctor/api_answers.h"
#include "extender/doctor/doctor.h"
#include "extender/doctor/rights.h"

namespace winnow::test {
namespace {

const WallTime kNow = *read_time("2026-03-04T05:06:07Z");

std::string at(std::chrono::seconds after) {
  return std::format("{:%FT%T}Z", std::chrono::floor<std::chrono::seconds>(kNow + after));
}

std::string lease(const std::string& ns, const std::string& name, std::chrono::seconds renewed) {
  return std::format(R"({{"metadata":{{"namespace":"{}","name":"{}"}},"spec":{{"holderIdentity":"pod-1",
                         "leaseDurationSeconds":15,"renewTime":"{}"}}}})",
                     ns, name, at(renewed).insert(19, ".000007"));
}

std::string pod(const std::string& name, const std::string& gate, std::chrono::seconds created) {
  return std::format(R"({{"metadata":{{"namespace":"default","name":"{}","creationTimestamp":"{}"}},
                         "spec":{{"schedulingGates":[{{"name":"other"}},{{"name":"{}"}}]}}}})",
                     name, at(created), gate);
}

/// An API server that grants everything, until a test changes an answer.
class FakeServer {
 public:
  std::map<std::string, live::ApiResponse> answers;  ///< By path, without the query.
  std::set<std::string> denied;                      ///< Resources.
  std::vector<std::string> bodies;                   ///< Of the reviews.

  FakeServer() {
    answers["/apis/authentication.k8s.io/v1/selfsubjectreviews"] = {
        .status = 201,
        .body = R"({"metadata":{"creationTimestamp":")" + at(std::chrono::seconds(0)) +
                R"("},"status":{"userInfo":{"username":"system:serviceaccount:kube-system:winnow"}}})",
        .retry_after = {}};
    answers["/version"] = {.status = 200, .body = R"({"gitVersion":"v1.37.2-x"})", .retry_after = {}};
    items("/apis/coordination.k8s.io/v1/leases",
          lease("kube-system", "winnow-nominator", std::chrono::seconds(-2)));
    items("/api/v1/pods", "");
  }

  void items(const std::string& path, const std::string& list) {
    answers[path] = {.status = 200, .body = R"({"metadata":{},"items":[)" + list + "]}", .retry_after = {}};
  }

  std::expected<live::ApiResponse, std::string> answer(const live::ApiRequest& request) {
    const std::string path = request.path.substr(0, request.path.find('?'));
    if (path.ends_with("accessreviews")) {
      bodies.push_back(request.body);
      const bool no = std::ranges::any_of(denied, [&](const std::string& resource) {
        return request.body.contains("\"resource\":\"" + resource + "\"");
      });
      return live::ApiResponse{
          .status = 201, .body = std::format(R"({{"status":{{"allowed":{}}}}})", !no), .retry_after = {}};
    }
    const auto found = answers.find(path);
    if (found == answers.end())
      return live::ApiResponse{.status = 404, .body = R"({"message":"not found"})", .retry_after = {}};
    return found->second;
  }
};

struct Examined {
  std::vector<Diagnosis> all;
  std::optional<std::string> wrong;

  const Diagnosis& of(std::string_view check) const {
    const auto found = std::ranges::find(all, check, &Diagnosis::check);
    REQUIRE_MESSAGE(found != all.end(), check);
    return *found;
  }
  std::ptrdiff_t errors() const { return std::ranges::count(all, Health::kError, &Diagnosis::health); }
};

LoadedRules today() {
  return load_rules("rules", "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n",
                    {})
      .value();
}

Examined examine(FakeServer& server, const DoctorSetup& setup, const std::string& user = "",
                 WallTime now = kNow, const SchedulerFile* file = nullptr) {
  const LoadedRules rules = today();
  const AskServer ask = [&](const live::ApiRequest& request) { return server.answer(request); };
  Diagnoses found;
  auto wrong = examine_cluster(
      {.ask = ask, .setup = setup, .rules = rules, .file = file, .user = user, .now = now}, found);
  return {found.all(), std::move(wrong)};
}

const DoctorSetup kNominator{.start = {}, .nominate = true};

TEST_SUITE("doctor: the cluster") {
  TEST_CASE("a sound cluster has no errors") {
    FakeServer server;
    const Examined sound = examine(server, kNominator);
    CHECK_FALSE(sound.wrong);
    CHECK(sound.errors() == 0);
    CHECK(sound.of("api-server").what == "answers to system:serviceaccount:kube-system:winnow");
    CHECK(sound.of("rights").what.contains("may do all that Winnow asks for"));
    CHECK(sound.of("clock").health == Health::kOk);
    CHECK(sound.of("version").what == "the cluster is of 1.37");
    CHECK(sound.of("nominators").what == "one Winnow nominates: kube-system/winnow-nominator by pod-1");
    CHECK(sound.of("gated-pods").what == "no pod waits for the gate winnow.dev/nominate");
    for (const Diagnosis& one : sound.all) CHECK(one.mend.empty());
  }

  TEST_CASE("a right that is missing is named, with the command that gives it") {
    FakeServer server;
    server.denied = {"persistentvolumes"};
    const Examined examined = examine(server, {});
    CHECK(examined.errors() == 1);
    CHECK(examined.of("rights").what ==
          "system:serviceaccount:kube-system:winnow may not list persistentvolumes, watch persistentvolumes "
          "(for the "
          "rules)");
    CHECK(examined.of("rights").mend ==
          "kubectl create clusterrolebinding NAME --clusterrole=winnow --serviceaccount=kube-system:winnow  "
          "# the "
          "role stands in manifests/rbac.yaml");
  }

  TEST_CASE("exactly the rights that flags need are asked about, each with its role") {
    struct Row {
      DoctorSetup setup;
      const char* resource;
      const char* role;
    };
    const Row rows[] = {
        {{.start = {.enable_bind = true}}, "binding", "--clusterrole=winnow-bind"},
        {{.start = {}, .nominate = true}, "status", "--clusterrole=winnow-nominator"},
        {{.start = {}, .nominate = true},
         "leases",
         "kubectl -n kube-system create rolebinding NAME --role=winnow-nominator-lease"},
        {{.start = {}, .discovers = true},
         "endpointslices",
         "kubectl -n default create rolebinding NAME --role=winnow-api-servers"},
        {{.start = {}, .reviews_tokens = true}, "tokenreviews", "--clusterrole=system:auth-delegator"},
    };
    for (const Row& row : rows) {
      CAPTURE(row.resource);
      const auto needed = rights_needed(today(), row.setup);
      const auto found = std::ranges::find_if(needed, [&](const NeededRights& one) {
        return std::ranges::any_of(one.rights, [&](const Right& right) {
          return right.resource == row.resource || right.subresource == row.resource;
        });
      });
      REQUIRE(found != needed.end());
      CHECK(command_to_grant(*found, "jane").contains(row.role));
      CHECK(command_to_grant(*found, "jane").contains("--user=jane"));
      CHECK(rights_needed(today(), {}).size() == 1);
    }
    DoctorSetup gate{.start = {}, .nominate = true};
    const std::size_t without = rights_needed(today(), gate).size();
    gate.removes_gate = true;
    CHECK(rights_needed(today(), gate).size() == without + 1);
    CHECK(rights_needed(today(), gate).back().role == "winnow-nominator-gate");
  }

  TEST_CASE("the rights of somebody else are asked about by name") {
    FakeServer server;
    examine(server, {}, "system:serviceaccount:ops:winnow");
    REQUIRE_FALSE(server.bodies.empty());
    for (const std::string& body : server.bodies) {
      CHECK(body.contains(R"("kind":"SubjectAccessReview")"));
      CHECK(body.contains(R"("user":"system:serviceaccount:ops:winnow")"));
      CHECK(body.contains(R"("system:serviceaccounts:ops")"));
    }
    server.bodies.clear();
    examine(server, {});
    for (const std::string& body : server.bodies) CHECK(body.contains(R"("kind":"SelfSubjectAccessReview")"));
  }

  TEST_CASE("clocks that differ") {
    for (const int seconds : {-3600, -6, 6, 90}) {
      FakeServer server;
      const Examined examined = examine(server, {}, "", kNow + std::chrono::seconds(seconds));
      CAPTURE(seconds);
      CHECK(examined.of("clock").health == Health::kError);
      CHECK(examined.of("clock").what.contains(
          std::format("{} s {} the API server", std::abs(seconds), seconds > 0 ? "ahead of" : "behind")));
    }
    FakeServer server;
    CHECK(examine(server, {}, "", kNow + std::chrono::seconds(5)).of("clock").health == Health::kOk);
  }

  TEST_CASE("versions") {
    FakeServer server;
    server.answers["/version"].body = R"({"gitVersion":"v1.39.0"})";
    CHECK(examine(server, {}).of("version").health == Health::kWarning);
    server.answers["/version"].body = R"({"gitVersion":"v1.35.4"})";
    DoctorSetup gate = kNominator;
    gate.removes_gate = true;
    CHECK(examine(server, gate).of("version").health == Health::kError);
    CHECK(examine(server, kNominator).of("version").health == Health::kOk);
    server.answers["/version"].body = "no JSON";
    CHECK(examine(server, {}).of("version").health == Health::kSkipped);
  }

  TEST_CASE("a file for 1.38 beside 1.37: nobody preempts") {
    FakeServer server;
    const SchedulerFile file{
        "s.yaml",
        read_scheduler_setup("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
                             "profiles: [{plugins: {filter: {disabled: [{name: NodePorts}]}}}]\n")
            .value()};
    const Examined old = examine(server, {}, "", kNow, &file);
    CHECK(old.errors() == 1);
    const auto found = std::ranges::find(old.all, Health::kError, &Diagnosis::health);
    CHECK(found->what ==
          "s.yaml: profiles[0]: NodePorts is disabled, and kube-scheduler 1.37 preempts for nobody "
          "without it");
    CHECK(found->mend == "winnow configure --way best --for 1.37");
    server.answers["/version"].body = R"({"gitVersion":"v1.38.0"})";
    CHECK(examine(server, {}, "", kNow, &file).errors() == 0);
  }

  TEST_CASE("nominators: none, one, two, and one that has ended") {
    using std::chrono::seconds;
    FakeServer server;
    const std::string path = "/apis/coordination.k8s.io/v1/leases";
    server.items(path, "");
    CHECK(examine(server, kNominator).of("nominators").what.contains("nobody holds a Lease"));
    server.items(path, lease("kube-system", "winnow-nominator", seconds(-31)));
    CHECK(examine(server, kNominator).of("nominators").health == Health::kError);
    server.items(path, lease("kube-system", "winnow-nominator", seconds(-29)) + "," +
                           lease("kube-system", "kube-scheduler", seconds(-1)));
    CHECK(examine(server, kNominator).of("nominators").health == Health::kOk);
    server.items(path, lease("kube-system", "winnow-nominator", seconds(-1)) + "," +
                           lease("ops", "winnow-nominator", seconds(-3)));
    const Examined two = examine(server, kNominator);
    CHECK(two.of("nominators").health == Health::kError);
    CHECK(two.of("nominators").what.contains("two Winnows nominate"));
    CHECK(two.of("nominators").what.contains("ops/winnow-nominator by pod-1"));
    CHECK_FALSE(std::ranges::contains(examine(server, {}).all, "nominators", &Diagnosis::check));

    server.answers[path] = {.status = 403, .body = R"({"message":"leases is forbidden"})", .retry_after = {}};
    CHECK(examine(server, kNominator).of("nominators").health == Health::kSkipped);
    server.answers["/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/winnow-nominator"] = {
        .status = 200, .body = lease("kube-system", "winnow-nominator", seconds(-1)), .retry_after = {}};
    CHECK(examine(server, kNominator).of("nominators").what.contains("are not shown"));
  }

  TEST_CASE("pods that wait for a gate that nobody removes") {
    using std::chrono::seconds;
    FakeServer server;
    server.items("/api/v1/pods", pod("young", "winnow.dev/nominate", seconds(-30)) + "," +
                                     pod("other", "example.com/x", seconds(-900)));
    CHECK(examine(server, {}).of("gated-pods").health == Health::kOk);
    server.items("/api/v1/pods", pod("old", "winnow.dev/nominate", seconds(-31)) + "," +
                                     pod("older", "winnow.dev/nominate", seconds(-300)));
    const Examined held = examine(server, {});
    CHECK(held.of("gated-pods").health == Health::kWarning);
    CHECK(held.of("gated-pods")
              .what.starts_with("2 pods have waited for the gate winnow.dev/nominate for more than "
                                "30 s, default/older the longest"));
    server.items("/apis/coordination.k8s.io/v1/leases", "");
    const Examined nobody = examine(server, {});
    CHECK(nobody.of("gated-pods").health == Health::kError);
    CHECK(nobody.of("gated-pods")
              .mend.starts_with("start the nominator with --nominate-gate=winnow.dev/nominate"));
    DoctorSetup other;
    other.gate = "example.com/x";
    CHECK(examine(server, other).of("gated-pods").health == Health::kOk);
  }

  TEST_CASE("pods come in pages") {
    FakeServer server;
    std::size_t asked = 0;
    const LoadedRules rules = today();
    const AskServer ask =
        [&](const live::ApiRequest& request) -> std::expected<live::ApiResponse, std::string> {
      if (!request.path.starts_with("/api/v1/pods")) return server.answer(request);
      const bool is_second = request.path.contains("&continue=a%2Fb");
      ++asked;
      return live::ApiResponse{
          .status = 200,
          .body = is_second
                      ? R"({"items":[)" + pod("p", "winnow.dev/nominate", std::chrono::seconds(-99)) + "]}"
                      : R"({"metadata":{"continue":"a/b"},"items":[]})",
          .retry_after = {}};
    };
    Diagnoses found;
    CHECK_FALSE(examine_cluster(
        {.ask = ask, .setup = {}, .rules = rules, .file = nullptr, .user = "", .now = kNow}, found));
    CHECK(asked == 2);
    CHECK(std::ranges::any_of(
        found.all(), [](const Diagnosis& one) { return one.what.contains("default/p the longest"); }));
  }

  TEST_CASE("no answer, and credentials that are refused, are one line") {
    FakeServer server;
    const std::string path = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
    server.answers[path] = {
        .status = 401, .body = R"({"kind":"Status","message":"Unauthorized"})", .retry_after = {}};
    CHECK(examine(server, {}).wrong == "the API server: 401: Unauthorized");
    server.answers[path] = {.status = 200, .body = "<html>", .retry_after = {}};
    CHECK(examine(server, {}).wrong->starts_with("the API server does not say who asks"));
    const LoadedRules rules = today();
    const AskServer dead = [](const live::ApiRequest&) -> std::expected<live::ApiResponse, std::string> {
      return std::unexpected("https://x: Connection refused");
    };
    Diagnoses found;
    CHECK(examine_cluster(
              {.ask = dead, .setup = {}, .rules = rules, .file = nullptr, .user = "", .now = kNow}, found) ==
          "the API server: https://x: Connection refused");
  }

  TEST_CASE("what an answer says, whatever it is") {
    CHECK(said_in_status(R"({"kind":"Status","message":"pods is forbidden\nat all"})") ==
          "pods is forbidden at all");
    CHECK(said_in_status("<html>no</html>") == "<html>no</html>");
    for (const char* nothing : {"", " ", "\n", R"({"message":""})"})
      CHECK_MESSAGE(!said_in_status(nothing).empty(), nothing);
    CHECK(said_in_status("") == "no reason is given");
  }

  TEST_CASE("times") {
    CHECK(read_time("2026-03-04T05:06:07.123456Z") == kNow);
    for (const char* wrong : {"", "2026-03-04", "2026-13-04T05:06:07Z", "2026-03-04 05:06:07Z",
                              "2026-03-04T05:06:07", "2026-03-04T05:06:07+01:00"})
      CHECK_FALSE(read_time(wrong));
  }
}

}  // namespace
}  // namespace winnow::test
