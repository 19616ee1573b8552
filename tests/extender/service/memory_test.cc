// What calls may take: memory, and bodies. And who may send them.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "cluster/memory_budget.h"
#include "extender/service/recheck.h"
#include "extender/service/scheduling/node_request.h"
#include "extender/service/verbs/routes.h"
#include "tests/extender/service/running_server.h"

namespace winnow::test {
namespace {

std::string repeated(int times, const std::function<std::string(int)>& one) {
  std::string all;
  for (int i = 0; i < times; ++i) all += (i == 0 ? "" : ",") + one(i);
  return all;
}

/// Full nodes, each of which has something that no other has.
std::string own_nodes(int count, const std::function<std::string(std::string)>& own) {
  return R"({"Pod":{"metadata":{"name":"p"},"spec":{"containers":[{"name":"c"}]}},"Nodes":{"items":[)" +
         repeated(count,
                  [&](int i) {
                    const std::string number = std::to_string(i);
                    return R"({"metadata":{"name":"m)" + number + "\"" + own(number) + "}";
                  }) +
         "]}}";
}
std::string own_labels(std::string i) { return R"(,"labels":{"l)" + i + R"(":"x"}})"; }
std::string own_resources(std::string i) {
  return R"(},"status":{"allocatable":{"example.com/r)" + i + R"(":"1"}})";
}
std::string own_attach_limits(std::string i) {
  return R"(},"status":{"allocatable":{"attachable-volumes-csi-d)" + i + R"(":"1"}})";
}

struct Heavy {
  const char* sentence;
  const char* path;
  std::string body;
};

std::vector<Heavy> heavy_calls() {
  constexpr int kOwnNodes = 4000;
  const std::string numbers = "{\"a\":[1" + std::string(3'000'000, ' ').replace(0, 2'900'000, [] {
    std::string ones;
    while (ones.size() < 2'900'000) ones += ",1";
    return ones;
  }()) + "]}";
  std::string lines = "a:\n";
  while (lines.size() < 1'000'000) lines += "- 1\n";
  std::vector<Heavy> calls;
  for (const char* path : {"/filter", "/explain"}) {
    calls.push_back({"labels of their own", path, own_nodes(kOwnNodes, own_labels)});
    calls.push_back({"resources of their own", path, own_nodes(kOwnNodes, own_resources)});
    calls.push_back({"attach limits of their own", path, own_nodes(kOwnNodes, own_attach_limits)});
  }
  calls.push_back({"JSON of numbers", "/page/try", numbers});
  calls.push_back({"YAML of numbers", "/page/try", lines});
  calls.push_back({"a pod of numbers", "/filter", R"({"NodeNames":["n0"],"Pod":)" + numbers + "}"});
  calls.push_back({"a preemption of numbers", "/preempt", R"({"NodeNameToMetaVictims":)" + numbers + "}"});
  return calls;
}

TEST_CASE("a call takes no more memory than is left to calls, and the service goes on") {
  constexpr std::ptrdiff_t kMost = 48 << 20;
  http::Limits limits;
  limits.handler_bytes = kMost;
  const RunningService service(cache_of_size(2), todays_rule_set(), {}, limits);
  const std::string good = service.post("/filter", args_with_names({"n0", "n1"})).body;
  for (const Heavy& call : heavy_calls()) {
    CAPTURE(call.sentence);
    CAPTURE(call.path);
    const std::ptrdiff_t before = MemoryBudget::process().used();
    MemoryBudget::process().reset_peak();
    const Answer answer = service.post(call.path, call.body);
    const std::ptrdiff_t taken = MemoryBudget::process().peak() - before;
    // The client and the connection have the body too.
    CHECK(taken < kMost + 4 * static_cast<std::ptrdiff_t>(call.body.size()) + (2 << 20));
    const bool is_answer = answer.status == 200 || answer.status == 400 || answer.status == 503;
    CHECK_MESSAGE(is_answer, answer.status, ' ', answer.body.substr(0, 200));
    CHECK(service.post("/filter", args_with_names({"n0", "n1"})).body == good);
  }
}

TEST_CASE("who asks for too much is told so where he reads it") {
  http::Limits limits;
  limits.handler_bytes = 3 << 20;
  const RunningService service(cache_of_size(2), todays_rule_set(), {}, limits);
  const std::string nodes = own_nodes(8000, own_labels);
  const Answer filter = service.post("/filter", nodes);
  CHECK(filter.status == 200);
  CHECK_MESSAGE(filter.body.ends_with(R"("Error":"winnow: this needs more memory than is left of 3 MiB"})"),
                filter.body.substr(0, 200));
  const Answer explain = service.post("/explain", nodes);
  CHECK(explain.status == 200);
  CHECK_MESSAGE(explain.body.contains(R"("error":"this needs more memory than is left of 2 MiB; ask)"),
                explain.body.substr(0, 200));
  const Answer prioritize = service.post("/prioritize", nodes);
  CHECK(prioritize.status == 503);
  CHECK(prioritize.body == "too little memory: this needs more memory than is left of 3 MiB\n");
  CHECK(service.post("/filter", args_with_names({"n0"})).body.contains(R"("NodeNames":["n0"])"));
}

TEST_CASE("an answer that is too large to be sent is refused, and not cut") {
  ExtenderOptions options;
  options.answer_bytes = 2000;
  const RunningService service(cache_of_size(2), todays_rule_set(), options);
  std::vector<std::string> names;
  for (int i = 0; i < 100; ++i) names.push_back("unknown-" + std::to_string(i));
  const Answer filter = service.post("/filter", args_with_names(names));
  CHECK(filter.status == 200);
  CHECK_MESSAGE(filter.body.contains(R"("Error":"winnow: the answer has )"), filter.body);
  CHECK_MESSAGE(filter.body.ends_with(R"( bytes; with this memory limit at most 2000 are sent"})"),
                filter.body);
  const Answer other = service.post("/prioritize", args_with_names(names));
  CHECK(other.status == 503);
  CHECK_MESSAGE(other.body.ends_with(" bytes; with this memory limit at most 2000 are sent\n"), other.body);
  CHECK(service.post("/filter", args_with_names({"n0"})).body.contains(R"("NodeNames":["n0"])"));
}

TEST_CASE("no route takes a larger body than its row says") {
  http::Limits limits;
  limits.body_bytes = 4 << 20;
  const RunningService service(cache_of_size(1), default_rule_set(), {}, limits);
  for (const Route& route : routes()) {
    CAPTURE(route.path);
    const std::size_t most = std::min(most_bytes(route.body), limits.body_bytes);
    const Answer answer = service.ask(route.method, route.path, std::string(most + 1, ' '));
    if (route.body == Body::kEmpty)
      CHECK(answer.status != 413);
    else
      CHECK(answer.status == 413);
  }
  CHECK(service.post("/bind", std::string((64 << 10) + 1, ' ')).body ==
        "the body has 65537 bytes; /bind takes at most 65536\n");
}

TEST_CASE("no route that takes a body works for a page of another site") {
  const RunningService service(cache_of_size(1));
  for (const Route& route : routes()) {
    if (route.body == Body::kEmpty) continue;
    CAPTURE(route.path);
    for (const char* type : {"text/plain", "application/x-www-form-urlencoded",
                             "multipart/form-data; boundary=x", "TEXT/PLAIN;charset=UTF-8", ""})
      for (const char* from : {"Origin: http://evil.example\r\n", "Origin: null\r\n",
                               "Sec-Fetch-Site: cross-site\r\n", "Sec-Fetch-Site: same-site\r\n"}) {
        CAPTURE(type);
        CAPTURE(from);
        const Answer answer =
            service.ask("POST", route.path, "{}", std::string("Content-Type: ") + type + "\r\n" + from);
        CHECK((answer.status == 403 || answer.status == 415));
        CHECK(answer.body.contains("expected "));
      }
  }
}

TEST_CASE("what only reads is open to the page itself, and to tools") {
  const RunningService service(cache_of_size(1));
  const std::string pod = R"({"metadata":{"name":"x"},"spec":{"containers":[]}})";
  for (const char* headers :
       {"Content-Type: text/plain\r\nOrigin: http://localhost\r\n",
        "Content-Type: text/plain\r\nOrigin: http://localhost\r\nSec-Fetch-Site: same-origin\r\n",
        "Content-Type: text/plain\r\nSec-Fetch-Site: none\r\n",
        "Content-Type: application/x-www-form-urlencoded\r\n",
        "Content-Type: application/json\r\nOrigin: http://evil.example\r\n"}) {
    CAPTURE(headers);
    CHECK(service.ask("POST", "/page/try", pod, headers).status == 200);
    CHECK(service.ask("POST", "/explain", "{\"Pod\":" + pod + "}", headers).status == 200);
    CHECK(service.ask("POST", "/filter", args_with_names({"n0"}), headers).status == 200);
  }
}

TEST_CASE("filter and prioritize are kube-scheduler's alone where their choices are remembered") {
  for (const AnswerMode mode : {AnswerMode::kComplete, AnswerMode::kBest, AnswerMode::kOne})
    for (const bool live : {false, true})
      for (const bool nominates : {false, true}) {
        ExtenderOptions options;
        options.answer = mode;
        options.assume = live;
        options.nominates = nominates;
        const bool remembers = live && (mode != AnswerMode::kComplete || nominates);
        CHECK(remembers_choices(options) == remembers);
        const RunningService service(cache_of_size(1), default_rule_set(), options);
        for (const char* path : {"/filter", "/prioritize", "/predicates", "/priorities"}) {
          CAPTURE(path);
          const auto ask = [&](const char* headers) {
            return service.ask("POST", path, args_with_names({"n0"}), headers).status;
          };
          CHECK(ask("Content-Type: application/json\r\n") == 200);
          CHECK(ask("Content-Type: application/x-www-form-urlencoded\r\n") == (remembers ? 415 : 200));
          CHECK(ask("Content-Type: application/json\r\nOrigin: http://evil.example\r\n") ==
                (remembers ? 403 : 200));
        }
      }
}

}  // namespace
}  // namespace winnow::test
