// The table of bind's answers: whatever happens between us and the API servers, the pod is bound at most
// once, and the answer says what is true.
#include "cluster/live/binder.h"

#include <doctest/doctest.h>

#include <deque>
#include <mutex>
#include <thread>

#include "cluster/decode/json_scan.h"

namespace winnow::live {
namespace {

using Kind = TransportError::Kind;
using std::chrono::milliseconds;

/// Time that passes only while somebody waits.
class FakeClock : public Clock {
 public:
  Time now() const override {
    const std::lock_guard lock(mutex_);
    return now_;
  }
  bool sleep(Duration duration, const std::stop_token&) override {
    const std::lock_guard lock(mutex_);
    now_ += duration;
    return true;
  }

 private:
  mutable std::mutex mutex_;
  Time now_{std::chrono::hours(1)};
};

/// One pod in etcd, and servers that lose requests and answers.
class FakeServers : public ApiTransport {
 public:
  enum class Fault : std::uint8_t {
    kNone,
    kUnreachable,
    kRequestLost,
    kAnswerLost,
    kLate,
    k500,
    k429,
    kDown
  };

  explicit FakeServers(FakeClock& clock) : clock_(clock) {}

  std::string node, uid = "u1";
  bool exists = true, deleting = false;
  std::deque<Fault> faults;  ///< Of the next requests; then none.
  bool always_down = false;
  int bound = 0;
  std::vector<std::string> asked;

  std::expected<ApiResponse, TransportError> call(const std::string& server, const ApiRequest& request,
                                                  milliseconds limit, const std::stop_token&) override {
    const std::lock_guard lock(mutex_);
    asked.push_back(request.method + " " + server);
    Fault fault = always_down ? Fault::kDown : Fault::kNone;
    if (!faults.empty()) {
      fault = faults.front();
      faults.pop_front();
    }
    switch (fault) {
      case Fault::kUnreachable:
        return error(Kind::kUnreachable);
      case Fault::kRequestLost:
        return error(Kind::kBroken);
      case Fault::kDown:
        clock_.sleep(limit, {});
        return error(Kind::kTimeout);
      case Fault::k500:
        return ApiResponse{
            500, R"({"kind":"Status","status":"Failure","message":"etcd is away","code":500})", {}};
      case Fault::k429:
        return ApiResponse{429, "", std::chrono::seconds(1)};
      default:
        break;
    }
    ApiResponse answer = request.method == "POST" ? post(request) : get();
    if (fault == Fault::kAnswerLost) return error(Kind::kBroken);
    if (fault == Fault::kLate) {
      clock_.sleep(limit, {});
      return error(Kind::kTimeout);
    }
    return answer;
  }

  std::expected<ApiResponse, TransportError> stream(const std::string&, const ApiRequest&, milliseconds,
                                                    milliseconds, const OnPiece&,
                                                    const std::stop_token&) override {
    return error(Kind::kUnreachable);
  }

 private:
  static std::unexpected<TransportError> error(Kind kind) {
    return std::unexpected(TransportError{kind, "no luck"});
  }
  static ApiResponse status(int code, const std::string& message) {
    std::string body = R"({"kind":"Status","apiVersion":"v1","status":"Failure","message":)";
    append_quoted(body, message);
    return {code, body + R"(,"code":)" + std::to_string(code) + "}", {}};
  }
  ApiResponse post(const ApiRequest& request) {
    if (!exists) return status(404, "pods \"web\" not found");
    if (!request.body.contains("\"uid\":\"" + uid + "\""))
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

  FakeClock& clock_;
  std::mutex mutex_;
};

using Fault = FakeServers::Fault;

struct Bed {
  FakeClock clock;
  FakeServers api{clock};
  ApiServers servers{{"https://one", "https://two"}, clock};
  Binder binder{servers, api, clock};

  BindResult bind(const std::string& node = "a") {
    return binder.bind({"default", "web", "u1", node}, clock.now() + milliseconds(4500), {});
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
    const Binder binder(servers, api, clock);
    const BindResult result =
        binder.bind({"../../x", "a/b?c#d%", "u1", "n"}, clock.now() + milliseconds(100 + 50), {});
    CHECK(result.bound());
    CHECK(api.path == "/api/v1/namespaces/..%2F..%2Fx/pods/a%2Fb%3Fc%23d%25/binding");
  }
}

}  // namespace
}  // namespace winnow::live
