// Requests whose guards decide later: they wait without a thread, and go on as if they had come just then.
#include "extender/service/http/pending_guards.h"

#include <doctest/doctest.h>

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "cluster/function_ref.h"
#include "tests/extender/service/http/client.h"

namespace winnow::http::test {
namespace {

/// A guard that has requests below /wait wait for the test.
class Door {
 public:
  Guard guard() {
    return [this](const Request& request, Response&, FunctionRef<Admit()> later) {
      if (!request.path.starts_with("/wait")) return Admission::kPass;
      if (!later) return Admission::kLater;
      const std::lock_guard lock(mutex_);
      waiting_.push_back(later());
      came_.notify_all();
      return Admission::kLater;
    };
  }
  /// The Admits of that many requests, in the order in which they came.
  std::vector<Admit> take(std::size_t count) {
    std::unique_lock lock(mutex_);
    came_.wait(lock, [&] { return waiting_.size() >= count; });
    return std::exchange(waiting_, {});
  }
  Admit take() { return std::move(take(1).front()); }

 private:
  std::mutex mutex_;
  std::condition_variable came_;
  std::vector<Admit> waiting_;
};

std::string request(std::string_view path, std::string_view body = "") {
  return "POST " + std::string(path) +
         " HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
         std::string(body);
}

void echo(Request& request, Response& response) { response.body = request.path + ' ' + request.body; }

struct Waiting {
  explicit Waiting(const Limits& limits = {}, const Handler& handler = echo)
      : running(handler, limits, [&](Server& server) {
          server.route("GET", "/wait/light", handler, Cost::kLight);
          server.set_guard(door.guard());
        }) {}
  Door door;
  Running running;
};

TEST_CASE("http: a request that waits for its guard holds no thread, and goes on with all that it had") {
  Waiting made({.workers = 1});
  Client waits(made.running.port);
  const std::string body(300'000, 'x');
  waits.send(request("/wait", body));
  Admit admit = made.door.take();
  Client chunked(made.running.port);
  chunked.send("POST /wait/c HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n");
  const Admit second = made.door.take();
  Client light(made.running.port);
  light.send("GET /wait/light HTTP/1.1\r\nHost: a\r\n\r\n");
  const Admit third = made.door.take();
  Client other(made.running.port);
  for (int i = 0; i < 20; ++i) REQUIRE(other.ask(request("/x", "y")).body == "/x y");
  CHECK(made.running.server.counters().open == 4);
  third(std::nullopt);
  CHECK(light.receive().body == "/wait/light ");
  second(std::nullopt);
  CHECK(chunked.receive().body == "/wait/c abc");
  admit(std::nullopt);
  CHECK((waits.receive().body == "/wait " + body));
  CHECK(made.running.server.counters().requests == 23);
  CHECK(made.running.refused(Cause::kDenied) == 0);
  CHECK(waits.ask(request("/x")).body == "/x ");
}

TEST_CASE("http: a refusal that comes later is the answer, and is counted") {
  Waiting made;
  Client client(made.running.port);
  client.send(request("/wait", "a") + request("/x", "b") + request("/wait/2", "c"));
  made.door.take()(line_response(403, "no"));
  const Answer refused = client.receive();
  CHECK(refused.status == 403);
  CHECK(refused.body == "no\n");
  CHECK(refused.head.contains("Content-Type: text/plain; charset=utf-8\r\n"));
  CHECK(client.receive().body == "/x b");  // What was pipelined behind it.
  made.door.take()(std::nullopt);
  CHECK(client.receive().body == "/wait/2 c");
  CHECK(made.running.refused(Cause::kDenied) == 1);
  CHECK(made.running.server.counters().requests == 2);
}

TEST_CASE("http: a guard may decide before it has returned, and twice is as once") {
  Running running(echo, {}, [](Server& server) {
    server.set_guard([](const Request& request, Response&, FunctionRef<Admit()> later) {
      if (!later) return Admission::kLater;
      const Admit admit = later();
      admit(request.path == "/no" ? std::optional(line_response(401, "x")) : std::nullopt);
      admit(line_response(500, "not asked"));
      // Who takes one and passes has decided.
      return request.path == "/pass" ? Admission::kPass : Admission::kLater;
    });
  });
  Client client(running.port);
  for (int i = 0; i < 50; ++i) {
    REQUIRE(client.ask(request("/yes", "1")).body == "/yes 1");
    REQUIRE(client.ask(request("/no", "2")).body == "x\n");
    REQUIRE(client.ask(request("/pass", "3")).body == "/pass 3");
  }
}

TEST_CASE("http: a request arrives when it is let in: what it has waited does not count") {
  Clock::time_point arrived;
  Waiting made({}, [&](Request& request, Response&) { arrived = request.arrived; });
  Client client(made.running.port);
  client.send(request("/wait"));
  const Admit admit = made.door.take();
  const auto before = Clock::now();
  admit(std::nullopt);
  CHECK(client.receive().status == 200);
  CHECK(arrived >= before);
}

TEST_CASE("http: many wait at once, and others decide on them from several threads") {
  Waiting made({.workers = 2});
  constexpr std::size_t kClients = 200;
  std::vector<Client> clients;
  for (std::size_t i = 0; i < kClients; ++i) {
    clients.emplace_back(made.running.port);
    clients.back().send(request("/wait", std::to_string(i)));
  }
  std::vector<Admit> admits = made.door.take(kClients);
  std::vector<std::jthread> threads;
  for (std::size_t thread = 0; thread < 4; ++thread)
    threads.emplace_back([&admits, thread] {
      for (std::size_t i = thread; i < kClients; i += 4)
        admits[i](i % 2 == 0 ? std::nullopt : std::optional(line_response(403, "no")));
    });
  std::size_t answered = 0;
  for (std::size_t i = 0; i < kClients; ++i) {
    const Answer answer = clients[i].receive();
    CHECK((answer.body == "/wait " + std::to_string(i) || answer.body == "no\n"));
    if (answer.status == 200) ++answered;
  }
  CHECK(answered == kClients / 2);
}

TEST_CASE("http: a client that goes away while it waits hurts nobody") {
  Waiting made;
  {
    Client gone(made.running.port);
    gone.send(request("/wait"));
    made.door.take()(std::nullopt);
  }
  std::optional<Admit> admit;
  {
    Client gone(made.running.port);
    gone.send(request("/wait"));
    admit = made.door.take();
  }
  (*admit)(std::nullopt);
  CHECK(eventually([&] { return made.running.server.counters().open == 0; }));
}

TEST_CASE("http: stop() lets those in who are decided on in time; a decision after the end changes nothing") {
  Admit late;
  {
    Waiting made;
    Client in_time(made.running.port);
    in_time.send(request("/wait"));
    const Admit admit = made.door.take();
    Client never(made.running.port);
    never.send(request("/wait"));
    late = made.door.take();
    std::jthread decides([&] { admit(std::nullopt); });
    made.running.server.stop(std::chrono::seconds(2));
    const Answer answer = in_time.receive();
    CHECK(answer.body == "/wait ");
    CHECK(never.sees_end());
  }
  late(std::nullopt);
}

TEST_CASE("http: Authorization is told as it was sent, once or not at all") {
  Running running(
      [](Request& request, Response& response) { response.body = '<' + request.authorization + '>'; });
  Client client(running.port);
  const auto told = [&](const std::string& fields) {
    return client.ask("GET /x HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n").body;
  };
  CHECK(told("") == "<>");
  CHECK(told("Authorization: Bearer a.b-c_d~e+f/g==\r\n") == "<Bearer a.b-c_d~e+f/g==>");
  CHECK(told("AUTHORIZATION:\tbearer  x \r\n") == "<bearer  x>");
  CHECK(told("Authorization: Bearer a\r\nauthorization: Bearer b\r\n") == "<>");
  CHECK(told("Authorization: Bearer %61\r\n") == "<>");
}

}  // namespace
}  // namespace winnow::http::test
