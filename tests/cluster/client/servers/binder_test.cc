// The table of bind's answers: whatever happens between us and the API servers, the pod is bound at most
// once, and the answer says what is true.
#include "cluster/client/servers/binder.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <thread>

#include "cluster/client/servers/api_servers.h"
#include "tests/cluster/client/servers/faulty_servers.h"

namespace winnow::live::binder_test {
namespace {

using std::chrono::milliseconds;
using test::FakeClock;
using test::FaultyServers;

/// One pod in etcd, behind servers that take bindings.
class FakeServers : public FaultyServers {
 public:
  explicit FakeServers(FakeClock& clock) : FaultyServers(clock) {
    missing_right = "create resource \"pods/binding\"";
  }

  std::string node, uid = "u1";
  bool exists = true, deleting = false;
  int bound = 0;

 protected:
  ApiResponse carry_out(const ApiRequest& request) override {
    return request.method == "POST" ? post(request) : get();
  }

 private:
  ApiResponse post(const ApiRequest& request) {
    if (!exists) return status(404, "pods \"web\" not found");
    const bool any_uid = request.body.contains(R"("uid":"")");  // No precondition, then.
    if (!any_uid && !request.body.contains("\"uid\":\"" + uid + "\""))
      return status(409, "Precondition failed: UID in precondition");
    if (deleting) return status(409, "pod web is being deleted, cannot be assigned to a host");
    if (!node.empty()) return status(409, "pod web is already assigned to node \"" + node + "\"");
    const auto at = request.body.find(R"("kind":"Node","name":")");
    node = request.body.substr(at + 22, request.body.find('"', at + 22) - at - 22);
    ++bound;
    return {201, R"({"kind":"Status","status":"Success"})", {}};
  }
  ApiResponse get() const {
    if (!exists) return status(404, "pods \"web\" not found");
    std::string body = R"({"kind":"Pod","metadata":{"name":"web","namespace":"default","uid":")" + uid + '"';
    if (deleting) body += R"(,"deletionTimestamp":"2026-01-01T00:00:00Z")";
    return {200, body + R"(},"spec":{"nodeName":")" + node + "\"}}", {}};
  }
};

using Fault = FakeServers::Fault;

struct Bed {
  explicit Bed(std::vector<std::string> urls = {"https://one", "https://two"})
      : servers(std::move(urls), clock) {}

  FakeClock clock;
  FakeServers api{clock};
  ApiServers servers;
  Binder binder{servers, api, clock};

  BindResult bind(const std::string& node = "a", const std::string& uid = "u1") {
    return binder.bind({"default", "web", uid, node}, clock.now() + milliseconds(4500), {});
  }
};

TEST_SUITE("binder") {
  TEST_CASE("whatever the servers do, a free pod is bound once and the answer is success") {
    struct Row {
      const char* what;
      std::deque<Fault> faults;
    };
    const Row rows[] = {
        {"all is well", {}},
        {"a server cannot be reached", {Fault::kUnreachable}},
        {"the request is lost", {Fault::kRequestLost}},
        {"the answer is lost", {Fault::kAnswerLost}},
        {"the answer comes too late", {Fault::kLate}},
        {"a server in trouble", {Fault::k500}},
        {"a server that is asked too much", {Fault::k429, Fault::k429}},
        {"one that asks for more patience than there is", {Fault::k429Long}},
        {"a token that has just run out", {Fault::k401}},
        {"and a look that is refused for it", {Fault::kRequestLost, Fault::k401}},
        {"a pod that may not be looked at", {Fault::kRequestLost, Fault::k403}},
        {"the answer is lost, and the server that is asked then is away",
         {Fault::kAnswerLost, Fault::kUnreachable}},
        {"request lost, look lost, answer lost",
         {Fault::kRequestLost, Fault::kRequestLost, Fault::kNone, Fault::kAnswerLost}},
    };
    for (const Row& row : rows) {
      CAPTURE(row.what);
      Bed bed;
      bed.api.faults = row.faults;
      const BindResult result = bed.bind();
      CHECK(result.bound());
      CHECK(result.error == "");
      CHECK(bed.api.node == "a");
      CHECK(bed.api.bound == 1);
    }
  }

  TEST_CASE(
      "a pod that cannot be bound is answered with the API server's reason, whatever was lost on the way") {
    struct Row {
      const char* what;
      void (*prepare)(FakeServers&);
      BindOutcome outcome;
      const char* error;
    };
    const Row rows[] = {
        {"bound to the same node already: success", [](FakeServers& api) { api.node = "a"; },
         BindOutcome::kAlreadyBound, ""},
        {"bound to another", [](FakeServers& api) { api.node = "b"; }, BindOutcome::kConflict,
         "pod default/web is already assigned to node \"b\""},
        {"another pod of that name", [](FakeServers& api) { api.uid = "u2"; }, BindOutcome::kConflict,
         "pod default/web is another pod now: its UID is u2, not u1"},
        {"being deleted", [](FakeServers& api) { api.deleting = true; }, BindOutcome::kConflict,
         "pod default/web is being deleted, cannot be assigned to a host"},
        {"gone", [](FakeServers& api) { api.exists = false; }, BindOutcome::kNotFound,
         "pods \"web\" not found"},
    };
    const std::deque<Fault> losses[] = {{},
                                        {Fault::kUnreachable},
                                        {Fault::kAnswerLost},
                                        {Fault::kRequestLost},
                                        {Fault::k500},
                                        {Fault::kLate}};
    for (const Row& row : rows)
      for (const std::deque<Fault>& lost : losses) {
        CAPTURE(row.what);
        CAPTURE(lost.size());
        Bed bed;
        row.prepare(bed.api);
        bed.api.faults = lost;
        const BindResult result = bed.bind();
        CHECK(to_string(result.outcome) == to_string(row.outcome));
        CHECK(result.error == row.error);
        CHECK(bed.api.bound == 0);
      }
  }

  TEST_CASE("where it cannot be told whether a binding was carried out, the answer says so") {
    struct Row {
      const char* what;
      std::deque<Fault> faults;
      const char* error;
    };
    const Row rows[] = {
        {"bound, answer lost; sent again: a conflict, and nobody says with whom",
         {Fault::kAnswerLost, Fault::k403, Fault::kNone, Fault::k403},
         "pod web is already assigned to node \"a\""},
        {"bound, answer lost; sent again: refused",
         {Fault::kAnswerLost, Fault::k403, Fault::k403},
         "not allowed: pods \"web\" is forbidden"},
        {"bound, answer lost; then the token is revoked",
         {Fault::kAnswerLost, Fault::k401, Fault::k401, Fault::k401, Fault::k401},
         "the API server refuses Winnow's credentials: 401 Unauthorized"},
    };
    for (const Row& row : rows) {
      CAPTURE(row.what);
      Bed bed;
      bed.api.faults = row.faults;
      const BindResult result = bed.bind();
      CHECK(to_string(result.outcome) == "unknown");
      CHECK(result.error == row.error);
      CHECK(bed.api.bound == 1);
    }
  }

  TEST_CASE("a conflict whose look fails until the end is not known to be one") {
    Bed bed;
    bed.api.node = "b";
    bed.api.faults = {Fault::kNone};
    for (int i = 0; i < 100; ++i) bed.api.faults.push_back(Fault::k500);
    const BindResult result = bed.bind();
    CHECK(to_string(result.outcome) == "unknown");
    CHECK(result.error == "pod web is already assigned to node \"b\"");
  }

  TEST_CASE("a refusal is one where nothing was in doubt") {
    struct Row {
      Fault fault;
      const char* outcome;
      const char* error;
    };
    for (const Row& row : {Row{Fault::k422, "refused", "Pod \"web\" is invalid"},
                           Row{Fault::k403, "denied", "not allowed: pods \"web\" is forbidden"}}) {
      CAPTURE(row.outcome);
      Bed bed;
      bed.api.faults = {row.fault};
      const BindResult result = bed.bind();
      CHECK(to_string(result.outcome) == row.outcome);
      CHECK(result.error == row.error);
      bed.api.faults = {Fault::kRequestLost, Fault::kNone, row.fault};  // The look saw a free pod.
      CHECK(to_string(bed.bind().outcome) == row.outcome);
      CHECK(bed.api.bound == 0);
    }
  }

  TEST_CASE("revoked credentials: each server is asked, one of them again, and the answer comes at once") {
    struct Row {
      const char* what;
      std::vector<std::string> servers;
      std::size_t requests;
    };
    const Row rows[] = {
        {"one server", {"https://one"}, 2},
        {"two", {"https://one", "https://two"}, 3},
        {"three", {"https://one", "https://two", "https://three"}, 4},
    };
    for (const Row& row : rows) {
      CAPTURE(row.what);
      Bed bed(row.servers);
      bed.api.refusing = row.servers;
      const auto start = bed.clock.now();
      const BindResult result = bed.bind();
      CHECK(to_string(result.outcome) == "denied");
      CHECK(result.error == "the API server refuses Winnow's credentials: 401 Unauthorized");
      CHECK(bed.clock.now() == start);
      CHECK(bed.api.asked.size() == row.requests);
      for (const std::string& server : row.servers)
        CHECK(std::ranges::contains(bed.api.asked, "POST " + server));
    }
  }

  TEST_CASE("one server that refuses our credentials stops nobody where another takes them") {
    Bed bed({"https://one", "https://two", "https://three"});
    bed.api.refusing = {"https://one", "https://three"};
    for (int i = 0; i < 5; ++i) {
      bed.api.node = "";
      CHECK(bed.bind().bound());
    }
    CHECK(bed.api.bound == 5);
    CHECK(bed.binder.denied() == "");
  }

  TEST_CASE(
      "a server that has just started denies every right, and stops nobody where another knows better") {
    Bed bed;
    for (const char* const server : {"https://one", "https://two"}) {
      CAPTURE(server);
      bed.api.starting = {server};
      bed.api.node = "";
      const auto start = bed.clock.now();
      CHECK(to_string(bed.bind().outcome) == "bound");
      CHECK(bed.clock.now() == start);
      CHECK(bed.binder.denied() == "");
    }
    CHECK(bed.api.bound == 2);
    SUBCASE("after an answer was lost it is not asked about the pod either") {
      bed.api.node = "";
      bed.api.faults = {Fault::kAnswerLost, Fault::kNoRight};
      CHECK(to_string(bed.bind().outcome) == "already_bound");
    }
    SUBCASE("each server says so: it is a right that is missing") {
      bed.api.starting = {"https://one", "https://two"};
      const auto asked = bed.api.asked.size();
      CHECK(to_string(bed.bind().outcome) == "denied");
      CHECK(bed.api.asked.size() == asked + 2);
      CHECK(bed.binder.denied().contains("cannot create resource \"pods/binding\""));
    }
  }

  TEST_CASE("revoked credentials, and a server that is dead: the answer comes soon") {
    Bed bed;
    bed.api.dead = "https://one";
    bed.api.refusing = {"https://two"};
    const auto start = bed.clock.now();
    CHECK(to_string(bed.bind().outcome) == "denied");
    CHECK(bed.clock.now() - start <= milliseconds(1000));
  }

  TEST_CASE("what denies every bind is told, until one is let through or there was none for long") {
    const std::string revoked = "the API server refuses Winnow's credentials (401): no binding of pods";
    Bed bed;
    CHECK(bed.binder.denied() == "");
    bed.api.refusing = {"https://one", "https://two"};
    bed.bind();
    CHECK(bed.binder.denied() == revoked);
    SUBCASE("one is let through") {
      bed.api.refusing = {};
      bed.bind();
      CHECK(bed.binder.denied() == "");
    }
    SUBCASE("the right to bind is missing") {
      bed.api.refusing = {};
      bed.api.faults = {Fault::kNoRight, Fault::kNoRight};
      bed.bind();
      CHECK(bed.binder.denied().starts_with("the API server denies Winnow a right: 403"));
      CHECK(bed.binder.denied().contains("cannot create resource \"pods/binding\""));
    }
    SUBCASE("one is not allowed, for a reason of that pod's") {
      bed.api.refusing = {};
      bed.api.faults = {Fault::k403};
      bed.bind();
      CHECK(bed.binder.denied() == "");
    }
    SUBCASE("nobody binds any more") {
      bed.clock.sleep(Denials::kReportedFor - milliseconds(1), {});
      CHECK(bed.binder.denied() == revoked);
      bed.clock.sleep(milliseconds(1), {});
      CHECK(bed.binder.denied() == "");
    }
  }

  TEST_CASE("without a UID the pod of that name is bound, whichever it is") {
    Bed bed;
    bed.api.uid = "u2";
    CHECK(to_string(bed.bind("a", "").outcome) == "bound");
    CHECK(to_string(bed.bind("a", "").outcome) == "already_bound");
    CHECK(to_string(bed.bind("b", "").outcome) == "conflict");
  }

  TEST_CASE("a server that asks for patience is left for another one at once") {
    Bed bed;
    bed.api.faults = {Fault::k429Long};
    const auto start = bed.clock.now();
    CHECK(bed.bind().bound());
    REQUIRE(bed.api.asked.size() == 2);
    CHECK(bed.api.asked[0] != bed.api.asked[1]);
    CHECK(bed.clock.now() - start <= milliseconds(50));
  }

  TEST_CASE("the only server gets its patience, and is asked again while there is time") {
    Bed bed({"https://one"});
    bed.api.faults = {Fault::k429Long};
    CHECK(bed.bind().bound());
    Bed brief({"https://one"});
    brief.api.faults = {Fault::k429};
    const auto start = brief.clock.now();
    CHECK(brief.bind().bound());
    CHECK(brief.clock.now() - start == milliseconds(1000));
  }

  TEST_CASE("while nobody can be reached, tries become rare") {
    Bed bed;
    for (int i = 0; i < 200; ++i) bed.api.faults.push_back(Fault::kUnreachable);
    CHECK(bed.bind().outcome == BindOutcome::kUnknown);
    CHECK(bed.api.asked.size() <= 10);
  }

  TEST_CASE(
      "many binds at once, one of two servers dead: each is bound, and the dead one is soon left alone") {
    Bed bed;
    bed.api.dead = "https://one";
    // All of one client: their pods have one name.
    std::atomic<int> bound = 0;
    std::vector<std::jthread> threads;
    for (int t = 0; t < 8; ++t)
      threads.emplace_back([&] {
        for (int i = 0; i < 50; ++i)
          if (bed.bind().bound()) ++bound;
      });
    threads.clear();
    CHECK(bound == 400);
    const auto dead =
        std::ranges::count_if(bed.api.asked, [](const auto& one) { return one.ends_with("one"); });
    CHECK(dead <= 8);
  }

  TEST_CASE("a second call for the same pod and node succeeds, for another node it does not") {
    Bed bed;
    CHECK(bed.bind("a").outcome == BindOutcome::kBound);
    CHECK(bed.bind("a").outcome == BindOutcome::kAlreadyBound);
    CHECK(bed.bind("b").outcome == BindOutcome::kConflict);
    CHECK(bed.api.bound == 1);
    CHECK(bed.api.node == "a");
  }

  TEST_CASE("the answer comes by the deadline, though no server has one") {
    Bed bed;
    bed.api.always_down = true;
    const auto start = bed.clock.now();
    const BindResult result = bed.bind();
    CHECK(result.outcome == BindOutcome::kUnknown);
    CHECK(result.error.ends_with("no luck"));
    CHECK(bed.clock.now() - start <= milliseconds(4500));
  }

  TEST_CASE("after a failure the other server is asked") {
    Bed bed;
    bed.api.faults = {Fault::kUnreachable};
    CHECK(bed.bind().bound());
    REQUIRE(bed.api.asked.size() == 2);
    CHECK(bed.api.asked[0] != bed.api.asked[1]);
  }

  TEST_CASE("a name from outside cannot leave its place in the path") {
    FakeClock clock;
    struct Recorder : FakeServers {
      using FakeServers::FakeServers;
      std::string path;
      std::expected<ApiResponse, TransportError> call(const std::string&, const ApiRequest& request,
                                                      milliseconds, const std::stop_token&) override {
        path = request.path;
        return ApiResponse{201, "", {}};
      }
    } api{clock};
    ApiServers servers({"https://one"}, clock);
    Binder binder(servers, api, clock);
    const BindResult result =
        binder.bind({"../../x", "a/b?c#d%", "u1", "n"}, clock.now() + milliseconds(100 + 50), {});
    CHECK(result.bound());
    CHECK(api.path == "/api/v1/namespaces/..%2F..%2Fx/pods/a%2Fb%3Fc%23d%25/binding");
  }
}

}  // namespace
}  // namespace winnow::live::binder_test
