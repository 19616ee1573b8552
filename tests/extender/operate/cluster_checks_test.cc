// winnow doctor about a live cluster: each fault is planted in what the API server answers, and is named with
// what mends it.
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <format>
#include <map>
#include <set>
#include <string>

#include "cluster/api/kinds.h"
#include "cluster/text/json_document.h"
#include "extender/config/extenders.h"
#include "extender/config/rules.h"
#include "extender/operate/api_answers.h"
#include "extender/operate/diagnosis.h"
#include "extender/operate/doctor.h"
#include "extender/operate/rights.h"
#include "tests/extender/service/running_server.h"

namespace winnow::test::cluster_checks_test {
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

std::string lease_of(const std::string& ns, const std::string& name) {
  return lease(ns, name, std::chrono::seconds(-1));
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
  const auto ask = [&](const live::ApiRequest& request) { return server.answer(request); };
  Diagnoses found;
  auto wrong = examine_cluster(
      {.ask = ask, .setup = setup, .rules = rules, .file = file, .user = user, .now = [now] { return now; }},
      found);
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

  TEST_CASE("rights that a role lacks are named, with the command that adds them") {
    FakeServer server;
    server.denied = {"persistentvolumes", "csinodes"};
    const Examined examined = examine(server, {});
    CHECK(examined.errors() == 1);
    CHECK(examined.of("rights").what.starts_with(
        "system:serviceaccount:kube-system:winnow may not list persistentvolumes, watch "
        "persistentvolumes, "));
    CHECK(examined.of("rights").what.ends_with(" (for the rules)"));
    const std::string& mend = examined.of("rights").mend;
    CHECK(
        mend.starts_with("kubectl patch clusterrole winnow --type=json "
                         R"(-p='[{"op":"add","path":"/rules/-","value":{"apiGroups":[""],)"
                         R"("resources":["persistentvolumes"],"verbs":["list","watch"]}},{"op":"add",)"));
    CHECK(mend.contains(R"({"apiGroups":["storage.k8s.io"],"resources":["csinodes"],)"
                        R"("verbs":["list","watch"]}}]'  # or, if it is not bound to the role: )"
                        "kubectl create clusterrolebinding winnow:kube-system:winnow --clusterrole=winnow "
                        "--serviceaccount=kube-system:winnow"));
    const std::size_t begin = mend.find('[');
    CHECK(load_document(mend.substr(begin, mend.find('\'', begin) - begin)));
  }

  TEST_CASE("a right that Winnow does without is a warning, and the role gets it") {
    FakeServer server;
    server.denied = {"deviceclasses"};
    const Examined examined = examine(server, {});
    CHECK(examined.errors() == 0);
    CHECK(examined.of("rights").health == Health::kWarning);
    CHECK(examined.of("rights").what ==
          "system:serviceaccount:kube-system:winnow may not list deviceclasses.resource.k8s.io, watch "
          "deviceclasses.resource.k8s.io (for devices, and classes of new pods)");
    CHECK(examined.of("rights").mend.starts_with("kubectl patch clusterrole winnow --type=json "));
  }

  TEST_CASE("each kind that Winnow does without and its rules read is asked about, and has its command") {
    const WatchedKinds read = needed(today().sets) | needs::kClasses;
    int asked_about = 0;
    for (const ResourceKind kind : kAllKinds) {
      const KindInfo& info = info_of(kind);
      if (info.presence != kOptional || !read.has(kind)) continue;
      ++asked_about;
      CAPTURE(info.kind);
      FakeServer server;
      server.denied = {std::string(info.resource)};
      const Examined examined = examine(server, {});
      CHECK(examined.errors() == 0);
      CHECK(examined.of("rights").health == Health::kWarning);
      const std::string full = std::format("{}.{}", info.resource, group_of(info.api_version));
      CHECK(examined.of("rights").what.contains(std::format("may not list {}, watch {} (for ", full, full)));
      CHECK(examined.of("rights").mend.contains(
          std::format(R"("value":{{"apiGroups":["{}"],"resources":["{}"],"verbs":["list","watch"]}})",
                      group_of(info.api_version), info.resource)));
    }
    CHECK(asked_about >= 3);
  }

  TEST_CASE("who has none of a role's rights is bound to it") {
    FakeServer server;
    server.denied = {"leases"};
    const Examined examined = examine(server, kNominator, "jane");
    CHECK(examined.errors() == 1);
    CHECK(examined.of("rights").what ==
          "jane may not get leases.coordination.k8s.io winnow-nominator in kube-system, update "
          "leases.coordination.k8s.io winnow-nominator in kube-system (for --leader-elect)");
    CHECK(examined.of("rights").mend ==
          "kubectl -n kube-system create rolebinding winnow-nominator-lease:jane "
          "--role=winnow-nominator-lease --user=jane  # the role stands in manifests/nominator.yaml");
  }

  TEST_CASE("a user's name is one word of the command, whatever it is") {
    const auto needed = rights_needed(today(), {}, "x; rm -rf ~");
    CHECK(command_to_grant(needed.front(), "x; rm -rf ~")
              .starts_with("kubectl create clusterrolebinding winnow:x--rm--rf-- --clusterrole=winnow "
                           "--user='x; rm -rf ~'  # "));
    DoctorSetup odd = kNominator;
    odd.lease_name = R"(a"],"verbs":["*)";
    const NeededRights lease = rights_needed(today(), odd, "jane").back();
    CHECK(command_to_mend(lease, {lease.rights.front()}, "jane")
              .contains(R"("resourceNames":["a\"],\"verbs\":[\"*"],"verbs":["get"])"));
  }

  TEST_CASE("a binding has the name of no binding in the manifests, and one for each account") {
    const std::string account = "system:serviceaccount:kube-system:winnow";
    const std::string there = read_file(std::string(WINNOW_ROOT) + "/manifests/nominator.yaml");
    CHECK(there.contains("\n  name: winnow-nominator-winnow\n"));
    for (const NeededRights& needed : rights_needed(today(), kNominator, account)) {
      const std::string command = command_to_grant(needed, account);
      CHECK(command.contains(std::format("binding {}:kube-system:winnow --", needed.role)));
      CHECK(command != command_to_grant(needed, "system:serviceaccount:ops:winnow"));
    }
  }

  TEST_CASE("a binding has no name that Kubernetes keeps for itself") {
    const auto needed = rights_needed(today(), {.start = {}, .reviews_tokens = true}, "jane");
    CHECK(command_to_grant(needed.back(), "jane") ==
          "kubectl create clusterrolebinding system-auth-delegator:jane "
          "--clusterrole=system:auth-delegator --user=jane");
  }

  TEST_CASE("a right to one object is asked about by its name, for roles grant it by name") {
    const auto needed = rights_needed(today(), {.start = {}, .discovers = true}, "jane");
    for (const Right& right : needed.back().rights) CHECK(right.name == "kubernetes");
    CHECK(review_body(needed.back().rights.front(), "").contains(R"("name":"kubernetes")"));
  }

  TEST_CASE("the Lease is where the flags or the service account say") {
    DoctorSetup setup = kNominator;
    CHECK(lease_namespace(setup, "jane") == "kube-system");
    CHECK(lease_namespace(setup, "system:serviceaccount:ops:winnow") == "ops");
    setup.lease_namespace = "here";
    setup.lease_name = "mine";
    CHECK(lease_namespace(setup, "system:serviceaccount:ops:winnow") == "here");
    const NeededRights lease = rights_needed(today(), setup, "jane").back();
    CHECK(lease.role_ns == "here");
    CHECK(lease.rights.front().name == "mine");
    FakeServer server;
    server.items("/apis/coordination.k8s.io/v1/leases", lease_of("here", "mine"));
    CHECK(examine(server, setup).of("nominators").what == "one Winnow nominates: here/mine by pod-1");
    server.items("/apis/coordination.k8s.io/v1/leases", "");
    CHECK(examine(server, setup).of("nominators").what ==
          "nobody holds a Lease here/mine: no pod is nominated");
    setup.elects = false;
    CHECK(examine(server, setup).of("nominators").health == Health::kSkipped);
    CHECK(rights_needed(today(), setup, "jane").back().role == "winnow-nominator");
  }

  TEST_CASE("without events no right to write them is needed") {
    DoctorSetup setup = kNominator;
    FakeServer server;
    server.denied = {"events"};
    CHECK(examine(server, setup).errors() == 1);
    setup.writes_events = false;
    CHECK(examine(server, setup).errors() == 0);
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
        {{.start = {.answer = AnswerMode::kBest}}, "status", "--clusterrole=winnow-nominate-refused"},
        {{.start = {}, .nominate = true},
         "leases",
         "kubectl -n kube-system create rolebinding winnow-nominator-lease:jane "
         "--role=winnow-nominator-lease"},
        {{.start = {}, .discovers = true},
         "endpointslices",
         "kubectl -n default create rolebinding winnow-api-servers:jane --role=winnow-api-servers"},
        {{.start = {}, .reviews_tokens = true}, "tokenreviews", "--clusterrole=system:auth-delegator"},
        {{.start = {}, .asks_metrics_server = true}, "metrics.k8s.io", "--clusterrole=winnow-node-metrics"},
    };
    for (const Row& row : rows) {
      CAPTURE(row.resource);
      const auto needed = rights_needed(today(), row.setup, "jane");
      const auto found = std::ranges::find_if(needed, [&](const NeededRights& one) {
        return std::ranges::any_of(one.rights, [&](const Right& right) {
          return right.resource == row.resource || right.subresource == row.resource ||
                 right.group == row.resource;
        });
      });
      REQUIRE(found != needed.end());
      CHECK(command_to_grant(*found, "jane").contains(row.role));
      CHECK(command_to_grant(*found, "jane").contains("--user=jane"));
      CHECK(rights_needed(today(), {}, "jane").size() == 2);
    }
    DoctorSetup gate{.start = {}, .nominate = true};
    const std::size_t without = rights_needed(today(), gate, "jane").size();
    gate.removes_gate = true;
    CHECK(rights_needed(today(), gate, "jane").size() == without + 1);
    CHECK(rights_needed(today(), gate, "jane").back().role == "winnow-nominator-gate");
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

  TEST_CASE("an API server that answers late has no clock that differs") {
    FakeServer server;
    WallTime here = kNow - std::chrono::seconds(9);
    const LoadedRules rules = today();
    const auto slow = [&](const live::ApiRequest& request) {
      here += std::chrono::seconds(9);
      return server.answer(request);
    };
    Diagnoses found;
    CHECK_FALSE(examine_cluster(
        {.ask = slow, .setup = {}, .rules = rules, .file = nullptr, .user = "", .now = [&] { return here; }},
        found));
    CHECK(Examined{found.all(), {}}.of("clock").health == Health::kOk);
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
    CHECK(found->mend == "remove NodePorts from plugins.filter.disabled");
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
    CHECK(examine(server, kNominator)
              .of("nominators")
              .what.ends_with(" (Leases of other names and namespaces are not shown)"));
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

  TEST_CASE("places that are held for pods that kube-scheduler does not try") {
    using std::chrono::seconds;
    const auto nominated = [](const std::string& name, const std::string& by, seconds since,
                              const std::string& reason = "SchedulingGated") {
      return std::format(
          R"({{"metadata":{{"namespace":"default","name":"{0}","uid":"{0}","managedFields":[{{"manager":"{1}",
              "time":"{2}","fieldsV1":{{"f:status":{{"f:nominatedNodeName":{{}}}}}}}}]}},
              "spec":{{"containers":[{{"resources":{{"requests":{{"cpu":"3"}}}}}}]}},
              "status":{{"nominatedNodeName":"node-2","conditions":[{{"type":"PodScheduled","status":"False",
              "reason":"{3}"}}]}}}})",
          name, by, at(since), reason);
    };
    FakeServer server;
    const std::string well = nominated("young", "winnow-nominator", seconds(-30)) + "," +
                             nominated("tried", "winnow-nominator", seconds(-900), "Unschedulable") + "," +
                             nominated("preempts", "kube-scheduler", seconds(-900));
    server.items("/api/v1/pods", well);
    CHECK(examine(server, {}).of("held-places").health == Health::kOk);
    server.items("/api/v1/pods", well + "," + nominated("g0", "winnow-nominator", seconds(-40)));
    const Examined led = examine(server, {});
    CHECK(led.of("held-places").health == Health::kWarning);
    CHECK(led.of("held-places").what ==
          "3 cpu on node-2 are held for default/g0, nominated 40 s ago, never tried");
    server.items("/apis/coordination.k8s.io/v1/leases", "");
    const Examined alone = examine(server, {});
    CHECK(alone.of("held-places").health == Health::kError);
    CHECK(alone.of("held-places").mend == "winnow withdraw");
    std::string many;
    for (int i = 0; i < 9; ++i)
      many += (i == 0 ? "" : ",") + nominated(std::format("g{}", i), "winnow-nominator", seconds(-40 - i));
    server.items("/api/v1/pods", many);
    CHECK(
        examine(server, {}).of("held-places").what.starts_with("3 cpu on node-2 are held for default/g8, "));
    CHECK(examine(server, {}).of("held-places").what.contains("; and 6 more; and no Winnow is seen"));
    server.answers.erase("/api/v1/pods");
    CHECK(examine(server, {}).of("held-places").health == Health::kSkipped);
  }

  TEST_CASE("Leases come in pages, and those of nodes are left out") {
    FakeServer server;
    const LoadedRules rules = today();
    bool is_endless = false;
    const auto ask = [&](const live::ApiRequest& request) -> std::expected<live::ApiResponse, std::string> {
      if (!request.path.starts_with("/apis/coordination.k8s.io/v1/leases")) return server.answer(request);
      CHECK(request.path.contains("fieldSelector=metadata.namespace%21%3Dkube-node-lease"));
      const bool is_second = request.path.contains("&continue=a%2Fb");
      const std::string next = is_second && !is_endless ? "" : "a/b";
      return live::ApiResponse{
          .status = 200,
          .body = std::format(R"({{"metadata":{{"continue":"{}"}},"items":[{}]}})", next,
                              next.empty() ? lease_of("kube-system", "winnow-nominator") : ""),
          .retry_after = {}};
    };
    const ClusterQuestions asked{
        .ask = ask, .setup = kNominator, .rules = rules, .file = nullptr, .user = "", .now = [] {
          return kNow;
        }};
    Diagnoses found;
    CHECK_FALSE(examine_cluster(asked, found));
    CHECK(Examined{found.all(), {}}.of("nominators").what ==
          "one Winnow nominates: kube-system/winnow-nominator by pod-1");
    is_endless = true;
    Diagnoses endless;
    CHECK_FALSE(examine_cluster(asked, endless));
  }

  TEST_CASE("a Lease that lasts longer than time itself") {
    const auto leases = read_leases(
        R"({"items":[{"metadata":{"name":"x"},"spec":{"holderIdentity":"x",
            "leaseDurationSeconds":9223372036854775807,"renewTime":"2026-03-04T05:06:07Z"}}]})");
    REQUIRE(leases.size() == 1);
    CHECK(leases.front().duration == std::chrono::seconds(2'147'483'647));
  }

  TEST_CASE("pods without end are not said to wait for no gate") {
    FakeServer server;
    server.answers["/api/v1/pods"].body = R"({"metadata":{"continue":"more"},"items":[]})";
    CHECK(examine(server, {}).of("gated-pods").health == Health::kSkipped);
  }

  TEST_CASE("pods come in pages") {
    FakeServer server;
    std::size_t asked = 0;
    const LoadedRules rules = today();
    const auto ask = [&](const live::ApiRequest& request) -> std::expected<live::ApiResponse, std::string> {
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
        {.ask = ask, .setup = {}, .rules = rules, .file = nullptr, .user = "", .now = [] { return kNow; }},
        found));
    CHECK(asked == 4);  // Two pages for those with a gate, and two for those that are nominated.
    CHECK(std::ranges::any_of(
        found.all(), [](const Diagnosis& one) { return one.what.contains("default/p the longest"); }));
  }

  TEST_CASE("no answer, and credentials that are refused, are one line") {
    FakeServer server;
    const std::string path = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
    server.answers[path] = {
        .status = 401, .body = R"({"kind":"Status","message":"Unauthorized"})", .retry_after = {}};
    CHECK(examine(server, {}).wrong ==
          "the API server: 401: Unauthorized; log in anew, or choose another --kubeconfig or --context");
    server.answers[path].status = 403;
    CHECK(examine(server, {})
              .wrong->ends_with("expected the ClusterRole system:basic-user, which Kubernetes "
                                "binds to all users"));
    server.answers[path].status = 404;
    CHECK(examine(server, {}).wrong->ends_with("expected kube-apiserver 1.28 or later there"));
    server.answers[path].status = 503;
    CHECK(examine(server, {}).wrong->ends_with("ask again, or ask another API server by --master"));
    server.answers[path] = {.status = 200, .body = "<html>", .retry_after = {}};
    CHECK(examine(server, {}).wrong->starts_with("the API server does not say who asks"));
    const LoadedRules rules = today();
    const auto dead = [](const live::ApiRequest&) -> std::expected<live::ApiResponse, std::string> {
      return std::unexpected("https://x: Connection refused");
    };
    Diagnoses found;
    CHECK(examine_cluster({.ask = dead,
                           .setup = {},
                           .rules = rules,
                           .file = nullptr,
                           .user = "",
                           .now = [] { return kNow; }},
                          found) ==
          "the API server: https://x: Connection refused; 'kubectl cluster-info' tells whether it can be "
          "reached");
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
                              "2026-03-04T05:06:07", "2026-03-04T05:06:07+01:00", "9999-12-31T23:59:59Z",
                              "2026-03-04T24:00:00Z", "2026-03-04T2000000000:00:00Z"})
      CHECK_FALSE(read_time(wrong));
  }
}

}  // namespace
}  // namespace winnow::test::cluster_checks_test
