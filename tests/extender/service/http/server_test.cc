// The server with well-behaved clients.
#include "extender/service/http/server.h"

#include <doctest/doctest.h>

#include <atomic>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/extender/service/http/client.h"

namespace winnow::http::test {
namespace {

#ifndef WINNOW_FIXTURES
#define WINNOW_FIXTURES "tests/fixtures"
#endif

// The bytes of a filter call as kube-scheduler sends it.
std::string captured_request() {
  std::ifstream in(WINNOW_FIXTURES "/http/filter_names.raw", std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

TEST_CASE("http: one connection serves a thousand requests") {
  Running running;
  Client client(running.port);
  for (int i = 0; i < 1000; ++i) REQUIRE(client.ask(post("abc")).body == "POST /filter? :3");
  CHECK(running.server.counters().accepted == 1);
  CHECK(running.server.counters().requests == 1000);
}

TEST_CASE("http: a request of kube-scheduler, whole and byte by byte") {
  Running running;
  Client client(running.port);
  const std::string request = captured_request();
  REQUIRE(request.size() > 6000);
  const Answer whole = client.ask(request);
  CHECK(whole.body == "POST /filter? application/json:6303");
  CHECK_FALSE(whole.head.contains("Encoding"));  // although the client accepts gzip
  for (const char byte : request) REQUIRE(client.send({&byte, 1}));
  CHECK(client.receive().body == whole.body);
}

TEST_CASE("http: the body arrives unchanged, at every size around the buffers") {
  Running running([](Request& request, Response& response) { response.body = std::move(request.body); });
  Client client(running.port);
  for (const std::size_t size :
       {0UL, 1UL, 65535UL, 65536UL, 65537UL, 250'000UL, 1UL << 20, (1UL << 20) + 1, 5UL << 20}) {
    std::string body(size, 'x');
    for (std::size_t i = 0; i < size; ++i) body[i] = static_cast<char>('a' + i % 23);
    std::thread sender([&] { client.send(post(body)); });
    const Answer answer = client.receive();
    sender.join();
    CHECK(answer.status == 200);
    CHECK((answer.body == body));
  }
  CHECK(eventually([&] { return running.server.counters().buffered_bytes == 0; }));
}

TEST_CASE("http: pipelined requests are answered in order") {
  Running running;
  Client client(running.port);
  std::string many;
  for (int i = 0; i < 500; ++i) many += post(std::string(static_cast<std::size_t>(i), 'x'));
  std::thread sender([&] { client.send(many); });
  for (int i = 0; i < 500; ++i) REQUIRE(client.receive().body == "POST /filter? :" + std::to_string(i));
  sender.join();
}

TEST_CASE("http: a chunked body, in every division") {
  Running running([](Request& request, Response& response) { response.body = request.body; });
  Client client(running.port);
  const std::string head = "POST /f HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n";
  const std::string chunks =
      "5\r\nhello\r\nA;x=\"y\"\r\n, chunked \r\n005\r\nworld\r\n0\r\nTrailer: 1\r\n\r\n";
  for (std::size_t cut = 0; cut <= chunks.size(); ++cut) {
    client.send(head + chunks.substr(0, cut));
    if (cut % 8 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    client.send(chunks.substr(cut));
    REQUIRE(client.receive().body == "hello, chunked world");
  }
}

TEST_CASE("http: HEAD, GET, query, absolute target, any content type") {
  Running running;
  Client client(running.port);
  CHECK(client.ask("GET /livez?verbose=1&a=b HTTP/1.1\r\nHost: a\r\n\r\n").body ==
        "GET /livez?verbose=1&a=b :0");
  CHECK(client.ask("GET http://proxy:1/x?y HTTP/1.1\r\nHost: a\r\n\r\n").body == "GET /x?y :0");
  client.send("HEAD /livez HTTP/1.1\r\nHost: a\r\n\r\n");
  const Answer head = client.receive(true);
  CHECK(head.status == 200);
  CHECK(head.head.contains("Content-Length: 14\r\n"));  // "GET /livez? :0"
  const std::string form(20'000, 'x');
  const Answer answer = client.ask(post(form, "Content-Type: application/x-www-form-urlencoded\r\n"));
  CHECK(answer.body == "POST /filter? application/x-www-form-urlencoded:20000");
}

TEST_CASE("http: Connection: close and HTTP/1.0") {
  Running running;
  Client closing(running.port);
  CHECK(closing.ask(post("a", "Connection: keep-alive, Close\r\n")).head.contains("Connection: close\r\n"));
  CHECK(closing.sees_end());
  Client old(running.port);
  CHECK(old.ask("GET / HTTP/1.0\r\n\r\n").status == 200);
  CHECK(old.sees_end());
  Client kept(running.port);
  for (int i = 0; i < 3; ++i) {
    CHECK(kept.ask("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n")
              .head.contains("Connection: keep-alive\r\n"));
  }
}

TEST_CASE("http: a client that ends its side after the request is answered") {
  Running running;
  Client client(running.port);
  client.send(post("abc"));
  client.finish_sending();
  CHECK(client.receive().status == 200);
  CHECK(client.sees_end());
}

TEST_CASE("http: Expect: 100-continue") {
  Limits limits;
  limits.body_bytes = 1000;
  Running running(describe, limits);
  Client client(running.port);
  client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n");
  CHECK(client.receive(true).status == 100);
  CHECK(client.ask("abc").body == "POST /? :3");
  const Answer refused =
      client.ask("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3000\r\nExpect: 100-continue\r\n\r\n");
  CHECK(refused.status == 413);
}

TEST_CASE("http: statuses other than 200 keep the connection; headers cannot be forged") {
  Running running([](Request& request, Response& response) {
    response.status = request.path == "/204" ? 204 : 404;
    response.headers = {{"X-Good", "yes"}, {"X-Bad", "a\r\nSet-Cookie: b"}, {"X:Y", "z"}};
  });
  Client client(running.port);
  for (const auto* path : {"/204", "/404", "/204"}) {
    const Answer answer =
        client.ask(std::string("POST ") + path + " HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nab");
    CHECK(std::to_string(answer.status) == std::string(path).substr(1));
    CHECK(answer.head.contains("X-Good: yes\r\n"));
    CHECK_FALSE(answer.head.contains("Cookie"));
  }
}

TEST_CASE("http: a handler that throws is an empty 500, and the connection lives") {
  Running running([](Request& request, Response& response) {
    if (request.path == "/throw") throw std::runtime_error("secret");
    response.body = "ok";
  });
  Client client(running.port);
  const Answer answer = client.ask("POST /throw HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n");
  CHECK(answer.status == 500);
  CHECK(answer.body.empty());
  CHECK_FALSE(answer.head.contains("secret"));
  CHECK(client.ask(post("a")).body == "ok");
  CHECK(running.server.counters().handler_threw == 1);
}

TEST_CASE("http: what a handler leaves for afterwards begins when the client has the answer") {
  std::atomic<bool> received = false, done = false;
  Running running([&](Request& request, Response& response) {
    response.body = "ok";
    if (request.path == "/throw") response.afterwards = [] { throw std::runtime_error("secret"); };
    if (request.path == "/wait")
      response.afterwards = [&] {
        while (!received) std::this_thread::yield();
        done = true;
      };
  });
  Client client(running.port);
  CHECK(client.ask("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n").body == "ok");
  CHECK_FALSE(done);
  received = true;
  CHECK(client.ask("GET /throw HTTP/1.1\r\nHost: a\r\n\r\n").body == "ok");
  CHECK(done);
  CHECK(client.ask("GET / HTTP/1.1\r\nHost: a\r\n\r\n").body == "ok");
  CHECK(running.server.counters().handler_threw == 1);
}

TEST_CASE("http: many clients at once, more than there are workers") {
  Running running;
  std::atomic<int> right{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      Client client(running.port);
      for (int i = 0; i < 200; ++i) right += client.ask(post("abcd")).body == "POST /filter? :4" ? 1 : 0;
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK(right == 1600);
}

TEST_CASE("http: a port is one server's; addresses are IPv4 or IPv6 digits") {
  Running running;
  Server second({}, describe);
  const auto taken = second.listen("127.0.0.1", running.port);
  REQUIRE_FALSE(taken.has_value());
  CHECK(taken.error().contains("Address already in use"));
  CHECK(second.listen("localhost", 0).error().contains("not an IP address"));
  if (const auto v6 = second.listen("::", 0)) {
    second.start();
    CHECK(Client(*v6).ask(post("a")).status == 200);
  }
}

TEST_CASE("http: stop() answers what is in flight and closes what is idle") {
  std::atomic<int> inside{0};
  std::atomic<bool> go_on{false};
  Running running([&](Request& request, Response& response) {
    ++inside;
    while (!go_on) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    describe(request, response);
  });
  Client idle(running.port);
  std::vector<Client> flying;
  for (int i = 0; i < 6; ++i) flying.emplace_back(running.port);  // two with a worker, four in line
  for (auto& client : flying) client.send(post("abc"));
  Client half(running.port);
  half.send("POST /filter HTTP/1.1\r\nHost: a\r\n");
  REQUIRE(eventually([&] { return inside == 2 && running.server.counters().open == 8; }));
  REQUIRE(eventually([&] { return running.server.counters().idle <= 1; }));
  std::thread stopper([&] { running.server.stop(std::chrono::seconds(20)); });
  CHECK(idle.sees_end());
  CHECK_FALSE(Client(running.port).connected());
  half.send("Content-Length: 1\r\n\r\nx");
  go_on = true;
  for (auto& client : flying) {
    const Answer answer = client.receive();
    CHECK(answer.status == 200);
    CHECK(answer.head.contains("Connection: close\r\n"));
  }
  CHECK(half.receive().status == 200);
  stopper.join();
  CHECK(running.server.counters().open == 0);
}

TEST_CASE("http: routes are found by the path as sent; HEAD is taken where GET is") {
  Running running(
      [](Request& request, Response& response) {
        response.status = 404;
        response.body = "none for " + request.method + " " + request.path + ":" + request.body;
      },
      {},
      [](Server& server) {
        server.route("GET", "/get", describe);
        server.route("POST", "/post", describe);
        server.route("POST", "/post/more", describe);
      });
  Client client(running.port);
  const auto ask = [&](const std::string& line) {
    return client.ask(line + " HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nab").body;
  };
  CHECK(ask("GET /get?x=%41") == "GET /get?x=%41 :2");
  CHECK(ask("POST /post") == "POST /post? :2");
  CHECK(ask("POST /post/more") == "POST /post/more? :2");
  CHECK(ask("POST http://proxy/post") == "POST /post? :2");
  for (const std::string line :
       {"POST /get", "GET /post", "PUT /post", "OPTIONS /get", "TRACE /get", "POST /", "POST /post/",
        "POST //post", "POST /pos", "POST /postx", "POST /%70ost", "POST /post%2fmore", "POST /_/post",
        "POST /post/more/", "POST /../post", "POST *"})
    CHECK(ask(line) == "none for " + line + ":ab");
  client.send("HEAD /get HTTP/1.1\r\nHost: a\r\n\r\n");
  const Answer head = client.receive(true);
  CHECK(head.status == 200);
  CHECK(head.head.contains("Content-Length: 12\r\n"));  // "GET /get? :0"
  CHECK(ask("POST /post") == "POST /post? :2");
}

TEST_CASE("http: paths as long as heads may be") {
  Running running(describe, {}, [](Server& server) { server.route("GET", "/x", describe); });
  Client client(running.port);
  const std::string path = "/x" + std::string(8000, 'x');
  CHECK(client.ask("GET " + path + " HTTP/1.1\r\nHost: a\r\n\r\n").body.size() > 8000);
  CHECK(client.ask("GET /" + std::string(8192, 'x') + " HTTP/1.1\r\nHost: a\r\n\r\n").status == 414);
}

TEST_CASE("http: what the library could do with a request, and is not to do") {
  Running running([](Request& request, Response& response) { response.body = request.body; }, {},
                  [](Server& server) {
                    server.route("POST", "/f", [](Request& request, Response& response) {
                      response.body = std::move(request.body);
                    });
                  });
  Client client(running.port);
  const std::string body(20'000, 'x');
  for (const char* path : {"/f", "/other"})
    for (const char* field :
         {"Range: bytes=0-1", "Range: bytes=9-1", "Range: lines=1", "Accept: ,", "Accept: nonsense",
          "Accept-Encoding: gzip, br, zstd", "Content-Encoding: identity", "Expect: 100-continue",
          "Content-Type: multipart/form-data", "Content-Type: multipart/form-data; boundary=x",
          "Content-Type: application/x-www-form-urlencoded", "Upgrade: websocket", "If-None-Match: *",
          "X-Forwarded-For: ,", "Trailer: ,", "TE: trailers"}) {
      CAPTURE(field);
      const Answer answer =
          client.ask(std::string("POST ") + path + " HTTP/1.1\r\nHost: a\r\nContent-Length: 20000\r\n" +
                     field + "\r\n\r\n" + body);
      CHECK(answer.status == 200);
      CHECK((answer.body == body));
      for (const char* added : {"Encoding", "Keep-Alive", "Accept-Ranges", "Vary", "Content-Range"})
        CHECK_FALSE(answer.head.contains(added));
      CHECK(answer.head.contains("Date: "));
    }
  CHECK(running.server.counters().accepted == 1);
}

TEST_CASE("http: a handler is told who asks") {
  Running running([](Request& request, Response& response) {
    response.body = request.host + " " + request.origin + " " + (request.client_gone() ? "gone" : "there");
  });
  Client client(running.port);
  CHECK(client.ask("GET / HTTP/1.1\r\nHost: a:1\r\nOrigin: http://b\r\n\r\n").body == "a:1 http://b there");
  CHECK(client.ask("GET / HTTP/1.1\r\nHost: \r\n\r\n").body == "  there");
}

TEST_CASE("http: a handler can see that its client is gone, even behind unread bytes") {
  std::atomic<int> inside{0};
  std::atomic<int> seen{0};
  Running running([&](Request& request, Response&) {
    ++inside;
    while (!request.client_gone()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ++seen;
  });
  {
    Client client(running.port);
    client.send(post("a"));
    REQUIRE(eventually([&] { return inside == 1; }));
    client.send("POST ");
    CHECK(seen == 0);
  }
  CHECK(eventually([&] { return seen == 1; }));
}

TEST_CASE("http: light routes are answered while all slots are taken") {
  std::atomic<int> inside{0};
  std::atomic<bool> go_on{false};
  Running running(
      [&](Request&, Response& response) {
        ++inside;
        while (!go_on) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        response.body = "slow";
      },
      {}, [](Server& server) { server.route("GET", "/livez", describe, Cost::kLight); });
  std::vector<Client> slow;
  for (int i = 0; i < 4; ++i) {
    slow.emplace_back(running.port);
    slow.back().send(post("a"));
  }
  REQUIRE(eventually([&] { return inside == 2; }));
  Client probe(running.port);
  CHECK(probe.ask("GET /livez HTTP/1.1\r\nHost: a\r\n\r\n").body == "GET /livez? :0");
  CHECK(probe.ask("GET /livez?verbose HTTP/1.1\r\nHost: a\r\n\r\n").body == "GET /livez?verbose :0");
  probe.send("HEAD /livez HTTP/1.1\r\nHost: a\r\n\r\n");
  CHECK(probe.receive(true).status == 200);
  CHECK(inside == 2);
  // What is pipelined behind a light request has no such right.
  probe.send("GET /livez HTTP/1.1\r\nHost: a\r\n\r\nGET /livez HTTP/1.1\r\nHost: b\r\n\r\n");
  CHECK(probe.receive().status == 200);
  go_on = true;
  CHECK(probe.receive().status == 200);
  for (auto& client : slow) CHECK(client.receive().body == "slow");
}

TEST_CASE("http: each class has slots of its own, and none waits for another") {
  std::atomic<int> reading{0}, scraping{0};
  std::atomic<bool> go_on{false};
  const auto held = [&](std::atomic<int>& inside) {
    return [&](Request& request, Response& response) {
      ++inside;
      while (!go_on) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      response.body = request.path;
    };
  };
  Limits limits;
  limits.readers = 2;
  Running running(describe, limits, [&](Server& server) {
    server.route("POST", "/filter", describe);
    server.route("GET", "/page", held(reading), Cost::kRead);
    server.route("GET", "/metrics", held(scraping), Cost::kScrape);
    server.route("GET", "/livez", describe, Cost::kLight);
  });
  std::vector<Client> readers;
  for (int i = 0; i < 60; ++i) {
    readers.emplace_back(running.port);
    readers.back().send(i % 2 == 0 ? "GET /page?x HTTP/1.1\r\nHost: a\r\n\r\n"
                                   : "GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n");
  }
  REQUIRE(eventually([&] { return reading == 2 && scraping == 1; }));
  std::vector<Client> callers;
  for (int i = 0; i < 3; ++i) callers.emplace_back(running.port);
  for (int i = 0; i < 50; ++i) {
    REQUIRE(callers[static_cast<std::size_t>(i) % 3].ask(post("abc")).body == "POST /filter? :3");
    REQUIRE(callers[0].ask("GET /livez HTTP/1.1\r\nHost: a\r\n\r\n").status == 200);
  }
  // One connection that asks for all of them at once.
  callers[0].send(post("a") + "GET /livez HTTP/1.1\r\nHost: a\r\n\r\nGET /page HTTP/1.1\r\nHost: a\r\n\r\n" +
                  "GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n" + post("bb"));
  CHECK(callers[0].receive().body == "POST /filter? :1");
  CHECK(callers[1].ask(post("abc")).body == "POST /filter? :3");
  CHECK(reading == 2);
  CHECK(scraping == 1);
  go_on = true;
  for (const char* body : {"GET /livez? :0", "/page", "/metrics", "POST /filter? :2"})
    CHECK(callers[0].receive().body == body);
  for (std::size_t i = 0; i < readers.size(); ++i)
    CHECK(readers[i].receive().body == (i % 2 == 0 ? "/page" : "/metrics"));
}

TEST_CASE("http: pipelined requests of all classes are answered in order, on many connections at once") {
  Running running(describe, {}, [&](Server& server) {
    server.route("POST", "/filter", describe);
    server.route("GET", "/page", describe, Cost::kRead);
    server.route("GET", "/metrics", describe, Cost::kScrape);
    server.route("GET", "/livez", describe, Cost::kLight);
  });
  std::vector<std::jthread> clients;
  std::atomic<int> right{0};
  for (int each = 0; each < 6; ++each)
    clients.emplace_back([&, each] {
      Client client(running.port);
      std::string all;
      const char* const paths[] = {"/page", "/metrics", "/livez", "/filter", "/page", "/filter"};
      for (int i = 0; i < 60; ++i) {
        const std::string path = paths[(i * (each + 1) + i / 6) % 6];
        all += path == "/filter" ? post("a") : "GET " + path + " HTTP/1.1\r\nHost: a\r\n\r\n";
      }
      client.send(all);
      for (int i = 0; i < 60; ++i) {
        const std::string path = paths[(i * (each + 1) + i / 6) % 6];
        const std::string body = client.receive().body;
        right += body == (path == "/filter" ? "POST /filter? :1" : "GET " + path + "? :0") ? 1 : 0;
      }
    });
  clients.clear();
  CHECK(right == 360);
}

TEST_CASE("http: stop() tells handlers that outlast the drain, and returns when they end") {
  std::atomic<int> inside{0};
  Running running([&](Request& request, Response&) {
    ++inside;
    while (!request.client_gone()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  });
  Client client(running.port);
  client.send(post("a"));
  REQUIRE(eventually([&] { return inside == 1; }));
  running.server.stop(std::chrono::milliseconds(50));
  CHECK(client.receive().head.contains("Connection: close\r\n"));
}

TEST_CASE("http: stop() cuts what outlasts the drain") {
  Running running;
  Client half(running.port);
  half.send("POST /filter HTTP/1.1\r\n");
  REQUIRE(eventually([&] { return running.server.counters().buffered_bytes > 0; }));
  running.server.stop(std::chrono::milliseconds(50));
  CHECK(half.sees_end());
}

}  // namespace
}  // namespace winnow::http::test
